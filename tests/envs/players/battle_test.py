import numpy as np

from sc2impala.envs.players import battle
from sc2impala.envs.players.unit_types import MARINE, ROACH
from tests.envs.players import boards


def marine(x, y, **columns):
    return boards.unit(MARINE, boards.MINE, x, y, **columns)


def roach(x, y, health):
    return boards.unit(ROACH, boards.ENEMY, x, y, health=health)


def make(*games, size=(48, 48)):
    return battle.Battle(boards.feature_units(*games), size)


def test_positions_and_distances_are_in_cells():
    seen = make(
        [roach(30, 10, 145), marine(10, 10, health=29), marine(10, 18)],
        [marine(4, 4)],
    )
    assert seen.marines.tolist() == [[True, True], [True, False]]
    assert seen.enemies.tolist() == [[True], [False]]
    assert seen.marines_at[0].tolist() == [[5.25, 5.25], [5.25, 9.25]]
    assert seen.enemies_at[0].tolist() == [[15.25, 5.25]]
    np.testing.assert_allclose(seen.distance[0, :, 0], [10, np.sqrt(116)])
    assert seen.distance[1].min() == 99
    assert seen.army_at.tolist() == [[5.25, 7.25], [2.25, 2.25]]
    assert seen.horde_at.tolist() == [[15.25, 5.25], [0, 0]]
    assert seen.read_marines('health')[0].tolist() == [29, 45]
    assert seen.read_enemies('health')[0].tolist() == [145]
    assert seen.pixel(seen.marines_at[:, 0]).tolist() == [[10, 10], [4, 4]]


def test_positions_on_a_screen_that_is_wider_than_high():
    seen = make([marine(48, 12)], size=(96, 24))
    assert seen.marines_at[0, 0].tolist() == [48.5 / 4, 12.5]
    assert seen.pixel(seen.army_at).tolist() == [[48, 12]]


def test_all_selected():
    chosen = dict(is_selected=1)
    seen = make([marine(1, 1, **chosen), marine(2, 2, **chosen)], [marine(1, 1, **chosen)])
    assert seen.all_selected().tolist() == [True, True]
    seen = make([marine(1, 1, **chosen), marine(2, 2)], [marine(1, 1, **chosen)])
    assert seen.all_selected().tolist() == [False, True]


def test_the_target_is_near_and_weak():
    seen = make([marine(10, 10), roach(30, 10, 100), roach(32, 10, 95), roach(10, 12, 9)])
    far = np.array([[True, True, False]])
    assert seen.pixel(seen.target(far, 0.0)).tolist() == [[30, 10]]
    assert seen.pixel(seen.target(far, 0.3)).tolist() == [[32, 10]]
    assert seen.pixel(seen.target(seen.enemies, 0.0)).tolist() == [[10, 12]]


def test_the_way_out_ends_at_the_border():
    start = np.array([[10.0, 10.0], [22.0, 16.0]])
    danger = np.array([[13.0, 14.0], [20.0, 16.0]])
    np.testing.assert_allclose(battle.away(start, danger, 5.0), [[7, 6], [22.6, 16]])
    np.testing.assert_allclose(battle.away(start, start, 5.0), start)
