import numpy as np
import pytest

from sc2impala.sim import orders, unit_types
from sc2impala.sim.economy import fields
from sc2impala.sim.units import NO_UNIT
from tests.sim.economy import helpers

PLACES = {
    'centre': (23, 26.5),
    'near': (23, 28.5),
    'far': (25, 32.5),
    'right': (43, 26.5),
}


@pytest.fixture
def base():
    """A base with harvesters that change only by assignments of the test."""
    return helpers.Base()


def users(base, **numbers):
    """Assigns numbers of workers to fields, by index; returns the last worker of each field."""
    last = {}
    for name, number in numbers.items():
        for _ in range(number):
            scv = base.put(unit_types.SCV, 24.8, 27.5)
            base.g.phase[scv] = 2
            base.g.field[scv] = base.slot_at(*PLACES[name])
            last[name] = scv
    return last


def only(base, *names):
    slots = [base.slot_at(*PLACES[name]) for name in names]
    base.kill(*np.setdiff1d(base.slots(unit_types.MINERAL_FIELD), slots))
    return slots


def less_used(base, scv):
    return fields.less_used(base.g, base.rules, scv)


def replacement(base, scv):
    return fields.replacement(base.g, base.rules, scv)


def test_users_are_counted_by_field(base):
    users(base, centre=3, right=1)
    found = {name: fields.num_users(base.g, base.slot_at(*PLACES[name])) for name in PLACES}
    assert found == {'centre': 3, 'near': 0, 'far': 0, 'right': 1}


def test_it_pays_to_move_where_two_less_are(base):
    only(base, 'centre', 'near')
    last = users(base, centre=2)
    assert less_used(base, last['centre']) == base.slot_at(*PLACES['near'])
    users(base, near=1)
    assert less_used(base, last['centre']) == NO_UNIT
    users(base, centre=1)
    assert less_used(base, last['centre']) == base.slot_at(*PLACES['near'])


def test_of_equal_fields_the_nearest_is_chosen_within_the_range(base):
    only(base, 'centre', 'near', 'far', 'right')
    last = users(base, centre=4)
    assert less_used(base, last['centre']) == base.slot_at(*PLACES['near'])
    users(base, near=1)
    assert less_used(base, last['centre']) == base.slot_at(*PLACES['far'])
    users(base, near=5, far=6)
    assert less_used(base, last['centre']) == NO_UNIT


def test_a_field_that_is_gone_is_replaced_by_the_one_with_the_fewest_users(base):
    slots = only(base, 'centre', 'near', 'far', 'right')
    last = users(base, centre=1, near=2, far=1)
    base.kill(slots[0])
    found = replacement(base, last['centre'])
    assert found == base.slot_at(*PLACES['far'])
    base.kill(found)
    found = replacement(base, last['centre'])
    assert found == base.slot_at(*PLACES['near'])
    base.kill(found)
    assert replacement(base, last['centre']) == NO_UNIT


def test_a_worker_without_a_field_gets_no_replacement(base):
    scv = base.put(unit_types.SCV, 34, 30)
    assert replacement(base, scv) == NO_UNIT
    assert base.order_kind(scv) == orders.IDLE
