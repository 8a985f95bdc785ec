"""The colors of feature layers and text: one palette for the whole animation.

Pictures are arrays of indices into the palette, which keeps colors exact and files small. H and W
are the height and the width of a layer.
"""

import colorsys
from typing import Dict, List, Union

import matplotlib
import numpy as np

from sc2impala.envs.specs import ORDERED, VISITED, LayerSpec

TEXT_LEVELS = 16
"""Number of colors from a background to its text; the intermediate ones are for anti-aliasing."""


def _ramp(background: np.ndarray, text: np.ndarray) -> np.ndarray:
    """Returns TEXT_LEVELS colors from `background` to `text`, float64 [TEXT_LEVELS, 3]."""
    weights = np.linspace(0, 1, TEXT_LEVELS)[:, np.newaxis]
    return (1 - weights) * background + weights * text


def _label_colors(number: int) -> List[List[float]]:
    """Returns RGB colors; hues advance by the golden ratio, so that adjacent labels differ."""
    hues = [0.618034 * i % 1 for i in range(number)]
    shades = [(0.75, 0.95), (0.5, 0.9), (0.85, 0.7)]
    return [
        [255 * channel for channel in colorsys.hsv_to_rgb(hue, *shades[i % len(shades)])]
        for i, hue in enumerate(hues)
    ]


_COLORS: Dict[str, Union[np.ndarray, List[List[float]]]] = {
    'plain': _ramp(np.array([24, 26, 32]), np.array([236, 238, 244])),
    'gain': _ramp(np.array([16, 104, 52]), np.array([250, 255, 250])),
    'loss': _ramp(np.array([138, 30, 34]), np.array([255, 250, 250])),
    'marker': [[0, 0, 0], [255, 255, 255]],
    'player_relative': [[9, 10, 13], [46, 204, 94], [244, 208, 63], [122, 162, 200], [226, 56, 60]],
    'visibility_map': [[10, 10, 14], [72, 76, 84], [150, 156, 166], [36, 38, 42]],
    VISITED: [
        [7, 9, 15],
        [38, 44, 58],
        [56, 66, 86],
        [74, 88, 114],
        [92, 110, 142],
        [196, 206, 226],
    ],
    ORDERED: [[11, 10, 12], [52, 46, 30], [104, 88, 44], [172, 140, 58], [246, 204, 84]],
    'binary': [[10, 12, 14], [226, 206, 150]],
    'labels': [[9.0, 9.0, 12.0]] + _label_colors(61),
    'amounts': 255 * matplotlib.colormaps['inferno'](np.linspace(0, 1, 96))[:, :3],
}
"""RGB colors by their use. Those of player_relative are for none, self, ally, neutral and enemy."""

_START = dict(zip(_COLORS, np.cumsum([0] + [len(colors) for colors in _COLORS.values()]).tolist()))

PALETTE = np.concatenate(list(_COLORS.values())).round().astype(np.uint8)
"""uint8 [number of colors, 3], at most 256."""

PLAIN, GAIN, LOSS = _START['plain'], _START['gain'], _START['loss']
"""Indices of the backgrounds; the colors of the text follow each of them."""

MARKER_EDGE, MARKER = _START['marker'], _START['marker'] + 1


def color_layer(layer: LayerSpec, values: np.ndarray, low: int, high: int) -> np.ndarray:
    """Colors a feature layer.

    The values of a scalar layer get colors from dark to bright, over the range low..high. The
    values of a categorical layer are labels: each has its own color, but in a layer of more than 62
    labels some share a color. Label 0 is always dark.

    Args:
      layer: `LayerSpec` of the values.
      values: unsigned int [H, W].
      low: the value with the darkest color; unused for categorical layers.
      high: the value with the brightest color; unused for categorical layers.

    Returns:
      uint8 [H, W], indices into PALETTE.
    """
    if not layer.categorical:
        brightest = len(_COLORS['amounts']) - 1
        amounts = np.clip(values, low, high).astype(np.float64) - low
        return _index('amounts', np.round(amounts * brightest / max(high - low, 1)))
    name = 'binary' if layer.scale == 2 else layer.name
    if name in _COLORS:
        return _index(name, np.minimum(values, len(_COLORS[name]) - 1))
    repeated = 1 + (values.astype(np.int64) - 1) % (len(_COLORS['labels']) - 1)
    return _index('labels', np.where(values == 0, 0, repeated))


def _index(name: str, positions: np.ndarray) -> np.ndarray:
    """Returns the indices into PALETTE of colors of `name`, uint8."""
    return (_START[name] + positions).astype(np.uint8)
