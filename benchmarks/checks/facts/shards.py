"""Loops for which shards are in reach of a marine before they are removed."""

from typing import List

import numpy as np

from benchmarks.checks.facts.data import Rules, make
from sc2impala.sim import functions
from sc2impala.sim.units import NO_UNIT

REACH = 1.875
"""Cells between the centres of a marine and a shard within which loops are counted."""


def shard_loops(count: int, rules: Rules = None) -> List[np.ndarray]:
    """Returns, by game, the loops that a marine has been within reach of each shard at its removal.

    Each of the two marines walks to the nearest shard that is not the target of the other one.
    """
    games = make('CollectMineralShards', range(count), rules)
    g = games.games
    shards = slice(2, 22)
    inside = np.zeros([count, 20], np.int64)
    found: List[List[int]] = [[] for _ in range(count)]
    targets = np.full([count, 2], NO_UNIT)
    every = np.arange(count)
    zeros = np.zeros([count], np.int64)
    before = g.alive[:, shards] != 0
    places = g.x[:, shards].copy(), g.y[:, shards].copy()
    while not games.ended.all():
        for marine in range(2):
            x, y = g.x[:, shards] - g.x[:, [marine]], g.y[:, shards] - g.y[:, [marine]]
            distance = np.where(g.alive[:, shards] != 0, np.hypot(x, y), np.inf)
            other = targets[:, 1 - marine]
            taken = (other != NO_UNIT) & ((g.alive[:, shards] != 0).sum(axis=1) > 1)
            distance[every[taken], other[taken]] = np.inf
            walks = g.order_kind[:, marine, 0] != 0
            new = np.where(walks, targets[:, marine], distance.argmin(axis=1))
            targets[:, marine] = new
            chosen = np.zeros(g.alive.shape, bool)
            chosen[:, marine] = ~walks
            games.select(chosen)
            point = np.stack([g.x[every, 2 + new], g.y[every, 2 + new]])
            games.act(
                np.full([count], functions.MOVE_SCREEN),
                {'queued': zeros},
                (point, np.full([count], NO_UNIT)),
            )
        games.advance(np.ones([count], np.int64))
        alive = g.alive[:, shards] != 0
        removed = before & (~alive | (g.x[:, shards] != places[0]))
        # The loop of the removal counts.
        x = g.x[:, :2, np.newaxis] - places[0][:, np.newaxis]
        y = g.y[:, :2, np.newaxis] - places[1][:, np.newaxis]
        within = (np.hypot(x, y) <= REACH).any(axis=1)
        for k, shard in np.argwhere(removed):
            found[k].append(inside[k, shard] + within[k, shard])
        inside = np.where(within & ~removed, inside + 1, 0)
        before, places = alive.copy(), (g.x[:, shards].copy(), g.y[:, shards].copy())
    return [np.array(loops) for loops in found]


def mean_shard_loops(count: int, rules: Rules = None) -> np.ndarray:
    """Returns the means of `shard_loops`: [K]."""
    return np.array([loops.mean() for loops in shard_loops(count, rules)])


def late_shards(count: int, rules: Rules = None) -> np.ndarray:
    """Returns the parts of the shards that are removed after 7 to 10 loops in reach: [K]."""
    return np.array([((loops >= 7) & (loops <= 10)).mean() for loops in shard_loops(count, rules)])
