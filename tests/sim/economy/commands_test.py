import numpy as np
import pytest

from sc2impala.sim import functions, orders, results, unit_types
from tests.sim import players
from tests.sim.economy import helpers

IDLE_WORKER = functions.SELECT_IDLE_WORKER
SELECT, ADD, SELECT_ALL, ADD_ALL = range(4)


@pytest.fixture
def base():
    return helpers.Base()


def selected(base):
    return list(np.flatnonzero(base.units.selected[0]))


def test_idle_workers_are_selected_in_turn(base):
    workers = [base.put(unit_types.SCV, 34 + i, 30) for i in range(4)]
    base.order(workers[1], orders.MOVE, 36, 24)
    idle = [workers[i] for i in (0, 2, 3)]
    found = []
    for _ in range(4):
        assert base.act(IDLE_WORKER, select_worker=SELECT) == results.OK
        found += selected(base)
    assert found == idle + idle[:1]


def test_idle_workers_can_be_added_and_all_selected(base):
    workers = [base.put(unit_types.SCV, 34 + i, 30) for i in range(3)]
    marine = base.put(unit_types.MARINE, 36, 24)
    base.select(marine)
    base.act(IDLE_WORKER, select_worker=ADD)
    assert selected(base) == [workers[0], marine]
    base.act(IDLE_WORKER, select_worker=ADD)
    assert selected(base) == [workers[0], workers[1], marine]
    base.select(marine)
    base.act(IDLE_WORKER, select_worker=SELECT_ALL)
    assert selected(base) == workers
    base.select(marine)
    base.act(IDLE_WORKER, select_worker=ADD_ALL)
    assert selected(base) == workers + [marine]


def test_idle_workers_are_offered_while_there_are_some(base):
    assert IDLE_WORKER not in base.offers()
    scv = base.put(unit_types.SCV, 34, 30)
    base.select()
    assert IDLE_WORKER in base.offers()
    assert base.game.observe()['player'][0, 7] == 1
    base.order(scv, orders.GATHER, target=base.slot_at(24, 25.5))
    base.select()
    assert IDLE_WORKER not in base.offers()
    assert base.game.observe()['player'][0, 7] == 0


@pytest.mark.parametrize('act', [-1, 4, 2**62])
def test_unknown_acts_are_errors(base, act):
    base.put(unit_types.SCV, 34, 30)
    assert base.act(IDLE_WORKER, select_worker=act) == results.ERROR
    assert selected(base) == []


def test_a_click_prefers_units_to_buildings(base):
    marine = base.put(unit_types.MARINE, 33.1, 27.5)
    base.act(functions.SELECT_POINT, (33.1, 27.5))
    assert selected(base) == [marine]
    base.act(functions.SELECT_POINT, (31, 27.5))
    assert selected(base) == [base.slot_at(*helpers.COMMAND_CENTER)]


def test_a_rectangle_prefers_units_to_buildings(base):
    marine = base.put(unit_types.MARINE, 36, 27.5)
    center = base.slot_at(*helpers.COMMAND_CENTER)
    depot = base.put(unit_types.SUPPLY_DEPOT, 36, 31)
    base.act(functions.SELECT_RECT, (26, 32), screen2=base.pixel(37, 25))
    assert selected(base) == [marine]
    base.world.kill(helpers.GAME, np.array([marine]))
    base.act(functions.SELECT_RECT, (26, 32), screen2=base.pixel(37, 25))
    assert selected(base) == [center, depot]


def test_resources_cannot_be_selected(base):
    base.act(functions.SELECT_POINT, (24, 25.5))
    assert selected(base) == []


def test_select_army_takes_marines_only(base):
    base.put(unit_types.SCV, 34, 30)
    marine = base.put(unit_types.MARINE, 36, 24)
    base.act(functions.SELECT_ARMY)
    assert selected(base) == [marine]


def test_a_mixed_selection_offers_what_any_of_it_can_do(base):
    base.world.minerals[0] = 100
    scv, marine = base.put(unit_types.SCV, 34, 30), base.put(unit_types.MARINE, 36, 24)
    center = base.slot_at(*helpers.COMMAND_CENTER)
    base.select(scv, marine, center)
    offered = base.offers()
    for function in (functions.SELECT_UNIT, 264, 91, 490, 343, 331, 12):
        assert function in offered
    base.act(functions.MOVE_SCREEN, (38, 31))
    assert base.order_kind(scv) == base.order_kind(marine) == orders.MOVE
    base.act(functions.TRAIN_SCV_QUICK)
    assert base.world.minerals[0] == 50
    base.act(functions.HARVEST_GATHER_SCREEN, (42, 29.5))
    assert base.order_kind(scv) == orders.GATHER and base.order_kind(marine) == orders.MOVE


def test_functions_of_all_cards_are_carried_out_in_the_games_that_call_them():
    game = players.make(helpers.GAS, [1, 2, 3])
    game.reset()
    world = game._world
    center = 200 + 20
    world.units.selected[:, center] = True
    world.minerals[:] = 100
    game.act(np.array([functions.TRAIN_SCV_QUICK, functions.NO_OP, functions.TRAIN_SCV_QUICK]), {})
    np.testing.assert_array_equal(world.minerals, [50, 100, 50])
    length = (world.mechanics['production'].queue[:, center - 200] >= 0).sum(1)
    np.testing.assert_array_equal(length, [1, 0, 1])
