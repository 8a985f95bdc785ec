import numpy as np
import pytest

from sc2impala.sim import orders, unit_types
from sc2impala.sim.economy import fields
from tests.sim.economy import helpers

CENTRE = (23, 26.5)


@pytest.fixture
def base():
    """A base with harvesters that change only by assignments of the test."""
    return helpers.Base()


def users(base, **numbers):
    """Assigns numbers of workers to fields, by index; returns the last worker of each field."""
    harvesting = base.mechanics['harvesting']
    last = {}
    for name, number in numbers.items():
        for _ in range(number):
            scv = base.put(unit_types.SCV, 24.8, 27.5)
            harvesting.phase[0, scv] = 2
            harvesting.field[0, scv] = base.slot_at(*PLACES[name])
            last[name] = scv
    return last


PLACES = {
    'centre': (23, 26.5),
    'near': (23, 28.5),
    'far': (25, 32.5),
    'right': (43, 26.5),
}


def only(base, *names):
    slots = [base.slot_at(*PLACES[name]) for name in names]
    others = np.setdiff1d(base.slots(unit_types.MINERAL_FIELD), slots)
    base.world.kill(np.zeros_like(others), others)
    return slots


def less_used(base, scv):
    better, field = fields.less_used(
        base.mechanics['harvesting'], base.world, helpers.GAME, np.array([scv])
    )
    return int(field[0]) if better[0] else None


def test_users_are_counted_by_field():
    base = helpers.Base()
    users(base, centre=3, right=1)
    harvesting = base.mechanics['harvesting']
    found = fields.num_users(harvesting, harvesting.field)[0]
    assert found[base.slot_at(*CENTRE) - 200] == 3
    assert found[base.slot_at(43, 26.5) - 200] == 1
    assert found.sum() == 4


def test_it_pays_to_move_where_two_less_are(base):
    only(base, 'centre', 'near')
    last = users(base, centre=2)
    assert less_used(base, last['centre']) == base.slot_at(*PLACES['near'])
    users(base, near=1)
    assert less_used(base, last['centre']) is None
    users(base, centre=1)
    assert less_used(base, last['centre']) == base.slot_at(*PLACES['near'])


def test_of_equal_fields_the_nearest_is_chosen_within_the_range(base):
    only(base, 'centre', 'near', 'far', 'right')
    last = users(base, centre=4)
    assert less_used(base, last['centre']) == base.slot_at(*PLACES['near'])
    users(base, near=1)
    assert less_used(base, last['centre']) == base.slot_at(*PLACES['far'])
    users(base, near=5, far=6)
    assert less_used(base, last['centre']) is None


def test_a_field_that_is_gone_is_replaced_by_the_one_with_the_fewest_users(base):
    slots = only(base, 'centre', 'near', 'far', 'right')
    last = users(base, centre=1, near=2, far=1)
    harvesting = base.mechanics['harvesting']
    base.world.kill(helpers.GAME, np.array(slots[:1]))
    found = fields.replacement(harvesting, base.world, 0, last['centre'])
    assert found == base.slot_at(*PLACES['far'])
    base.world.kill(helpers.GAME, np.array([found]))
    found = fields.replacement(harvesting, base.world, 0, last['centre'])
    assert found == base.slot_at(*PLACES['near'])
    base.world.kill(helpers.GAME, np.array([found]))
    assert fields.replacement(harvesting, base.world, 0, last['centre']) is None


def test_a_worker_without_a_field_gets_no_replacement(base):
    scv = base.put(unit_types.SCV, 34, 30)
    assert fields.replacement(base.mechanics['harvesting'], base.world, 0, scv) is None
    assert base.order_kind(scv) == orders.IDLE
