import numpy as np
import pytest

from sc2impala.sim.arguments import Arguments
from sc2impala.sim.geometry import View

GAMES = np.array([0, 2])
VIEW = View((10, 6), 24)


def test_scalars_and_points_of_some_games():
    given = {'queued': np.array([1, 0, 7]), 'screen': np.array([[1, 2], [3, 4], [5, 0]], np.uint8)}
    arguments = Arguments(given, 3)
    np.testing.assert_array_equal(arguments.scalar('queued', GAMES), [1, 7])
    np.testing.assert_array_equal(arguments.pixels('screen', GAMES, VIEW), [[1, 5], [2, 0]])


def test_absent_arguments_are_zero():
    arguments = Arguments({}, 3)
    np.testing.assert_array_equal(arguments.scalar('select_add', GAMES), [0, 0])
    np.testing.assert_array_equal(arguments.pixels('minimap', GAMES, VIEW), np.zeros([2, 2]))


def test_points_are_moved_into_the_picture():
    points = np.array([[-5, 3], [0, 0], [2**62, -(2**62)]])
    pixels = Arguments({'screen': points}, 3).pixels('screen', GAMES, VIEW)
    np.testing.assert_array_equal(pixels, [[0, 9], [3, 0]])


@pytest.mark.parametrize(
    'given, message',
    [
        ({'sreen': np.zeros([3, 2], int)}, "'sreen'.*'screen'"),
        ({'screen': np.zeros([3], int)}, r"'screen'.*\[3\].*\[3, 2\]"),
        ({'queued': np.zeros([2], int)}, r"'queued'.*\[2\].*\[3\]"),
        ({'queued': np.zeros([3])}, "'queued'.*float64.*integers"),
    ],
)
def test_refuses_other_names_shapes_and_dtypes(given, message):
    with pytest.raises(ValueError, match=message):
        Arguments(given, 3)
