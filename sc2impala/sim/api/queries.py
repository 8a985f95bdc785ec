"""Answers to the protocol's Query: distances, abilities of units, and locations of buildings."""

from typing import Any

import numpy as np

from sc2impala.sim import geometry, kernels, protocol_codes
from sc2impala.sim.api import abilities, terrain
from sc2impala.sim.api.raw import RawInterface
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
        game.games.minerals[:] = game.games.vespene[:] = _RICH
    for question in request.abilities:
        _list_abilities(question.unit_tag, response.abilities.add(), game, raw)
    for question in request.placements:
        response.placements.add().result = _check_placement(question, game, raw)
    game.set_state(state)


def _distance(question: Any, game: GameBatch, raw: RawInterface) -> float:
    """Returns the length in cells of a way from a unit or point to a point, 0 if there is none."""
    start = raw.to_world(question.start_pos)
    if question.WhichOneof('start') == 'unit_tag':
        slots = raw.slots([question.unit_tag])
        if not len(slots):
            return 0.0
        start = np.array([game.games.x[0, slots[0]], game.games.y[0, slots[0]]])
    end = raw.to_world(question.end_pos)
    if not _is_cell_of(terrain.free(game), end) or not _is_cell_of(terrain.playable(game), start):
        return 0.0
    if not game.rules.has_economy:
        return float(np.sqrt(np.square(end - start).sum()))
    length = np.zeros([1])
    game.run(kernels.build_economy().find_way, *start.tolist(), *end.tolist(), length)
    return float(length[0])


def _list_abilities(tag: int, message: Any, game: GameBatch, raw: RawInterface) -> None:
    """Writes the abilities that a unit of player 1 would offer if it were selected alone."""
    message.unit_tag = tag
    slots = raw.slots([tag])
    if not len(slots):
        return
    message.unit_type_id = int(game.rules.unit_type[game.games.type[0, slots[0]]])
    chosen = np.zeros(game.games.alive.shape, bool)
    chosen[0, slots] = True
    game.select(chosen)
    available = game.available_actions()[0]
    for ability, requires_point in abilities.offered(available):
        message.abilities.add(ability_id=ability, requires_point=requires_point)


def _check_placement(question: Any, game: GameBatch, raw: RawInterface) -> int:
    """Returns the ActionResult of building at a point now."""
    products = abilities.find_products(game.unit_types)
    # 0 stands for types that no ability produces.
    (found,) = np.nonzero((products > 0) & (products == question.ability_id))
    if not game.rules.has_economy or not len(found) or not game.rules.footprint[found[0]].any():
        return protocol_codes.NOT_SUPPORTED
    point, codes = raw.to_world(question.target_pos), np.zeros([1], np.int64)
    game.run(kernels.build_economy().check_site, int(found[0]), *point.tolist(), codes)
    return SUCCESS if codes[0] == protocol_codes.OK else int(codes[0])


def _is_cell_of(cells: np.ndarray, point: np.ndarray) -> bool:
    x, y = np.minimum(point.astype(int), geometry.MAP_EXTENT - 1)
    return bool(cells[y, x])
