"""Counter-based random numbers: a function of (seed, episode, number of previous draws).

Every game counts its own draws, so that it is independent of the other games of its batch. The n-th
number of an episode is the n-th output of splitmix64 (Steele, Lea and Flood, 2014), started from a
hash of seed and episode.
"""

from typing import Any, Sequence

import numpy as np

from sc2impala.sim.compiler import compiled, uncompiled
from sc2impala.sim.state import Field

FIELDS = (
    Field('seed', np.uint64),
    Field('key', np.uint64),  # Hash of seed and episode.
    Field('counter', np.uint64),  # Number of draws in this episode.
)

_GOLDEN_GAMMA = np.uint64(0x9E3779B97F4A7C15)
_TO_UNIT_INTERVAL = 2.0**-53


def check_seeds(seeds: Sequence[int]) -> np.ndarray:
    """Returns the seeds as uint64 [K].

    Raises:
      ValueError: if there are none, or one is not an integer in 0..2**64 - 1.
    """
    seeds = list(seeds)
    if not seeds:
        raise ValueError('seeds is empty; expected one non-negative integer per game.')
    for seed in seeds:
        if not isinstance(seed, (int, np.integer)) or not 0 <= int(seed) < 2**64:
            raise ValueError(f'seeds holds {seed!r}; expected integers in 0..2**64 - 1.')
    return np.array([int(seed) for seed in seeds], np.uint64)


@compiled
def start_stream(g: Any) -> None:
    """Starts the stream of the current episode of a game."""
    g.key = _mix(_mix(g.seed) + _GOLDEN_GAMMA * np.uint64(g.episode))
    g.counter = np.uint64(0)


def other_keys(seeds: np.ndarray, stream: int) -> np.ndarray:
    """Returns keys of streams that are not those of any episode: uint64 [K].

    Args:
      seeds: uint64 [K].
      stream: streams of the same seed with different numbers are independent.
    """
    mix = uncompiled(_mix)
    offset = np.uint64(int(_GOLDEN_GAMMA) * (stream + 1) % 2**64)
    return ~mix(mix(~seeds) + offset)


@compiled
def uniform(g: Any) -> float:
    """Draws a number in [0, 1)."""
    g.counter += np.uint64(1)
    return _to_unit_interval(_mix(g.key + g.counter * _GOLDEN_GAMMA))


@compiled
def uniform_at(g: Any, index: int) -> float:
    """Returns the number that is drawn after `index` others, without drawing it."""
    tick = g.counter + np.uint64(index + 1)
    return _to_unit_interval(_mix(g.key + tick * _GOLDEN_GAMMA))


@compiled
def rank(g: Any, index: int) -> Any:
    """Returns a random number of the episode for an index, uint64, without drawing it."""
    return _mix(~g.key + np.uint64(index + 1) * _GOLDEN_GAMMA)


@compiled
def skip(g: Any, count: int) -> None:
    """Draws `count` numbers."""
    g.counter += np.uint64(count)


@compiled
def _to_unit_interval(bits: Any) -> float:
    return np.float64(bits >> np.uint64(11)) * _TO_UNIT_INTERVAL


@compiled
def _mix(bits: Any) -> Any:
    """Applies the finaliser of splitmix64, a bijection of uint64."""
    bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return bits ^ (bits >> np.uint64(31))
