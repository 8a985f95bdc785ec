"""When a weapon hits, and what cancels an attack."""

import numpy as np
import pytest

from sc2impala.sim import orders
from tests.sim.battle import DUMMY, ENEMY, MARINE, ROACH, SELF, Battle, a_marine_and

LATE = ROACH._replace(unit_type=2, damage_point=10, missile_speed=0.0, backswing=0, speed=0.0)
"""A unit with an instant weapon and a late damage point."""


@pytest.mark.long
def test_a_marine_hits_one_frame_after_the_start_and_then_once_per_period():
    pauses = []
    for seed in range(20):
        battle = a_marine_and(3.0, seed=seed)
        battle.order(orders.HOLD, [0])
        hits = battle.hits(200, slot=1)
        assert hits[0] == 2
        assert battle.health(1) == 1000 - 6 * len(hits)
        pauses += list(np.diff(hits))
    # 13.77 frames, one less to two more.
    assert set(pauses) == {12, 13, 14, 15}
    assert np.mean(pauses) == pytest.approx(13.77, abs=0.15)


@pytest.mark.long
def test_a_roach_hits_once_per_period():
    pauses = []
    for seed in range(20):
        battle = Battle((DUMMY, SELF, 30, 28), (ROACH, ENEMY, 33, 28), seed=seed)
        pauses += list(np.diff(battle.hits(400, slot=0)))
    # 32 frames, one less to two more, and rounded.
    assert set(pauses) == {31, 32, 33, 34}


def test_the_delays_of_a_game_are_its_own():
    alone = a_marine_and(3.0, seed=5).hits(100, slot=1)
    assert a_marine_and(3.0, seed=5).hits(100, slot=1) == alone
    assert a_marine_and(3.0, seed=6).hits(100, slot=1) != alone


def test_a_unit_stands_while_it_fires_and_rests():
    battle = Battle((MARINE, SELF, 25, 28), (DUMMY, ENEMY, 34, 28))
    battle.order(orders.ATTACK, [0], target=1)
    battle.run(60)
    places = set()
    for _ in range(100):
        battle.run()
        places.add(battle.where(0))
    assert len(places) == 1


@pytest.mark.parametrize('second_order, hits', [('again', True), ('move', False), ('other', False)])
def test_only_another_order_cancels_an_attack_that_has_begun(second_order, hits):
    battle = Battle((LATE, SELF, 30, 28), (DUMMY, ENEMY, 33, 28), (DUMMY, ENEMY, 27, 28))
    battle.order(orders.ATTACK, [0], target=1)
    battle.run(5)
    for _ in range(6):
        if second_order == 'move':
            battle.order(orders.MOVE, [0], point=(30, 28))
        else:
            battle.order(orders.ATTACK, [0], target=1 if second_order == 'again' else 2)
        battle.run()
    assert (battle.health(1) < 1000) == hits
    assert battle.health(2) == 1000
    # No cooldown was started: the weapon is ready.
    if second_order == 'other':
        assert battle.hits(6, slot=2) == [5]


def test_to_order_the_same_attack_again_and_again_changes_nothing():
    one, other = (a_marine_and(3.0) for _ in range(2))
    for battle in (one, other):
        battle.order(orders.ATTACK, [0], target=1)
    for _ in range(20):
        other.order(orders.ATTACK, [0], target=1)
        assert one.hits(8, slot=1) == other.hits(8, slot=1)
    assert one.health(1) < 950


def test_orders_do_not_make_a_weapon_ready():
    battle = a_marine_and(3.0)
    hits = []
    for step in range(40):
        battle.order(orders.MOVE, [0], point=(30, 28))
        battle.run()
        battle.order(orders.ATTACK, [0], target=1)
        hits += [4 * step + loop for loop in battle.hits(3, slot=1)]
    assert len(hits) > 5 and min(np.diff(hits)) >= 12


@pytest.mark.parametrize('gap, hits', [(4.9, True), (5.1, False)])
def test_a_target_that_has_left_range_and_slop_before_the_hit_is_missed(gap, hits):
    battle = Battle((LATE, SELF, 30, 28), (DUMMY, ENEMY, 33, 28))
    battle.order(orders.ATTACK, [0], target=1)
    battle.run(5)
    battle.put_at(1, 30 + 0.875 + gap, 28)
    battle.run(20)
    assert (battle.health(1) < 1000) == hits
    battle.put_at(1, 33, 28)
    # The missile is removed in both cases.
    assert not battle.hits(15, slot=1)


def test_an_attack_that_has_begun_is_not_given_up_for_another_target():
    battle = Battle((LATE, SELF, 30, 28), (DUMMY, ENEMY, 33, 28), (DUMMY, ENEMY, 37, 28))
    battle.run(12)
    assert battle.target(0) == 1 and battle.health(1) == 1000
    battle.put_at(1, 30 + 0.875 + 4.5, 28)
    battle.put_at(2, 32, 28)
    battle.run(10)
    assert battle.health(1) < 1000 and battle.health(2) == 1000


def test_a_new_target_ends_the_backswing():
    battle = Battle((MARINE, SELF, 30, 28), (DUMMY, ENEMY, 34, 28), (DUMMY, ENEMY, 43, 28))
    battle.run(9)
    assert battle.health(1) == 994
    battle.put_at(1, 37, 28)
    battle.put_at(2, 36, 28)
    battle.run(2)
    assert battle.target(0) == 2 and battle.where(0) != (30, 28)


def test_after_a_hit_a_unit_rests_before_it_follows_unless_it_is_ordered_to():
    for ordered in (False, True):
        battle = a_marine_and(4.5)
        battle.order(orders.ATTACK, [0], target=1)
        battle.run(2)
        assert battle.health(1) == 994
        battle.put_at(1, 37, 28)
        if ordered:
            battle.order(orders.ATTACK, [0], target=1)
        battle.run(11)
        assert (battle.where(0) == (30, 28)) != ordered
        battle.run(2)
        assert battle.where(0) != (30, 28)
