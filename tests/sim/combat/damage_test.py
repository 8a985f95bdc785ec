"""What hits do: missiles, deaths in the same frame, explosions."""

import numpy as np
import pytest

from sc2impala.sim import orders
from tests.sim.battle import BANELING, DUMMY, ENEMY, MARINE, ROACH, SELF, ZERGLING, Battle

TOUCH = 0.75
"""Distance of the centres of two touching units of radius 0.375."""


@pytest.mark.parametrize(
    'attacker, victim, loss', [(MARINE, ROACH, 5), (MARINE, ZERGLING, 6), (ZERGLING, MARINE, 5)]
)
def test_armor_is_taken_off(attacker, victim, loss):
    still = victim._replace(damage=0, speed=0.0, regeneration=0.0)
    battle = Battle((attacker, SELF, 30, 28), (still, ENEMY, 31, 28))
    battle.run_until(lambda: battle.health(1) < victim.health)
    assert battle.health(1) == victim.health - loss


def test_a_missile_hits_after_its_flight_though_its_roach_is_dead():
    victim = DUMMY._replace(health=45)
    battle = Battle((victim, SELF, 30, 28), (ROACH, ENEMY, 30 + 0.875 + 4, 28))
    battle.run_until(lambda: battle.g.missile_at.min() < 1000)
    assert battle.health(0) == 45
    battle.kill(1)
    # 4 cells at 1.17 cells per frame.
    assert battle.hits(10, slot=0) == [4]
    assert battle.health(0) == 29


@pytest.mark.parametrize('gap, flies', [(0.5, False), (0.7, True)])
def test_a_roach_hits_adjacent_units_without_a_missile(gap, flies):
    battle = Battle((DUMMY, SELF, 30, 28), (ROACH, ENEMY, 30 + 0.875 + gap, 28))
    flying = []
    while battle.health(0) == 1000 and len(flying) < 50:
        battle.run()
        flying.append(battle.g.missile_at.min() < 1000)
    assert any(flying) == flies
    assert battle.health(0) == 1000 - 16


def test_a_unit_killed_by_a_missile_does_not_hit():
    for health in (16, 17):
        battle = Battle((MARINE, SELF, 30, 28), (DUMMY, ENEMY, 33, 28), (ROACH, ENEMY, 43, 20))
        battle.g.health[0] = health
        battle.order(orders.ATTACK, [0], target=1)
        battle.run()
        assert battle.g.strike_at[0] == 2
        battle.g.missile_at[2] = 2
        battle.g.missile_target[2] = 0
        battle.g.missile_damage[2] = 16
        battle.run()
        assert battle.alive(0) == (health == 17)
        assert (battle.health(1) < 1000) == (health == 17)


def test_a_missile_at_a_dead_target_is_removed():
    battle = Battle((DUMMY, SELF, 30, 28), (ROACH, ENEMY, 34.8, 28), (DUMMY, SELF, 22, 36))
    battle.run_until(lambda: battle.g.missile_at.min() < 1000)
    battle.kill(0)
    battle.create(0, DUMMY, SELF, 43.0, 20.0)
    battle.run(10)
    assert battle.health(0) == battle.health(2) == 1000


def test_units_that_die_in_the_same_frame_are_not_hit_again():
    weak = DUMMY._replace(health=6)
    battle = Battle(
        (MARINE, SELF, 30, 28),
        (MARINE, SELF, 30, 30),
        (weak, ENEMY, 32, 29),
        (DUMMY, ENEMY, 34, 29),
    )
    battle.order(orders.HOLD, [0, 1])
    battle.run(2)
    assert not battle.alive(2)
    fired = battle.g.ready_at[:2] > 2
    np.testing.assert_array_equal(fired, [True, False])
    assert battle.hits(3, slot=3) == [2]


def test_two_units_that_hit_each_other_in_the_same_frame_both_die():
    weak = MARINE._replace(health=6)
    battle = Battle((weak, SELF, 30, 28), (weak, ENEMY, 33, 28))
    battle.order(orders.HOLD, [0, 1])
    battle.run(2)
    assert not battle.alive(0) and not battle.alive(1)
    assert battle.died().tolist() == [True, True]


def test_a_zergling_has_to_touch():
    battle = Battle((DUMMY, SELF, 30, 28), (ZERGLING, ENEMY, 34, 28))
    battle.run_until(lambda: battle.health(0) < 1000)
    assert battle.gap(1, 0) <= 0.1
    assert battle.health(0) == 995


def test_a_baneling_walks_to_its_target_and_hurts_everyone_around():
    victims = [(30, 28), (30, 28.8), (30, 30.7), (30, 31.2), (32.4, 28)]
    still = MARINE._replace(damage=0, speed=0.0)
    battle = Battle(
        *[(still, SELF, x, y) for x, y in victims],
        (BANELING, ENEMY, 26, 28),
        (ZERGLING._replace(damage=0, speed=0.0), ENEMY, 28.2, 27),
    )
    xs = [26]
    battle.run_until(lambda: xs.append(battle.where(5)[0]) or not battle.alive(5))
    assert battle.died()[5]
    # It never stops before it is within 0.25 of the edge.
    assert (np.diff(xs) > 0.1)[9:-1].all()
    assert xs[-1] == pytest.approx(30 - TOUCH - 0.25, abs=0.16)
    distance = np.hypot(*(np.array(victims) - (xs[-1], 28)).T)
    hurt = np.array([battle.health(slot) for slot in range(5)]) < 45
    np.testing.assert_array_equal(hurt, distance <= 2.2 + 0.375)
    assert 0 < hurt.sum() < 5
    assert battle.health(0) == 10 and battle.health(6) == 35


def test_a_baneling_that_is_killed_explodes_too():
    near = DUMMY._replace(is_light=True)
    battle = Battle((MARINE, SELF, 30, 28), (near, SELF, 33, 28), (BANELING, ENEMY, 35, 28))
    battle.g.health[2] = 5
    battle.rules.speed[battle.g.type[2]] = 0
    battle.order(orders.ATTACK, [0], target=2)
    battle.run(2)
    assert not battle.alive(2)
    assert battle.health(1) == 1000 - 35
    assert battle.health(0) == 45


def test_zerg_regenerate_up_to_their_full_health_and_marines_do_not():
    battle = Battle(
        (MARINE, SELF, 24, 28),
        (ROACH, ENEMY, 40, 28),
        (ROACH, ENEMY, 40, 31),
        (ROACH, ENEMY, 40, 25),
    )
    battle.g.health[:4] = 20, 100, 144.95, 145
    battle.run(16)
    np.testing.assert_allclose(battle.g.health[:4], [20, 100.2734, 145, 145])
