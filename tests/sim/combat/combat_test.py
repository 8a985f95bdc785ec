import numpy as np
import pytest

from sc2impala.sim import geometry, orders
from sc2impala.sim.combat import targets
from sc2impala.sim.units import NO_UNIT
from tests.sim.battle import BANELING, DUMMY, ENEMY, MARINE, ROACH, SELF, ZERGLING, Battle

TOUCH = 0.75
"""Distance of the centres of two touching units of radius 0.375."""
LATE = ROACH._replace(unit_type=2, damage_point=10, missile_speed=0.0, backswing=0, speed=0.0)
"""A unit with an instant weapon and a late damage point."""


def a_marine_and(gap, unit_type=DUMMY, owner=ENEMY, **options):
    reach = MARINE.radius + unit_type.radius
    return Battle((MARINE, SELF, 30, 28), (unit_type, owner, 30 + reach + gap, 28), **options)


# Target acquisition.


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
    battle.put_at(1, 30.75 + targets.PURSUIT_RANGE - 0.1, 28)
    battle.run()
    assert battle.target(0) == 1
    battle.put_at(1, 30.75 + targets.PURSUIT_RANGE + 1, 28)
    battle.run()
    assert battle.target(0) == NO_UNIT


# Orders to attack a unit.


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


# Attack timing.


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


def test_a_roach_hits_once_per_period():
    pauses = []
    for seed in range(20):
        battle = Battle((DUMMY, SELF, 30, 28), (ROACH, ENEMY, 33, 28), seed=seed)
        pauses += list(np.diff(battle.hits(400, slot=0)))
    assert set(pauses) == {31, 32, 33}


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


# Damage.


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


# Idle units.


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


# Crowds.


def test_the_dead_leave_selection_and_groups_and_orders_on_them_are_dropped():
    weak = MARINE._replace(health=6)
    battle = Battle((MARINE, ENEMY, 30, 28), (weak, SELF, 33, 28), (MARINE, SELF, 43, 36))
    g = battle.g
    g.selected[1] = g.control_groups[3, 1] = True
    battle.order(orders.ATTACK, [2], target=1)
    battle.run_until(lambda: not battle.alive(1), limit=10)
    assert not g.selected.any() and not g.control_groups.any()
    assert g.order_kind[2, 0] == orders.IDLE
    assert battle.died().tolist() == [False, True, False]


def test_a_pack_surrounds_its_victim():
    pack = [(ZERGLING, ENEMY, 33 + 0.8 * (slot % 3), 27.2 + 0.8 * (slot // 3)) for slot in range(6)]
    battle = Battle((DUMMY, SELF, 30, 28), *pack)
    battle.run(48)
    bites = {slot for slot in range(1, 7) if battle.gap(slot, 0) <= 0.1}
    # Six would need more precision than a pack has.
    assert len(bites) >= 5
    assert max(battle.where(slot)[0] for slot in bites) > 30.3
    assert min(battle.where(slot)[0] for slot in bites) < 30


def test_a_pack_stays_inside_the_region():
    pack = [(ZERGLING, ENEMY, 25 + 0.8 * (slot % 3), 35.9 - 0.8 * (slot // 3)) for slot in range(9)]
    battle = Battle((DUMMY, SELF, 22.4, 35.8), *pack)
    for _ in range(80):
        battle.run()
        x, y = battle.g.x[battle.slots], battle.g.y[battle.slots]
        assert x.min() >= 22 and y.max() <= 36


def test_firing_units_are_not_pushed():
    battle = Battle(
        (MARINE, SELF, 30, 28),
        (MARINE, SELF, 26, 28.1),
        (DUMMY, ENEMY, 34, 28),
        (DUMMY, ENEMY, 41, 28),
    )
    battle.run(10)
    assert battle.where(0) == (30, 28)
    battle.order(orders.MOVE, [1], point=(36, 28.1))
    for _ in range(80):
        battle.run()
        assert battle.where(0) == (30, 28)
    assert battle.where(1)[0] > 31


def test_fighters_are_found_wherever_they_appear():
    battle = Battle((MARINE, SELF, 30, 28), (ZERGLING, ENEMY, 43, 21), (ZERGLING, ENEMY, 43, 22))
    battle.run(5)
    battle.kill(1, 2)
    battle.run(5)
    battle.create(2, ZERGLING, ENEMY, 31.0, 28.0)
    battle.run(20)
    assert battle.health(0) < 45 and battle.health(2) < 35
