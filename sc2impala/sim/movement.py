"""Walking and bumping into each other, one game loop at a time.

Units turn and get up to speed at once. [S] GD
"""

import numpy as np

from sc2impala.sim import geometry, orders
from sc2impala.sim.units import Units

_TINY = 1e-9
_GIVES_WAY = np.array([2, 0, 1, 1, 1, 1, 1, 1])
"""By kind of order; the higher of two is pushed."""
_TOUCH = 1e-6  # Units that overlap by less are side by side; rounding errors stay far below it.


def walk(units: Units, running: np.ndarray) -> None:
    """Moves every unit towards its goal for one loop, and lets those that reach it go on.

    Args:
      units: changed in place.
      running: bool [K], the games whose time passes.
    """
    mobile = units.num_mobile
    position = units.position[:, :, :mobile]
    stride = units.stats.speed[units.type[:, :mobile]] * running[:, None]
    way = units.goal - position
    distance = geometry.length(way)
    position += way * (stride / np.maximum(np.maximum(distance, stride), _TINY))

    arrived = (distance <= stride) & (stride > 0) & ~units.busy
    arrived &= units.order_kind[:, :, 0] > orders.HOLD
    if arrived.any():
        at = np.nonzero(arrived)
        # The sum above may miss the goal by a rounding error.
        position[(slice(None),) + at] = units.goal[(slice(None),) + at]
        orders.finish(units, at)


def push_apart(units: Units, running: np.ndarray, playable: geometry.Rectangle) -> None:
    """Keeps the units that can move from standing in each other, for one loop. [U]

    Of two units that overlap, one that stands gives way to one that walks, and both give way to one
    that holds its position; two alike are pushed by half of the overlap each. A unit whose goal
    lies within a unit it touches has arrived: units with one goal come to rest around it.

    Args:
      units: changed in place.
      running: bool [K], the games whose time passes.
      playable: where units can be.
    """
    if units.num_mobile < 2:
        return
    others = units.others
    position = units.position[:, :, : units.num_mobile]
    radius = units.stats.radius[units.type[:, : units.num_mobile]]
    active = units.alive[:, : units.num_mobile] & units.solid & running[:, None]

    # Every unit and each of the others: [K, M, M - 1].
    apart = position[..., None] - position[:, :, others]
    reach = radius[..., None] + radius[:, others]
    both = active[..., None] & active[:, others]
    distance = geometry.length(apart)
    touching = both & (distance < reach - _TOUCH)
    if not touching.any():
        return

    walks = np.where(
        units.busy, (units.goal != position).any(0), units.order_kind[:, :, 0] > orders.HOLD
    )
    to_goal = geometry.length(units.goal[..., None] - position[:, :, others])
    blocked = walks & (touching & (to_goal < reach)).any(-1)

    # Units in the very same place are pushed apart along x.
    apart[0] += _TINY * (np.arange(units.num_mobile)[:, None] - others)
    rank = _ranks(units)
    share = (1 + np.sign(rank[..., None] - rank[:, others])) / 2
    overlap = np.where(touching, reach / np.maximum(distance, _TINY) - 1, 0)
    position += (apart * (share * overlap)).sum(-1) * (rank > 0)
    position[...] = geometry.clamp(position, playable)
    np.copyto(units.goal, position, where=~walks)
    blocked &= ~units.busy
    if blocked.any():
        orders.finish(units, blocked.nonzero())


def _ranks(units):
    """How readily units give way, [K, M]: of two that touch the one of higher rank is pushed."""
    return _GIVES_WAY[units.order_kind[:, :, 0]]
