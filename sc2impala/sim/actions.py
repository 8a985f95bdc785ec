"""Carrying out PySC2 function calls, for all games of a batch at once.

A function is carried out by a handler. It takes the world, the games int [n] that it is called
for, which function each of them calls (int [n]) and the arguments, changes the world, and returns
a code of `results` for each game.
"""

import collections

import numpy as np

from sc2impala.sim import formations, functions, geometry, orders, results, selection
from sc2impala.sim.arguments import Arguments
from sc2impala.sim.world import World

Order = collections.namedtuple('Order', ['kind', 'target'])
"""What a function orders the selected units to do, and the argument that says where, if any."""

# Nothing in these games can be attacked, so that Smart always means Move. [A]
ORDERS = {
    functions.ATTACK_SCREEN: Order(orders.ATTACK, 'screen'),
    functions.ATTACK_MINIMAP: Order(orders.ATTACK, 'minimap'),
    functions.HOLD_POSITION_QUICK: Order(orders.HOLD, None),
    functions.MOVE_SCREEN: Order(orders.MOVE, 'screen'),
    functions.MOVE_MINIMAP: Order(orders.MOVE, 'minimap'),
    functions.PATROL_SCREEN: Order(orders.PATROL, 'screen'),
    functions.PATROL_MINIMAP: Order(orders.PATROL, 'minimap'),
    functions.SMART_SCREEN: Order(orders.MOVE, 'screen'),
    functions.SMART_MINIMAP: Order(orders.MOVE, 'minimap'),
    functions.STOP_QUICK: Order(orders.IDLE, None),
}


def execute(world: World, function: np.ndarray, arguments: Arguments, allowed: np.ndarray) -> None:
    """Carries out one function call per game, and notes function and result in the world.

    Args:
      world: changed in place.
      function: int [K], ids; where not allowed any value.
      arguments: of all K calls.
      allowed: bool [K], the calls that can be made; the others do nothing but report an error.
    """
    function = np.where(allowed, function, functions.NO_OP)
    world.action_result[:] = np.where(allowed, results.OK, results.NOT_SUPPORTED)
    handler_of_game = _HANDLER_OF_FUNCTION[function]
    for index, handler in enumerate(_HANDLERS):
        games = np.flatnonzero(handler_of_game == index)
        if games.size:
            world.action_result[games] = handler(world, games, function[games], arguments)
    world.last_action[:] = np.where(world.action_result == results.OK, function, functions.NO_OP)


def _select_point(world, games, function, arguments):
    act = arguments.scalar('select_point_act', games)
    return selection.select_point(
        world, games, act, arguments.pixels('screen', games, world.screen)
    )


def _select_rect(world, games, function, arguments):
    return selection.select_rect(
        world,
        games,
        arguments.scalar('select_add', games),
        arguments.pixels('screen', games, world.screen),
        arguments.pixels('screen2', games, world.screen),
    )


def _select_control_group(world, games, function, arguments):
    act = arguments.scalar('control_group_act', games)
    return selection.control_group(world, games, act, arguments.scalar('control_group_id', games))


def _select_unit(world, games, function, arguments):
    act = arguments.scalar('select_unit_act', games)
    return selection.select_unit(world, games, act, arguments.scalar('select_unit_id', games))


def _select_army(world, games, function, arguments):
    return selection.select_army(world, games, arguments.scalar('select_add', games))


def _give_order(world, games, function, arguments):
    units = world.units
    screen = world.screen.to_world(
        arguments.pixels('screen', games, world.screen),
        geometry.screen_corner(world.camera[:, games]),
    )
    minimap = world.minimap.to_world(
        arguments.pixels('minimap', games, world.minimap), geometry.minimap_corner()[:, None]
    )
    chosen = units.selected[games, : units.num_mobile]
    position = units.position[:, games, : units.num_mobile]
    point = np.where(_TARGETS_MINIMAP[function], minimap, screen)
    target = formations.targets(position, chosen, point)
    # Who is sent outside the playable region goes to its border. [U]
    full = orders.give(
        units,
        games,
        chosen=chosen,
        kind=_ORDER_KIND[function],
        point=geometry.clamp(target, world.arena.playable),
        queued=arguments.scalar('queued', games) != 0,
    )
    return np.where(full, results.QUEUE_IS_FULL, results.OK)


_FUNCTIONS_OF_HANDLER = {
    _select_point: [functions.SELECT_POINT],
    _select_rect: [functions.SELECT_RECT],
    _select_control_group: [functions.SELECT_CONTROL_GROUP],
    _select_unit: [functions.SELECT_UNIT],
    _select_army: [functions.SELECT_ARMY],
    _give_order: list(ORDERS),
}
_HANDLERS = tuple(_FUNCTIONS_OF_HANDLER)
# Functions without a handler do nothing: no_op, and move_camera while the camera is locked. [U]
_HANDLER_OF_FUNCTION = np.full([functions.NUM_FUNCTIONS], -1)
for _index, _handler in enumerate(_HANDLERS):
    _HANDLER_OF_FUNCTION[_FUNCTIONS_OF_HANDLER[_handler]] = _index

_ORDER_KIND = np.zeros([functions.NUM_FUNCTIONS], np.int8)
_TARGETS_MINIMAP = np.zeros([functions.NUM_FUNCTIONS], bool)
for _function, _order in ORDERS.items():
    _ORDER_KIND[_function] = _order.kind
    _TARGETS_MINIMAP[_function] = _order.target == 'minimap'
