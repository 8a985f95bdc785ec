"""Writes feature layers as the protocol's images."""

from typing import Any, Mapping

import numpy as np

_WIDE = ('unit_type', 'unit_hit_points', 'unit_energy', 'unit_shields', 'buffs')
"""Layers with 32 bits per pixel. [S] OBS"""

_BITS_PER_BYTE = 8


def write_layers(message: Any, images: Mapping[str, np.ndarray], scales: Mapping[str, int]) -> None:
    """Writes all layers, as the game does: the viewer of PySC2 needs those that are all zero, too.

    Args:
      message: FeatureLayers or FeatureLayersMinimap.
      images: layer -> unsigned [1, height, width].
      scales: layer -> number of values.
    """
    for name, image in images.items():
        write(getattr(message, name), image[0], bits_per_pixel(name, scales[name]))


def bits_per_pixel(name: str, scale: int) -> int:
    """Returns the number of bits per pixel of a layer: 1, 8 or 32."""
    if name in _WIDE:
        return 32
    return 1 if scale <= 2 else 8


def write(message: Any, image: np.ndarray, bits: int) -> None:
    """Writes one image, unsigned or bool [height, width], into an ImageData message."""
    height, width = image.shape
    message.bits_per_pixel = bits
    message.size.x, message.size.y = width, height
    if not np.count_nonzero(image):
        # Most layers of a mini-game are all zero: this is faster than packing them.
        message.data = bytes(-(-height * width * bits // _BITS_PER_BYTE))
    elif bits == 1:
        message.data = np.packbits(image).tobytes()
    else:
        message.data = image.astype('<i4' if bits == 32 else np.uint8).tobytes()
