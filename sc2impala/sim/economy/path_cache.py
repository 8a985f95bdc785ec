"""A cache of paths for every state of the ground, which most games share with others."""

from typing import Any, Dict, List, Sequence, Tuple

import numpy as np

from sc2impala.sim.economy import path_finding

MAX_TABLES = 1 << 13  # Maximum number of cached tables, 1 KiB each on these maps.


class PathCache:
    """Caches tables of next cells from everywhere to the goals that were used.

    A state of the ground is its set of free cells; states are numbered, like cells. The numbers are
    valid until `tidy`.
    """

    _tables: np.ndarray

    def __init__(self, grid: path_finding.PathingGrid):
        """grid: the cells that paths can use."""
        self._grid = grid
        self._forget()

    def tidy(self) -> None:
        """Clears the cache if it is full."""
        if len(self._rows) + len(self._states) > MAX_TABLES:
            self._forget()

    def state(self, name: bytes, taken: np.ndarray) -> int:
        """Returns the number of a state of the ground.

        Args:
          name: unique name of the state.
          taken: bool [64, 64] by y and x, the covered cells.
        """
        if name not in self._states:
            self._states[name] = len(self._free)
            free = self._grid.pack(~taken)
            self._free.append(free)
            self._regions.append(path_finding.regions(free, self._grid.stride))
        return self._states[name]

    def exist(self, states: np.ndarray, cells: np.ndarray, goals: np.ndarray) -> np.ndarray:
        """Whether paths from cells to goals exist: bool [n] for int [n] each."""
        here, there = self._regions_of(states, cells), self._regions_of(states, goals)
        return (here > 0) & (here == there)

    def are_free(self, states: np.ndarray, cells: np.ndarray) -> np.ndarray:
        """Whether cells, int [n], are free: bool [n]."""
        return self._regions_of(states, cells) > 0

    def nearest(self, state: int, cell: int, point: np.ndarray) -> int:
        """Returns the cell nearest to a point, [2], among those that can be reached from a cell."""
        key = state, self._regions[state][cell], point.tobytes()
        if key not in self._nearest:
            within = np.flatnonzero(self._regions[state] == self._regions[state][cell])
            offset = self._grid.middles(within) - point[:, None]
            self._nearest[key] = int(within[np.square(offset).sum(0).argmin()])
        return self._nearest[key]

    def to_cells(self, states: np.ndarray, cells: np.ndarray, goals: np.ndarray) -> np.ndarray:
        """Returns short paths to single cells.

        Args:
          states: int [n], of the ground.
          cells, goals: int [n], free cells.

        Returns:
          int [l, n], see `routes.follow`.
        """
        keys = list(zip(states.tolist(), goals.tolist()))
        missing = [key for key in dict.fromkeys(keys) if key not in self._rows]
        if missing:
            masks = np.zeros([len(missing), self._grid.size], bool)
            masks[np.arange(len(missing)), [goal for _, goal in missing]] = True
            self._add(missing, masks)
        rows = np.array([self._rows[key] for key in keys])
        return path_finding.follow(self._tables, rows, cells)

    def to_any(self, state: int, cell: int, goals: np.ndarray) -> np.ndarray:
        """Returns a short path to the nearest of some free cells, bool [C].

        Returns:
          int [l]; only the start if no path exists.
        """
        key = state, goals.tobytes()
        if key not in self._rows:
            self._add([key], goals[None])
        return path_finding.follow(self._tables, np.array([self._rows[key]]), np.array([cell]))[
            :, 0
        ]

    def _regions_of(self, states: np.ndarray, cells: np.ndarray) -> np.ndarray:
        return np.array([self._regions[state][cell] for state, cell in zip(states, cells)])

    def _add(self, keys: Sequence[Tuple[int, Any]], goals: np.ndarray) -> None:
        """Computes the tables of n keys: pairs of a state and a key of its goals."""
        first = len(self._rows)
        free = np.stack([self._free[state] for state, _ in keys])
        distance = path_finding.distances(free, goals, self._grid.stride)
        while first + len(keys) > len(self._tables):
            self._tables = np.concatenate([self._tables, np.zeros_like(self._tables)])
        tables = path_finding.next_cells(free, distance, self._grid.stride)
        self._tables[first : first + len(keys)] = tables
        self._rows.update((key, first + index) for index, key in enumerate(keys))

    def _forget(self) -> None:
        self._states: Dict[bytes, int] = {}
        self._free: List[np.ndarray] = []
        self._regions: List[np.ndarray] = []
        self._nearest: Dict[Tuple[int, int, bytes], int] = {}
        self._rows: Dict[Tuple[int, Any], int] = {}
        self._tables = np.zeros([64, self._grid.size], np.int16)
