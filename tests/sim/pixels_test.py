import numpy as np
import pytest

from sc2impala.sim import geometry, pixels, rules
from tests.sim.scenes import MARINE, SELF, Scene


def filled(width, height):
    return [
        [pixels.disc_covers(column, row, width, height) for column in range(width)]
        for row in range(height)
    ]


def picture(disc):
    return [''.join('#' if pixel else '.' for pixel in row) for row in disc]


@pytest.mark.parametrize(
    'diameter, count',
    [(1, 1), (2, 4), (3, 9), (4, 12), (8, 52), (9, 69), (13, 137)],
)
def test_discs_have_as_many_pixels_as_in_the_game(diameter, count):
    assert np.sum(filled(diameter, diameter)) == count


def test_a_disc_drawn_by_hand():
    assert picture(filled(4, 4)) == ['.##.', '####', '####', '.##.']


def test_a_squeezed_disc_is_an_ellipse():
    assert picture(filled(6, 3)) == ['.####.', '######', '.####.']


def test_diameters():
    for side, radius, diameter in [
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
    ]:
        types = (MARINE._replace(radius=radius),)
        r = rules.make(types, geometry.OPEN_FIELD, (side, side), (64, 64))[0]
        assert r.disc_width[0] == r.disc_height[0] == diameter, side


@pytest.mark.parametrize('centre, left', [(10.0, 9), (10.5, 9), (10.99, 9), (3.2, 2)])
def test_an_odd_box_has_the_centre_in_its_middle_pixel(centre, left):
    assert pixels.box_start(centre, 3) == left


@pytest.mark.parametrize('centre, size, left', [(10.4, 4, 8), (10.6, 4, 9), (10.5, 2, 10)])
def test_an_even_box_is_at_the_nearest_border_of_pixels(centre, size, left):
    assert pixels.box_start(centre, size) == left


@pytest.mark.parametrize('pixel, clipped', [(-1, 0), (0, 0), (83, 83), (84, 83), (2**62, 83)])
def test_pixels_are_clipped_to_the_image(pixel, clipped):
    assert pixels.clip(pixel, 84) == clipped


def test_the_centre_of_a_pixel_is_in_the_pixel():
    scene = Scene((MARINE, SELF, 30, 30), screen=(40, 20), minimap=(32, 16))
    g, r = scene.g, scene.rules
    for pixel in (0, 7, 19):
        x, y = pixels.screen_x(g, r, pixel), pixels.screen_y(g, r, pixel)
        assert pixels.screen_column(g, r, x) == pytest.approx(pixel + 0.5)
        assert pixels.screen_row(g, r, y) == pytest.approx(pixel + 0.5)
        x, y = pixels.minimap_x(r, pixel), pixels.minimap_y(r, pixel)
        assert pixels.minimap_column(r, x) == pytest.approx(pixel + 0.5)
        assert pixels.minimap_row(r, y) == pytest.approx(pixel + 0.5)


def test_the_screen_shows_24_cells_around_the_camera_and_the_minimap_the_map():
    scene = Scene((MARINE, SELF, 30, 30), screen=(40, 20), minimap=(32, 16))
    g, r = scene.g, scene.rules
    camera_x, camera_y = float(g.camera_x), float(g.camera_y)
    assert pixels.screen_column(g, r, camera_x - 12) == 0
    assert pixels.screen_column(g, r, camera_x + 12) == 40
    assert pixels.screen_row(g, r, camera_y + 12) == 0
    assert pixels.screen_row(g, r, camera_y - 12) == 20
    assert [pixels.minimap_column(r, x) for x in (0.0, 64.0)] == [0, 32]
    assert [pixels.minimap_row(r, y) for y in (64.0, 0.0)] == [0, 16]
