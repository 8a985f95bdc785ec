import numpy as np

from sc2impala.envs.players import sight
from tests.envs.players import boards


def units():
    return sight.Units(
        boards.feature_units(
            [boards.unit(48, boards.MINE, 3, 4), boards.unit(9, boards.ENEMY, 8, 1, health=7)],
            [boards.unit(1680, boards.NEUTRAL, 5, 5)],
        )
    )


def test_units():
    seen = units()
    assert np.argwhere(seen.mine).tolist() == [[0, 0]]
    assert np.argwhere(seen.enemy).tolist() == [[0, 1]]
    assert np.argwhere(seen.neutral).tolist() == [[1, 0]]
    assert np.argwhere(seen.select_type(9)).tolist() == [[0, 1]]
    assert seen.column('health')[0, :3].tolist() == [45, 7, 0]
    assert seen.pixel_of(np.array([1, 0])).tolist() == [[8, 1], [5, 5]]


def test_least():
    among = np.array([[True, True, True, False], [False] * 4])
    first = np.array([[2, 1, 1, 0]] * 2)
    second = np.array([[0, 5, 4, 0]] * 2)
    assert sight.least(among, first).tolist() == [1, 0]
    assert sight.least(among, first, second).tolist() == [2, 0]
    assert sight.least(among, second, first).tolist() == [0, 0]


def test_centre():
    masks = np.zeros([2, 5, 6], bool)
    masks[0, 1:4, 2:5] = True
    masks[0, 0, 0] = True
    assert sight.centre(masks).tolist() == [[3, 2], [0, 0]]


def test_mean_pixel():
    seen = units()
    assert sight.mean_pixel(seen, seen.mine | seen.enemy).tolist() == [[5.5, 2.5], [0, 0]]


def test_squared_distance():
    seen = units()
    distance = sight.squared_distance(seen.pixel, np.array([[3, 5], [4, 4]]))
    assert distance[0, :2].tolist() == [1, 41]
    assert distance[1, 0] == 2


def test_nearest_pixel():
    masks = np.zeros([3, 5, 6], bool)
    masks[:2, 4, 5] = True
    masks[:2, 0, 1] = True
    nearest = sight.nearest_pixel(masks, np.array([[1, 2], [5, 2], [4, 4]]))
    assert nearest.tolist() == [[1, 0], [5, 4], [0, 0]]
