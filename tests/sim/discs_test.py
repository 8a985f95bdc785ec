import numpy as np
import pytest

from sc2impala.sim import discs
from sc2impala.sim.geometry import View


def filled(size):
    size = np.array([size, size])[:, None, None]
    return discs.covers(np.indices(size[:, 0, 0])[::-1], np.zeros_like(size), size)


@pytest.mark.parametrize(
    'diameter, pixels',
    [(1, 1), (2, 4), (3, 9), (4, 12), (8, 52), (9, 69), (13, 137)],
)
def test_discs_have_as_many_pixels_as_in_the_game(diameter, pixels):
    assert filled(diameter).sum() == pixels


def test_a_disc_drawn_by_hand():
    expected = ['.##.', '####', '####', '.##.']
    assert [''.join('#' if pixel else '.' for pixel in row) for row in filled(4)] == expected


@pytest.mark.parametrize(
    'side, radius, diameter',
    [
        (84, 0.375, 3),
        (84, 1.25, 9),
        (84, 1.125, 8),
        (84, 1.8125, 13),
        (84, 2.75, 19),
        (84, 0.5, 4),
        (84, 1.875, 13),
        (64, 0.375, 2),
        (32, 0.375, 1),
        (4, 0.375, 1),
    ],
)
def test_diameters(side, radius, diameter):
    size = discs.sizes(View((side, side), 24), np.array([radius]))
    np.testing.assert_array_equal(size, [[diameter], [diameter]])


def test_the_box_of_an_odd_disc_has_the_centre_in_its_middle_pixel():
    corner = discs.corners(np.array([[10.0, 10.5, 10.99], [3.2, 3.2, 3.2]]), np.array([[3], [3]]))
    np.testing.assert_array_equal(corner, [[9, 9, 9], [2, 2, 2]])


def test_the_box_of_an_even_disc_is_at_the_nearest_border_of_pixels():
    corner = discs.corners(np.array([[10.4, 10.6], [10.5, 11.4]]), np.array([[4], [2]]))
    np.testing.assert_array_equal(corner, [[8, 9], [10, 10]])


def test_a_squeezed_disc_is_an_ellipse():
    size = np.array([6, 3])[:, None, None]
    pixels = discs.covers(np.indices([3, 6])[::-1], np.zeros_like(size), size)
    assert [''.join('#' if pixel else '.' for pixel in row) for row in pixels] == [
        '.####.',
        '######',
        '.####.',
    ]
