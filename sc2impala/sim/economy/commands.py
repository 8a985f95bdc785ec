"""Handlers of the economy functions of PySC2; see `actions` for their signature.

Some loop over the games, because few games call them in the same step.
"""

from typing import Tuple

import numpy as np

from sc2impala.sim import aiming, functions, geometry, orders, results
from sc2impala.sim.arguments import Arguments
from sc2impala.sim.economy import footprints
from sc2impala.sim.units import NO_UNIT, Units
from sc2impala.sim.world import World


def build(
    world: World, games: np.ndarray, function: np.ndarray, arguments: Arguments
) -> np.ndarray:
    """Orders the nearest of the selected workers to build something. [A]"""
    construction = world.mechanics['construction']
    points, clicked = aiming.on_screen(world, games, arguments)
    queued = arguments.scalar('queued', games) != 0
    code = np.full(len(games), results.OK)
    for index, game in enumerate(games):
        unit_type = construction.roles.product[function[index]]
        code[index] = _build_one(
            world, game, function[index], unit_type, points[:, index], clicked[index], queued[index]
        )
    return code


def gather(
    world: World, games: np.ndarray, function: np.ndarray, arguments: Arguments
) -> np.ndarray:
    """Orders the selected workers to harvest the resource under the pixel."""
    units = world.units
    harvesting = world.mechanics['harvesting']
    _, target = aiming.on_screen(world, games, arguments)
    code = np.full(len(games), results.MUST_TARGET_RESOURCES)
    unit_type = np.where(target == NO_UNIT, -1, units.type[games, target])
    code[unit_type == harvesting.roles.geyser] = results.MUST_BUILD_REFINERY_FIRST
    unfinished = (unit_type == harvesting.roles.refinery) & (units.unfinished[games, target] > 0)
    code[unfinished] = results.BUILDING_IS_UNDER_CONSTRUCTION
    fine = harvesting.can_harvest(world, games, target)
    games, target, function = games[fine], target[fine], function[fine]
    full = orders.give(
        units,
        games,
        chosen=_workers(world, games, function),
        order_kind=np.full([len(games), 1], orders.GATHER),
        point=_for_all(units, units.position[:, games, target]),
        queued=arguments.scalar('queued', games) != 0,
        target=target[:, None],
    )
    code[fine] = np.where(full, results.QUEUE_IS_FULL, results.OK)
    return code


def return_cargo(
    world: World, games: np.ndarray, function: np.ndarray, arguments: Arguments
) -> np.ndarray:
    """Orders the selected workers that carry resources to return them."""
    units = world.units
    harvesting = world.mechanics['harvesting']
    home = units.own & (units.type == harvesting.roles.town_hall) & (units.unfinished == 0)
    home = home[games].any(1)
    some = games[home]
    chosen = _workers(world, some, function[home]) & (harvesting.cargo[some] > 0)
    full = orders.give(
        units,
        some,
        chosen=chosen,
        order_kind=np.full([len(some), 1], orders.RETURN),
        point=units.position[:, some, : units.num_mobile],
        queued=arguments.scalar('queued', some) != 0,
    )
    code = np.full(len(games), results.CANT_FIND_DROP_OFF)
    code[home] = np.where(full, results.QUEUE_IS_FULL, results.OK)
    return code


def halt(world: World, games: np.ndarray, function: np.ndarray, arguments: Arguments) -> np.ndarray:
    """Stops the construction work of the selected workers."""
    units = world.units
    building = _workers(world, games, function) & units.bound[games]
    rows, slots = np.nonzero(building)
    world.mechanics['construction'].halt(world, games[rows], slots)
    return np.full(len(games), results.OK)


def train(
    world: World, games: np.ndarray, function: np.ndarray, arguments: Arguments
) -> np.ndarray:
    """Adds a unit to the shortest queue of the selected buildings. [A]"""
    production = world.mechanics['production']
    buildings = _buildings(world, games, function)
    code = [
        production.order(world, game, np.flatnonzero(choice), production.roles.product[wanted])
        for game, choice, wanted in zip(games, buildings, function)
    ]
    return np.array(code)


def rally(
    world: World, games: np.ndarray, function: np.ndarray, arguments: Arguments
) -> np.ndarray:
    """Sets the rally point of the selected buildings."""
    on_screen = np.isin(function, _RALLIES_ON_SCREEN)
    for some, aim in ((on_screen, aiming.on_screen), (~on_screen, aiming.on_minimap)):
        points, targets = aim(world, games[some], arguments)
        rally_to(world, games[some], function[some], points, targets)
    return np.full(len(games), results.OK)


def rally_to(
    world: World,
    games: np.ndarray,
    function: np.ndarray,
    points: np.ndarray,
    targets: np.ndarray,
) -> None:
    """Sets the rally points of the selected buildings.

    Args:
      world: changed in place.
      games, function: int [n].
      points: float64 [2, n].
      targets: int [n], slots of resources to harvest; other slots count as NO_UNIT.
    """
    points = geometry.clamp(points, world.arena.playable)
    fine = world.mechanics['harvesting'].can_harvest(world, games, targets)
    targets = np.where(fine, targets, NO_UNIT)
    rows, buildings = np.nonzero(_buildings(world, games, function))
    world.mechanics['production'].rally(games[rows], buildings, points[:, rows], targets[rows])


def cancel(
    world: World, games: np.ndarray, function: np.ndarray, arguments: Arguments
) -> np.ndarray:
    """Cancels the selected buildings that are under construction."""
    units = world.units
    for game in games:
        for slot in np.flatnonzero(units.selected[game] & (units.unfinished[game] > 0)):
            world.mechanics['construction'].cancel(world, game, slot)
    return np.full(len(games), results.OK)


def cancel_last(
    world: World, games: np.ndarray, function: np.ndarray, arguments: Arguments
) -> np.ndarray:
    """Cancels the last unit in the queue of every selected building."""
    production = world.mechanics['production']
    first = world.units.num_mobile
    for game in games:
        length = (production.queue[game] >= 0).sum(1)
        for fixed in np.flatnonzero(world.units.selected[game, first:] & (length > 0)):
            production.cancel(world, game, first + fixed, length[fixed] - 1)
    return np.full(len(games), results.OK)


def build_queue(
    world: World, games: np.ndarray, function: np.ndarray, arguments: Arguments
) -> np.ndarray:
    """Cancels the unit at an index of the queue of the selected building."""
    production = world.mechanics['production']
    first = world.units.num_mobile
    place = arguments.scalar('build_queue_id', games)
    code = np.full(len(games), results.ERROR)
    for index, game in enumerate(games):
        building = int(world.units.selected[game].argmax())
        length = (production.queue[game, building - first] >= 0).sum()
        if 0 <= place[index] < length:
            production.cancel(world, game, building, place[index])
            code[index] = results.OK
    return code


def select_idle_worker(
    world: World, games: np.ndarray, function: np.ndarray, arguments: Arguments
) -> np.ndarray:
    """Selects an idle worker (act 0), adds it (1), selects all idle workers (2) or adds them (3).

    The next idle worker is the one after the last selected one, cyclically. [A]
    """
    units = world.units
    act = arguments.scalar('select_worker', games)
    known = (act >= 0) & (act <= 3)
    games, act = games[known], act[known][:, None]
    slots = np.arange(units.num_mobile)
    idle = world.mechanics['harvesting'].idle(world)[games]
    selected = units.selected[games, : units.num_mobile] & idle
    last = np.where(selected, slots, -1).max(1)
    behind = idle & (slots > last[:, None])
    turn = np.where(behind.any(1), behind.argmax(1), idle.argmax(1))
    chosen = np.where(act >= 2, idle, slots == turn[:, None])
    kept = units.selected[games] & (act % 2 == 1)
    kept[:, : units.num_mobile] |= chosen
    units.selected[games] = kept
    return np.where(known, results.OK, results.ERROR)


def smart(world: World, games: np.ndarray, target: np.ndarray) -> Tuple[np.ndarray, np.ndarray]:
    """Resolves the smart order of workers by its target. [A]

    Args:
      world: the games.
      games: int [n].
      target: int [n], slots, or NO_UNIT.

    Returns:
      order kind, int [n]: GATHER, BUILD to continue a building, or MOVE; and index of the type that
      is built, int [n].
    """
    units = world.units
    harvests = world.mechanics['harvesting'].can_harvest(world, games, target)
    continues = (target != NO_UNIT) & (units.unfinished[games, target] > 0)
    order_kind = np.where(harvests, orders.GATHER, np.where(continues, orders.BUILD, orders.MOVE))
    return order_kind, units.type[games, target]


FUNCTIONS_OF_HANDLER = {
    build: [
        functions.BUILD_BARRACKS_SCREEN,
        functions.BUILD_COMMAND_CENTER_SCREEN,
        functions.BUILD_REFINERY_SCREEN,
        functions.BUILD_SUPPLY_DEPOT_SCREEN,
    ],
    gather: [functions.HARVEST_GATHER_SCREEN],
    return_cargo: [functions.HARVEST_RETURN_QUICK],
    halt: [functions.HALT_QUICK],
    train: [functions.TRAIN_MARINE_QUICK, functions.TRAIN_SCV_QUICK],
    rally: [
        functions.RALLY_UNITS_SCREEN,
        functions.RALLY_UNITS_MINIMAP,
        functions.RALLY_WORKERS_SCREEN,
        functions.RALLY_WORKERS_MINIMAP,
    ],
    cancel: [functions.CANCEL_QUICK],
    cancel_last: [functions.CANCEL_LAST_QUICK],
    build_queue: [functions.BUILD_QUEUE],
    select_idle_worker: [functions.SELECT_IDLE_WORKER],
}
"""Handler -> the functions that it executes."""

_RALLIES_ON_SCREEN = (functions.RALLY_UNITS_SCREEN, functions.RALLY_WORKERS_SCREEN)


def _build_one(
    world: World,
    game: int,
    function: int,
    unit_type: int,
    point: np.ndarray,
    clicked: int,
    queued: bool,
) -> int:
    units = world.units
    construction = world.mechanics['construction']
    ground = world.mechanics['ground']
    centre = footprints.snap(point, units.stats.footprint[unit_type])
    if unit_type == construction.roles.refinery:
        is_geyser = clicked != NO_UNIT and units.type[game, clicked] == construction.roles.geyser
        centre = units.position[:, game, clicked].copy() if is_geyser else point
    code = ground.can_build(world, game, unit_type, centre)
    if code == results.OK:
        code = construction.order_error(world, np.array([game]), unit_type)[0]
    if code != results.OK:
        return code

    able = _workers(world, np.array([game]), np.array([function]))[0]
    able &= queued | ~units.bound[game]
    if not able.any():
        return results.NOT_SUPPORTED
    # Workers without a build order are preferred.
    idle = able & (units.order_kind[game, :, 0] != orders.BUILD)
    able = idle if idle.any() else able
    offsets = units.position[:, game, : units.num_mobile] - centre[:, None]
    nearest = np.where(able, geometry.length(offsets), np.inf).argmin()
    full = orders.give(
        units,
        np.array([game]),
        chosen=(np.arange(units.num_mobile) == nearest)[None],
        order_kind=np.array([[orders.BUILD]]),
        point=_for_all(units, centre[:, None]),
        queued=np.array([queued]),
        built=np.array([[unit_type]]),
    )
    return results.QUEUE_IS_FULL if full[0] else results.OK


def _workers(world: World, games: np.ndarray, function: np.ndarray) -> np.ndarray:
    """Returns the selected mobile units that offer the functions int [n]: bool [n, M]."""
    units = world.units
    mobile = slice(0, units.num_mobile)
    offered = units.stats.functions[units.type[games, mobile], function[:, None]]
    return units.selected[games, mobile] & offered


def _buildings(world: World, games: np.ndarray, function: np.ndarray) -> np.ndarray:
    """Returns the selected complete buildings that offer the functions int [n]: bool [n, U]."""
    units = world.units
    offered = units.stats.functions[units.type[games], function[:, None]]
    chosen = units.selected[games] & offered & (units.unfinished[games] == 0)
    chosen[:, : units.num_mobile] = False
    return chosen


def _for_all(units: Units, points: np.ndarray) -> np.ndarray:
    """Broadcasts points [2, n] to M units: [2, n, M]."""
    return np.broadcast_to(points[:, :, None], points.shape + (units.num_mobile,))
