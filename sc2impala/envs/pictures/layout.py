"""Positions and sizes of the parts of a picture, in pixels of the picture."""

import math
from typing import List, NamedTuple, Sequence, Tuple

PANEL_SIZE = 200
"""Layers are enlarged by the integer factor that brings their longer side closest to this size."""

GAP = 8
TITLE_HEIGHT = 18
CAPTION_HEIGHT = 66
_MAX_COLUMNS = 4
_MIN_WIDTH = 440


class Layout(NamedTuple):
    """Positions in a picture, in pixels.

    size: (width, height) of the picture.
    factors: for each panel the factor by which its layer is enlarged.
    corners: (x, y) of the upper left pixel of each panel; its title is above, TITLE_HEIGHT high.
    cell_width: distance between adjacent panels in a row, which is available to a title.
    caption_top: y of the upper edge of the caption, which is as wide as the picture.
    """

    size: Tuple[int, int]
    factors: List[int]
    corners: List[Tuple[int, int]]
    cell_width: int
    caption_top: int


def make_layout(layer_sizes: Sequence[Tuple[int, int]]) -> Layout:
    """Places panels in rows of nearly equal length, in columns of equal width, above a caption.

    Args:
      layer_sizes: (width, height) of each panel's layer, in pixels of the layer; may be empty.
    """
    factors = [max(1, int(PANEL_SIZE / max(size) + 0.5)) for size in layer_sizes]
    panels = [(width * f, height * f) for (width, height), f in zip(layer_sizes, factors)]
    num_rows = math.ceil(len(panels) / _MAX_COLUMNS)
    num_columns = math.ceil(len(panels) / max(num_rows, 1))
    cell_width = GAP + max((width for width, _ in panels), default=0)
    corners = []
    y = 0
    for row in range(num_rows):
        y += GAP + TITLE_HEIGHT
        in_row = panels[row * num_columns : (row + 1) * num_columns]
        corners += [(GAP + column * cell_width, y) for column in range(len(in_row))]
        y += max(height for _, height in in_row)
    return Layout(
        size=(max(_MIN_WIDTH, GAP + num_columns * cell_width), y + GAP + CAPTION_HEIGHT),
        factors=factors,
        corners=corners,
        cell_width=cell_width,
        caption_top=y + GAP,
    )
