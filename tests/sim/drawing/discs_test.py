import numpy as np
import pytest

from sc2impala.sim.drawing import discs


def filled(width, height, outline=discs.discs):
    """The pixels of one box: bool [height, width]."""
    start, end = outline(np.array([width]), np.array([height]))
    columns = np.arange(width)
    return (columns >= start[0][:, None]) & (columns < end[0][:, None])


@pytest.mark.parametrize(
    'diameter, pixels',
    [(1, 1), (2, 4), (3, 9), (4, 12), (8, 52), (9, 69), (13, 137)],
)
def test_discs_have_as_many_pixels_as_in_the_game(diameter, pixels):
    assert filled(diameter, diameter).sum() == pixels


def test_a_disc_drawn_by_hand():
    expected = ['.##.', '####', '####', '.##.']
    assert [''.join('#' if pixel else '.' for pixel in row) for row in filled(4, 4)] == expected


def test_a_squeezed_disc_is_an_ellipse():
    assert [''.join('#' if pixel else '.' for pixel in row) for row in filled(6, 3)] == [
        '.####.',
        '######',
        '.####.',
    ]


def test_smaller_boxes_have_empty_rows_below():
    start, end = discs.discs(np.array([1, 3]), np.array([1, 4]))
    assert start.shape == end.shape == (2, 4)
    assert (end - start)[0].tolist() == [1, 0, 0, 0]


def test_squares_are_filled():
    assert filled(3, 2, discs.squares).all()
