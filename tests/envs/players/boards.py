"""Observations made by hand, and the calls of scripted players on them."""

import numpy as np

from sc2impala import envs, sim
from sc2impala.envs.actions import FUNCTIONS
from sc2impala.envs.pysc2_api import features

MINE, NEUTRAL, ENEMY = 1, 3, 4


def make(player_class, map_name='MoveToBeacon', **kwargs):
    """Makes a player with the specs that it requires, except for the given arguments."""
    needs = dict(
        functions=player_class.functions,
        screen_size=player_class.screen_size,
        minimap_size=player_class.minimap_size,
        screen_layers=player_class.screen_layers,
        minimap_layers=player_class.minimap_layers,
        vectors=player_class.vectors,
        fixed_arguments={},
    )
    return player_class(*envs.make_specs(map_name, **dict(needs, **kwargs)))


def unit(unit_type, alliance, x, y, **columns):
    """One row of feature_units, full of health and idle unless said otherwise."""
    row = np.zeros([len(features.FeatureUnit)], np.int32)
    known = dict(unit_type=unit_type, alliance=alliance, x=x, y=y, health=45, build_progress=100)
    for name, value in dict(known, **columns).items():
        row[features.FeatureUnit[name]] = value
    return row


def feature_units(*games):
    """Lists of rows, one list per game -> int32 [K, N, 46]."""
    vector = np.zeros([len(games), sim.MAX_FEATURE_UNITS, len(features.FeatureUnit)], np.int32)
    for k, rows in enumerate(games):
        vector[k, : len(rows)] = rows
    return vector


def available(player, *games):
    """Names of the functions that can be called, one list per game -> bool [K, F]."""
    spec = player.action_spec
    return np.array([[name in names for name in spec.function_names] for names in games])


def calls(player, observation, done=None):
    """Returns the calls of a player: for each game (name, PySC2's arguments)."""
    action = player.act(observation, done)
    result = []
    for k in range(len(observation['available_actions'])):
        one = {head: index[k] for head, index in action.items()}
        function_id, arguments = player.action_spec.to_function_call(one)
        result.append((FUNCTIONS[function_id].name, arguments))
    return result
