import numpy as np
import pytest

from sc2impala.sim import fighter_table
from sc2impala.sim.units import NO_UNIT
from tests.sim.battle import BANELING, DUMMY, ENEMY, MARINE, ROACH, SELF, ZERGLING, Battle

RUNNING = np.array([True])


def fighters_of(battle, wanted=()):
    listed = np.isin(np.arange(battle.units.num_mobile), wanted)[None]
    return fighter_table.FighterTable(battle.units, RUNNING, listed)


def nearest(battle, fighters, side, limit):
    x, y = fighter_table.sight(battle.units)
    members = fighters.sides[side].members
    return fighters.sides[side].nearest(np.arange(len(members)), np.full(len(members), limit), x, y)


def test_lists_the_armed_with_what_is_known_of_them():
    battle = Battle(
        (MARINE, SELF, 30, 28),
        (DUMMY, SELF, 31, 28),
        (ROACH, ENEMY, 40, 28),
        (BANELING, ENEMY, 41, 28),
    )
    fighters = fighters_of(battle)
    assert fighters.slots.tolist() == [0, 2, 3] and fighters.size == 3 and fighters.is_complete
    np.testing.assert_array_equal(fighters.radius, [0.375, 0.5, 0.375])
    np.testing.assert_array_equal(fighters.scan_range, [5.5, 5, 5])
    np.testing.assert_array_equal(fighters.damage_point, [1, 3, 0])
    np.testing.assert_array_equal(fighters.backswing, [12, 8, 0])
    assert [side.members.tolist() for side in fighters.sides] == [[0], [1, 2]]
    assert fighters.healing.tolist() == [2, 3]


def test_without_enemies_only_wanted_units_are_listed():
    battle = Battle((MARINE, SELF, 30, 28), (MARINE, SELF, 31, 28))
    assert fighters_of(battle).size == 0
    assert not fighters_of(battle).is_complete
    fighters = fighters_of(battle, wanted=[1])
    assert fighters.slots.tolist() == [1]
    assert all(not side.members.size for side in fighters.sides)
    assert fighter_table.FighterTable(battle.units, ~RUNNING, np.ones([1, 2], bool)).size == 0


def test_finds_the_nearest_within_the_limit():
    battle = Battle(
        (MARINE, SELF, 30, 28),
        (ROACH, ENEMY, 36, 28),
        (ROACH, ENEMY, 25, 28),
        (MARINE, SELF, 36, 30),
    )
    fighters = fighters_of(battle)
    slots, gaps = nearest(battle, fighters, side=0, limit=5)
    np.testing.assert_array_equal(slots, [2, 1])
    np.testing.assert_allclose(gaps, [5 - 0.875, 2 - 0.875])
    slots, _ = nearest(battle, fighters, side=0, limit=2)
    np.testing.assert_array_equal(slots, [NO_UNIT, 1])


def test_passes_over_the_harmless():
    battle = Battle((MARINE, SELF, 30, 28), (DUMMY, ENEMY, 31, 28), (ROACH, ENEMY, 34, 28))
    fighters = fighters_of(battle)
    assert nearest(battle, fighters, side=0, limit=5)[0] == 2
    slots, gaps = nearest(battle, fighters, side=0, limit=2)
    assert slots == 1 and gaps == pytest.approx(0.25)


def test_dead_units_are_never_found_and_find_no_target():
    battle = Battle((MARINE, SELF, 30, 28), *[(ZERGLING, ENEMY, 31 + x, 28) for x in range(4)])
    fighters = fighters_of(battle)
    battle.world.kill(np.array([0]), np.array([1]))
    assert fighters.serves(battle.units, RUNNING)
    assert nearest(battle, fighters, side=0, limit=5)[0] == 2
    battle.world.kill(np.array([0]), np.array([0]))
    np.testing.assert_array_equal(nearest(battle, fighters, side=0, limit=5)[0], [NO_UNIT])
    np.testing.assert_array_equal(nearest(battle, fighters, side=1, limit=5)[0], [NO_UNIT] * 4)


def test_serves_until_somebody_is_new_or_many_are_dead():
    battle = Battle((MARINE, SELF, 30, 28), *[(ZERGLING, ENEMY, 31 + x, 28) for x in range(9)])
    zero = np.array([0])
    fighters = fighters_of(battle)
    assert not fighters.serves(battle.units, ~RUNNING)
    for slot in (9, 8, 7, 6, 5):
        assert fighters.serves(battle.units, RUNNING)
        battle.world.kill(zero, np.array([slot]))
    assert fighters.serves(battle.units, RUNNING)
    battle.world.kill(zero, np.array([4]))
    assert not fighters.serves(battle.units, RUNNING)
    fighters = fighters_of(battle)
    battle.world.put(zero, np.array([9]), ZERGLING, ENEMY, np.array([[33.0], [30.0]]))
    assert not fighters.serves(battle.units, RUNNING)
    fighters = fighters_of(battle)
    battle.world.put(zero, np.array([9]), MARINE, ENEMY, np.array([[33.0], [30.0]]))
    assert not fighters.serves(battle.units, RUNNING)
    fighters = fighters_of(battle)
    battle.world.put(zero, np.array([9]), MARINE, SELF, np.array([[33.0], [30.0]]))
    assert not fighters.serves(battle.units, RUNNING)
