"""Many units at once."""

from sc2impala.sim import orders
from tests.sim.battle import DUMMY, ENEMY, MARINE, SELF, ZERGLING, Battle


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
