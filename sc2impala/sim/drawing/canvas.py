"""The images of K games, as arrays whose types depend neither on their layers nor on their size."""

from typing import Any, Dict, Mapping, NamedTuple, Sequence, Tuple

import numpy as np

from sc2impala.sim import layers
from sc2impala.sim.compiler import compiled

SLOT, LEFT, TOP, HEIGHT = range(4)
"""Columns of `Canvas.boxes`; the width of a box is not needed."""


class Canvas(NamedTuple):
    """The images of screen or minimap.

    small: uint8 [n, K, height * width], layers of one byte. small_layers: int32 [n], their numbers.
    large: uint16 [m, K, height * width], the others. large_layers: int32 [m].
    inked: uint8 [K, n + m], whether an image, small or large, can have pixels of units.
    painted: int32 [K, 2], first row, and last one + 1, with pixels of units.
    boxes: int32 [K, U, 4], boxes of the units that can be in the image; scratch.
    start, end: int32 [T, h], the columns of units within their boxes, row by row.
    """

    small: np.ndarray
    small_layers: np.ndarray
    large: np.ndarray
    large_layers: np.ndarray
    inked: np.ndarray
    painted: np.ndarray
    boxes: np.ndarray
    start: np.ndarray
    end: np.ndarray


def make(
    shape: Tuple[int, int, int],
    num_units: int,
    scales: Mapping[str, int],
    names: Sequence[str],
    outline: Tuple[np.ndarray, np.ndarray],
) -> Tuple[Canvas, Dict[str, np.ndarray]]:
    """Creates images of zeros.

    Args:
      shape: (K, height, width).
      num_units: U.
      scales: dict from every known layer to its scale.
      names: the layers to draw.
      outline: (start, end) of Canvas.

    Returns:
      the Canvas, and views of its images by layer, unsigned [K, height, width] of the smallest
      sufficient dtype.

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
    canvas = Canvas(
        small=images[0],
        small_layers=numbers[0],
        large=images[1],
        large_layers=numbers[1],
        inked=np.zeros([num_games, len(pictures)], np.uint8),
        painted=np.zeros([num_games, 2], np.int32),
        boxes=np.zeros([num_games, num_units, 4], np.int32),
        start=outline[0],
        end=outline[1],
    )
    return canvas, {name: pictures[name] for name in names}


@compiled
def clear(image: Any, first: int, end: int) -> None:
    """Clears the pixels first..end - 1 of a flat image."""
    # An index that cannot be negative makes this a call of memset.
    part = image[first:end]
    for pixel in range(len(part)):
        part[pixel] = 0


@compiled
def paint(
    image: Any, width: int, boxes: Any, n: int, start: Any, end: Any, type_index: int, value: int
) -> None:
    """Sets the pixels of a unit.

    Slices of the arrays would cost more than most units have pixels.

    Args:
      image: [height * width].
      width: of the image.
      boxes: int32 [U, 4] of the game, see Canvas; the unit's box is boxes[n].
      n: see above.
      start, end: of Canvas.
      type_index: type of the unit.
      value: of its pixels.
    """
    height = len(image) // width
    left, top = boxes[n, LEFT], boxes[n, TOP]
    for row in range(max(-top, 0), min(boxes[n, HEIGHT], height - top)):
        line = (top + row) * width
        first = max(left + start[type_index, row], 0)
        for column in range(first, min(left + end[type_index, row], width)):
            image[line + column] = value


@compiled
def count(
    image: Any, width: int, boxes: Any, n: int, start: Any, end: Any, type_index: int, most: int
) -> None:
    """Adds 1 to the pixels of a unit, up to a limit; other arguments as for `paint`."""
    height = len(image) // width
    left, top = boxes[n, LEFT], boxes[n, TOP]
    for row in range(max(-top, 0), min(boxes[n, HEIGHT], height - top)):
        line = (top + row) * width
        first = max(left + start[type_index, row], 0)
        for column in range(first, min(left + end[type_index, row], width)):
            image[line + column] = min(int(image[line + column]) + 1, most)
