"""Start positions of units over 10000 episodes, of maps without such a test of their own."""

import numpy as np
import pytest

from sc2impala.sim import unit_types
from tests.sim import players

LEFT = (23.97, 27.98), (25.06, 31.05)
RIGHT = (38.02, 42.04), (25.04, 31.08)
LINE = np.array([0, 1, -1, 2, -2, 3, -3, 4, -4])
FIELDS = [(25, 22.5), (24, 23.5), (24, 25.5), (23, 26.5)]
FIELDS += [(x, 55 - y) for x, y in reversed(FIELDS)]
OTHER_FIELDS = [(66 - x, y) for x, y in FIELDS]
GEYSERS = [(26.5, 20.5), (26.5, 34.5), (39.5, 20.5), (39.5, 34.5)]


def starts(map_name):
    """Positions [K, U, 2] of living units, their ids and owners [K, U], of 10000 episodes."""
    game = players.make(map_name, range(2500))
    for _ in range(4):
        game.reset()
        games = game.games
        assert (games.alive == games.alive[0]).all()
        chosen = np.flatnonzero(games.alive[0])
        position = np.stack([games.x[:, chosen], games.y[:, chosen]], axis=-1)
        type_ids = game.rules.unit_type[games['type'][:, chosen]]
        yield position, type_ids, games.owner[:, chosen]


def of(position, type_ids, unit_type):
    """Positions of the units of one type: [K, n, 2]."""
    chosen = type_ids[0] == unit_type.unit_type
    assert (type_ids[:, chosen] == unit_type.unit_type).all()
    return position[:, chosen]


def assert_fills(points, box):
    """Asserts that points [n, 2] lie in a box and reach its borders."""
    low, high = np.transpose(box)
    assert (points >= low - 1e-9).all() and (points <= high + 1e-9).all()
    np.testing.assert_allclose(points.min(0), low, atol=0.05)
    np.testing.assert_allclose(points.max(0), high, atol=0.05)


def assert_near(points, expected):
    """Asserts that arrays, which are broadcast, agree up to rounding."""
    assert np.abs(points - expected).max() < 1e-9


def assert_marines_lined_up(marines):
    """Asserts it of [K, 9, 2], and returns which of them are on the left."""
    assert_near(marines - marines[:, :1], np.stack([0 * LINE, LINE], axis=1))
    on_the_left = marines[:, 0, 0] < 33
    assert 0.45 < on_the_left.mean() < 0.55
    assert_fills(marines[on_the_left, 0], LEFT)
    assert_fills(marines[~on_the_left, 0], RIGHT)
    return on_the_left


def test_roaches():
    for position, type_ids, _ in starts('DefeatRoaches'):
        marines = of(position, type_ids, unit_types.MARINE)
        roaches = of(position, type_ids, unit_types.ROACH)
        on_the_left = assert_marines_lined_up(marines)
        middle = roaches.mean(1)
        offsets = np.array([[0, 0.5], [0, 1.5], [0, -0.5], [0, -1.5]])
        assert_near(roaches, middle[:, None] + offsets)
        assert_fills(middle[~on_the_left], LEFT)
        assert_fills(middle[on_the_left], RIGHT)


def test_zerglings_and_banelings():
    for position, type_ids, _ in starts('DefeatZerglingsAndBanelings'):
        on_the_left = assert_marines_lined_up(of(position, type_ids, unit_types.MARINE))
        zerglings = of(position, type_ids, unit_types.ZERGLING)
        banelings = of(position, type_ids, unit_types.BANELING)
        assert zerglings.shape[1] == 6 and banelings.shape[1] == 4
        # All are created at one point and then spread around it.
        zerg = np.concatenate([zerglings, banelings], axis=1)
        assert_fills(zerg[~on_the_left, 0], LEFT)
        assert_fills(zerg[on_the_left, 0], RIGHT)
        apart = np.sqrt(np.square(zerg[:, :, None] - zerg[:, None]).sum(-1))
        assert apart.max() < 4
        assert (apart + 99 * np.eye(10)).min() >= 0.75 - 1e-5


@pytest.mark.parametrize('map_name', ['CollectMineralsAndGas', 'BuildMarines'])
def test_bases(map_name):
    with_gas = map_name == 'CollectMineralsAndGas'
    fields = FIELDS + OTHER_FIELDS if with_gas else FIELDS
    sides = []
    for position, type_ids, owner in starts(map_name):
        for unit_type, expected in [
            (unit_types.MINERAL_FIELD, fields),
            (unit_types.VESPENE_GEYSER, GEYSERS if with_gas else []),
            (unit_types.COMMAND_CENTER, [(30.5, 27.5)]),
        ]:
            points = of(position, type_ids, unit_type)
            assert (points == points[0]).all()
            assert sorted(map(tuple, points[0])) == sorted(map(tuple, np.array(expected, float)))
        workers = of(position, type_ids, unit_types.SCV)
        assert position.shape[1] == len(fields) + (4 if with_gas else 0) + 1 + 12
        x, y = np.moveaxis(workers - (29.825, 28.008), -1, 0)
        assert_near(np.sort(y), np.repeat([-2.5, -1.5, -0.5, 0.5, 1.5, 2.5], 2))
        assert_near(np.sort(np.abs(x)), np.repeat([3.5, 4.5], 6))
        assert (np.sign(x) == np.sign(x[:, :1])).all()
        sides.append((x[:, 0] > 0).mean())
        assert (owner[:, type_ids[0] == unit_types.SCV.unit_type] == unit_types.SELF).all()
    assert 0.47 < np.mean(sides) < 0.53
