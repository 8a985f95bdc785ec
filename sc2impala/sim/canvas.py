"""Image buffers of feature layers that are updated with as few pixel writes as possible."""

from typing import Mapping, Sequence, Tuple

import numpy as np

from sc2impala.sim import layers

_NOTHING = np.zeros([0], np.int64)
_BYTES_PER_PIXEL = 64
"""Bytes of a whole array that are filled in the time of one indexed pixel write."""


class Canvas:
    """The layers of K games; some are painted pixel by pixel, others are set as whole images.

    Attributes:
      pictures: dict from layer to unsigned [K, height, width] of the smallest sufficient dtype.
      size: (width, height).
    """

    def __init__(
        self,
        num_games: int,
        size: Tuple[int, int],
        scales: Mapping[str, int],
        names: Sequence[str],
    ):
        """Creates layers of zeros.

        Args:
          num_games: K.
          size: (width, height).
          scales: dict from every known layer to its scale.
          names: the layers to render.

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
        """Sets pixels of a layer, and clears those of the previous call.

        Args:
          name: the layer.
          pixels: int [p], indices into the flattened images; of duplicates the last one counts.
          values: [p].
        """
        flat = self._flat[name]
        _erase(flat, self._painted[name])
        # Indexed assignment is several times faster without a conversion.
        flat[pixels] = values.astype(flat.dtype, copy=False)
        self._painted[name] = pixels

    def clear(self, name: str) -> None:
        """Clears all painted pixels of a layer."""
        _erase(self._flat[name], self._painted[name])
        self._painted[name] = _NOTHING

    def paint_sum(self, name: str, pixels: np.ndarray, weights: np.ndarray) -> None:
        """Like `paint`, but values on the same pixel are summed, up to the scale of the layer.

        Args:
          name: the layer.
          pixels: int [p].
          weights: uint16 [p].
        """
        np.add.at(self._sum, pixels, weights)
        self.paint(name, pixels, np.minimum(self._sum[pixels], self._limit[name]))
        _erase(self._sum, pixels)


def _erase(flat: np.ndarray, pixels: np.ndarray) -> None:
    """Sets the painted pixels to zero."""
    if pixels.size * _BYTES_PER_PIXEL > flat.nbytes:
        flat.fill(0)
    else:
        flat[pixels] = 0
