"""The units of a game: their fields, and how units are created and removed."""

from typing import Any

import numpy as np

from sc2impala.sim import protocol_codes, unit_types
from sc2impala.sim.compiler import compiled
from sc2impala.sim.geometry import MAP_EXTENT
from sc2impala.sim.state import Field

NUM_CONTROL_GROUPS = 10  # [S] ACT
MAX_ORDERS = 8  # Including the current one. [U]
NO_UNIT = -1
"""Slot number that means no unit."""
NO_TYPE = -1
"""Index of a unit type that means no type."""

GAME_FIELDS = (
    Field('episode', np.int64, blank=-1),
    Field('game_loop', np.int32),
    Field('ended', np.uint8),
    Field('score', np.int64),
    Field('minerals', np.int64),  # That player 1 can spend; vespene likewise.
    Field('vespene', np.int64),
    Field('camera_x', np.float64),  # Middle of the screen.
    Field('camera_y', np.float64),
    Field('action_result', np.int32),  # Error code of the last action, or 0.
    Field('last_action', np.int32),  # The function that the last action executed.
    Field('alerts', np.uint8, (protocol_codes.NUM_ALERTS,)),  # Alerts raised since the last action.
    # Fog of war: cells that were visible at the start of any frame so far, one mask per row of the
    # map, the lowest bit being the leftmost cell; and those that are visible now.
    Field('seen', np.uint64, (MAP_EXTENT,)),
    Field('_visible', np.uint64, (MAP_EXTENT,)),
    Field('_place', np.int32, ('U',), -2),  # Cell of each unit when _visible was computed.
    # What must be drawn again on the next observation.
    Field('_camera_changed', np.uint8, blank=True),
    Field('_visibility_changed', np.uint8, blank=True),
    Field('_ground_changed', np.uint8, blank=True),
)

UNIT_FIELDS = (
    Field('mobile_end', np.int32),  # All living units that can move are in slots before it.
    Field('unit_end', np.int32),  # All living units are in slots before it.
    Field('x', np.float64, ('U',)),
    Field('y', np.float64, ('U',)),
    Field('alive', np.uint8, ('U',)),
    Field('type', np.uint8, ('U',)),  # Index into the types of the map.
    Field('owner', np.uint8, ('U',)),
    Field('health', np.float64, ('U',)),
    Field('selected', np.uint8, ('U',)),  # Living units of player 1 only.
    Field('control_groups', np.uint8, (NUM_CONTROL_GROUPS, 'U')),
    Field('unfinished', np.int16, ('U',)),  # Frames of work until a building is complete.
    Field('active', np.uint8, ('U',)),  # Whether a building is producing a unit.
    # The living units that can move, see `living`; whether units appeared or died since then.
    Field('_living', np.uint16, ('M',)),
    Field('_num_living', np.int32),
    Field('_living_changed', np.uint8, blank=True),
    Field('_listed', np.int16, ('U',)),  # Slots in the order of a list of units.
    Field('_died', np.uint8, ('U',)),  # In this frame; type and owner can still be read.
    Field('_chosen', np.uint8, ('U',)),  # Units that a function call has found.
    # Orders, see `orders`; the first order is the current one.
    Field('order_kind', np.int8, ('M', MAX_ORDERS)),
    Field('order_x', np.float64, ('M', MAX_ORDERS)),  # Target point.
    Field('order_y', np.float64, ('M', MAX_ORDERS)),
    Field('order_target', np.int16, ('M', MAX_ORDERS), NO_UNIT),  # Slot of the target unit.
    Field('order_type', np.int8, ('M', MAX_ORDERS)),  # Type of the building to build.
    # The point that a unit walks to; its own position when it stands.
    Field('goal_x', np.float64, ('M',)),
    Field('goal_y', np.float64, ('M',)),
    # Whether a mechanic controls the unit: it sets the goal in every frame, and reaching the goal
    # does not end the order.
    Field('busy', np.uint8, ('M',)),
    Field('solid', np.uint8, ('M',), True),  # Whether it collides with other units.
    Field('bound', np.uint8, ('M',)),  # Whether it finishes its current order before any other.
    Field('inside', np.uint8, ('M',)),  # Whether it is inside a building, hence invisible.
    # Whether it walks to its waypoint before its goal.
    Field('detour', np.uint8, ('M',)),
    Field('waypoint_x', np.float64, ('M',)),
    Field('waypoint_y', np.float64, ('M',)),
    # The direction in which a unit looks, of any length.
    Field('heading_x', np.float64, ('M',)),
    Field('heading_y', np.float64, ('M',)),
    # The direction, of length 1, that a unit has turned to, if turning takes time.
    Field('facing_x', np.float64, ('M',)),
    Field('facing_y', np.float64, ('M',)),
    # The side to which a busy, walking unit is pushed by standing units: 1 left, -1 right, 0 if it
    # is not blocked.
    Field('side', np.int8, ('M',)),
    # The other end of the current patrol.
    Field('patrol_x', np.float64, ('M',)),
    Field('patrol_y', np.float64, ('M',)),
)


@compiled
def num_mobile(g: Any) -> int:
    """Returns M."""
    return len(g.goal_x)


@compiled
def living(g: Any) -> int:
    """Lists the living units that can move in `g._living`, in the order of slots.

    Units that appear or die later do not change the list before the next call.

    Returns:
      their number.
    """
    if g._living_changed:
        g._living_changed = False
        g._num_living = 0
        for i in range(g.mobile_end):
            if g.alive[i]:
                g._living[g._num_living] = i
                g._num_living += 1
    return g._num_living


@compiled
def is_own(g: Any, i: int) -> bool:
    """Returns whether slot i holds a living unit of player 1."""
    return g.alive[i] != 0 and g.owner[i] == unit_types.SELF


@compiled
def put(g: Any, rules: Any, i: int, type_index: int, owner: int, x: float, y: float) -> None:
    """Creates an idle unit of full health in slot i. Mechanics must forget the slot as well."""
    g.x[i] = x
    g.y[i] = y
    g.alive[i] = True
    g.type[i] = type_index
    g.owner[i] = owner
    g.health[i] = rules.health[type_index]
    g.unfinished[i] = 0
    g.active[i] = False
    g.unit_end = max(g.unit_end, i + 1)
    if i < num_mobile(g):
        g.mobile_end = max(g.mobile_end, i + 1)
        g.side[i] = 0
        g._living_changed = True
        look(g, i, 0.0, -1.0)  # Units look towards the player. [U]
        g.facing_x[i] = 0.0
        g.facing_y[i] = -1.0
        _stand(g, i)


@compiled
def look(g: Any, i: int, x: float, y: float) -> None:
    """Turns unit i, which can move, in a direction; without effect for a vector of length 0."""
    if x != 0 or y != 0:
        g.heading_x[i] = x
        g.heading_y[i] = y


@compiled
def facing(g: Any, rules: Any, i: int) -> float:
    """Returns the direction in which unit i, which can move, looks: an angle in 0..2 pi from x."""
    angle = np.arctan2(g.heading_y[i], g.heading_x[i])
    if rules.facing:
        angle = np.arctan2(g.facing_y[i], g.facing_x[i])
    return angle + 2 * np.pi if angle < 0 else angle


@compiled
def remove(g: Any, i: int) -> None:
    """Removes a unit from the game, the selection and all control groups, and marks it in `_died`.

    Orders that target it are left, see `orders.drop_target`.
    """
    g._died[i] = True
    g.alive[i] = False
    g.health[i] = 0
    g.unfinished[i] = 0
    g.active[i] = False
    g.selected[i] = False
    for group in range(NUM_CONTROL_GROUPS):
        g.control_groups[group, i] = False
    if i < num_mobile(g):
        g._living_changed = True
        _stand(g, i)


@compiled
def _stand(g: Any, i: int) -> None:
    """Clears all orders."""
    for place in range(MAX_ORDERS):
        g.order_kind[i, place] = 0
        g.order_target[i, place] = NO_UNIT
    g.busy[i] = False
    g.bound[i] = False
    g.inside[i] = False
    g.detour[i] = False
    g.solid[i] = True
    g.goal_x[i] = g.x[i]
    g.goal_y[i] = g.y[i]


@compiled
def look_at(g: Any, x: float, y: float) -> None:
    """Points the camera at a point."""
    if g.camera_x != x or g.camera_y != y:
        g._camera_changed = True
    g.camera_x = x
    g.camera_y = y
