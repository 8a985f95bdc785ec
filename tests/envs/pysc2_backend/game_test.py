"""The arguments of PySC2's environment, on mini-games and on ladder maps."""

import collections
import enum
import os
import types

import pytest

from sc2impala import envs
from sc2impala.envs import pysc2_api
from sc2impala.envs.pysc2_backend import game

Race = enum.IntEnum('Race', 'terran zerg protoss random')
Difficulty = enum.IntEnum('Difficulty', list(envs.pysc2_backend.DIFFICULTIES))


@pytest.fixture
def client():
    """A fake of PySC2 whose objects keep their constructor's arguments."""

    def kept(name):
        return lambda *args, **kwargs: (name,) + args + tuple(sorted(kwargs.items()))

    sc2_env = types.SimpleNamespace(
        Race=Race,
        Difficulty=Difficulty,
        Agent=collections.namedtuple('Agent', ['race']),
        Bot=collections.namedtuple('Bot', ['race', 'difficulty']),
        Dimensions=kept('Dimensions'),
        AgentInterfaceFormat=lambda **kwargs: kwargs,
        SC2Env=lambda **kwargs: kwargs,
    )
    return pysc2_api.Client(sc2_env, maps=None)


def make(client, map_name='MoveToBeacon', settings=None, **choices):
    spec, _ = envs.make_specs(map_name, **choices)
    settings = settings or envs.GameSettings()
    return game.make_sc2_env(map_name, 5, spec, settings, client)


def test_a_mini_game_with_default_settings(client):
    assert make(client, screen_size=(20, 10), minimap_size=(8, 8)) == {
        'map_name': 'MoveToBeacon',
        'players': [(Race.terran,)],
        'agent_interface_format': {
            'feature_dimensions': ('Dimensions', ('minimap', (8, 8)), ('screen', (20, 10))),
            'camera_width_world_units': 24,
            'use_feature_units': False,
            'allow_cheating_layers': False,
        },
        'visualize': False,
        'realtime': False,
        'save_replay_episodes': 0,
        'replay_dir': None,
        'replay_prefix': None,
        'game_steps_per_episode': None,
        'random_seed': 5,
        'disable_fog': False,
        'ensure_available_actions': False,
        'version': None,
    }


def test_every_setting_reaches_pysc2(client):
    settings = envs.GameSettings(
        version='4.10',
        replay_dir='replays',
        save_replay_episodes=3,
        realtime=True,
        visualize=True,
        disable_fog=True,
        camera_width=30,
        max_episode_frames=1000,
    )
    made = make(client, settings=settings)
    assert made['version'] == '4.10'
    assert made['replay_dir'] == os.path.join(os.getcwd(), 'replays')
    assert made['save_replay_episodes'] == 3
    assert made['replay_prefix'] == 'MoveToBeacon_5'
    assert made['realtime'] and made['visualize'] and made['disable_fog']
    assert made['agent_interface_format']['camera_width_world_units'] == 30
    assert made['game_steps_per_episode'] == 1000


def test_a_ladder_map_has_an_opponent_and_no_seed(client):
    settings = envs.GameSettings(race='zerg', opponent='very_easy', opponent_race='protoss')
    made = make(client, 'Simple64', settings)
    assert made['players'] == [(Race.zerg,), (Race.protoss, Difficulty.very_easy)]
    assert made['map_name'] == 'Simple64'
    assert made['random_seed'] is None


def test_only_what_is_observed_is_asked_for(client):
    vectors, layers = ['feature_units', 'player'], ['unit_type']
    interface = make(client, vectors=vectors, minimap_layers=layers)['agent_interface_format']
    assert interface['use_feature_units'] and interface['allow_cheating_layers']
    interface = make(client, vectors=['player'], minimap_layers=['camera'])[
        'agent_interface_format'
    ]
    assert not interface['use_feature_units'] and not interface['allow_cheating_layers']
