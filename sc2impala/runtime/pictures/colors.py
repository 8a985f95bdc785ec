"""The colors of feature layers and text: one palette for a whole animation.

Pictures are arrays of indices into it, which keeps colors exact and files small. H, W are the
height and the width of a layer.
"""

import colorsys

import matplotlib
import numpy as np

from sc2impala.envs.specs import LayerSpec

TEXT_LEVELS = 16
"""Steps of a ramp from a background to its text: smooth letters need those in between."""


def _ramp(background, text):
    weights = np.linspace(0, 1, TEXT_LEVELS)[:, np.newaxis]
    return (1 - weights) * background + weights * text


def _label_colors(number):
    """Colors that differ most for labels next to each other: hues turn by the golden ratio."""
    hues = [0.618034 * i % 1 for i in range(number)]
    shades = [(0.75, 0.95), (0.5, 0.9), (0.85, 0.7)]
    return [
        [255 * channel for channel in colorsys.hsv_to_rgb(hue, *shades[i % len(shades)])]
        for i, hue in enumerate(hues)
    ]


_COLORS = {
    'plain': _ramp(np.array([24, 26, 32]), np.array([236, 238, 244])),
    'gain': _ramp(np.array([16, 104, 52]), np.array([250, 255, 250])),
    'loss': _ramp(np.array([138, 30, 34]), np.array([255, 250, 250])),
    'marker': [[0, 0, 0], [255, 255, 255]],
    'player_relative': [[9, 10, 13], [46, 204, 94], [244, 208, 63], [122, 162, 200], [226, 56, 60]],
    'visibility_map': [[10, 10, 14], [72, 76, 84], [150, 156, 166], [36, 38, 42]],
    'binary': [[10, 12, 14], [226, 206, 150]],
    'labels': [[9, 9, 12]] + _label_colors(61),
    'amounts': 255 * matplotlib.colormaps['inferno'](np.linspace(0, 1, 96))[:, :3],
}
"""RGB colors by their use. Those of player_relative are none, self, ally, neutral and enemy."""

_START = dict(zip(_COLORS, np.cumsum([0] + [len(colors) for colors in _COLORS.values()]).tolist()))

PALETTE = np.concatenate(list(_COLORS.values())).round().astype(np.uint8)
"""uint8 [number of colors, 3], at most 256."""

PLAIN, GAIN, LOSS = _START['plain'], _START['gain'], _START['loss']
"""Indices of the backgrounds; the ramp to the text follows each."""

MARKER_EDGE, MARKER = _START['marker'], _START['marker'] + 1


def color_layer(layer: LayerSpec, values: np.ndarray, low: int, high: int) -> np.ndarray:
    """Colors a feature layer.

    Amounts lie on a ramp from dark to bright, over low..high. A label has a color of its own, which
    in a layer of more than 62 labels it shares with some others; label 0 is always dark.

    Args:
      layer: what the values mean.
      values: unsigned int [H, W].
      low: the amount that is darkest; labels do not use it.
      high: the amount that is brightest.

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


def _index(name, positions):
    return (_START[name] + positions).astype(np.uint8)
