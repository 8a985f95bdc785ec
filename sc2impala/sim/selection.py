"""Unit selection and control groups. Only the units of player 1 can be selected. [U]

Every function changes the world for the games int [n] and returns a code of `results` for each.
Its other arguments are int [n], or int [2, n] for pixels inside the screen. The selection does not
change if no unit is found. [U]
"""

from typing import Sequence

import numpy as np

from sc2impala.sim import appearance, discs, picking, results
from sc2impala.sim.units import NUM_CONTROL_GROUPS, Units
from sc2impala.sim.world import World


def select_point(world: World, games: np.ndarray, act: np.ndarray, pixel: np.ndarray) -> np.ndarray:
    """Selects the unit drawn on a pixel (act 0), toggles it (1), selects all units of its type on
    the screen (2) or adds them (3). [S] ACT
    """
    units = world.units
    own = units.own[games]
    corner, size = picking.screen_boxes(world, games)
    hit = own & discs.covers(pixel[:, :, None], corner, size)
    hit = _not_buildings(units, hit & appearance.shown(world)[games])
    top = picking.top(hit)
    clicked = hit & (np.arange(hit.shape[1]) == top[:, None])
    same_type = own & _like(units, games, top) & _on_screen(world, corner, size)
    selected = units.selected[games]
    return _apply(
        world,
        games,
        act,
        [clicked, selected ^ clicked, same_type, selected | same_type],
        has_effect=np.any(hit, axis=1),
    )


def select_rect(
    world: World, games: np.ndarray, add: np.ndarray, first: np.ndarray, second: np.ndarray
) -> np.ndarray:
    """Selects, or adds, the units with boxes that touch the rectangle between two pixels."""
    low, high = np.minimum(first, second)[:, :, None], np.maximum(first, second)[:, :, None]
    corner, size = picking.screen_boxes(world, games)
    inside = ((corner <= high) & (corner + size > low)).all(0) & world.units.own[games]
    inside &= appearance.shown(world)[games]
    return _select(world, games, add, _not_buildings(world.units, inside))


def select_army(world: World, games: np.ndarray, add: np.ndarray) -> np.ndarray:
    """Selects, or adds, all army units."""
    units = world.units
    return _select(world, games, add, units.own[games] & units.stats.is_army[units.type[games]])


def select_unit(world: World, games: np.ndarray, act: np.ndarray, index: np.ndarray) -> np.ndarray:
    """Reduces the selection to one unit (act 0), all others (1), the units of its type (2) or those
    of other types (3). The index counts the selected units in the order of `multi_select`. [S] ACT
    """
    selected = world.units.selected[games]
    rank = selected.cumsum(1) - 1
    chosen = selected & (rank == index[:, None])
    same_type = selected & _like(world.units, games, chosen.argmax(1))
    result = _apply(
        world,
        games,
        act,
        [chosen, selected & ~chosen, same_type, selected & ~same_type],
        has_effect=chosen.any(1),
    )
    return np.where(chosen.any(1), result, results.ERROR)


def control_group(
    world: World, games: np.ndarray, act: np.ndarray, index: np.ndarray
) -> np.ndarray:
    """Recalls a control group (act 0), sets it to the selection (1) or adds the selection to it
    (2).

    Acts 3 and 4 are 1 and 2 and also remove the units from all other groups. [S] ACT An empty group
    is not recalled, and an empty selection does not change a group. [U]
    """
    known = (act >= 0) & (act <= 4) & (index >= 0) & (index < NUM_CONTROL_GROUPS)
    result = np.where(known, results.OK, results.ERROR)
    games, act, index = games[known], act[known], index[known]

    units = world.units
    selected = units.selected[games]
    group = units.control_groups[games, index]
    recalled = (act == 0) & group.any(1)
    changed = (act != 0) & selected.any(1)

    units.selected[games[recalled]] = group[recalled]
    steals = changed & (act >= 3)
    units.control_groups[games[steals]] &= ~selected[steals][:, None]
    kept = ((act == 2) | (act == 4))[:, None] & group
    units.control_groups[games[changed], index[changed]] = (selected | kept)[changed]
    return result


def _apply(
    world: World,
    games: np.ndarray,
    act: np.ndarray,
    outcomes: Sequence[np.ndarray],
    has_effect: np.ndarray,
) -> np.ndarray:
    """Sets the selection to outcomes[act], bool [n, U], for valid acts with an effect."""
    known = (act >= 0) & (act < len(outcomes))
    outcome = np.stack(outcomes)[np.where(known, act, 0), np.arange(len(games))]
    changed = known & has_effect
    world.units.selected[games[changed]] = outcome[changed]
    return np.where(known, results.OK, results.ERROR)


def _select(world: World, games: np.ndarray, add: np.ndarray, chosen: np.ndarray) -> np.ndarray:
    found = chosen.any(1)
    kept = (add != 0)[:, None] & world.units.selected[games]
    world.units.selected[games[found]] = (chosen | kept)[found]
    return np.full(len(games), results.OK)


def _not_buildings(units: Units, found: np.ndarray) -> np.ndarray:
    """Removes buildings from `found`, bool [n, U], in games where mobile units were found. [A]"""
    mobile = np.any(found[:, : units.num_mobile], axis=1)
    slots = np.arange(found.shape[1])
    return found & ((slots < units.num_mobile) | ~mobile[:, None])


def _on_screen(world: World, corner: np.ndarray, size: np.ndarray) -> np.ndarray:
    extent = np.array(world.screen.size)[:, None, None]
    return ((corner < extent) & (corner + size > 0)).all(0)


def _like(units: Units, games: np.ndarray, slot: np.ndarray) -> np.ndarray:
    """Returns the units of the same type as the unit in the slot int [n]: bool [n, U]."""
    return units.type[games] == units.type[games, slot][:, None]
