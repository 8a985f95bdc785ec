"""Which fields harvesters use, and which of them they choose."""

from typing import TYPE_CHECKING, Dict, Optional, Tuple

import numpy as np

from sc2impala.sim import geometry
from sc2impala.sim.units import NO_UNIT
from sc2impala.sim.world import World

if TYPE_CHECKING:
    from sc2impala.sim.economy.harvesting import Harvesting

SEARCH_RANGE = 10.0  # From the middle of one field to that of another. [S] GD, [A]
IDEAL_PER_FIELD = 2  # [S] GD
IDEAL_PER_REFINERY = 3  # [S] GD


def num_users(harvesting: 'Harvesting', places: np.ndarray) -> np.ndarray:
    """How many harvesters work for every fixed slot: int [K, B].

    Args:
      harvesting: Harvesting.
      places: its `field` or `base`, int [K, M].
    """
    num_games, num_fixed = harvesting.contents.shape
    games, slots = np.nonzero((harvesting.phase > 0) & (places != NO_UNIT))
    index = games * num_fixed + places[games, slots] - harvesting.num_mobile
    return np.bincount(index, minlength=num_games * num_fixed).reshape(num_games, num_fixed)


def less_used(
    harvesting: 'Harvesting', world: World, games: np.ndarray, slots: np.ndarray
) -> Tuple[np.ndarray, np.ndarray]:
    """Looks for mineral fields that units share with fewer others than the one they wait for.

    Args:
      harvesting: Harvesting.
      world: the games.
      games, slots: int [n], the units.

    Returns:
      bool [n], whether there is one in range that has at least two users less, so that it pays even
      when the unit has become one of them; and int [n], the slot of the nearest with the fewest.
    """
    field = harvesting.field[games, slots]
    choice, distance = _in_range(harvesting, world, games, field, slots)
    users = num_users(harvesting, harvesting.field)[games]
    rank = np.where(choice, users[:, : choice.shape[1]], np.inf)
    fewest = rank.min(1)
    best = np.where(rank == fewest[:, None], distance, np.inf).argmin(1)
    better = fewest <= users[np.arange(len(games)), field - harvesting.num_mobile] - 2
    better &= world.units.type[games, field] == harvesting.roles.mineral_field
    return better, harvesting.num_mobile + best


def replacement(harvesting: 'Harvesting', world: World, game: int, slot: int) -> Optional[int]:
    """The slot of what a unit harvests when its field is gone, None if nothing is in range.

    It is of the same kind: the one with the fewest users, the nearest to the field of several.
    """
    units = world.units
    field = harvesting.field[game, slot]
    if field == NO_UNIT:
        return None
    same = np.flatnonzero(units.type[game] == units.type[game, field])
    same = same[harvesting.can_harvest(world, np.full(same.shape, game), same)]
    offsets = units.position[:, game, same] - units.position[:, game, field, None]
    distance = geometry.length(offsets)
    same, distance = same[distance <= SEARCH_RANGE], distance[distance <= SEARCH_RANGE]
    if not same.size:
        return None
    users = num_users(harvesting, harvesting.field)[game, same - harvesting.num_mobile]
    return same[np.lexsort((distance, users))[0]]


def columns(
    harvesting: 'Harvesting', world: World, games: np.ndarray, slots: np.ndarray
) -> Dict[str, np.ndarray]:
    """Contents and users of the units in slots, int [n] each: columns of `feature_units`."""
    roles, type_index = harvesting.roles, world.units.type[games, slots]
    is_fixed = slots >= harvesting.num_mobile
    fixed = np.where(is_fixed, slots - harvesting.num_mobile, 0)
    contents = harvesting.contents[games, harvesting.source[games, fixed]] * is_fixed
    is_field, is_refinery = type_index == roles.mineral_field, type_index == roles.refinery
    is_base = type_index == roles.town_hall
    choice, _ = _in_range(harvesting, world, games, slots, slots)
    assigned = np.where(
        is_refinery,
        num_users(harvesting, harvesting.field)[games, fixed],
        num_users(harvesting, harvesting.base)[games, fixed] * is_base,
    )
    ideal = np.where(is_refinery, IDEAL_PER_REFINERY, IDEAL_PER_FIELD * choice.sum(1) * is_base)
    return {
        'mineral_contents': np.where(is_field, contents, 0),
        'vespene_contents': np.where(is_field, 0, contents),
        'assigned_harvesters': assigned,
        'ideal_harvesters': ideal,
    }


def _in_range(
    harvesting: 'Harvesting', world: World, games: np.ndarray, places: np.ndarray, slots: np.ndarray
) -> Tuple[np.ndarray, np.ndarray]:
    """Mineral fields in range of other slots: bool [n, b], and their distances from the units."""
    units, first = world.units, harvesting.num_mobile
    is_field = (units.alive & (units.type == harvesting.roles.mineral_field))[:, first:]
    used = is_field.any(0)
    last = len(used) - used[::-1].argmax() if used.any() else 0
    there = units.position[:, games, first : first + last]
    around = geometry.length(there - units.position[:, games, places][:, :, None])
    distance = geometry.length(there - units.position[:, games, slots][:, :, None])
    return is_field[games, :last] & (around <= SEARCH_RANGE), distance
