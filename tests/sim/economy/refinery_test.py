"""Vespene gas: refineries and the workers in them."""

import pytest

from sc2impala.sim import functions, orders, protocol_codes, unit_types
from sc2impala.sim.economy import harvesters
from tests.sim.economy import helpers


@pytest.fixture
def base():
    return helpers.Base()


def test_gas_comes_in_fours_from_a_refinery(base):
    refinery, (scv,) = helpers.tapped(base, 1)
    base.run_until(lambda: base.g.phase[scv] == harvesters.WORKING)
    assert base.g.inside[scv]
    assert base.run_until(lambda: base.g.phase[scv] != harvesters.WORKING) == 32
    assert not base.g.inside[scv]
    base.run_until(lambda: base.g.score)
    assert (base.g.vespene, base.g.minerals, base.g.score) == (4, 50, 4)
    assert base.g.contents[helpers.refinery_geyser(base) - 200] == 2246


def test_one_worker_at_a_time_is_in_a_refinery(base):
    _, workers = helpers.tapped(base, 4)
    for _ in range(500):
        base.run(1)
        assert base.g.inside.sum() <= 1
    assert base.g.vespene >= 40
    assert {int(base.g.field[scv]) for scv in workers} == set(base.slots(unit_types.REFINERY))


def test_three_workers_suffice_for_a_refinery():
    collected = {}
    for workers in (1, 2, 3, 4):
        base = helpers.Base()
        helpers.tapped(base, workers)
        base.run(200)
        before = base.g.vespene
        base.run(2000)
        collected[workers] = (base.g.vespene - before) * 960 / 2000
    assert 30 < collected[1] < 42
    assert collected[2] == pytest.approx(2 * collected[1], rel=0.1)
    assert collected[3] > 1.3 * collected[2]
    assert collected[4] == pytest.approx(min(120, collected[4]), rel=0.1)
    assert collected[4] < 1.25 * collected[3]


def test_workers_in_a_refinery_are_invisible(base):
    _, (scv,) = helpers.tapped(base, 1)
    base.run_until(lambda: base.g.inside[scv])
    x, y = base.where(scv)
    rows = base.game.feature_units()[0]
    assert unit_types.SCV.unit_type not in rows[:, 0]
    base.act(functions.SELECT_POINT, (x, y))
    assert not base.g.selected[scv]
    base.act(functions.SELECT_RECT, (x - 1, y + 1), screen2=base.pixel(x + 1, y - 1))
    assert not base.g.selected[scv]
    base.run_until(lambda: not base.g.inside[scv])
    assert unit_types.SCV.unit_type in base.game.feature_units()[0][:, 0]


def test_an_empty_geyser_sends_its_workers_away(base):
    _, workers = helpers.tapped(base, 2)
    base.g.contents[helpers.refinery_geyser(base) - 200] = 6
    base.act(functions.NO_OP)
    base.run_until(lambda: base.g.alerts[protocol_codes.VESPENE_EXHAUSTED])
    base.run(300)
    assert base.g.vespene == 6
    assert [base.order_kind(scv) for scv in workers] == [orders.IDLE] * 2


def test_workers_in_a_refinery_that_dies_come_out(base):
    refinery, (scv,) = helpers.tapped(base, 1)
    base.run_until(lambda: base.g.inside[scv])
    base.kill(refinery)
    base.run(1)
    assert not base.g.inside[scv]
    assert base.order_kind(scv) == orders.IDLE
