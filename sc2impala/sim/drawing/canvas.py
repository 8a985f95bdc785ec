"""The images of K games, as arrays whose types depend neither on their layers nor on their size."""

from typing import Any, Dict, Mapping, NamedTuple, Sequence, Tuple

import numpy as np

from sc2impala.sim import layers
from sc2impala.sim.compiler import compiled
from sc2impala.sim.drawing import discs

MAX_DEPTH = layers.SCREEN_SCALES['unit_density'] - 1
"""Up to this number the units on a pixel are counted."""

MAX_BASE = 64
"""Units that cannot move of a game whose pixels are kept; if there are more, all are drawn."""


class Canvas(NamedTuple):
    """The images of screen or minimap.

    small: uint8 [n, K, height * width], layers of one byte. small_layers: int32 [n], their numbers.
    large: uint16 [m, K, height * width], the others. large_layers: int32 [m].
    inked: uint8 [K, n + m], whether an image, small or large, can have pixels of units.
    painted: int32 [K, 2], first pixel, and last one + 1, of the rows that units have covered.
    start, end: int32 [T, h], the columns of units within their boxes, row by row.
    base: uint8 [n, K, height * width], unit_density_aa of the units that cannot move, if that layer
      is drawn: n is 1 or 0. base_of: float64 [n, K, MAX_BASE + 1, 3], what it shows, see
      `unit_layers`.

    The others are in use while a game is drawn. listed: uint16 [U], slots of the units in the
    image. values: int32 [U], of their pixels in a layer. covered: uint32 [height * width], the
    pixels with units in any order. top: uint16 [height * width], index into `listed` of the topmost
    unit of a pixel with units. depth: uint8 [height * width], their number, at most MAX_DEPTH;
    zeros between two games. spans: int32 [SUBSAMPLES * height, 2], of a smooth disc.
    """

    small: np.ndarray
    small_layers: np.ndarray
    large: np.ndarray
    large_layers: np.ndarray
    inked: np.ndarray
    painted: np.ndarray
    start: np.ndarray
    end: np.ndarray
    base: np.ndarray
    base_of: np.ndarray
    listed: np.ndarray
    values: np.ndarray
    covered: np.ndarray
    top: np.ndarray
    depth: np.ndarray
    spans: np.ndarray


NUM_KEPT = Canvas._fields.index('listed')
"""Number of the arrays that are kept; those for the drawing of a game come after them."""


def make(
    shape: Tuple[int, int, int],
    scales: Mapping[str, int],
    names: Sequence[str],
    outline: Tuple[np.ndarray, np.ndarray],
) -> Tuple[Tuple[np.ndarray, ...], Dict[str, np.ndarray]]:
    """Creates images of zeros.

    Args:
      shape: (K, height, width).
      scales: dict from every known layer to its scale.
      names: the layers to draw.
      outline: (start, end) of Canvas.

    Returns:
      the arrays of a Canvas that are kept, and views of its images by layer, unsigned
      [K, height, width] of the smallest sufficient dtype.

    Raises:
      ValueError: if a name is unknown.
    """
    unknown = sorted(set(names) - set(scales))
    if unknown:
        raise ValueError(f'Layers {unknown} are unknown; expected some of {sorted(scales)}.')
    num_games, height, width = shape
    pictures: Dict[str, np.ndarray] = {}
    images, numbers = [], []
    for dtype in (np.uint8, np.uint16):
        chosen = [name for name in scales if layers.dtype_of_scale(scales[name]) == dtype]
        chosen = [name for name in chosen if name in names]
        images.append(np.zeros([len(chosen), num_games, height * width], dtype))
        numbers.append(np.array([layers.number_of(name) for name in chosen], np.int32))
        pictures.update((name, image.reshape(shape)) for name, image in zip(chosen, images[-1]))
    inked = np.zeros([num_games, len(pictures)], np.uint8)
    painted = np.zeros([num_games, 2], np.int32)
    is_smooth = int('unit_density_aa' in names)
    base = np.zeros([is_smooth, num_games, height * width], np.uint8)
    base_of = np.full([is_smooth, num_games, MAX_BASE + 1, 3], np.nan)
    images_and_numbers = (images[0], numbers[0], images[1], numbers[1])
    kept = images_and_numbers + (inked, painted) + outline + (base, base_of)
    return kept, {name: pictures[name] for name in names}


@compiled
def complete(kept: Any, num_units: int, width: int, height: int) -> Any:
    """Returns the Canvas of the arrays that are kept, for U units and images of a size."""
    used = (
        np.empty(num_units, np.uint16),
        np.empty(num_units, np.int32),
        np.empty(height * width, np.uint32),
        np.empty(height * width, np.uint16),
        np.zeros(height * width, np.uint8),
        np.empty((discs.SUBSAMPLES * height, 2), np.int32),
    )
    return Canvas(*(kept + used))


@compiled
def clear(image: Any, first: int, end: int) -> None:
    """Clears the pixels first..end - 1 of a flat image."""
    # An index that cannot be negative makes this a call of memset.
    part = image[first:end]
    for pixel in range(len(part)):
        part[pixel] = 0


@compiled
def copy(source: Any, image: Any) -> None:
    """Copies a flat image."""
    for pixel in range(len(image)):
        image[pixel] = source[pixel]


@compiled
def cover(
    canvas: Any, width: int, n: int, left: int, top: int, high: int, type_index: int, covered: int
) -> int:
    """Covers the pixels of a unit, over those of units before it.

    Args:
      canvas: Canvas.
      width: of the images.
      n: index of the unit in `canvas.listed`.
      left, top: corner of its box.
      high: rows of its box.
      type_index: its type.
      covered: number of pixels in `canvas.covered`.

    Returns:
      the number of pixels in `canvas.covered` afterwards.
    """
    height = len(canvas.top) // width
    for row in range(max(-top, 0), min(high, height - top)):
        line = (top + row) * width
        first = max(left + canvas.start[type_index, row], 0)
        for column in range(first, min(left + canvas.end[type_index, row], width)):
            pixel = line + column
            if canvas.depth[pixel] == 0:
                canvas.covered[covered] = pixel
                covered += 1
            if canvas.depth[pixel] < MAX_DEPTH:
                canvas.depth[pixel] += 1
            canvas.top[pixel] = n
    return covered


@compiled
def uncover(canvas: Any, covered: int) -> None:
    """Empties `canvas.depth`, where `covered` pixels have units, for the next game."""
    for place in range(covered):
        canvas.depth[canvas.covered[place]] = 0


@compiled
def fill(image: Any, canvas: Any, covered: int) -> None:
    """Sets every covered pixel to the value of the unit on top of it."""
    for place in range(covered):
        pixel = canvas.covered[place]
        image[pixel] = canvas.values[canvas.top[pixel]]
