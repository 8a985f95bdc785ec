"""Decorators that run a test on every map, and short episodes."""

import pytest

from sc2impala import sim
from sc2impala.sim import games

LONG_EPISODES = ('BuildMarines', 'CollectMineralsAndGas')

every_map_but_slow_ones = pytest.mark.parametrize(
    'map_name',
    [
        pytest.param(name, marks=[pytest.mark.slow] if name in LONG_EPISODES else [])
        for name in sim.MAP_NAMES
    ],
)
"""For tests of whole episodes: maps with long ones are tested with -m slow."""


def short_episodes(monkeypatch, map_name, loops):
    """Sets the length of the episodes of a map in frames; whole ones take long."""
    game = games.GAMES[map_name]._replace(episode_loops=loops)
    monkeypatch.setitem(games.GAMES, map_name, game)
