"""Which targets units find, and how long they keep them."""

import pytest

from sc2impala.sim import orders
from sc2impala.sim.units import NO_UNIT
from tests.sim.battle import DUMMY, ENEMY, MARINE, ROACH, SELF, ZERGLING, Battle, a_marine_and


@pytest.mark.parametrize('gap, fights', [(4.9, True), (5.4, True), (5.6, False)])
def test_an_idle_marine_looks_for_targets_as_far_as_it_scans(gap, fights):
    battle = a_marine_and(gap)
    assert bool(battle.hits(40, slot=1)) == fights
    if gap > 5:
        assert (battle.where(0) != (30, 28)) == fights


@pytest.mark.parametrize('unit_type, gap, fights', [(ROACH, 4.9, True), (ROACH, 5.1, False)])
def test_a_unit_of_short_range_scans_five_cells(unit_type, gap, fights):
    battle = Battle((DUMMY, SELF, 30, 28), (unit_type, ENEMY, 30 + 0.375 + 0.5 + gap, 28))
    assert bool(battle.hits(60, slot=0)) == fights


@pytest.mark.parametrize('gap, fights', [(4.9, True), (5.1, False)])
def test_units_that_hold_position_fight_within_their_range_only(gap, fights):
    battle = a_marine_and(gap)
    battle.order(orders.HOLD, [0])
    assert bool(battle.hits(40, slot=1)) == fights
    assert battle.where(0) == (30, 28)


def test_moving_units_do_not_fight():
    battle = a_marine_and(2.0)
    battle.order(orders.MOVE, [0], point=(30, 35))
    assert not battle.hits(40, slot=1)
    battle.order(orders.MOVE, [0], point=(30, 28))
    assert not battle.hits(40, slot=1)


def test_the_dead_on_both_sides_do_not_see_each_other():
    battle = Battle((MARINE, SELF, 30, 28), (MARINE, SELF, 30, 24), (ROACH, ENEMY, 40, 28))
    battle.run(3)
    battle.kill(0, 2)
    battle.run(3)
    assert (battle.g.target == NO_UNIT).all() and not battle.g.busy.any()


def test_an_attack_move_stops_for_a_fight_and_goes_on_afterwards():
    weak = DUMMY._replace(health=18)
    battle = Battle((MARINE, SELF, 25, 28), (weak, ENEMY, 34, 28))
    battle.order(orders.ATTACK, [0], point=(40, 24))
    battle.run_until(lambda: battle.health(1) < 18)
    stood = battle.where(0)
    assert battle.gap(0, 1) <= 5
    battle.run(24)
    assert battle.alive(1) and battle.where(0) == stood
    battle.run_until(lambda: not battle.alive(1))
    battle.run(150)
    assert battle.where(0) == (40, 24)
    assert battle.g.order_kind[0, 0] == orders.IDLE


def test_a_patrol_stops_for_a_fight_and_goes_on_afterwards():
    weak = DUMMY._replace(health=18)
    battle = Battle((MARINE, SELF, 25, 28), (weak, ENEMY, 34, 28))
    battle.order(orders.PATROL, [0], point=(31, 28))
    battle.run(100)
    assert not battle.alive(1)
    xs = []
    for _ in range(200):
        battle.run()
        xs.append(battle.where(0)[0])
    assert min(xs) == 25 and max(xs) == 31


def test_those_that_can_attack_back_come_first_then_the_nearest():
    harmless = DUMMY, ENEMY, 32, 28
    armed = DUMMY._replace(unit_type=3, damage=1, weapon_range=0.1, sight=0.0)
    battle = Battle(
        (MARINE, SELF, 30, 28), harmless, (armed, ENEMY, 26.3, 28), (armed, ENEMY, 33.5, 28)
    )
    battle.run(8)
    assert battle.target(0) == 3
    battle.kill(3)
    battle.run()
    assert battle.target(0) == 2
    battle.kill(2)
    battle.run()
    assert battle.target(0) == 1


def test_a_target_in_range_is_kept_though_another_comes_nearer():
    battle = Battle((MARINE, SELF, 30, 28), (DUMMY, ENEMY, 34, 28), (DUMMY, ENEMY, 43, 28))
    battle.run(8)
    battle.put_at(2, 32, 28)
    battle.run(8)
    assert battle.target(0) == 1
    # A target that has left the range is not.
    battle.put_at(1, 36.5, 28)
    battle.run()
    assert battle.target(0) == 2


def test_a_target_out_of_range_is_followed_until_it_is_out_of_sight():
    battle = a_marine_and(4.0)
    battle.run(8)
    battle.put_at(1, 30.75 + battle.rules.pursuit_range - 0.1, 28)
    battle.run()
    assert battle.target(0) == 1
    battle.put_at(1, 30.75 + battle.rules.pursuit_range + 1, 28)
    battle.run()
    assert battle.target(0) == NO_UNIT


def test_an_order_to_attack_a_unit_is_carried_out_until_it_is_dead():
    battle = Battle((MARINE, SELF, 25, 22), (ZERGLING, ENEMY, 41, 34), (DUMMY, ENEMY, 25, 25))
    battle.order(orders.ATTACK, [0], target=1)
    battle.order(orders.MOVE, [0], point=(26, 22), queued=True)
    targets = set()
    battle.run_until(lambda: targets.add(battle.target(0)) or not battle.alive(1))
    assert targets == {1, NO_UNIT}
    assert battle.health(2) == 1000
    assert battle.g.order_kind[0, 0] == orders.MOVE
    battle.run(150)
    assert battle.where(0) == (26, 22)


def test_own_units_are_attacked_when_ordered_and_do_not_fight_back():
    battle = Battle((MARINE, SELF, 30, 28), (MARINE, SELF, 33, 28), (ROACH, ENEMY, 43, 21))
    battle.run(30)
    assert battle.health(0) == battle.health(1) == 45
    battle.order(orders.ATTACK, [0], target=1)
    battle.run(130)
    assert battle.alive(0) and not battle.alive(1)
    assert battle.health(0) == 45


def test_own_units_are_attacked_if_they_are_the_target():
    battle = Battle((MARINE, SELF, 30, 28), (MARINE, SELF, 33, 28))
    battle.run(5)
    battle.order(orders.ATTACK, [0], target=1)
    battle.run(130)
    assert not battle.alive(1)
    assert not battle.g.busy.any()
