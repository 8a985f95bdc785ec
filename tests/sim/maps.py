"""Decorators that run a test on every map."""

import pytest

from sc2impala import sim

LONG_EPISODES = ('BuildMarines', 'CollectMineralsAndGas')

every_map_but_slow_ones = pytest.mark.parametrize(
    'map_name',
    [
        pytest.param(name, marks=[pytest.mark.slow] if name in LONG_EPISODES else [])
        for name in sim.MAP_NAMES
    ],
)
"""For tests of whole episodes: maps with long ones are tested with -m slow."""
