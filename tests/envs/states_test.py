"""Environments go on exactly from a saved state, in another environment with other seeds."""

import numpy as np
import pytest

from sc2impala import envs, saved_arrays
from sc2impala.envs import demonstrator, players
from tests.envs import contract
from tests.sim.maps import short_episodes

K = 3
SEEN = {'vectors': ('player', 'game_loop', 'feature_units'), 'screen_layers': 'all'}


def make(map_name, seed, script=None, share=0.5):
    specs = envs.make_specs(map_name, screen_size=(20, 16), minimap_size=(12, 16), **SEEN)
    seeds = range(seed, seed + K)
    if script is None:
        return envs.make_environment('simulator', map_name, seeds, *specs, max_step_mul=20)
    script_class = players.RULES[map_name][script]
    specs = envs.make_specs(
        map_name, functions=script_class.functions, screen_size=(20, 16), **SEEN
    )
    seen = demonstrator.with_needs(specs[0], script_class, fine=True)
    env = envs.make_environment('simulator', map_name, seeds, seen, specs[1], max_step_mul=20)
    player = script_class(seen, specs[1])
    return demonstrator.DemonstratedEnvironment(env, specs[0], player, 8, share, seed)


def play(env, num_steps, observation, rng):
    """Plays what a label says, or at random; returns everything that was observed."""
    player, outputs = players.RandomPlayer(env.action_spec, rng), []
    for _ in range(num_steps):
        action = player.act(observation)
        label = observation.get('demonstration')
        if label is not None:
            for head, choice in action.items():
                choice[:] = np.where(label['plays'], label['action'][head], choice)
        step_mul = rng.randint(1, env.max_step_mul + 1, size=env.num_envs, dtype=np.int32)
        outputs.append(env.step(action, step_mul))
        observation = outputs[-1].observation
    return outputs


def check_resumes(make_env, num_steps=25):
    with make_env(1) as env, make_env(100) as other:
        observation = play(env, num_steps, env.reset(), np.random.RandomState(0))[-1].observation
        state = env.get_state()
        kept = {name: array.copy() for name, array in state.items()}
        played = play(env, num_steps, observation, np.random.RandomState(1))
        saved_arrays.check(state, kept)
        # No later step has changed what was returned.
        assert all(np.array_equal(state[name], kept[name]) for name in kept)
        play(other, 7, other.reset(), np.random.RandomState(2))
        other.set_state(state)
        again = play(other, num_steps, observation, np.random.RandomState(1))
        contract.check_equal(played, again)
        left, right = env.get_state(), other.get_state()
        saved_arrays.check(left, right)
        assert all(np.array_equal(left[name], right[name]) for name in left)


@pytest.mark.parametrize('map_name', envs.MAP_NAMES)
def test_games(monkeypatch, map_name):
    short_episodes(monkeypatch, map_name, 240)
    check_resumes(lambda seed: make(map_name, seed))


@pytest.mark.parametrize(
    'map_name, script', [(name, script) for name in players.RULES for script in players.RULES[name]]
)
def test_scripts(monkeypatch, map_name, script):
    short_episodes(monkeypatch, map_name, 240)
    check_resumes(lambda seed: make(map_name, seed, script))


def test_what_was_visited(monkeypatch):
    short_episodes(monkeypatch, 'FindAndDefeatZerglings', 240)
    monkeypatch.setitem(SEEN, 'minimap_layers', ('visited', 'camera'))
    check_resumes(lambda seed: make('FindAndDefeatZerglings', seed))
    check_resumes(lambda seed: make('FindAndDefeatZerglings', seed, 'circle'))


def test_whether_the_script_is_on():
    with make('MoveToBeacon', 1, 'PySC2') as env, make('MoveToBeacon', 9, 'PySC2') as other:
        env.reset()
        env.set_share(0.25)
        env.enable(False)
        observation = play(env, 2, env.reset(), np.random.RandomState(0))[-1].observation
        assert not observation['demonstration']['valid'].any()
        other.reset()
        other.set_state(env.get_state())
        assert other.get_state()['demonstrator/share'] == 0.25
        observation = play(other, 1, observation, np.random.RandomState(0))[-1].observation
        assert not observation['demonstration']['valid'].any()


def test_synthetic_games():
    specs = envs.make_specs('Frames')

    def make_env(unused_seed):
        return envs.make_environment('synthetic', 'Frames', range(K), *specs, max_step_mul=8)

    check_resumes(make_env)


def test_the_state_of_other_games():
    with make('MoveToBeacon', 1) as env, make('DefeatRoaches', 1) as other:
        state = env.get_state()
        with pytest.raises(ValueError, match='expected'):
            other.set_state(state)
        state['totals/steps'] = np.zeros([K + 1], np.int32)
        with pytest.raises(ValueError, match=r'totals/steps is int32 \[4\], expected int32 \[3\]'):
            env.set_state(state)


def test_games_that_cannot_be_saved():
    class Wrapped(envs.VectorEnvironment):
        reset = step = close = lambda self, *unused: None

    with make('MoveToBeacon', 1, 'PySC2') as env:
        games = Wrapped(K, env._env.observation_spec, env.action_spec, 20)
        assert games.get_state() is None
        of_agent = env.observation_spec
        env._env = games
        assert env.get_state() is None and of_agent is not None
        with pytest.raises(ValueError, match='cannot be saved'):
            games.set_state({})
