import numpy as np
import pytest

from sc2impala.sim import geometry
from sc2impala.sim.geometry import Rectangle, View

CORNER = geometry.screen_corner(np.array([33.0, 25.0]))


def test_screen_corner_is_half_a_screen_away_from_the_camera():
    np.testing.assert_array_equal(CORNER, [21, 37])


@pytest.mark.parametrize(
    'size, point, pixel',
    [
        ((84, 84), (33, 25), (42, 42)),
        ((84, 84), (22, 36), (3.5, 3.5)),
        ((64, 64), (45, 13), (64, 64)),
        ((48, 24), (22, 36), (2, 1)),
    ],
)
def test_screen_pixels(size, point, pixel):
    view = View(size, geometry.CAMERA_EXTENT)
    np.testing.assert_allclose(view.to_pixels(np.array(point), CORNER), pixel)


def test_minimap_has_a_pixel_per_cell_and_y_points_down():
    view = View((64, 64), geometry.MAP_EXTENT)
    np.testing.assert_array_equal(
        view.to_pixels(np.array([10.25, 20.5]), geometry.minimap_corner()), [10.25, 43.5]
    )


@pytest.mark.parametrize('size', [(84, 84), (32, 32), (10, 33)])
def test_a_click_means_the_middle_of_the_pixel(size):
    view = View(size, geometry.CAMERA_EXTENT)
    pixels = np.indices(size).reshape(2, -1)
    world = view.to_world(pixels, CORNER[:, None])
    np.testing.assert_allclose(view.to_pixels(world, CORNER[:, None]), pixels + 0.5)


def test_clamp():
    rectangle = Rectangle(left=0.0, right=2.0, bottom=10.0, top=11.0)
    points = np.array([[-1.0, 1.0, 5.0], [12.0, 10.5, 3.0]])
    np.testing.assert_array_equal(geometry.clamp(points, rectangle), [[0, 1, 2], [11, 10.5, 10]])


def test_length():
    np.testing.assert_array_equal(geometry.length(np.array([[3.0, 0.0], [-4.0, 0.0]])), [5, 0])
