"""Answers to the protocol's Query: distances, abilities of units, and locations of buildings."""

from typing import Any

import numpy as np

from sc2impala.sim import geometry, observation, results
from sc2impala.sim.api import abilities, terrain
from sc2impala.sim.api.raw import GAME, RawInterface
from sc2impala.sim.economy import footprints, path_finding
from sc2impala.sim.game_batch import GameBatch

_RICH = 100000
"""Minerals and vespene of a player who can pay for everything."""

SUCCESS = 1
"""The ActionResult of what can be done."""


def answer(request: Any, response: Any, game: GameBatch, raw: RawInterface) -> None:
    """Answers a RequestQuery with a ResponseQuery; the game remains as it is.

    Args:
      request: the questions.
      response: gets an answer to every question, in the same order.
      game: a batch of one game.
      raw: knows the tags of its units.
    """
    for question in request.pathing:
        response.pathing.add().distance = _distance(question, game, raw)
    if not request.abilities and not request.placements:
        return
    state = game.get_state()
    if request.ignore_resource_requirements:
        game.world.minerals[:] = game.world.vespene[:] = _RICH
    for question in request.abilities:
        _list_abilities(question.unit_tag, response.abilities.add(), game, raw)
    for question in request.placements:
        response.placements.add().result = _check_placement(question, game)
    game.set_state(state)


def _distance(question: Any, game: GameBatch, raw: RawInterface) -> float:
    """Returns the length in cells of a way from a unit or point to a point, 0 if there is none."""
    world = game.world
    start = _point(question.start_pos)
    if question.WhichOneof('start') == 'unit_tag':
        slots = raw.slots([question.unit_tag])
        if not len(slots):
            return 0.0
        start = world.units.position[:, 0, slots[0]]
    end = _point(question.end_pos)
    straight = float(geometry.length(end - start))
    if not _is_cell_of(terrain.free(world), end) or not _is_cell_of(terrain.playable(world), start):
        return 0.0
    ground: Any = world.mechanics.get('ground')
    if ground is None or not ground.crosses(GAME, start[:, None], end[:, None])[0]:
        return straight
    # Cells around the start are free, such that buildings have ways out.
    cells = terrain.free(world)
    x, y = np.floor(start).astype(int)
    cells[max(y - 1, 0) : y + 2, max(x - 1, 0) : x + 2] = True
    grid = path_finding.PathingGrid(terrain.playable(world))
    goal = np.zeros([1, grid.size], bool)
    goal[0, grid.numbers(end[:, None])] = True
    distances = path_finding.distances(grid.pack(cells)[None], goal, grid.stride)
    steps = int(distances[0, grid.numbers(start[:, None])][0])
    return 0.0 if steps == path_finding.FAR else max(straight, float(steps))


def _list_abilities(tag: int, message: Any, game: GameBatch, raw: RawInterface) -> None:
    """Writes the abilities that a unit of player 1 would offer if it were selected alone."""
    message.unit_tag = tag
    slots = raw.slots([tag])
    if not len(slots):
        return
    units = game.world.units
    message.unit_type_id = int(units.stats.unit_type[units.type[0, slots[0]]])
    chosen = np.zeros_like(units.own)
    chosen[0, slots] = True
    game.select(chosen)
    available = observation.available_actions(game.world)[0]
    for ability, requires_point in abilities.offered(available):
        message.abilities.add(ability_id=ability, requires_point=requires_point)


def _check_placement(question: Any, game: GameBatch) -> int:
    """Returns the ActionResult of building at a point now."""
    world = game.world
    products = abilities.of_products(world.units.types)
    # 0 stands for types that no ability produces.
    (found,) = np.nonzero((products > 0) & (products == question.ability_id))
    ground: Any = world.mechanics.get('ground')
    construction: Any = world.mechanics.get('construction')
    if not len(found) or ground is None or construction is None:
        return results.NOT_SUPPORTED
    product = int(found[0])
    footprint = world.units.stats.footprint[product]
    if not footprint.any():
        return results.NOT_SUPPORTED
    ground.survey(world)
    code = ground.can_build(
        world, 0, product, footprints.snap(_point(question.target_pos), footprint)
    )
    if code == results.OK:
        code = int(construction.order_error(world, GAME, product)[0])
    return SUCCESS if code == results.OK else code


def _point(message: Any) -> np.ndarray:
    """Returns a Point2D as float64 [2], on the map."""
    point = np.nan_to_num(np.array([message.x, message.y], float))
    return np.minimum(np.maximum(point, 0), geometry.MAP_EXTENT)


def _is_cell_of(cells: np.ndarray, point: np.ndarray) -> bool:
    x, y = np.minimum(point.astype(int), geometry.MAP_EXTENT - 1)
    return bool(cells[y, x])
