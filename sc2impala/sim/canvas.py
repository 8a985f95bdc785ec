"""Layers of many pictures of one size, of which as few pixels as possible are touched."""

from typing import Mapping, Sequence, Tuple

import numpy as np

from sc2impala.sim import layers

_NOTHING = np.zeros([0], np.int64)
_BYTES_PER_PIXEL = 64
"""So many bytes of a whole array are set in the time that one pixel takes by its index."""


class Canvas:
    """Layers of K pictures; units are painted into some of them, whole pictures set in others.

    Attributes:
      pictures: dict from layer to unsigned [K, height, width], of the smallest sufficient dtype.
      size: (width, height).
    """

    def __init__(
        self,
        num_games: int,
        size: Tuple[int, int],
        scales: Mapping[str, int],
        names: Sequence[str],
    ):
        """Makes layers that are zero.

        Args:
          num_games: K.
          size: (width, height).
          scales: scale of every layer that there is.
          names: the layers to draw.

        Raises:
          ValueError: if a name is unknown.
        """
        unknown = sorted(set(names) - set(scales))
        if unknown:
            raise ValueError(f'Layers {unknown} are unknown; expected some of {sorted(scales)}.')
        self.size = size
        shape = [num_games, size[1], size[0]]
        self.pictures = {
            name: np.zeros(shape, layers.dtype_of_scale(scales[name])) for name in names
        }
        self._limit = {name: scales[name] - 1 for name in names}
        self._flat = {name: picture.reshape(-1) for name, picture in self.pictures.items()}
        self._painted = dict.fromkeys(names, _NOTHING)
        self._sum = np.zeros([num_games * size[1] * size[0]], np.uint16)

    def paint(self, name: str, pixels: np.ndarray, values: np.ndarray) -> None:
        """Sets pixels of a layer to values and all that were painted before to zero.

        Args:
          name: the layer.
          pixels: int [p], places in the flattened pictures; where one occurs twice the last counts.
          values: [p].
        """
        flat = self._flat[name]
        _erase(flat, self._painted[name])
        # Indexed assignment is several times faster without a conversion.
        flat[pixels] = values.astype(flat.dtype, copy=False)
        self._painted[name] = pixels

    def clear(self, name: str) -> None:
        """Sets all pixels of a layer that were painted to zero."""
        _erase(self._flat[name], self._painted[name])
        self._painted[name] = _NOTHING

    def paint_sum(self, name: str, pixels: np.ndarray, weights: np.ndarray) -> None:
        """Like `paint`, but values on the same pixel add up, as far as the layer's scale goes.

        Args:
          name: the layer.
          pixels: int [p].
          weights: uint16 [p].
        """
        np.add.at(self._sum, pixels, weights)
        self.paint(name, pixels, np.minimum(self._sum[pixels], self._limit[name]))
        _erase(self._sum, pixels)


def _erase(flat: np.ndarray, pixels: np.ndarray) -> None:
    """Sets those pixels to zero that can be other than zero."""
    if pixels.size * _BYTES_PER_PIXEL > flat.nbytes:
        flat.fill(0)
    else:
        flat[pixels] = 0
