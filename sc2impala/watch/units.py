"""The units of a game as arrays, and its map."""

from typing import Any, Dict, List, Sequence, Tuple

import numpy as np

from sc2impala.sim import GameBatch, geometry, orders, unit_types
from sc2impala.sim.units import NO_UNIT
from sc2impala.watch import trace

_NAMES = {
    value.unit_type: name.replace('_', ' ').capitalize().replace('Scv', 'SCV')
    for name, value in vars(unit_types).items()
    if isinstance(value, unit_types.UnitType)
}
"""Names of unit types by their ids."""

_FACINGS = 256
_MARGIN = 1.5
"""Cells that are shown around the region of the units."""


def world_of(game: GameBatch) -> trace.World:
    """Returns the map of some games."""
    arena, rules = game.definition.arena, game.rules
    left, top = float(rules.minimap_left), float(rules.minimap_top)
    minimap = (
        left,
        left + float(rules.minimap_width / rules.minimap_across),
        top - float(rules.minimap_height / rules.minimap_down),
        top,
    )
    types = [
        trace.UnitType(
            _NAMES.get(each.unit_type, f'Unit {each.unit_type}'),
            float(each.radius),
            float(each.health),
            tuple(int(side) for side in each.footprint),
        )
        for each in game.unit_types
    ]
    return trace.World(
        game.definition.name,
        tuple(float(each) for each in arena.playable),
        _view(arena),
        minimap,
        float(geometry.CAMERA_EXTENT),
        arena.camera_moves,
        game.episode_loops,
        types,
    )


def _view(arena: geometry.Arena) -> Tuple[float, float, float, float]:
    """Returns the region to show: where units can be, and some cells around it."""
    region = arena.pathable or arena.playable
    low, high = 0.0, float(geometry.MAP_EXTENT)
    return (
        max(float(region.left) - _MARGIN, low),
        min(float(region.right) + _MARGIN, high),
        max(float(region.bottom) - _MARGIN, low),
        min(float(region.top) + _MARGIN, high),
    )


def snapshot(game: GameBatch) -> Dict[str, np.ndarray]:
    """Returns the units of K games now: arrays [K, U] with the names of `trace.Units`."""
    games = game.games
    mobile = games.goal_x.shape[1]
    alive = games.alive != 0
    alive[:, :mobile] &= games.inside == 0
    flags = trace.SELECTED * (games.selected != 0) + trace.UNFINISHED * (games.unfinished > 0)
    flags += trace.SEEN * _seen(game)
    found = {
        'type': np.where(alive, games.type, trace.ABSENT).astype(np.uint8),
        'owner': np.where(alive, games.owner, 0).astype(np.uint8),
        'x': _fixed(games.x, alive),
        'y': _fixed(games.y, alive),
        'health': np.where(alive, np.ceil(games.health), 0).astype(np.uint16),
        'flags': np.where(alive, flags, 0).astype(np.uint8),
        'facing': np.zeros(alive.shape, np.uint8),
    }
    angles = np.arctan2(games.heading_y, games.heading_x) / (2 * np.pi)
    found['facing'][:, :mobile] = np.round(angles * _FACINGS).astype(np.int64) % _FACINGS
    found.update(_orders(games, alive, mobile))
    return found


def camera(game: GameBatch) -> np.ndarray:
    """Returns the centres of the screens of K games, uint16 [K, 2]."""
    centres = np.stack([game.games.camera_x, game.games.camera_y], axis=1)
    return _fixed(centres, np.ones(centres.shape, bool))


def join(snapshots: Sequence[Dict[str, np.ndarray]], mobile: int) -> trace.Units:
    """Joins the snapshots of one game at T steps, arrays [U], without slots that are never used.

    Args:
      snapshots: one per step.
      mobile: number of slots of units that can move.
    """
    arrays = {name: np.stack([each[name] for each in snapshots]) for name in snapshots[0]}
    used = (arrays['type'] != trace.ABSENT).any(axis=0)
    arrays = {name: np.ascontiguousarray(array[:, used]) for name, array in arrays.items()}
    return trace.Units(mobile=int(used[:mobile].sum()), **arrays)


def num_mobile(game: GameBatch) -> int:
    """Returns the number of slots of units that can move."""
    return game.games.goal_x.shape[1]


def _seen(game: GameBatch) -> np.ndarray:
    """Returns which units player 1 sees, bool [K, U]."""
    slots = game.describe_units()[1]
    seen = np.zeros(slots.shape, bool)
    rows, columns = np.nonzero(slots != NO_UNIT)
    seen[rows, slots[rows, columns]] = True
    return seen


def _orders(games: Any, alive: np.ndarray, mobile: int) -> Dict[str, np.ndarray]:
    """Returns kind and target of the current orders; a unit that fights has its victim."""
    kind, slot = games.order_kind[:, :, 0], games.order_target[:, :, 0]
    x, y = games.order_x[:, :, 0], games.order_y[:, :, 0]
    fights = games.target != NO_UNIT
    kind = np.where(fights, orders.ATTACK, kind)
    slot = np.where(fights, games.target, slot)
    has_target = slot != NO_UNIT
    rows = np.arange(len(slot))[:, np.newaxis]
    x = np.where(has_target, games.x[rows, np.maximum(slot, 0)], x)
    y = np.where(has_target, games.y[rows, np.maximum(slot, 0)], y)
    shown = alive[:, :mobile] & (kind > orders.HOLD)
    found: Dict[str, np.ndarray] = {
        'order': np.where(alive[:, :mobile] & (kind > 0), kind, 0).astype(np.uint8),
        'target_x': _fixed(x, shown),
        'target_y': _fixed(y, shown),
    }
    padding = [(0, 0), (0, alive.shape[1] - mobile)]
    return {name: np.pad(array, padding, 'constant') for name, array in found.items()}


def _fixed(values: np.ndarray, shown: np.ndarray) -> np.ndarray:
    """Returns coordinates of the world in units of 1 / POSITION_SCALE cells, uint16."""
    scaled = np.clip(np.round(values * trace.POSITION_SCALE), 0, 2**16 - 1)
    return np.where(shown, scaled, 0).astype(np.uint16)


def type_labels(values: Sequence[int]) -> List[str]:
    """Returns the names of unit types by their ids, 'none' for 0."""
    return ['none' if not value else _NAMES.get(value, str(value)) for value in values]
