"""Checks of the problems of the two maps with an economy."""

import numpy as np

from sc2impala import sim
from sc2impala.envs.actions import FUNCTIONS
from sc2impala.envs.maps import MAP_DEFAULTS
from sc2impala.sim.rollouts import Rollouts
from sc2impala.sim.search import PROBLEMS, Search

FRAMES = 16
"""The frames of a step of the agents that imitate."""


def make(map_name, num_games=2, frames=0):
    size = MAP_DEFAULTS[map_name].screen_size
    game = sim.make(map_name, range(100, 100 + num_games), size, size)
    game.reset()
    if frames:
        play(game, map_name, frames)
    return game


def play(game, map_name, frames):
    """Plays by the policy of the problem."""
    rollouts = Rollouts(game, PROBLEMS[map_name].policy, game.num_games)
    rollouts.copy(np.arange(game.num_games))
    rollouts.run(frames // FRAMES, FRAMES)
    game.set_state({name: rollouts.games[name].copy() for name in game.get_state()})


def policy_scores(map_name):
    """The scores of whole games, one for each side on which the workers start."""
    game = make(map_name)
    rollouts = Rollouts(game, PROBLEMS[map_name].policy, game.num_games)
    rollouts.copy(np.arange(game.num_games))
    rollouts.run(MAP_DEFAULTS[map_name].episode_frames // FRAMES, FRAMES)
    assert rollouts.games['ended'].all()
    return rollouts.games['score']


def decide(map_name, frames, horizon=320):
    """A search in the middle of a game; short, as quick tests need."""
    game = make(map_name, frames=frames)
    search = Search(game, PROBLEMS[map_name]._replace(horizon=horizon), FRAMES)
    return search.decide(np.ones([game.num_games], bool))


def check_candidates(map_name, found):
    """Candidates are calls of the action space of the map's agents."""
    defaults = MAP_DEFAULTS[map_name]
    names = {FUNCTIONS[calls['function']].name for calls in found.candidates[found.draws > 0]}
    assert names <= set(defaults.functions)
    assert set(PROBLEMS[map_name].functions) == set(defaults.functions)
    calls = found.candidates[found.draws > 0]
    for axis, size in zip('xy', defaults.screen_size):
        pixels = calls['screen_' + axis]
        assert pixels.min() >= 0 and pixels.max() < size
    assert not calls['queued'].any()
    return names


def check_equal(first, second):
    for name in first._fields:
        np.testing.assert_array_equal(getattr(first, name), getattr(second, name))
