"""Arguments of PySC2 function calls: one structured record per game; values are not validated."""

from typing import Any, Mapping, Optional, Tuple

import numpy as np

from sc2impala.sim import functions

CALL = np.dtype(
    (
        np.record,
        [('function', np.int64)]
        + [(name + axis, np.int64) for name in functions.POINT_ARGUMENTS for axis in ('_x', '_y')]
        + [(name, np.int64) for name in functions.SCALAR_ARGUMENTS]
        # A target that overrides the pixels of screen and minimap: a point of the world, and the
        # slot of the unit there, or NO_UNIT.
        + [('has_place', np.int64), ('place_x', np.float64), ('place_y', np.float64)]
        + [('place_target', np.int64)],
    )
)
"""A function call; missing arguments are 0. Pixels may lie outside of the image."""


def calls(
    function_id: np.ndarray,
    arguments: Mapping[str, Any],
    num_games: int,
    place: Optional[Tuple[np.ndarray, np.ndarray]] = None,
) -> np.ndarray:
    """Returns the calls of K games: CALL [K].

    Args:
      function_id: int [K].
      arguments: int [K, 2] as (x, y) pixels for screen, minimap and screen2, int [K] for all
        others.
      num_games: K.
      place: points of the world, float64 [2, K], and slots of units, int [K].

    Raises:
      ValueError: if a name is unknown, or a value has another shape or is not an array of integers.
    """
    table = np.zeros([num_games], CALL)
    table['function'] = integers('function_id', function_id, (num_games,))
    for name, value in arguments.items():
        if name in functions.SCALAR_ARGUMENTS:
            table[name] = integers(f'arguments[{name!r}]', value, (num_games,))
        elif name in functions.POINT_ARGUMENTS:
            points = integers(f'arguments[{name!r}]', value, (num_games, 2))
            table[name + '_x'], table[name + '_y'] = points[:, 0], points[:, 1]
        else:
            known = sorted(functions.SCALAR_ARGUMENTS + functions.POINT_ARGUMENTS)
            raise ValueError(f'arguments has {name!r}; expected names among {known}.')
    if place is not None:
        table['has_place'] = True
        (table['place_x'], table['place_y']), table['place_target'] = place
    return table


def integers(name: str, value: Any, shape: Tuple[int, ...]) -> np.ndarray:
    """Returns the value as an array, or raises ValueError unless it holds integers of a shape."""
    array = np.asarray(value)
    if array.shape != shape or array.dtype.kind not in 'iu':
        raise ValueError(
            f'{name} is an array of {array.dtype} {list(array.shape)}; '
            f'expected integers {list(shape)}.'
        )
    return array
