"""Fog of war: the cells and enemies that player 1 sees, and the cells it has seen.

A cell is visible if its centre is within the sight radius of a unit of player 1, measured from the
centre of the cell of that unit; heights and obstacles are ignored. [A] A row of cells is a 64 bit
mask, so that the views of many units are combined by few operations.
"""

from typing import Optional, Sequence

import numpy as np

from sc2impala.sim import geometry, unit_types
from sc2impala.sim.geometry import MAP_EXTENT
from sc2impala.sim.mechanic import Mechanic
from sc2impala.sim.world import World

UNSEEN = 0
SEEN = 1
VISIBLE = 2
"""Values of the layer visibility_map. [S] OBS, F"""

_NUM_VIEWS = 2 * MAP_EXTENT - 1


class Fog(Mechanic):
    """Tracks the cells that units of player 1 have seen. It must step before units can die.

    Attributes:
      seen: uint64 [K, 64], one mask per row of the map, the lowest bit being the leftmost cell:
        cells that were visible at the start of any frame so far.
    """

    name = 'fog'
    FIELDS = ('seen',)

    def __init__(
        self,
        num_games: int,
        types: Sequence[unit_types.UnitType],
        playable: geometry.Rectangle,
    ):
        """Creates K games of which no cell has been seen.

        Args:
          num_games: K.
          types: the UnitTypes of the map, in the order of `Units.types`.
          playable: the region that can be seen.
        """
        across, up = geometry.cells_within(playable)
        ends = [np.flatnonzero(inside)[[0, -1]] for inside in (across, up)]
        self._first_cell, self._last_cell = np.transpose(ends)[:, :, None]
        self._views = _views(unit_types.tabulate(types).sight, across)
        self._rows = np.where(up, ~np.uint64(0), np.uint64(0))
        self._columns = _pack(across)
        self.seen = np.zeros([num_games, MAP_EXTENT], np.uint64)
        self._is_lifted = False
        # Derived from the cells of the units, which `_places` records.
        self._visible = np.zeros_like(self.seen)
        self._places: Optional[np.ndarray] = None

    def lift(self) -> None:
        """Disables the fog: player 1 sees the whole region from now on."""
        self._is_lifted = True
        self._visible[...] = self._rows & self._columns

    def restart(self, world: World, games: np.ndarray) -> None:
        """Clears the seen cells of the games int [n]."""
        self.seen[games] = 0

    def step(self, world: World, running: np.ndarray) -> None:
        """Adds the visible cells to the seen cells in the games `running`, bool [K]."""
        self.refresh(world)
        np.bitwise_or(self.seen, self._visible, out=self.seen, where=running[:, None])

    def refresh(self, world: World) -> None:
        """Recomputes the visible cells; marks games where they changed to be redrawn."""
        if self._is_lifted:
            return
        places = self._places_of_own_units(world)
        if self._places is None:
            self._places = np.full_like(places, -2)
        games = (places != self._places).any(1).nonzero()[0]
        if games.size:
            self._visible[games] = self._look(places[games])
            self._places = places
            world.terrain_changed[games] = True

    def visibility(self, world: World) -> np.ndarray:
        """Returns UNSEEN, SEEN or VISIBLE for every cell: uint8 [K, 64, 64] by y and x."""
        self.refresh(world)
        return _unpack(self._visible) + _unpack(self._visible | self.seen)

    def sees(self, world: World) -> np.ndarray:
        """Returns the units that player 1 sees: bool [K, U].

        Own and neutral units are always visible. [A]
        """
        self.refresh(world)
        units = world.units
        seen = units.owner != unit_types.ENEMY
        at = (units.alive & ~seen).nonzero()
        x, y = self._cells(units.position[(slice(None),) + at])
        seen[at] = (self._visible[at[0], y] >> x.astype(np.uint64)) & np.uint64(1)
        return seen

    def _cells(self, points: np.ndarray) -> np.ndarray:
        """Returns column and row of the cells of points, clamped to the region: int64 [2, n]."""
        cells = np.floor(points).astype(np.int64)
        return np.minimum(np.maximum(cells, self._first_cell), self._last_cell)

    def _places_of_own_units(self, world: World) -> np.ndarray:
        """Encodes type and cell of player 1's units as integers, -1 for other slots: [K, U]."""
        units = world.units
        at = units.own.nonzero()
        x, y = self._cells(units.position[(slice(None),) + at])
        places = np.full(units.alive.shape, -1)
        places[at] = (units.type[at].astype(np.int64) * MAP_EXTENT + y) * MAP_EXTENT + x
        return places

    def _look(self, places: np.ndarray) -> np.ndarray:
        """Returns the union of the views of units at places [n, U]: uint64 [n, 64]."""
        visible = np.zeros([len(places), MAP_EXTENT], np.uint64)
        game, slot = (places >= 0).nonzero()
        if not game.size:
            return visible
        type_and_y, x = np.divmod(places[game, slot], MAP_EXTENT)
        unit_type, y = np.divmod(type_and_y, MAP_EXTENT)
        lowest = (unit_type * MAP_EXTENT + x) * _NUM_VIEWS + MAP_EXTENT - 1 - y
        views = self._views.take(lowest[:, None] + np.arange(MAP_EXTENT))
        first = np.append(True, game[1:] != game[:-1]).nonzero()[0]
        visible[game[first]] = np.bitwise_or.reduceat(views, first, axis=0)
        return visible & self._rows


def _views(sight: np.ndarray, across: np.ndarray) -> np.ndarray:
    """Returns the rows of the map that a unit sees: uint64 [T * 64 * 127] by type, column of the
    unit and row relative to the unit, from -63 to 63.
    """
    column = np.arange(MAP_EXTENT)
    up = np.arange(1 - MAP_EXTENT, MAP_EXTENT)
    square = np.square(column - column[:, None])[:, None, :] + np.square(up)[:, None]
    views = [_pack((square <= s**2) & (s > 0) & across) for s in sight]
    return np.concatenate(views, axis=None)


def _pack(bits: np.ndarray) -> np.ndarray:
    """Packs bool [..., 64] into uint64 [...]."""
    return np.packbits(bits, axis=-1, bitorder='little').view('<u8')[..., 0].astype(np.uint64)


def _unpack(words: np.ndarray) -> np.ndarray:
    """Unpacks uint64 [...] into uint8 [..., 64] of zeros and ones."""
    octets = words[..., None].astype('<u8').view(np.uint8)
    return np.unpackbits(octets, axis=-1, bitorder='little')
