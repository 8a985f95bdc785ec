import numpy as np
import pytest

from sc2impala.envs.pictures import colors, drawing

NOTHING = 200
"""A palette index that markers and text do not use."""


def box(mask):
    """Returns (left, top, right, bottom), inclusive, of the pixels that are set."""
    ys, xs = np.nonzero(mask)
    return xs.min(), ys.min(), xs.max(), ys.max()


def test_enlarge_repeats_pixels():
    assert drawing.enlarge(np.array([[1, 2]]), 2).tolist() == [[1, 1, 2, 2], [1, 1, 2, 2]]


@pytest.mark.parametrize('factor', [2, 3, 13])
@pytest.mark.parametrize('point', [(15, 10), (16, 22)])
def test_a_point_is_marked_at_the_centre_of_its_pixel(factor, point):
    pixels = np.full([30 * factor, 40 * factor], NOTHING, np.uint8)
    marked = drawing.mark_point(pixels, point, factor)
    x, y = point[0] * factor + factor // 2, point[1] * factor + factor // 2
    assert marked[y, x] == colors.MARKER
    left, top, right, bottom = box(marked == colors.MARKER)
    assert (left + right, top + bottom) == (2 * x, 2 * y)
    assert right - left == bottom - top >= 12
    assert right - left <= 2 * factor + 12
    assert (pixels == NOTHING).all()


def test_a_marker_at_the_border_is_clipped():
    pixels = np.full([20, 20], NOTHING, np.uint8)
    marked = drawing.mark_point(pixels, (9, 0), 2)
    assert marked.shape == (20, 20)
    assert marked[1, 19] == colors.MARKER


@pytest.mark.parametrize(
    'corner, opposite', [((2, 3), (5, 9)), ((5, 9), (2, 3)), ((5, 3), (2, 9)), ((2, 9), (5, 3))]
)
def test_a_rectangle_runs_along_the_edges_of_its_pixels(corner, opposite):
    pixels = np.full([60, 80], NOTHING, np.uint8)
    marked = drawing.mark_rectangle(pixels, corner, opposite, 5)
    assert box(marked == colors.MARKER) == (10, 15, 29, 49)
    assert (marked[17:48, 12:28] == NOTHING)[2:-2, 2:-2].all()


def test_a_rectangle_of_one_pixel():
    pixels = np.full([60, 80], NOTHING, np.uint8)
    assert box(drawing.mark_rectangle(pixels, (4, 4), (4, 4), 5) == colors.MARKER) == (
        20,
        20,
        24,
        24,
    )


@pytest.mark.parametrize('background', [colors.PLAIN, colors.GAIN, colors.LOSS])
def test_text_uses_the_ramp_of_its_background(background):
    pixels = drawing.draw_text(['Move_screen'], (120, 20), 13, background=background)
    assert pixels.shape == (20, 120)
    assert pixels.dtype == np.uint8
    assert pixels.min() == background
    assert background + colors.TEXT_LEVELS // 2 < pixels.max() < background + colors.TEXT_LEVELS


def test_text_starts_at_the_margin_and_each_line_below_the_previous_one():
    first = box(drawing.draw_text(['H'], (60, 60), 13, margin=(7, 5)) > colors.PLAIN)
    both = box(drawing.draw_text(['H', 'H'], (60, 60), 13, margin=(7, 5)) > colors.PLAIN)
    assert 7 <= first[0] <= 10 and first[1] >= 5
    assert both[3] >= first[3] + 13


def test_text_that_is_too_long_is_clipped():
    assert drawing.draw_text(['H' * 99], (30, 20), 13).shape == (20, 30)
