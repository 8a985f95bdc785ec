"""Observations through PySC2 and the stand-in equal those of the simulator used directly."""

import numpy as np
import pytest

from sc2impala import sim
from sc2impala.sim import layers
from tests.sim.api import client
from tests.sim.maps import every_map_but_slow_ones

SIZE = 32
SEED = 3


@pytest.fixture(scope='module')
def standin(tmp_path_factory):
    with client.standin(tmp_path_factory.mktemp('game') / 'standin') as path:
        yield path


def make_game(map_name):
    return sim.make(
        map_name,
        [SEED],
        (SIZE, SIZE),
        (SIZE, SIZE),
        tuple(layers.SCREEN_SCALES),
        tuple(layers.MINIMAP_SCALES),
    )


def rows(observed, name):
    count = observed[name.replace('production', 'build') + '_count'][0]
    return observed[name][0, :count]


def check_same(seen, game):
    observed = game.observe()
    for group, scales in (('screen', layers.SCREEN_SCALES), ('minimap', layers.MINIMAP_SCALES)):
        pictures = seen['feature_' + group]
        for name in scales:
            np.testing.assert_array_equal(
                np.asarray(getattr(pictures, name)), observed[group][name][0], err_msg=name
            )
    available = observed['available_actions'][0].nonzero()[0]
    assert sorted(seen['available_actions']) == available.tolist()
    for name in ('player', 'score_cumulative', 'control_groups', 'game_loop'):
        np.testing.assert_array_equal(np.asarray(seen[name]), observed[name][0], err_msg=name)
    for name in ('single_select', 'multi_select', 'build_queue', 'production_queue'):
        there = np.asarray(seen[name])
        np.testing.assert_array_equal(
            there.reshape(rows(observed, name).shape), rows(observed, name), err_msg=name
        )
    for name in ('alerts', 'action_result', 'last_actions'):
        assert list(seen[name]) == [code for code in observed[name][0] if code]
    units = game.feature_units()[0]
    units = units[units[:, 0] > 0]
    np.testing.assert_array_equal(np.reshape(seen['feature_units'], units.shape), units)


@pytest.mark.long
@every_map_but_slow_ones
def test_a_whole_episode_and_the_beginning_of_the_next_are_the_same(standin, map_name):
    game = make_game(map_name)
    rng = np.random.RandomState(0)
    longest = 100 if game.episode_loops > 5000 else 16
    # An episode of a quarter of an hour is ended early, by `reset`.
    loops = 3000 if game.episode_loops > 10000 else game.episode_loops
    with client.make_env(map_name, SIZE, SEED) as env:
        time_step = env.reset()[0]
        game.reset()
        check_same(time_step.observation, game)
        num_ends = num_steps_after = 0
        while num_steps_after < 5:
            available = time_step.observation['available_actions']
            call, function, arguments = client.random_call(rng, available, SIZE)
            step_mul = int(rng.randint(1, longest))
            score = game.score[0]
            time_step = env.step([call], step_mul=step_mul)[0]
            game.act(np.array([function]), arguments)
            game.advance(np.array([step_mul]))
            assert time_step.reward == game.score[0] - score
            assert time_step.last() == game.ended[0]
            check_same(time_step.observation, game)
            num_steps_after += num_ends
            if time_step.last() or (not num_ends and game.game_loop[0] >= loops):
                assert time_step.discount == (not time_step.last())
                num_ends += 1
                time_step = env.reset()[0]
                game.reset()
                check_same(time_step.observation, game)
    assert num_ends >= 1


@pytest.mark.long
def test_without_fog_all_enemies_are_seen(standin):
    seen = []
    for disable_fog in (False, True):
        with client.make_env('FindAndDefeatZerglings', SIZE, SEED, disable_fog=disable_fog) as env:
            minimap = env.reset()[0].observation['feature_minimap']
            seen.append((minimap.player_relative == 4).sum())
            visible = (minimap.visibility_map == 2).mean()
            assert (visible > 0.3) == disable_fog
    assert seen[1] > 3 * seen[0]
