"""Executes PySC2 function calls for all games of a batch at once.

A function is executed by a handler, which takes the world, the games int [n] that call it, the
function of each call (int [n]) and the arguments, changes the world, and returns a code of
`results` for each game.
"""

import collections
from typing import Tuple

import numpy as np

from sc2impala.sim import (
    aiming,
    formations,
    functions,
    geometry,
    orders,
    results,
    selection,
    unit_types,
)
from sc2impala.sim.arguments import Arguments
from sc2impala.sim.economy import commands
from sc2impala.sim.units import NO_UNIT
from sc2impala.sim.world import World

Order = collections.namedtuple('Order', ['order_kind', 'target'])
"""The order kind that a function gives, and the name of its point argument, or None."""

SMART = -1
"""The order depends on the unit under the pixel."""

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


def execute(world: World, function: np.ndarray, arguments: Arguments, allowed: np.ndarray) -> None:
    """Executes one function call per game and records function and result in the world.

    Args:
      world: changed in place.
      function: int [K], ids; arbitrary where not allowed.
      arguments: the arguments of all K calls.
      allowed: bool [K], the valid calls; the others only report an error.
    """
    function = np.where(allowed, function, functions.NO_OP)
    world.alerts[:] = False
    world.action_result[:] = np.where(allowed, results.OK, results.NOT_SUPPORTED)
    handler_of_game = _HANDLER_OF_FUNCTION[function]
    for index in sorted(set(handler_of_game.tolist()) - {_NO_HANDLER}):
        games = (handler_of_game == index).nonzero()[0]
        world.action_result[games] = _HANDLERS[index](world, games, function[games], arguments)
    world.last_action[:] = np.where(world.action_result == results.OK, function, functions.NO_OP)


def _select_point(
    world: World, games: np.ndarray, function: np.ndarray, arguments: Arguments
) -> np.ndarray:
    act = arguments.scalar('select_point_act', games)
    return selection.select_point(
        world, games, act, arguments.pixels('screen', games, world.screen)
    )


def _select_rect(
    world: World, games: np.ndarray, function: np.ndarray, arguments: Arguments
) -> np.ndarray:
    return selection.select_rect(
        world,
        games,
        arguments.scalar('select_add', games),
        arguments.pixels('screen', games, world.screen),
        arguments.pixels('screen2', games, world.screen),
    )


def _select_control_group(
    world: World, games: np.ndarray, function: np.ndarray, arguments: Arguments
) -> np.ndarray:
    act = arguments.scalar('control_group_act', games)
    return selection.control_group(world, games, act, arguments.scalar('control_group_id', games))


def _select_unit(
    world: World, games: np.ndarray, function: np.ndarray, arguments: Arguments
) -> np.ndarray:
    act = arguments.scalar('select_unit_act', games)
    return selection.select_unit(world, games, act, arguments.scalar('select_unit_id', games))


def _select_army(
    world: World, games: np.ndarray, function: np.ndarray, arguments: Arguments
) -> np.ndarray:
    return selection.select_army(world, games, arguments.scalar('select_add', games))


def _move_camera(
    world: World, games: np.ndarray, function: np.ndarray, arguments: Arguments
) -> np.ndarray:
    """Centres the camera on a pixel of the minimap, clamped to the playable region. [U]

    The call has no effect if the camera is locked. [U]
    """
    if world.arena.camera_moves:
        pixel = arguments.pixels('minimap', games, world.minimap)
        middle = world.minimap.to_world(pixel, geometry.minimap_corner()[:, None])
        world.look_at(games, geometry.clamp(middle, world.arena.playable))
    return np.full(len(games), results.OK)


def _give_order(
    world: World, games: np.ndarray, function: np.ndarray, arguments: Arguments
) -> np.ndarray:
    """Gives the order of the function to the selected units that offer it."""
    units = world.units
    last = max(units.num_used(), 1)
    mobile = slice(0, last)
    target, point = _aim(world, games, function, arguments)
    offered = units.stats.functions[units.type[games, mobile], function[:, None]]
    chosen = units.selected[games, mobile] & offered
    # A unit cannot target itself.
    aims = chosen & (target[:, None] != NO_UNIT) & (target[:, None] != np.arange(last))
    order_kind = np.broadcast_to(_ORDER_KIND[function][:, None], chosen.shape)
    attacks = aims & _can_be_attacked(world, games, target)[:, None]
    hostile = (units.owner[games, target] == unit_types.ENEMY)[:, None]
    attacks &= (order_kind == orders.ATTACK) | ((order_kind == SMART) & hostile)
    works, work, built = _work(world, games, function, point, aims & (order_kind == SMART), target)
    order_kind = np.where(
        order_kind == SMART, np.where(attacks, orders.ATTACK, orders.MOVE), order_kind
    )
    order_kind = np.where(works, work[:, None], order_kind)
    aims_at = attacks | works

    obeys = chosen.any(1)
    spread = np.zeros((2,) + chosen.shape)
    spread[:, obeys] = formations.targets(
        units.position[:, games[obeys], mobile], chosen[obeys], point[:, obeys]
    )
    # Targets outside of the playable region are clamped to it. [U]
    spread = geometry.clamp(spread, world.arena.playable)
    full = orders.give(
        units,
        games,
        chosen=chosen,
        order_kind=order_kind,
        point=np.where(aims_at, units.position[:, games, target][:, :, None], spread),
        queued=arguments.scalar('queued', games) != 0,
        target=np.where(aims_at, target[:, None], NO_UNIT),
        built=built[:, None],
    )
    return np.where(full, results.QUEUE_IS_FULL, results.OK)


def _work(
    world: World,
    games: np.ndarray,
    function: np.ndarray,
    point: np.ndarray,
    smart: np.ndarray,
    target: np.ndarray,
) -> Tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Resolves smart orders on maps with an economy; buildings set their rally points.

    Returns:
      bool [n, M], the units of `smart` that work on the target; int [n], their order kind; and
      int [n], index of the type that is built.
    """
    units = world.units
    if 'production' not in world.mechanics:
        return np.zeros_like(smart), np.zeros_like(target), np.zeros_like(target)
    rallies = _ORDER_KIND[function] == SMART
    commands.rally_to(world, games[rallies], function[rallies], point[:, rallies], target[rallies])
    work, built = commands.smart(world, games, target)
    is_worker = units.stats.is_worker[units.type[games, : smart.shape[1]]]
    return smart & is_worker & (work != orders.MOVE)[:, None], work, built


def _aim(
    world: World, games: np.ndarray, function: np.ndarray, arguments: Arguments
) -> Tuple[np.ndarray, np.ndarray]:
    """Returns the target unit, int [n], and target point, float64 [2, n], of each call."""
    target = np.full([len(games)], NO_UNIT)
    point = np.zeros([2, len(games)])
    for names_place, aim in (
        (_TARGETS_SCREEN[function], aiming.on_screen),
        (_TARGETS_MINIMAP[function], aiming.on_minimap),
    ):
        if names_place.any():
            some = aim(world, games[names_place], arguments)
            point[:, names_place], target[names_place] = some
    return target, point


def _can_be_attacked(world: World, games: np.ndarray, target: np.ndarray) -> np.ndarray:
    """Whether the map has combat and the units in the slots int [n] have an owner: bool [n]. [A]"""
    owned = (target != NO_UNIT) & (world.units.owner[games, target] != unit_types.NEUTRAL)
    return owned & ('combat' in world.mechanics)


_FUNCTIONS_OF_HANDLER = {
    _move_camera: [functions.MOVE_CAMERA],
    _select_point: [functions.SELECT_POINT],
    _select_rect: [functions.SELECT_RECT],
    _select_control_group: [functions.SELECT_CONTROL_GROUP],
    _select_unit: [functions.SELECT_UNIT],
    _select_army: [functions.SELECT_ARMY],
    _give_order: list(ORDERS),
    **commands.FUNCTIONS_OF_HANDLER,
}
_HANDLERS = tuple(_FUNCTIONS_OF_HANDLER)
_NO_HANDLER = -1
"""Functions without a handler have no effect, like no_op."""
_HANDLER_OF_FUNCTION = np.full([functions.NUM_FUNCTIONS], _NO_HANDLER)
for _index, _handler in enumerate(_HANDLERS):
    _HANDLER_OF_FUNCTION[_FUNCTIONS_OF_HANDLER[_handler]] = _index

_ORDER_KIND = np.zeros([functions.NUM_FUNCTIONS], np.int8)
_TARGETS_SCREEN = np.zeros([functions.NUM_FUNCTIONS], bool)
_TARGETS_MINIMAP = np.zeros([functions.NUM_FUNCTIONS], bool)
for _function, _order in ORDERS.items():
    _ORDER_KIND[_function] = _order.order_kind
    _TARGETS_SCREEN[_function] = _order.target == 'screen'
    _TARGETS_MINIMAP[_function] = _order.target == 'minimap'
