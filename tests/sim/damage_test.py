import numpy as np

from sc2impala.sim import damage, unit_types
from tests.sim.battle import BANELING, DUMMY, ENEMY, MARINE, ROACH, SELF, Battle

STATS = unit_types.tabulate((MARINE, ROACH, BANELING, MARINE._replace(armor=100)))


def test_damage_is_reduced_by_armor_and_grows_against_light_units():
    attackers, victims = np.array([0, 0, 1, 2, 2]), np.array([0, 1, 0, 0, 1])
    np.testing.assert_array_equal(damage.of_hits(STATS, attackers, victims), [6, 5, 16, 35, 19])


def test_every_hit_hurts_a_little():
    assert damage.of_hits(STATS, np.array([0]), np.array([3])) == damage.MIN_DAMAGE


def test_hits_count_until_their_victim_is_dead():
    health = np.array([12.0, 0.5, 100.0, 6.0])
    victims = np.array([3, 0, 2, 0, 1, 0, 3, 1])
    amounts = np.array([5.5, 6, 6, 6, 0.5, 6, 6, 0.5])
    np.testing.assert_array_equal(
        damage.find_victim_alive(health, victims, amounts), [1, 1, 1, 1, 1, 0, 1, 0]
    )


def test_no_hits():
    nothing = np.zeros([0], int)
    assert damage.find_victim_alive(np.ones([3]), nothing, nothing * 1.0).shape == (0,)


def test_an_explosion_damages_enemies_with_their_edge_in_range():
    reach = 2.2 + DUMMY.radius
    battle = Battle(
        (BANELING, ENEMY, 30, 28),
        (DUMMY, SELF, 30 + reach - 0.01, 28),
        (DUMMY, SELF, 30, 28 + reach + 0.01),
        (DUMMY, ENEMY, 31, 28),
        (DUMMY, unit_types.NEUTRAL, 29, 28),
        (DUMMY._replace(is_light=False), SELF, 30, 27),
        (DUMMY, SELF, 29, 27),
    )
    battle.world.kill(np.array([0]), np.array([6]))
    rows, victims = damage.explode(battle.units, np.array([0]), np.array([0]))
    np.testing.assert_array_equal(rows, [0, 0])
    np.testing.assert_array_equal(victims, [1, 5])
    np.testing.assert_array_equal(battle.units.health[0], [30, 965, 1000, 1000, 1000, 980, 0])


def test_explosions_in_one_frame_add_up():
    battle = Battle((BANELING, ENEMY, 30, 28), (BANELING, ENEMY, 31, 28), (DUMMY, SELF, 30, 29))
    rows, victims = damage.explode(battle.units, np.array([0, 0]), np.array([0, 1]))
    np.testing.assert_array_equal(rows, [0, 1])
    np.testing.assert_array_equal(victims, [2, 2])
    assert battle.health(2) == 930
