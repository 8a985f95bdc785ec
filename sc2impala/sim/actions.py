"""Executes PySC2 function calls: those that all maps have in common."""

from typing import Any, NamedTuple, Optional, Tuple

import numpy as np

from sc2impala.sim import (
    aiming,
    formations,
    functions,
    geometry,
    orders,
    pixels,
    protocol_codes,
    selection,
    unit_types,
    units,
)
from sc2impala.sim.compiler import compiled
from sc2impala.sim.units import NO_UNIT


class Order(NamedTuple):
    """The order kind that a function gives, and the name of its point argument, or None."""

    order_kind: int
    target: Optional[str]


SMART = -1
"""The order depends on the unit under the pixel."""
_NO_ORDER = -2

ORDERS = {
    functions.ATTACK_SCREEN: Order(orders.ATTACK, 'screen'),
    functions.ATTACK_MINIMAP: Order(orders.ATTACK, 'minimap'),
    functions.HOLD_POSITION_QUICK: Order(orders.HOLD, None),
    functions.MOVE_SCREEN: Order(orders.MOVE, 'screen'),
    functions.MOVE_MINIMAP: Order(orders.MOVE, 'minimap'),
    functions.PATROL_SCREEN: Order(orders.PATROL, 'screen'),
    functions.PATROL_MINIMAP: Order(orders.PATROL, 'minimap'),
    functions.SMART_SCREEN: Order(SMART, 'screen'),
    functions.SMART_MINIMAP: Order(SMART, 'minimap'),
    functions.STOP_QUICK: Order(orders.IDLE, None),
}

_ORDER_KIND = np.full([functions.NUM_FUNCTIONS], _NO_ORDER, np.int8)
_TARGETS_SCREEN = np.zeros([functions.NUM_FUNCTIONS], np.uint8)
_TARGETS_MINIMAP = np.zeros([functions.NUM_FUNCTIONS], np.uint8)
for _function, _order in ORDERS.items():
    _ORDER_KIND[_function] = _order.order_kind
    _TARGETS_SCREEN[_function] = _order.target == 'screen'
    _TARGETS_MINIMAP[_function] = _order.target == 'minimap'


@compiled
def execute(g: Any, rules: Any, call: Any, available: Any) -> None:
    """Executes a function call on a map without an economy; records function and result.

    Args:
      g: the game, changed in place.
      rules: the constants of its map.
      call: record of functions.CALL, of any values.
      available: uint8 [573], whether each function can be called; others only report an error.
    """
    clear_alerts(g)
    result = protocol_codes.NOT_SUPPORTED
    if is_allowed(g, call, available):
        if gives_order(call):
            target, x, y = aim(g, rules, call)
            result = give_order(g, rules, call, target, x, y, orders.MOVE, 0)
        else:
            result = select_or_look(g, rules, call)
    report(g, call, result)


@compiled
def clear_alerts(g: Any) -> None:
    """Clears the alerts since the last action."""
    for code in range(len(g.alerts)):
        g.alerts[code] = False


@compiled
def is_allowed(g: Any, call: Any, available: Any) -> bool:
    """Returns whether the function exists and can be called: none after the end of the episode."""
    exists = 0 <= call.function < functions.NUM_FUNCTIONS
    return exists and available[call.function] != 0 and not g.ended


@compiled
def report(g: Any, call: Any, result: int) -> None:
    """Records the result of a call, and its function if it was executed."""
    g.action_result = result
    g.last_action = call.function if result == protocol_codes.OK else functions.NO_OP


@compiled
def select_or_look(g: Any, rules: Any, call: Any) -> int:
    """Executes a function of selection or camera; others have no effect, like no_op.

    Returns:
      a code of `protocol_codes`.
    """
    function = call.function
    result = protocol_codes.OK
    if function == functions.MOVE_CAMERA:
        _move_camera(g, rules, call)
    elif function == functions.SELECT_POINT:
        column = pixels.clip(call.screen_x, rules.screen_width)
        row = pixels.clip(call.screen_y, rules.screen_height)
        result = selection.select_point(g, rules, call.select_point_act, column, row)
    elif function == functions.SELECT_RECT:
        result = _select_rect(g, rules, call)
    elif function == functions.SELECT_CONTROL_GROUP:
        result = selection.control_group(g, call.control_group_act, call.control_group_id)
    elif function == functions.SELECT_UNIT:
        result = selection.select_unit(g, call.select_unit_act, call.select_unit_id)
    elif function == functions.SELECT_ARMY:
        result = selection.select_army(g, rules, call.select_add != 0)
    return result


@compiled
def gives_order(call: Any) -> bool:
    """Returns whether the function of an allowed call is one of ORDERS."""
    return _ORDER_KIND[call.function] != _NO_ORDER


@compiled
def is_smart(call: Any) -> bool:
    """Returns whether the function of an allowed call gives an order that depends on its target."""
    return _ORDER_KIND[call.function] == SMART


@compiled
def aim(g: Any, rules: Any, call: Any) -> Tuple[int, float, float]:
    """Returns the target unit of one of ORDERS, or NO_UNIT, and x, y of its target point."""
    if _TARGETS_SCREEN[call.function]:
        return aiming.on_screen(g, rules, call)
    if _TARGETS_MINIMAP[call.function]:
        return aiming.on_minimap(g, rules, call)
    return NO_UNIT, 0.0, 0.0


@compiled
def give_order(
    g: Any, rules: Any, call: Any, target: int, x: float, y: float, work: int, work_type: int
) -> int:
    """Gives one of ORDERS to the selected units that offer it.

    Args:
      g: the game, changed in place.
      rules: the constants of its map.
      call: record of functions.CALL.
      target: slot of the target unit, or NO_UNIT.
      x, y: the target point.
      work: order kind of workers that are sent to the target by a smart order.
      work_type: type of the building that they build.

    Returns:
      a code of `protocol_codes`.
    """
    for i in range(g.mobile_end):
        g._chosen[i] = g.selected[i] and rules.functions[g.type[i], call.function]
    middle_x, middle_y = formations.middle(g)
    keep = formations.keeps(g, rules, middle_x, middle_y, x, y)
    is_full = False
    for i in range(g.mobile_end):
        if g._chosen[i]:
            order_kind, aims = _resolve(g, rules, i, int(_ORDER_KIND[call.function]), target, work)
            to_x = x + (g.x[i] - middle_x if keep else 0.0)
            to_y = y + (g.y[i] - middle_y if keep else 0.0)
            # Targets outside of the playable region are clamped to it. [S] replays
            to_x = g.x[target] if aims else geometry.clamp_x(rules, to_x)
            to_y = g.y[target] if aims else geometry.clamp_y(rules, to_y)
            at = target if aims else NO_UNIT
            if orders.give(g, i, order_kind, to_x, to_y, call.queued != 0, at, work_type):
                is_full = True
    return protocol_codes.QUEUE_IS_FULL if is_full else protocol_codes.OK


@compiled
def _resolve(
    g: Any, rules: Any, i: int, order_kind: int, target: int, work: int
) -> Tuple[int, bool]:
    """Returns the order kind for unit i, and whether the target unit is the target of the order."""
    is_smart_order = order_kind == SMART
    # A unit cannot target itself.
    if target != NO_UNIT and target != i:
        if is_smart_order and rules.is_worker[g.type[i]] and work != orders.MOVE:
            return work, True
        attacks = order_kind == orders.ATTACK
        if is_smart_order:
            attacks = g.owner[target] == unit_types.ENEMY
        if attacks and _can_be_attacked(g, rules, target):
            return orders.ATTACK, True
    return (orders.MOVE if is_smart_order else order_kind), False


@compiled
def _can_be_attacked(g: Any, rules: Any, target: int) -> bool:
    """Returns whether the map has combat and a unit has an owner. [A]"""
    return rules.has_combat != 0 and g.owner[target] != unit_types.NEUTRAL


@compiled
def _move_camera(g: Any, rules: Any, call: Any) -> None:
    """Centres the camera on a pixel of the minimap, clamped to the playable region. [U]

    The call has no effect if the camera is locked. [U]
    """
    if rules.camera_moves:
        column = pixels.clip(call.minimap_x, rules.minimap_width)
        row = pixels.clip(call.minimap_y, rules.minimap_height)
        x = geometry.clamp_x(rules, pixels.minimap_x(rules, column))
        y = geometry.clamp_y(rules, pixels.minimap_y(rules, row))
        units.look_at(g, x, y)


@compiled
def _select_rect(g: Any, rules: Any, call: Any) -> int:
    x1 = pixels.clip(call.screen_x, rules.screen_width)
    y1 = pixels.clip(call.screen_y, rules.screen_height)
    x2 = pixels.clip(call.screen2_x, rules.screen_width)
    y2 = pixels.clip(call.screen2_y, rules.screen_height)
    return selection.select_rect(
        g, rules, call.select_add != 0, min(x1, x2), min(y1, y2), max(x1, x2), max(y1, y2)
    )
