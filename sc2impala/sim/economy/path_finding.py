"""Path finding on a grid of free and covered cells.

The cells of the playable rectangle of the maps with an economy are numbered row by row, with a
border of covered cells around it, so that every free cell has eight neighbours. A path steps to one
of the four neighbours of a cell, or diagonally if both cells next to the corner are free.

Cells are free where their `region`, int16 [NUM_CELLS], is not 0.
"""

from typing import Any, Tuple

import numpy as np

from sc2impala.sim import geometry
from sc2impala.sim.compiler import compiled

NO_PATH = 2**15 - 1
"""Distance of covered cells and of cells without a path to a goal."""

UNKNOWN = NO_PATH - 1
"""Distance of cells that were not reached yet."""

_COLUMNS, _ROWS = (
    np.flatnonzero(within)
    for within in geometry.cells_within(geometry.SINGLE_SCREEN_WITH_BASE.playable)
)
LEFT, RIGHT = int(_COLUMNS[0]), int(_COLUMNS[-1])
BOTTOM, TOP = int(_ROWS[0]), int(_ROWS[-1])
"""First and last column and row of the map in the grid."""

STRIDE = len(_COLUMNS) + 2
"""Cells per row of the grid, including the border."""

NUM_CELLS = STRIDE * (len(_ROWS) + 2)

_SIDES = (1, -1, STRIDE, -STRIDE)
_NONE = -1


@compiled
def cell_at(x: float, y: float) -> int:
    """Returns the cell of the grid that is nearest to a point."""
    return cell_of(min(max(int(x), LEFT), RIGHT), min(max(int(y), BOTTOM), TOP))


@compiled
def cell_of(column: int, row: int) -> int:
    """Returns the number of a cell of the map in the playable rectangle."""
    return (row - BOTTOM + 1) * STRIDE + column - LEFT + 1


@compiled
def middle_x(cell: int) -> float:
    """Returns x of the centre of a cell."""
    return cell % STRIDE + (LEFT - 0.5)


@compiled
def middle_y(cell: int) -> float:
    """Returns y of the centre of a cell."""
    return cell // STRIDE + (BOTTOM - 0.5)


@compiled
def find_regions(taken: Any, region: Any, queue: Any) -> None:
    """Labels the connected regions of free cells.

    Args:
      taken: uint8 [64, 64] by y and x, the covered cells of the map.
      region: int16 [NUM_CELLS], set to one positive label per region, and to 0 for covered cells.
      queue: int16 [NUM_CELLS], scratch.
    """
    region[:] = 0
    for row in range(BOTTOM, TOP + 1):
        for column in range(LEFT, RIGHT + 1):
            if not taken[row, column]:
                region[cell_of(column, row)] = _NONE
    for cell in range(NUM_CELLS):
        if region[cell] == _NONE:
            _fill_region(region, cell, queue)


@compiled
def find_distances(region: Any, distance: Any, queue: Any, num_goals: int, start: int) -> None:
    """Computes the number of steps from cells to the nearest goal, until a start cell is reached.

    All cells that are nearer to a goal than the start cell have their distance then. Diagonal steps
    are allowed in every second step only, which approximates Euclidean distance.

    Args:
      region: int16 [NUM_CELLS].
      distance: int16 [NUM_CELLS], set; NO_PATH or UNKNOWN without a number of steps.
      queue: int16 [NUM_CELLS], scratch that holds the goals, which are free cells, in front.
      num_goals: number of goals.
      start: number of the cell.
    """
    begin(region, distance, queue, num_goals)
    extend(distance, queue, 0, num_goals, start)


@compiled
def begin(region: Any, distance: Any, queue: Any, num_goals: int) -> None:
    """Sets the distances of the goals to 0 and all others to NO_PATH or UNKNOWN.

    Arguments as for `find_distances`.
    """
    for cell in range(NUM_CELLS):
        distance[cell] = UNKNOWN if region[cell] > 0 else NO_PATH
    for place in range(num_goals):
        distance[queue[place]] = 0


@compiled
def extend(distance: Any, queue: Any, done: int, found: int, start: int) -> Tuple[int, int]:
    """Computes distances until that of the start cell is known; see `find_distances`.

    Args:
      distance: int16 [NUM_CELLS], of `begin` or of an earlier call, extended.
      queue: int16 [NUM_CELLS], the cells with a distance, in the order of their distances.
      done, found: number of cells in the queue that were handled, and of all.
      start: number of the cell.

    Returns:
      done and found afterwards.
    """
    while done < found and distance[start] == UNKNOWN:
        cell = int(queue[done])
        done += 1
        step = distance[cell] + 1
        for side in _SIDES:
            found = _reach(distance, queue, cell + side, step, found)
        if step % 2 == 0:
            for along in (STRIDE, -STRIDE):
                for across in (1, -1):
                    if distance[cell + along] != NO_PATH and distance[cell + across] != NO_PATH:
                        corner = cell + along + across
                        found = _reach(distance, queue, corner, step, found)
    if done == found:
        for cell in range(NUM_CELLS):
            if distance[cell] == UNKNOWN:
                distance[cell] = NO_PATH
    return done, found


@compiled
def next_cell(region: Any, distance: Any, cell: int) -> int:
    """Returns the next cell on the path from a cell to the nearest goal.

    Args:
      region, distance: int16 [NUM_CELLS], see `find_distances`.
      cell: number of the cell.

    Returns:
      a neighbour of the cell; the cell itself at goals and without a path.
    """
    if region[cell] == 0:
        return cell
    best = cell
    for side in _SIDES:
        if distance[cell + side] < distance[best]:
            best = cell + side
    for along in (STRIDE, -STRIDE):
        for across in (1, -1):
            if region[cell + along] > 0 and region[cell + across] > 0:
                corner = cell + along + across
                if distance[corner] < distance[best]:
                    best = corner
    return best


@compiled
def follow(region: Any, distance: Any, cell: int, path: Any) -> int:
    """Writes the path from a cell to the nearest goal to `path`, int16 [NUM_CELLS].

    Returns:
      the number of cells of the path, both ends included; 1 if no path exists.
    """
    path[0] = cell
    length = 1
    here = cell
    following = next_cell(region, distance, here)
    while following != here:
        path[length] = following
        length += 1
        here = following
        following = next_cell(region, distance, here)
    return length


@compiled
def _fill_region(region: Any, first: int, queue: Any) -> None:
    """Labels all free cells that can be reached from the first one, which has no label yet."""
    label = first + 1
    region[first] = label
    queue[0] = first
    done, found = 0, 1
    while done < found:
        cell = int(queue[done])
        done += 1
        for side in _SIDES:
            if region[cell + side] == _NONE:
                region[cell + side] = label
                queue[found] = cell + side
                found += 1


@compiled
def _reach(distance: Any, queue: Any, cell: int, step: int, found: int) -> int:
    """Appends a free cell to the queue unless it was found before; returns the new length."""
    if distance[cell] == UNKNOWN:
        distance[cell] = step
        queue[found] = cell
        return found + 1
    return found
