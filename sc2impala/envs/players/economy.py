"""Functions of observations for players of the maps with an economy."""

from typing import Mapping

import numpy as np

from sc2impala.envs.players import sight, unit_types
from sc2impala.structs import Nest

_MIXER = np.uint32(0x9E3779B1)  # Spreads numbers that differ a little over all 32 bits.
_REACH = 4
"""Largest distance of a building's edge to its builder, in pixels of a screen of 84 x 84."""


class Economy:
    """Units and resources of K games.

    units: sight.Units.
    minerals, food_used, food_left: int [K].
    """

    def __init__(self, observation: Mapping[str, Nest], scale: float = 1.0):
        """Reads units and resources from an observation.

        Args:
          observation: must contain the vectors player and feature_units.
          scale: pixels of its screen per pixel of a screen of 84 x 84.
        """
        self.units = sight.Units(observation['feature_units'])
        self.minerals = observation['player'][:, 1]
        self.food_used = observation['player'][:, 3]
        self.food_left = observation['player'][:, 4] - self.food_used
        self._reach = _REACH * scale

    def all(self, unit_type: int) -> np.ndarray:
        """Returns the own units of a type, including unfinished ones: bool [K, N]."""
        return self.units.mine & self.units.select_type(unit_type)

    def number(self, unit_type: int) -> np.ndarray:
        """Returns the number of own units of a type, including unfinished ones: int [K]."""
        return self.all(unit_type).sum(axis=1)

    def idle(self, unit_type: int) -> np.ndarray:
        """Returns the own units of a type that have no order: bool [K, N]."""
        return self.all(unit_type) & (self.units.column('order_length') == 0)

    def least_busy(self, unit_type: int) -> np.ndarray:
        """Returns the pixel of the own unit of a type with the fewest orders: int32 [K, 2]."""
        among = self.all(unit_type)
        return self.units.pixel_of(sight.least(among, self.units.column('order_length')))

    def first(self, among: np.ndarray) -> np.ndarray:
        """Returns the pixel of the first of the units `among`, bool [K, N]: int32 [K, 2]."""
        return self.units.pixel_of(among.argmax(axis=1))

    def some_field(self) -> np.ndarray:
        """Returns the pixel of a pseudo-random mineral field: int32 [K, 2].

        The published rules use the first field of the list, whose order is arbitrary in the real
        game. Here a hash of the game's index, minerals and supply selects the field.
        """
        fields = self.units.select_type(unit_types.MINERAL_FIELD)
        seen = (np.arange(len(self.minerals)) * 512 + self.minerals) * 256 + self.food_used
        mixed = seen.astype(np.uint32) * _MIXER
        mixed = (mixed ^ (mixed >> np.uint32(15))) * _MIXER
        rank = (mixed >> np.uint32(16)) % np.maximum(fields.sum(axis=1), 1)
        return self.first(fields & (fields.cumsum(axis=1) == rank[:, np.newaxis] + 1))

    def builders(self) -> np.ndarray:
        """Returns the workers that can be ordered to build: bool [K, N].

        If a worker is on its way to a building site, it is the only one; otherwise these are all
        workers that are idle or harvesting. A worker with another order that stands at an
        unfinished building counts as building, not as on its way.
        """
        units, workers = self.units, self.all(unit_types.SCV)
        order = units.column('order_id_0')
        harvesting = (order == unit_types.GATHERING) | (order == unit_types.RETURNING)
        free = workers & (harvesting | (units.column('order_length') == 0))
        games, rows = np.nonzero(workers & ~free)
        offsets = units.pixel[games] - units.pixel[games, rows][:, np.newaxis]
        reach = units.column('radius')[games] + self._reach
        unfinished = (units.mine & (units.column('build_progress') < 100))[games]
        near = unfinished & (np.square(offsets).sum(axis=2) <= np.square(reach))
        on_the_way = np.zeros_like(workers)
        on_the_way[games, rows] = ~near.any(axis=1)
        return np.where(on_the_way.any(axis=1, keepdims=True), on_the_way, free)
