import numpy as np
import pytest

from sc2impala import sim
from sc2impala.sim import aiming
from sc2impala.sim.arguments import Arguments
from sc2impala.sim.units import NO_UNIT

SIZE = 24  # Pixels, one for each cell of the screen.


@pytest.fixture
def world():
    game = sim.make('DefeatRoaches', [1, 2, 3], (SIZE, SIZE), (64, 64))
    game.reset()
    return game.world


def test_pixels_are_points_and_the_units_there(world):
    games = np.array([2, 0])
    corner = world.camera - 12
    marines = world.units.position[:, games, 4]
    x, y = np.floor(marines - corner[:, games]).astype(int)
    pixels = np.zeros([3, 2], int)
    pixels[games] = np.stack([x, SIZE - 1 - y], axis=1)
    points, targets = aiming.on_screen(world, games, Arguments({'screen': pixels}, 3))
    np.testing.assert_allclose(points, corner[:, games] + np.stack([x, y]) + 0.5)
    assert targets[0] != NO_UNIT and world.units.alive[2, targets[0]]


def test_pixels_of_the_minimap(world):
    pixels = np.array([[0, 0], [10, 20], [63, 63]])
    points, targets = aiming.on_minimap(world, np.arange(3), Arguments({'minimap': pixels}, 3))
    np.testing.assert_allclose(points, [[0.5, 10.5, 63.5], [63.5, 43.5, 0.5]])
    assert targets.tolist() == [NO_UNIT] * 3


@pytest.mark.parametrize('aim', [aiming.on_screen, aiming.on_minimap])
def test_a_place_that_is_given_counts_instead(world, aim):
    places = np.arange(6.0).reshape(2, 3), np.array([5, NO_UNIT, 7])
    points, targets = aim(world, np.array([2, 1]), Arguments({}, 3, places))
    assert points.tolist() == [[2, 1], [5, 4]]
    assert targets.tolist() == [7, NO_UNIT]


def test_without_mechanics_there_are_no_target_units():
    game = sim.make('MoveToBeacon', [1], (SIZE, SIZE), (64, 64))
    game.reset()
    x, y = np.floor(game.world.units.position[:, 0, 0] - game.world.camera[:, 0] + 12).astype(int)
    pixels = np.array([[x, SIZE - 1 - y]])
    _, targets = aiming.on_screen(game.world, np.array([0]), Arguments({'screen': pixels}, 1))
    assert targets.tolist() == [NO_UNIT]
