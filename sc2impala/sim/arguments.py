"""Arguments of PySC2 function calls: one structured record per game; values are not validated."""

from typing import Any, Mapping, Optional, Sequence, Tuple

import numpy as np

from sc2impala.sim import functions

CALL = np.dtype(
    [('function', np.int64)]
    + [(name + axis, np.int64) for name in functions.POINT_ARGUMENTS for axis in ('_x', '_y')]
    + [(name, np.int64) for name in functions.SCALAR_ARGUMENTS]
    # A target that overrides the pixels of screen and minimap: a point of the world, and the slot of
    # the unit there, or NO_UNIT.
    + [('has_place', np.uint8), ('place_x', np.float64), ('place_y', np.float64)]
    + [('place_target', np.int64)],
    align=True,
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
      arguments: int [K, 2] as (x, y) pixels for screen, minimap and screen2, int [K] for all others.
      num_games: K.
      place: points of the world, float64 [2, K], and slots of units, int [K].

    Raises:
      ValueError: if a name is unknown, or a value has another shape or is not an array of integers.
    """
    shapes = {name: [num_games, 2] for name in functions.POINT_ARGUMENTS}
    shapes.update({name: [num_games] for name in functions.SCALAR_ARGUMENTS})
    unknown = set(arguments) - set(shapes)
    if unknown:
        raise ValueError(f'arguments has {sorted(unknown)}; expected names among {sorted(shapes)}.')
    table = np.zeros([num_games], CALL)
    table['function'] = integers('function_id', function_id, [num_games])
    for name, value in arguments.items():
        checked = integers(f'arguments[{name!r}]', value, shapes[name])
        if name in functions.POINT_ARGUMENTS:
            table[name + '_x'], table[name + '_y'] = checked.T
        else:
            table[name] = checked
    if place is not None:
        table['has_place'] = True
        (table['place_x'], table['place_y']), table['place_target'] = place
    return table


def integers(name: str, value: Any, shape: Sequence[int]) -> np.ndarray:
    """Returns the value as an array, or raises ValueError unless it holds integers of a shape."""
    array = np.asarray(value)
    if array.shape != tuple(shape) or array.dtype.kind not in 'iu':
        raise ValueError(
            f'{name} is an array of {array.dtype} {list(array.shape)}; '
            f'expected integers {list(shape)}.'
        )
    return array
