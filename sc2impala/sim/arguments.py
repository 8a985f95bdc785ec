"""Arguments of a batch of PySC2 function calls; shapes are validated, values are not."""

from typing import Any, Mapping, Optional, Sequence, Tuple

import numpy as np

from sc2impala.sim import functions
from sc2impala.sim.geometry import View


class Arguments:
    """Arguments of K function calls by PySC2's names; missing arguments are zero.

    Attributes:
      place: None, or the target of all calls with a screen or minimap argument, which overrides
        the pixels: points of the world, float64 [2, K], and slots of units, int [K].
    """

    def __init__(
        self,
        arguments: Mapping[str, Any],
        num_games: int,
        place: Optional[Tuple[np.ndarray, np.ndarray]] = None,
    ):
        """Args:
          arguments: int [K, 2] as (x, y) pixels for screen, minimap and screen2, int [K] for all
            others.
          num_games: K.
          place: see above.

        Raises:
          ValueError: if a name is unknown, or a value has another shape or is not an array of
            integers.
        """
        shapes = {name: [num_games, 2] for name in functions.POINT_ARGUMENTS}
        shapes.update({name: [num_games] for name in functions.SCALAR_ARGUMENTS})
        unknown = set(arguments) - set(shapes)
        if unknown:
            raise ValueError(
                f'arguments has {sorted(unknown)}; expected names among {sorted(shapes)}.'
            )
        self.place = place
        self._values = {
            name: integers(f'arguments[{name!r}]', value, shapes[name])
            for name, value in arguments.items()
        }
        self._absent = {1: np.zeros([num_games], np.int64), 2: np.zeros([num_games, 2], np.int64)}

    def scalar(self, name: str, games: np.ndarray) -> np.ndarray:
        """Returns a scalar argument of the games int [n]: int [n], of any value."""
        return self._values.get(name, self._absent[1])[games]

    def pixels(self, name: str, games: np.ndarray, view: View) -> np.ndarray:
        """Returns a point argument of the games int [n], clipped to the image: int [2, n]."""
        limit = np.array(view.size) - 1
        pixels = self._values.get(name, self._absent[2])[games]
        # np.clip is many times slower with integers.
        return np.minimum(np.maximum(pixels, 0), limit).T


def integers(name: str, value: Any, shape: Sequence[int]) -> np.ndarray:
    """Returns the value as an array, or raises ValueError unless it holds integers of a shape."""
    array = np.asarray(value)
    if array.shape != tuple(shape) or array.dtype.kind not in 'iu':
        raise ValueError(
            f'{name} is an array of {array.dtype} {list(array.shape)}; '
            f'expected integers {list(shape)}.'
        )
    return array
