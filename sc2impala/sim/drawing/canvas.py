"""The images of K games, and the painting of values into boxes of units.

Images that units are painted into are cleared before the next painting, as far as they were painted.
"""

from typing import Any, Dict, Mapping, NamedTuple, Sequence, Tuple

import numpy as np

from sc2impala.sim import layers
from sc2impala.sim.compiler import compiled


class Canvas(NamedTuple):
    """The images of screen or minimap: arrays whose types do not depend on the layers.

    small: uint8 [n, K, height * width], the layers of one byte.
    large: uint16 [m, K, height * width], the others.
    place: int32 [L], index of a layer in `small` or `large` by its number, -1 if it is not drawn.
    inked: uint8 [K, L], whether an image can have pixels other than zero of units.
    painted: int32 [K, 2], first row, and last one + 1, with pixels of units.
    start, end: int32 [T, h], the columns of units within their boxes, row by row; h is the height
      of the highest box.
    box_height: int32 [T].
    width, height: of an image in pixels.
    """

    small: np.ndarray
    large: np.ndarray
    place: np.ndarray
    inked: np.ndarray
    painted: np.ndarray
    start: np.ndarray
    end: np.ndarray
    box_height: np.ndarray
    width: int
    height: int


def make(
    num_games: int,
    size: Tuple[int, int],
    scales: Mapping[str, int],
    names: Sequence[str],
    outline: Tuple[np.ndarray, np.ndarray, np.ndarray],
) -> Canvas:
    """Creates images of zeros.

    Args:
      num_games: K.
      size: (width, height).
      scales: dict from every known layer to its scale.
      names: the layers to draw.
      outline: (start, end, box_height) of Canvas.

    Raises:
      ValueError: if a name is unknown.
    """
    unknown = sorted(set(names) - set(scales))
    if unknown:
        raise ValueError(f'Layers {unknown} are unknown; expected some of {sorted(scales)}.')
    place = np.full([len(scales)], -1, np.int32)
    counts = [0, 0]
    for number, (name, scale) in enumerate(scales.items()):
        if name in names:
            is_large = int(layers.dtype_of_scale(scale) == np.uint16)
            place[number] = counts[is_large]
            counts[is_large] += 1
    width, height = size
    start, end, box_height = outline
    return Canvas(
        small=np.zeros([counts[0], num_games, height * width], np.uint8),
        large=np.zeros([counts[1], num_games, height * width], np.uint16),
        place=place,
        inked=np.zeros([num_games, len(scales)], np.uint8),
        painted=np.zeros([num_games, 2], np.int32),
        start=start,
        end=end,
        box_height=box_height,
        width=width,
        height=height,
    )


def pictures(
    canvas: Canvas, scales: Mapping[str, int], names: Sequence[str]
) -> Dict[str, np.ndarray]:
    """Returns views of the images by layer: unsigned [K, height, width] of the smallest dtype."""
    found = {}
    for name in names:
        is_large = layers.dtype_of_scale(scales[name]) == np.uint16
        images = canvas.large if is_large else canvas.small
        image = images[canvas.place[layers.number_of(scales, name)]]
        found[name] = image.reshape([-1, canvas.height, canvas.width])
    return found


@compiled
def clear_small(canvas: Any, k: int, layer: int) -> None:
    """Clears the image of a layer of one byte, as far as units were painted."""
    if canvas.inked[k, layer]:
        _clear(canvas.small, canvas.place[layer], k, canvas.painted[k], canvas.width)
        canvas.inked[k, layer] = False


@compiled
def clear_large(canvas: Any, k: int, layer: int) -> None:
    """Like `clear_small`, for layers of two bytes."""
    if canvas.inked[k, layer]:
        _clear(canvas.large, canvas.place[layer], k, canvas.painted[k], canvas.width)
        canvas.inked[k, layer] = False


@compiled
def paint_small(
    canvas: Any, k: int, layer: int, type_index: int, left: int, top: int, value: int
) -> None:
    """Sets the pixels of a unit in a layer of one byte, if the layer is drawn.

    Args:
      canvas: the images.
      k: index of the game.
      layer: number of the layer.
      type_index: type of the unit.
      left, top: corner of its box, which can be outside of the image.
      value: of its pixels.
    """
    # An image without ink is zero already.
    if canvas.place[layer] >= 0 and (value != 0 or canvas.inked[k, layer]):
        canvas.inked[k, layer] = True
        _paint(canvas, canvas.small, canvas.place[layer], k, type_index, left, top, value)


@compiled
def paint_large(
    canvas: Any, k: int, layer: int, type_index: int, left: int, top: int, value: int
) -> None:
    """Like `paint_small`, for layers of two bytes."""
    if canvas.place[layer] >= 0 and (value != 0 or canvas.inked[k, layer]):
        canvas.inked[k, layer] = True
        _paint(canvas, canvas.large, canvas.place[layer], k, type_index, left, top, value)


@compiled
def count_small(
    canvas: Any, k: int, layer: int, type_index: int, left: int, top: int, most: int
) -> None:
    """Adds 1 to the pixels of a unit in a layer of one byte, up to a limit, if it is drawn."""
    place = canvas.place[layer]
    if place < 0:
        return
    canvas.inked[k, layer] = True
    for y in range(max(-top, 0), min(canvas.box_height[type_index], canvas.height - top)):
        first = max(left + canvas.start[type_index, y], 0)
        last = min(left + canvas.end[type_index, y], canvas.width)
        for x in range(first, last):
            pixel = (top + y) * canvas.width + x
            canvas.small[place, k, pixel] = min(canvas.small[place, k, pixel] + 1, most)


@compiled
def mark_rows(canvas: Any, k: int, first: int, last: int) -> None:
    """Notes that pixels in rows first..last - 1, as far as they exist, are painted."""
    if first < canvas.height and last > 0:
        canvas.painted[k, 0] = min(canvas.painted[k, 0], max(first, 0))
        canvas.painted[k, 1] = max(canvas.painted[k, 1], min(last, canvas.height))


@compiled
def _paint(
    canvas: Any, images: Any, place: int, k: int, type_index: int, left: int, top: int, value: int
) -> None:
    for y in range(max(-top, 0), min(canvas.box_height[type_index], canvas.height - top)):
        first = max(left + canvas.start[type_index, y], 0)
        last = min(left + canvas.end[type_index, y], canvas.width)
        for x in range(first, last):
            images[place, k, (top + y) * canvas.width + x] = value


@compiled
def _clear(images: Any, place: int, k: int, rows: Any, width: int) -> None:
    for pixel in range(rows[0] * width, rows[1] * width):
        images[place, k, pixel] = 0
