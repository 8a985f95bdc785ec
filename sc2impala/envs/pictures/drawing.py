"""Text and markers, as arrays of palette indices."""

from typing import Sequence, Tuple, Union

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from sc2impala.envs.pictures import colors

_LINE_HEIGHT = 1.4
_MIN_RADIUS = 6


def draw_text(
    lines: Sequence[str],
    size: Tuple[int, int],
    font_size: int,
    margin: Tuple[int, int] = (0, 0),
    background: int = colors.PLAIN,
) -> np.ndarray:
    """Draws lines of text, clipped to the size of the picture.

    Args:
      lines: the text, from the top down.
      size: (width, height) in pixels.
      font_size: in pixels; ignored by Pillow before 10.1, where it is 11.
      margin: (left, top) in pixels.
      background: colors.PLAIN, GAIN or LOSS.

    Returns:
      uint8 [height, width].
    """
    image = Image.new('L', size)
    draw = ImageDraw.Draw(image)
    for i, line in enumerate(lines):
        y = margin[1] + int(i * _LINE_HEIGHT * font_size)
        draw.text((margin[0], y), line, 255, _font(font_size))
    return (background + np.asarray(image) // (256 // colors.TEXT_LEVELS)).astype(np.uint8)


def enlarge(pixels: np.ndarray, factor: int) -> np.ndarray:
    """Repeats every pixel in both dimensions: [H, W] to [H * factor, W * factor]."""
    return pixels.repeat(factor, axis=0).repeat(factor, axis=1)


def mark_point(pixels: np.ndarray, point: Tuple[int, int], factor: int) -> np.ndarray:
    """Draws a ring with a cross in it, centred on a pixel of an enlarged layer.

    Args:
      pixels: uint8 [H * factor, W * factor].
      point: (x, y) in pixels of the layer.
      factor: the factor by which the layer was enlarged.

    Returns:
      uint8 [H * factor, W * factor], a new array. The marker is clipped at its border.
    """
    image = Image.fromarray(pixels)
    draw = ImageDraw.Draw(image)
    x, y = (coordinate * factor + factor // 2 for coordinate in point)
    radius = max(_MIN_RADIUS, factor)
    for color, edge in ((colors.MARKER_EDGE, 1), (colors.MARKER, 0)):
        outer = radius + edge
        draw.ellipse((x - outer, y - outer, x + outer, y + outer), None, color, 2 + 2 * edge)
        arm = radius // 2 + edge
        draw.rectangle((x - arm, y - edge, x + arm, y + edge), color)
        draw.rectangle((x - edge, y - arm, x + edge, y + arm), color)
    return np.array(image)


def mark_rectangle(
    pixels: np.ndarray, corner: Tuple[int, int], opposite: Tuple[int, int], factor: int
) -> np.ndarray:
    """Draws the outline of a rectangle of pixels of an enlarged layer, both corners included.

    Args:
      pixels: uint8 [H * factor, W * factor].
      corner: (x, y) in pixels of the layer.
      opposite: (x, y) of the opposite corner, in any direction.
      factor: the factor by which the layer was enlarged.

    Returns:
      uint8 [H * factor, W * factor], a new array.
    """
    image = Image.fromarray(pixels)
    draw = ImageDraw.Draw(image)
    left, right = sorted((corner[0], opposite[0]))
    top, bottom = sorted((corner[1], opposite[1]))
    box = np.array(
        [left * factor, top * factor, (right + 1) * factor - 1, (bottom + 1) * factor - 1]
    )
    outward = np.array([-1, -1, 1, 1])
    draw.rectangle((box + outward).tolist(), None, colors.MARKER_EDGE, 4)
    draw.rectangle(box.tolist(), None, colors.MARKER, 2)
    return np.array(image)


def _font(size: int) -> Union[ImageFont.FreeTypeFont, ImageFont.ImageFont]:
    """Returns Pillow's default font."""
    try:
        return ImageFont.load_default(size)
    except TypeError:  # Pillow before 10.1
        return ImageFont.load_default()
