"""Damage of hits. The caller removes dead units."""

from typing import Tuple

import numpy as np

from sc2impala.sim import geometry, unit_types
from sc2impala.sim.unit_types import UnitTable
from sc2impala.sim.units import Units

MIN_DAMAGE = 0.5  # Of a hit, whatever the armor. [A]


def of_hits(stats: UnitTable, attacker: np.ndarray, victim: np.ndarray) -> np.ndarray:
    """Returns the damage of one hit: float64, for types `attacker` and `victim` that broadcast."""
    bonus = stats.bonus_to_light[attacker] * stats.is_light[victim]
    return np.maximum(stats.damage[attacker] + bonus - stats.armor[victim], MIN_DAMAGE)


def find_victim_alive(health: np.ndarray, victim: np.ndarray, amount: np.ndarray) -> np.ndarray:
    """Returns which of several hits in one frame take effect: hits on a dead victim do not.

    Args:
      health: float64 [K * U].
      victim: int [n], flat indices into `health`.
      amount: float64 [n], multiples of 1/2, so that sums are exact.

    Returns:
      bool [n]; hits on the same victim take effect in the given order.
    """
    if not victim.size:
        return np.zeros([0], bool)
    order = np.argsort(victim, kind='stable')
    victim, amount = victim[order], amount[order]
    before = amount.cumsum() - amount
    is_first = np.ones([len(victim)], bool)
    is_first[1:] = victim[1:] != victim[:-1]
    before -= before[is_first][is_first.cumsum() - 1]
    dealt = np.zeros([len(victim)], bool)
    dealt[order] = before < health[victim]
    return dealt


def explode(units: Units, games: np.ndarray, slots: np.ndarray) -> Tuple[np.ndarray, np.ndarray]:
    """Applies the splash damage of the units in slots, int [n] each, to all enemies around them.

    A unit is hit if its edge is within the splash radius of the centre of the attacker.

    Returns:
      indices into the n attackers, and slots of their victims.
    """
    stats = units.stats
    unit_type = units.type[games, slots]
    around = geometry.length(units.position[:, games] - units.position[:, games, slots][..., None])
    others = units.type[games]
    reach = stats.splash_radius[unit_type][:, None] + stats.radius[others]
    owner = units.owner[games]
    hostile = (owner != units.owner[games, slots][:, None]) & (owner != unit_types.NEUTRAL)
    hurt = units.alive[games] & hostile & (around <= reach)
    rows, victims = np.nonzero(hurt)
    amount = of_hits(stats, unit_type[rows], others[rows, victims])
    np.subtract.at(units.health, (games[rows], victims), amount)
    return rows, victims
