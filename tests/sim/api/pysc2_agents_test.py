"""PySC2's own agents, in its own loop, on the stand-in."""

import os

import numpy as np
import pytest

from tests.sim.api import client

EPISODES = 1


@pytest.fixture(scope='module')
def standin(tmp_path_factory):
    with client.standin(tmp_path_factory.mktemp('game') / 'standin') as path:
        yield path


def play(map_name, agent, **kwargs):
    """Mean score of an agent over some episodes."""
    client.seeded(0)
    with client.make_env(map_name, **kwargs) as env:
        client.load('env.run_loop').run_loop([agent], env, max_episodes=EPISODES)
    return agent.reward / EPISODES


@pytest.mark.long
@pytest.mark.parametrize(
    'map_name, agent, at_least',
    [
        ('MoveToBeacon', 'MoveToBeacon', 20),
        ('CollectMineralShards', 'CollectMineralShards', 70),
        ('CollectMineralShards', 'CollectMineralShardsFeatureUnits', 80),
        ('DefeatRoaches', 'DefeatRoaches', 10),
    ],
)
def test_scripted_agents_play_well(standin, map_name, agent, at_least):
    scripted = getattr(client.load('agents.scripted_agent'), agent)
    assert play(map_name, scripted(), size=84) > at_least


@pytest.mark.long
def test_the_raw_scripted_agent_plays_well(standin):
    sc2_env = client.load('env.sc2_env')
    scripted = client.load('agents.scripted_agent').CollectMineralShardsRaw
    interface = sc2_env.AgentInterfaceFormat(
        action_space=client.load('lib.actions').ActionSpace.RAW,
        use_raw_units=True,
        raw_resolution=64,
    )
    assert play('CollectMineralShards', scripted(), interface=interface) > 60


@pytest.mark.long
@pytest.mark.parametrize('map_name', ['DefeatRoaches', 'CollectMineralsAndGas'])
def test_the_random_agent_plays(standin, map_name):
    agent = client.load('agents.random_agent').RandomAgent()
    mean = play(map_name, agent, step_mul=48, size=32)
    assert np.isfinite(mean) and agent.steps > 5


def test_delayed_actions_and_several_at_once(standin):
    sc2_env = client.load('env.sc2_env')
    features = client.load('lib.features')
    actions = client.load('lib.actions').FUNCTIONS
    interface = sc2_env.AgentInterfaceFormat(
        feature_dimensions=features.Dimensions(screen=32, minimap=32),
        action_delay_fn=lambda: 3,
        use_camera_position=True,
        use_unit_counts=True,
        use_raw_units=True,
    )
    with client.make_env('MoveToBeacon', interface=interface) as env:
        time_step = env.reset()[0]
        assert list(map(list, time_step.observation['unit_counts'])) == [[48, 1]]
        assert list(time_step.observation['camera_position']) == [
            int(value) for value in time_step.observation['camera_position']
        ]
        for _ in range(5):
            time_step = env.step([[actions.select_army('select')]])[0]
        before = time_step.observation['raw_units'][:, 12:14].copy()
        assert actions.Move_screen.id in time_step.observation['available_actions']
        for _ in range(6):
            time_step = env.step([actions.Move_screen('now', [5, 5])])[0]
        assert (time_step.observation['raw_units'][:, 12:14] != before).any()


@pytest.mark.long
def test_replays_are_saved(standin, tmp_path):
    actions = client.load('lib.actions').FUNCTIONS
    with client.make_env('MoveToBeacon') as env:
        env.reset()
        env.step([actions.no_op()])
        path = env.save_replay(str(tmp_path), 'trial')
    assert os.path.getsize(path) > 50
