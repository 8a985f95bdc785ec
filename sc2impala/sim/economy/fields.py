"""Users of mineral fields and refineries, and the choice of a field by harvesters."""

from typing import TYPE_CHECKING, Dict, Optional, Tuple

import numpy as np

from sc2impala.sim import geometry
from sc2impala.sim.units import NO_UNIT
from sc2impala.sim.world import World

if TYPE_CHECKING:
    from sc2impala.sim.economy.harvesting import Harvesting

SEARCH_RANGE = 10.0  # Between the centres of two fields. [S] GD, [A]
IDEAL_PER_FIELD = 2  # [S] GD
IDEAL_PER_REFINERY = 3  # [S] GD


def num_users(harvesting: 'Harvesting', places: np.ndarray) -> np.ndarray:
    """Returns the number of harvesters assigned to every fixed slot: int [K, B].

    Args:
      harvesting: Harvesting.
      places: `harvesting.field` or `harvesting.base`, int [K, M].
    """
    num_games, num_fixed = harvesting.contents.shape
    games, slots = np.nonzero((harvesting.phase > 0) & (places != NO_UNIT))
    index = games * num_fixed + places[games, slots] - harvesting.num_mobile
    return np.bincount(index, minlength=num_games * num_fixed).reshape(num_games, num_fixed)


def less_used(
    harvesting: 'Harvesting', world: World, games: np.ndarray, slots: np.ndarray
) -> Tuple[np.ndarray, np.ndarray]:
    """Finds mineral fields with fewer users than those that units wait for.

    Args:
      harvesting: Harvesting.
      world: the games.
      games, slots: int [n], the units.

    Returns:
      bool [n], whether a field in range has at least two users less, so that the unit gains even
      after it is added; and int [n], the slot of the nearest field with the fewest users.
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
    """Returns the slot of a replacement for an exhausted field, or None if there is none in range.

    It has the same type and the fewest users; of ties it is the nearest one to the old field.
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
    """Returns contents and users of the units in slots, int [n] each, for `feature_units`."""
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
    """Returns mineral fields in range of `places`, bool [n, b], and distances to `slots`."""
    units, first = world.units, harvesting.num_mobile
    is_field = (units.alive & (units.type == harvesting.roles.mineral_field))[:, first:]
    used = is_field.any(0)
    last = len(used) - used[::-1].argmax() if used.any() else 0
    there = units.position[:, games, first : first + last]
    around = geometry.length(there - units.position[:, games, places][:, :, None])
    distance = geometry.length(there - units.position[:, games, slots][:, :, None])
    return is_field[games, :last] & (around <= SEARCH_RANGE), distance
