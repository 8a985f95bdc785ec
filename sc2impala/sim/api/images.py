"""Feature layers as the protocol's images."""

from typing import Mapping

import numpy as np

_WIDE = ('unit_type', 'unit_hit_points', 'unit_energy', 'unit_shields', 'buffs')
"""Layers of 32 bits a pixel. [S] OBS"""


def write_layers(message, pictures: Mapping[str, np.ndarray], scales: Mapping[str, int]) -> None:
    """Writes the layers that show something; an absent one counts as all zero.

    Args:
      message: FeatureLayers or FeatureLayersMinimap.
      pictures: layer -> unsigned [1, height, width].
      scales: layer -> number of values.
    """
    for name, picture in pictures.items():
        if np.count_nonzero(picture):
            write(getattr(message, name), picture[0], bits_per_pixel(name, scales[name]))


def bits_per_pixel(name: str, scale: int) -> int:
    """How many bits a pixel of a layer takes: 1, 8 or 32."""
    if name in _WIDE:
        return 32
    return 1 if scale <= 2 else 8


def write(message, picture: np.ndarray, bits: int) -> None:
    """Writes one picture, unsigned or bool [height, width], into an ImageData."""
    height, width = picture.shape
    message.bits_per_pixel = bits
    message.size.x, message.size.y = width, height
    if bits == 1:
        message.data = np.packbits(picture).tobytes()
    else:
        message.data = picture.astype('<i4' if bits == 32 else np.uint8).tobytes()
