"""Units that overlap, found in every frame.

Most units do not move in most frames. The positions of the previous frame are kept: two units that
overlapped no other one and have not moved since do not overlap each other.
"""

from typing import Any

import numpy as np

from sc2impala.sim.compiler import compiled
from sc2impala.sim.state import Field
from sc2impala.sim.units import living

TOUCH = 1e-6
"""Units that overlap by less do not touch; rounding errors are far smaller."""

LANES = 8
"""Units are compared with another one in multiples of this number, such that vector code has no
remainder."""

FIELDS = (
    # The units that collide: their number, slots, positions and radii. Lanes without a unit are at
    # infinity.
    Field('_num_solid', np.int32),
    Field('_solid_slots', np.uint16, ('M',)),
    Field('_solid_x', np.float64, ('L',), np.inf),
    Field('_solid_y', np.float64, ('L',), np.inf),
    Field('_solid_radius', np.float64, ('L',)),
    # Number of units that overlap one, itself included, among those that were compared with all.
    Field('_near', np.uint16, ('L',)),
    Field('_compared', np.uint8, ('L',)),
    Field('_overlapping', np.uint16, ('M',)),  # Those that overlap others, as indices of the list.
)


@compiled
def find(g: Any, rules: Any) -> int:
    """Lists the solid units that overlap others in `g._overlapping`, in the order of slots.

    Returns:
      their number.
    """
    num_solid = _list_solid(g, rules)
    lanes = (num_solid + LANES - 1) // LANES * LANES
    for n in range(lanes):
        g._near[n] = 0
    for n in range(num_solid):
        if g._compared[n]:
            _compare(g, n, lanes)
    # Units that stay overlap units that were not marked by a comparison with them.
    for n in range(num_solid):
        if g._near[n] > 0 and not g._compared[n]:
            g._compared[n] = True
            _compare(g, n, lanes)
    count = 0
    for n in range(num_solid):
        if g._near[n] > g._compared[n]:
            g._overlapping[count] = n
            count += 1
    return count


@compiled
def slot(g: Any, place: int) -> int:
    """Returns the slot of the unit at a place of `g._overlapping`."""
    return int(g._solid_slots[g._overlapping[place]])


@compiled
def do_overlap(g: Any, first: int, second: int) -> bool:
    """Returns whether the units at two places of `g._overlapping` overlap each other."""
    n = int(g._overlapping[first])
    other = int(g._overlapping[second])
    across = g._solid_x[other] - g._solid_x[n]
    up = g._solid_y[other] - g._solid_y[n]
    reach = g._solid_radius[other] + g._solid_radius[n]
    return across * across + up * up < (reach - TOUCH) * (reach - TOUCH)


@compiled
def _list_solid(g: Any, rules: Any) -> int:
    """Lists the solid units; returns their number."""
    num_before = g._num_solid
    num_solid = 0
    for place in range(living(g)):
        i = int(g._living[place])
        if g.solid[i]:
            x = g.x[i]
            y = g.y[i]
            radius = rules.radius[g.type[i]]
            n = num_solid
            stays = n < num_before and g._solid_x[n] == x and g._solid_y[n] == y
            stays = stays and g._solid_radius[n] == radius
            g._compared[n] = not stays or g._near[n] > g._compared[n]
            g._solid_slots[n] = i
            g._solid_x[n] = x
            g._solid_y[n] = y
            g._solid_radius[n] = radius
            num_solid += 1
    for unused in range(num_solid, num_before):
        g._solid_x[unused] = np.inf
        g._solid_y[unused] = np.inf
    g._num_solid = num_solid
    return num_solid


@compiled
def _compare(g: Any, n: int, lanes: int) -> None:
    """Counts unit n of the list for all units that it overlaps, including itself."""
    x = g._solid_x[n]
    y = g._solid_y[n]
    radius = g._solid_radius[n]
    for other in range(lanes):
        across = g._solid_x[other] - x
        up = g._solid_y[other] - y
        reach = g._solid_radius[other] + radius
        g._near[other] += across * across + up * up < (reach - TOUCH) * (reach - TOUCH)
