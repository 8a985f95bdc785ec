"""Units without orders: whom they fight, whom they call, and how they return."""

import numpy as np
import pytest

from sc2impala.sim import geometry, orders
from sc2impala.sim.combat import targets
from sc2impala.sim.units import NO_UNIT
from tests.sim.battle import DUMMY, ENEMY, MARINE, SELF, ZERGLING, Battle


def test_zerg_stand_until_someone_comes_near():
    battle = Battle((MARINE, SELF, 24, 28), *[(ZERGLING, ENEMY, 32, y) for y in (26, 28, 30)])
    places = [battle.where(slot) for slot in (1, 2, 3)]
    battle.run(300)
    assert [battle.where(slot) for slot in (1, 2, 3)] == places


def test_units_that_are_hit_fight_back_and_call_their_neighbours():
    """Zerglings at 32 are in reach of the marine's rifle but cannot scan that far."""
    far = MARINE._replace(weapon_range=8.0)
    slots = {'hit': (32, 28), 'near': (32, 32.7), 'away': (32, 23.2)}
    battle = Battle((far, SELF, 24, 28), *[(ZERGLING, ENEMY, x, y) for x, y in slots.values()])
    battle.order(orders.ATTACK, [0], target=1)
    battle.run(2)
    assert battle.health(1) < 35
    # 4 cells from edge to edge are 4.75 between the middles.
    assert [battle.target(slot) for slot in (1, 2, 3)] == [0, 0, NO_UNIT]
    battle.run(2)
    assert battle.where(2) != slots['near'] and battle.where(3) == slots['away']


def test_only_friends_hear_a_call():
    battle = Battle((MARINE, SELF, 30, 28), (MARINE, SELF, 35, 28), (ZERGLING, ENEMY, 33, 28))
    battle.order(orders.ATTACK, [0], target=2)
    battle.run(2)
    assert battle.health(2) < 35
    assert battle.target(1) == NO_UNIT and battle.target(2) == 0


def test_a_unit_calls_every_two_seconds():
    far = MARINE._replace(weapon_range=12.0)
    target = ZERGLING._replace(unit_type=4, speed=0.0, health=1000)
    battle = Battle((far, SELF, 24, 28), (target, ENEMY, 36, 28), (target, ENEMY, 36, 35))
    battle.order(orders.ATTACK, [0], target=1)
    battle.run(2)
    assert battle.target(2) == NO_UNIT
    battle.put_at(2, 36, 30)
    called = battle.run_until(lambda: battle.target(2) != NO_UNIT)
    # By the first hit after 32 frames.
    assert 32 <= called <= 32 + 15


def test_an_idle_unit_goes_home_after_a_fight():
    weak = ZERGLING._replace(unit_type=5, health=12, speed=0.0)
    battle = Battle((MARINE, SELF, 30, 28), (weak, ENEMY, 35, 28))
    battle.run(10)
    assert battle.health(1) < 7
    battle.put_at(1, 38, 28)
    battle.run_until(lambda: not battle.alive(1))
    farthest = battle.where(0)[0]
    assert farthest > 31
    battle.run(60)
    assert np.hypot(*np.subtract(battle.where(0), (30, 28))) <= targets.HOME_RADIUS
    assert not battle.g.busy.any() and not battle.g.away.any()


def test_an_order_ends_the_return_home():
    weak = ZERGLING._replace(unit_type=5, health=12, speed=0.0)
    battle = Battle((MARINE, SELF, 30, 28), (weak, ENEMY, 35, 28))
    battle.run(10)
    battle.put_at(1, 40, 28)
    battle.run_until(lambda: not battle.alive(1))
    stood = battle.where(0)
    battle.order(orders.IDLE, [0])
    battle.run(60)
    assert battle.where(0) == stood


def test_an_idle_unit_is_on_a_leash():
    runner = DUMMY._replace(unit_type=6, speed=MARINE.speed * 1.01)
    battle = Battle((MARINE, SELF, 12, 28), (runner, ENEMY, 16, 28), arena=geometry.OPEN_FIELD)
    battle.run(8)
    farthest = 0
    homing = False
    for _ in range(700):
        if not homing:
            battle.put_at(1, battle.where(0)[0] + 6, 28)
        battle.run()
        x = battle.where(0)[0]
        homing |= bool(battle.g.homing[0])
        if battle.g.homing[0]:
            # It ignores adjacent units.
            battle.put_at(1, x + 2, 26)
            assert battle.target(0) == NO_UNIT and x - 12 > 5 - 0.3
        farthest = max(farthest, x)
        if homing and not battle.g.homing[0]:
            break
    assert farthest == pytest.approx(12 + 21, abs=0.2)
    assert battle.where(0)[0] == pytest.approx(12 + 5, abs=0.3)
    battle.run(2)
    assert battle.target(0) == 1
