import numpy as np

from sc2impala.sim import geometry, rules
from sc2impala.sim.combat import attacks
from tests.sim.battle import BANELING, DUMMY, ENEMY, MARINE, NEUTRAL, ROACH, SELF, Battle

TYPES = (MARINE, ROACH, BANELING, MARINE._replace(armor=100))
RULES = rules.make(TYPES, geometry.SINGLE_SCREEN, (64, 64), (64, 64))[0]


def damage(attacker, victim):
    return attacks.damage_of_hit(RULES, attacker, victim)


def test_damage_is_reduced_by_armor_and_grows_against_light_units():
    pairs = [(0, 0), (0, 1), (1, 0), (2, 0), (2, 1)]
    assert [damage(*pair) for pair in pairs] == [6, 5, 16, 35, 19]


def test_every_hit_hurts_a_little():
    assert damage(0, 3) == attacks.MIN_DAMAGE


def test_hits_count_until_their_victim_is_dead():
    """Three marines hit in one frame; two of them are enough."""
    weak = DUMMY._replace(health=12)
    marines = [(MARINE, SELF, 30, 27 + slot) for slot in range(3)]
    battle = Battle(*marines, (weak, ENEMY, 33, 28), (DUMMY, ENEMY, 43, 21))
    battle.g.strike_at[:3] = 1
    battle.g.target[:3] = 3
    battle.run()
    assert battle.died().tolist() == [False] * 3 + [True, False]
    np.testing.assert_array_equal(battle.g.ready_at[:3] > 0, [True, True, False])
    assert battle.g.counter == 2


def test_an_explosion_damages_enemies_with_their_edge_in_range():
    reach = 2.2 + DUMMY.radius
    battle = Battle(
        (BANELING, ENEMY, 30, 28),
        (DUMMY, SELF, 30 + reach - 0.01, 28),
        (DUMMY, SELF, 30, 28 + reach + 0.01),
        (DUMMY, ENEMY, 31, 28),
        (DUMMY, NEUTRAL, 29, 28),
        (DUMMY._replace(is_light=False), SELF, 30, 27),
        (DUMMY, SELF, 29, 27),
    )
    battle.kill(6)
    battle.explode(0)
    np.testing.assert_array_equal(battle.g.health[:7], [0, 965, 1000, 1000, 1000, 980, 0])


def test_explosions_in_one_frame_add_up():
    battle = Battle((BANELING, ENEMY, 30, 28), (BANELING, ENEMY, 31, 28), (DUMMY, SELF, 30, 29))
    battle.explode(0, 1)
    np.testing.assert_array_equal(battle.g.health[:3], [0, 0, 930])
