"""What players of the maps with an economy make of their observations."""

from typing import Any, Mapping

import numpy as np

from sc2impala.envs.players import sight, unit_types

_MIXER = np.uint32(0x9E3779B1)  # Spreads numbers that differ a little over all 32 bits.
_REACH = 4
"""Pixels of a screen of 84 between the rim of a building and whoever builds it, at most."""


class Economy:
    """What there is in K games, and who can make more of it.

    units: sight.Units. minerals, food_used, food_left: int [K].
    """

    def __init__(self, observation: Mapping[str, Any], scale: float = 1.0):
        """Args:
        observation: with the vectors player and feature_units.
        scale: pixels of its screen per pixel of a screen of 84.
        """
        self.units = sight.Units(observation['feature_units'])
        self.minerals = observation['player'][:, 1]
        self.food_used = observation['player'][:, 3]
        self.food_left = observation['player'][:, 4] - self.food_used
        self._reach = _REACH * scale

    def all(self, unit_type: int) -> np.ndarray:
        """Own units of a type, those that are being built included: bool [K, N]."""
        return self.units.mine & self.units.of_type(unit_type)

    def number(self, unit_type: int) -> np.ndarray:
        """How many of them there are: int [K]."""
        return self.all(unit_type).sum(axis=1)

    def idle(self, unit_type: int) -> np.ndarray:
        """Those of them without an order: bool [K, N]."""
        return self.all(unit_type) & (self.units.column('order_length') == 0)

    def least_busy(self, unit_type: int) -> np.ndarray:
        """The pixel of the first one of those with the fewest orders: int32 [K, 2]."""
        among = self.all(unit_type)
        return self.units.pixel_of(sight.least(among, self.units.column('order_length')))

    def first(self, among: np.ndarray) -> np.ndarray:
        """The pixel of the first of some units bool [K, N]: int32 [K, 2]."""
        return self.units.pixel_of(among.argmax(axis=1))

    def some_field(self) -> np.ndarray:
        """The pixel of a mineral field: int32 [K, 2].

        Rules that take the first field of the list take any: on the game the list has no fixed
        order. Here minerals and supply, which change all the time, decide like a die, of which
        each game has its own.
        """
        fields = self.units.of_type(unit_types.MINERAL_FIELD)
        seen = (np.arange(len(self.minerals)) * 512 + self.minerals) * 256 + self.food_used
        mixed = seen.astype(np.uint32) * _MIXER
        mixed = (mixed ^ (mixed >> np.uint32(15))) * _MIXER
        turn = (mixed >> np.uint32(16)) % np.maximum(fields.sum(axis=1), 1)
        return self.first(fields & (fields.cumsum(axis=1) == turn[:, np.newaxis] + 1))

    def builders(self) -> np.ndarray:
        """Workers that can be told to build: bool [K, N].

        Where a worker is on its way to build something, it alone; elsewhere all that are idle or
        harvest. Who has another order and stands at an unfinished building is at work.
        """
        units, workers = self.units, self.all(unit_types.SCV)
        order = units.column('order_id_0')
        harvesting = (order == unit_types.GATHERING) | (order == unit_types.RETURNING)
        free = workers & (harvesting | (units.column('order_length') == 0))
        games, rows = np.nonzero(workers & ~free)
        ways = units.pixel[games] - units.pixel[games, rows][:, np.newaxis]
        reach = units.column('radius')[games] + self._reach
        unfinished = (units.mine & (units.column('build_progress') < 100))[games]
        near = unfinished & (np.square(ways).sum(axis=2) <= np.square(reach))
        on_the_way = np.zeros_like(workers)
        on_the_way[games, rows] = ~near.any(axis=1)
        return np.where(on_the_way.any(axis=1, keepdims=True), on_the_way, free)
