import numpy as np
import pytest

from sc2impala.sim import functions, orders
from sc2impala.sim.units import NO_UNIT
from tests.sim.scenes import ENEMY, MARINE, ROACH, SELF, Scene

SIZE = 24  # Pixels, one for each cell of the screen.
UNITS = (MARINE, SELF, 30.3, 24.2), (ROACH, ENEMY, 36.4, 28.7)
SCREEN, MINIMAP = functions.ATTACK_SCREEN, functions.ATTACK_MINIMAP


@pytest.fixture
def scene():
    scene = Scene(*UNITS, screen=(SIZE, SIZE), has_combat=True)
    scene.select(0)
    return scene


def test_pixels_are_points(scene):
    scene.call(SCREEN, screen=[2, 20])
    kind, point, target = scene.order(0)
    assert (kind, target) == (orders.ATTACK, NO_UNIT)
    np.testing.assert_allclose(point, (32 - 12 + 2.5, 25 + 12 - 20.5))


def test_pixels_are_the_units_there(scene):
    scene.call(SCREEN, screen=scene.screen_pixel(36.4, 28.7))
    assert scene.order(0) == (orders.ATTACK, (36.4, 28.7), 1)


@pytest.mark.parametrize(
    'pixel, point',
    [((11, 20), (11.5, 43.5)), ((10, 51), (10.5, 12.5)), ((20, -5), (20.5, 44))],
)
def test_pixels_of_the_minimap(scene, pixel, point):
    scene.call(MINIMAP, minimap=pixel)
    assert scene.order(0) == (orders.ATTACK, point, NO_UNIT)


def test_pixels_of_the_minimap_are_the_units_there(scene):
    scene.call(MINIMAP, minimap=scene.minimap_pixel(36.4, 28.7))
    assert scene.order(0) == (orders.ATTACK, (36.4, 28.7), 1)


@pytest.mark.parametrize('function', [SCREEN, MINIMAP])
def test_a_place_that_is_given_counts_instead(scene, function):
    pixels = {'screen': scene.screen_pixel(36.4, 28.7), 'minimap': [0, 0]}
    scene.call(function, place=(20.25, 30.125), **pixels)
    assert scene.order(0) == (orders.ATTACK, (20.25, 30.125), NO_UNIT)
    scene.call(function, place=(20.25, 30.125), target=1, **pixels)
    assert scene.order(0) == (orders.ATTACK, (36.4, 28.7), 1)


@pytest.mark.parametrize('target', [-2, 2, 69, 2**40])
def test_a_place_without_a_unit_is_a_point(scene, target):
    scene.call(SCREEN, place=(20, 30), target=target)
    assert scene.order(0) == (orders.ATTACK, (20, 30), NO_UNIT)


def test_without_targets_there_are_points_only():
    scene = Scene(*UNITS, screen=(SIZE, SIZE), has_targets=False, has_combat=True)
    scene.select(0)
    scene.call(SCREEN, screen=scene.screen_pixel(36.4, 28.7))
    kind, point, target = scene.order(0)
    assert (kind, target) == (orders.ATTACK, NO_UNIT)
    np.testing.assert_allclose(point, (36.5, 28.5))
