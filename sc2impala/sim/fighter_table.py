"""The units that can fight and their enemies, as flat arrays over all games.

A table may list units that have died since it was built: `sight` places them out of range of all
others, so that the table needs to be rebuilt only rarely.
"""

from typing import Tuple

import numpy as np

from sc2impala.sim import unit_types
from sc2impala.sim.units import NO_UNIT, Units

MIN_SCAN_RANGE = 5.0  # From edge to edge, in cells. [S] GD
SCAN_MARGIN = 0.5  # How far beyond its weapon's range a unit looks for targets. [S] GD

_BEYOND = 1e6  # Offset of dead units.
_HARMLESS = 1e3  # Added to the distance of units that cannot attack back.
_TOO_MANY_DEAD = 0.5  # Fraction of the listed units at which the table is rebuilt.
_OWNERS = (unit_types.SELF, unit_types.ENEMY)
_COLUMNS = (
    'radius',
    'weapon_range',
    'weapon_period',
    'damage_point',
    'backswing',
    'missile_speed',
    'missile_min_range',
    'splash_radius',
)


class FighterTable:
    """All units that may fight, with the data that combat reads in every frame.

    Attributes, each [n], in the order of games and slots:
      games, slots: int. mobile: int, game * M + slot. body: int, game * U + slot. first: int,
      game * U. queue: int, index of the first order in flat arrays [K * M * Q].
      unit_type: int8, index into the types. owner: uint8.
      _COLUMNS of these types; damage_point and backswing in whole frames. scan_range.

    Other attributes:
      size: n. sides: a Side for each owner. listed: bool [K, M], the listed units.
      is_complete: whether both owners have units in all running games, so that all armed units are
      listed.
      radius_of: float64 [K * U], of all units.
      healing: int [m], flat indices game * U + slot of units that regenerate; regeneration and
      full_health: float64 [m], of these units.
    """

    radius: np.ndarray
    weapon_range: np.ndarray
    weapon_period: np.ndarray
    damage_point: np.ndarray
    backswing: np.ndarray
    missile_speed: np.ndarray
    missile_min_range: np.ndarray
    splash_radius: np.ndarray

    def __init__(self, units: Units, running: np.ndarray, wanted: np.ndarray):
        """Lists the armed units of games where both owners have units, and the armed `wanted`
        units.

        Args:
          units: the units.
          running: bool [K], the other games are left out.
          wanted: bool [K, M].
        """
        self._alive = units.alive.copy()
        self._type = units.type.tobytes()
        self._owner = units.owner.tobytes()
        self._running = running.tobytes()

        stats, mobile = units.stats, units.num_mobile
        owned = [units.alive & (units.owner == owner) for owner in _OWNERS]
        contested = running & owned[0].any(1) & owned[1].any(1)
        self.is_complete = bool((contested == running).all())
        armed = units.alive[:, :mobile] & (stats.damage > 0)[units.type[:, :mobile]]
        fighting = armed & (contested[:, None] | (wanted & running[:, None]))
        self.listed = fighting | wanted
        self.games, self.slots = np.nonzero(fighting)
        self.size = len(self.games)
        self.mobile = self.games * mobile + self.slots
        self.first = self.games * units.alive.shape[1]
        self.body = self.first + self.slots
        self.queue = self.mobile * units.order_kind.shape[2]
        self.owner = units.owner.take(self.body)
        self.unit_type = units.type.take(self.body)
        for name in _COLUMNS:
            setattr(self, name, getattr(stats, name).take(self.unit_type))
        self.damage_point = np.ceil(self.damage_point).astype(np.int32)
        self.backswing = np.ceil(self.backswing).astype(np.int32)
        self.scan_range = np.maximum(self.weapon_range + SCAN_MARGIN, MIN_SCAN_RANGE)
        self.radius_of = stats.radius.take(units.type).reshape(-1)
        heals = stats.regeneration.take(self.unit_type) > 0
        self.healing = self.body[heals]
        self.regeneration = stats.regeneration.take(self.unit_type[heals])
        self.full_health = stats.health.take(self.unit_type[heals])
        self.sides = [
            Side(self, units, owner, foes & contested[:, None])
            for owner, foes in zip(_OWNERS, owned[::-1])
        ]

    def serves(self, units: Units, running: np.ndarray) -> bool:
        """Whether the table is still valid: no unit with enemies is missing from it."""
        return bool(
            self._running == running.tobytes()
            and self._type == units.type.tobytes()
            and self._owner == units.owner.tobytes()
            and not (units.alive > self._alive).any()
            and np.count_nonzero(units.alive)
            >= (1 - _TOO_MANY_DEAD) * np.count_nonzero(self._alive)
        )


class Side:
    """The fighters of one owner in games where they have enemies.

    Attributes:
      members: int [n], indices into the arrays of the table.
    """

    def __init__(self, fighters: FighterTable, units: Units, owner: int, foes: np.ndarray):
        """Args:
        fighters: the table.
        units: the units.
        owner: of the fighters.
        foes: bool [K, U], their enemies.
        """
        games, slots = np.nonzero(foes)
        count = np.bincount(games, minlength=len(foes))
        members = np.flatnonzero(fighters.owner == owner)
        self.members = members[count[fighters.games[members]] > 0]
        # Row b is the b-th enemy of every game, padded with the first enemy.
        start = count.cumsum() - count
        table = np.tile(start, [count.max(), 1])
        table[np.arange(len(games)) - start[games], games] = np.arange(len(games))
        self._entries = table[:, fighters.games[self.members]]
        unit_type = units.type[games, slots]
        self._slots = slots
        self._bodies = games * foes.shape[1] + slots
        self._radius = units.stats.radius[unit_type]
        self._handicap = _HARMLESS * (units.stats.damage[unit_type] == 0)
        self._bodies_of_members = fighters.body[self.members]
        self._radius_of_members = fighters.radius[self.members]

    def nearest(
        self, index: np.ndarray, limit: np.ndarray, x: np.ndarray, y: np.ndarray
    ) -> Tuple[np.ndarray, np.ndarray]:
        """Finds the nearest enemies; those that can attack back have priority.

        Args:
          index: int [m], indices into `members`.
          limit: float64 [m], how far to look, from edge to edge.
          x, y: float64 [K * U], from `sight`.

        Returns:
          slots int [m], NO_UNIT without an enemy in range, and distances float64 [m].
        """
        entries = self._entries.take(index, axis=1)
        body, radius = self._bodies_of_members.take(index), self._radius_of_members.take(index)
        foes = self._bodies.take(entries)
        across, up = x.take(foes) - x.take(body), y.take(foes) - y.take(body)
        gap = np.sqrt(across * across + up * up) - (self._radius.take(entries) + radius)
        order = gap + self._handicap.take(entries) if self._handicap.any() else gap
        order = np.where(gap <= limit, order, np.inf)
        best = order.argmin(0) * len(index) + np.arange(len(index))
        found = order.take(best) < np.inf
        return np.where(found, self._slots.take(entries.take(best)), NO_UNIT), gap.take(best)


def sight(units: Units) -> Tuple[np.ndarray, np.ndarray]:
    """Returns x and y of all units, float64 [K * U] each; dead units are moved out of range.

    Dead units of different owners are out of range of each other, too.
    """
    x = np.where(units.alive, units.position[0], _BEYOND * units.owner)
    return x.reshape(-1), units.position[1].reshape(-1)
