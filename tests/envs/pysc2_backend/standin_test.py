"""Whole processes: an unmodified PySC2 with the stand-in for the game."""

import functools

import numpy as np
import pytest

from sc2impala import envs
from sc2impala.envs import demonstrator, players
from tests.envs.pysc2_backend import leftovers, standin

SEEDS = 2**32 + 3, 4


@pytest.fixture(scope='module')
def game(tmp_path_factory):
    folder = tmp_path_factory.mktemp('game')
    standin.install_in(folder)
    return folder


@pytest.fixture(autouse=True)
def folder(game, monkeypatch, tmp_path_factory):
    """The folder of all temporary files, which must be empty after the test."""
    folder = tmp_path_factory.mktemp('temporary')
    monkeypatch.setenv('SC2PATH', str(game))
    leftovers.use(folder, monkeypatch)
    yield folder
    leftovers.await_none(folder)


def check_equal(observations, others, index):
    """Checks that game `index` of nested arrays [K, ...] equals that of arrays [1, ...]."""
    assert observations.keys() == others.keys()
    for name, values in observations.items():
        if isinstance(values, dict):
            check_equal(values, others[name], index)
        else:
            np.testing.assert_array_equal(values[index], others[name][0], err_msg=name)


SELECT_AND_ORDER = (
    'no_op',
    'select_point+Attack_screen',
    'Move_screen',
    'select_point+Move_screen',
    'select_army+Attack_screen',
)
SELECT_AND_BUILD = (
    'no_op',
    'select_idle_worker+Harvest_Gather_screen',
    'select_point+Train_SCV_quick',
    'select_point+Build_SupplyDepot_screen',
)


@pytest.mark.long
@pytest.mark.parametrize(
    'map_name, functions, vectors',
    [
        ('DefeatRoaches', 'all', 'all'),
        ('DefeatRoaches', SELECT_AND_ORDER, ('player', 'feature_units')),
        ('CollectMineralsAndGas', SELECT_AND_BUILD, ('player',)),
    ],
)
def test_it_plays_what_the_simulator_plays(map_name, functions, vectors):
    max_step_mul = 60
    specs = envs.make_specs(
        map_name,
        functions=functions,
        screen_size=(24, 20),
        minimap_size=(16, 12),
        screen_layers='all',
        minimap_layers='all',
        vectors=vectors,
        fixed_arguments={},
    )
    # Seeds of the game have 32 bits.
    apart = [
        envs.SimulatedEnvironment(map_name, [seed % 2**32], *specs, max_step_mul=max_step_mul)
        for seed in SEEDS
    ]
    rng = np.random.RandomState(0)
    player = players.RandomPlayer(specs[1], rng)
    make = envs.make_environment
    with make('pysc2', map_name, SEEDS, *specs, max_step_mul=max_step_mul) as env:
        observation = env.reset()
        for index, simulated in enumerate(apart):
            check_equal(observation, simulated.reset(), index)
        num_episodes = np.zeros([len(SEEDS)])
        while num_episodes.min() < 1:
            action = player.act(observation)
            step_mul = rng.randint(1, max_step_mul + 1, size=len(SEEDS), dtype=np.int32)
            output = env.step(action, step_mul)
            for index, simulated in enumerate(apart):
                one = {head: values[index : index + 1] for head, values in action.items()}
                expected = simulated.step(one, step_mul[index : index + 1])
                assert output.reward[index] == expected.reward[0]
                assert output.done[index] == expected.done[0]
                assert [f[index] for f in output.info] == [f[0] for f in expected.info]
                check_equal(output.observation, expected.observation, index)
            num_episodes += output.done
            observation = output.observation


@pytest.mark.long
def test_what_was_visited_is_that_of_the_simulator():
    specs = envs.make_specs('FindAndDefeatZerglings', minimap_layers=('visited',))
    seed = SEEDS[1]
    make = functools.partial(
        envs.make_environment,
        map_name='FindAndDefeatZerglings',
        seeds=[seed],
        observation_spec=specs[0],
        action_spec=specs[1],
        max_step_mul=120,
    )
    player = players.RandomPlayer(specs[1], np.random.RandomState(0))
    with make('pysc2') as env, make('simulator') as other:
        observation = env.reset()
        check_equal(other.reset(), observation, 0)
        first = observation['minimap']['visited'].copy()
        for _ in range(30):
            action = player.act(observation)
            outputs = [each.step(action, np.array([120])) for each in (env, other)]
            observation = outputs[0].observation
            check_equal(outputs[1].observation, observation, 0)
        assert (observation['minimap']['visited'] != first).any()


@pytest.mark.long
def test_truncated_episodes_are_those_of_the_simulator():
    """PySC2 ends an episode at the limit with a discount of 1, and the map's clock with 0."""
    specs = envs.make_specs('MoveToBeacon', vectors=['player', 'game_loop'])
    make = functools.partial(
        envs.make_environment,
        map_name='MoveToBeacon',
        seeds=[SEEDS[1]],
        observation_spec=specs[0],
        action_spec=specs[1],
        max_step_mul=250,
        max_episode_frames=900,
    )
    player = players.RandomPlayer(specs[1], np.random.RandomState(0))
    with make('pysc2') as env, make('simulator') as other:
        observation = env.reset()
        check_equal(other.reset(), observation, 0)
        frames, done = [], []
        for _ in range(12):
            action = player.act(observation)
            output, expected = [each.step(action, np.array([250])) for each in (env, other)]
            assert output.reward == expected.reward and output.done == expected.done
            assert output.info == expected.info
            check_equal(output.observation, expected.observation, 0)
            observation = output.observation
            frames.append(int(output.info.episode_frames[0]))
            done.append(bool(output.done[0]))
    assert frames == [250, 500, 750, 1000, 1000] * 2 + [250, 500]
    assert done == ([False] * 4 + [True]) * 2 + [False] * 2


@pytest.mark.long
def test_a_script_that_goes_by_health_and_frames_plays_as_on_the_simulator():
    map_name, seed = 'FindAndDefeatZerglings', SEEDS[1]
    script = players.RULES[map_name]['stutter_step']
    observation_spec, action_spec = envs.make_specs(
        map_name, functions=script.functions, screen_size=(32, 32), minimap_size=(32, 32)
    )
    specs = demonstrator.with_needs(observation_spec, script), action_spec
    games = {}
    for backend in ('pysc2', 'simulator'):
        player, calls, rewards = script(*specs), [], []
        with envs.make_environment(backend, map_name, [seed], *specs, max_step_mul=8) as env:
            observation, starts = env.reset(), np.array([True])
            for _ in range(120):
                action = player.act(observation, starts)
                output = env.step(action, np.array([4]))
                calls.append({head: int(choice[0]) for head, choice in action.items()})
                rewards.append(float(output.reward[0]))
                observation, starts = output.observation, output.done
        games[backend] = calls, rewards
    assert games['pysc2'] == games['simulator']
    calls, rewards = games['pysc2']
    played = {action_spec.function_names[call['function']] for call in calls}
    assert 'Move_minimap' in played and 'move_camera' in played and sum(rewards) >= 2


@pytest.mark.slow
def test_games_that_are_harmed(folder, capsys):
    specs = envs.make_specs('MoveToBeacon', vectors=['game_loop'])
    settings = envs.GameSettings(deadline_secs=1.0)
    rng = np.random.RandomState(0)
    action = {head: np.zeros([2], np.int32) for head in specs[1].heads}
    step_mul = np.ones([2], np.int32)
    make = envs.make_environment
    with make('pysc2', 'MoveToBeacon', [1, 2], *specs, 8, game_settings=settings) as env:
        env.reset()
        for how in standin.HARM:
            victims = standin.games_in(folder)
            assert len(victims) == 2
            victims[rng.randint(2)].send_signal(standin.HARM[how])
            output = env.step(action, step_mul)
            assert output.info.aborted.sum() == 1, how
            assert (output.done == output.info.aborted).all() and not output.reward.any()
            loops = output.observation['game_loop'][:, 0]
            assert (loops == np.where(output.done, 0, loops.max())).all() and loops.max() > 0
            assert not env.step(action, step_mul).done.any()
    assert capsys.readouterr().err.count('launched again') == len(standin.HARM)
