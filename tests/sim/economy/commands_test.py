import numpy as np
import pytest

from sc2impala.sim import functions, orders, protocol_codes, unit_types
from sc2impala.sim.units import NO_UNIT
from tests.sim import players
from tests.sim.economy import helpers

IDLE_WORKER = functions.SELECT_IDLE_WORKER
SELECT, ADD, SELECT_ALL, ADD_ALL = range(4)


@pytest.fixture
def base():
    return helpers.Base()


def selected(base):
    return np.flatnonzero(base.g.selected).tolist()


def test_idle_workers_are_selected_in_turn(base):
    workers = [base.put(unit_types.SCV, 34 + i, 30) for i in range(4)]
    base.order(workers[1], orders.MOVE, 36, 24)
    idle = [workers[i] for i in (0, 2, 3)]
    found = []
    for _ in range(4):
        assert base.act(IDLE_WORKER, select_worker=SELECT) == protocol_codes.OK
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
    assert base.act(IDLE_WORKER, select_worker=act) == protocol_codes.ERROR
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
    base.kill(marine)
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
    base.g.minerals = 100
    scv, marine = base.put(unit_types.SCV, 34, 30), base.put(unit_types.MARINE, 36, 24)
    center = base.slot_at(*helpers.COMMAND_CENTER)
    base.select(scv, marine, center)
    offered = base.offers()
    for function in (functions.SELECT_UNIT, 264, 91, 490, 343, 331, 12):
        assert function in offered
    base.act(functions.MOVE_SCREEN, (38, 31))
    assert base.order_kind(scv) == base.order_kind(marine) == orders.MOVE
    base.act(functions.TRAIN_SCV_QUICK)
    assert base.g.minerals == 50
    base.act(functions.HARVEST_GATHER_SCREEN, (42, 29.5))
    assert base.order_kind(scv) == orders.GATHER and base.order_kind(marine) == orders.MOVE


def test_functions_of_all_cards_are_carried_out_in_the_games_that_call_them():
    game = players.make(helpers.GAS, [1, 2, 3])
    game.reset()
    center = 200 + 20
    for g in game.games:
        g.selected[center] = True
        g.minerals = 100
    game.act(np.array([functions.TRAIN_SCV_QUICK, functions.NO_OP, functions.TRAIN_SCV_QUICK]), {})
    assert [int(g.minerals) for g in game.games] == [50, 100, 50]
    assert [int((g.queue[center - 200] >= 0).sum()) for g in game.games] == [1, 0, 1]


def test_the_nearest_worker_builds_and_one_without_a_build_order_first(base):
    base.g.minerals = 300
    near, far = base.put(unit_types.SCV, 36, 30), base.put(unit_types.SCV, 36, 24)
    base.select(near, far)
    assert base.act(helpers.DEPOT, (37, 32)) == protocol_codes.OK
    assert [base.order_kind(slot) for slot in (near, far)] == [orders.BUILD, orders.IDLE]
    assert base.act(helpers.DEPOT, (37, 29)) == protocol_codes.OK
    assert [base.order_kind(slot) for slot in (near, far)] == [orders.BUILD, orders.BUILD]
    assert base.g.order_x[far, 0] == 37 and base.g.order_y[far, 0] == 29
    assert base.act(helpers.DEPOT, (24, 25.5)) == protocol_codes.CANT_BUILD_LOCATION_INVALID


@pytest.mark.parametrize(
    'point, code',
    [
        ((35, 24), protocol_codes.MUST_TARGET_RESOURCES),
        (helpers.COMMAND_CENTER, protocol_codes.MUST_TARGET_RESOURCES),
        ((26.5, 20.5), protocol_codes.MUST_BUILD_REFINERY_FIRST),
        ((24, 25.5), protocol_codes.OK),
    ],
)
def test_only_resources_are_gathered(base, point, code):
    scv = base.put(unit_types.SCV, 34, 30)
    base.select(scv)
    assert base.act(helpers.GATHER, point) == code
    assert base.order_kind(scv) == (orders.GATHER if code == protocol_codes.OK else orders.IDLE)


def test_only_cargo_is_returned_and_only_to_a_town_hall(base):
    full, empty = base.put(unit_types.SCV, 34, 30), base.put(unit_types.SCV, 36, 30)
    base.g.cargo[full] = 5
    base.select(full, empty)
    assert base.act(helpers.RETURN) == protocol_codes.OK
    assert [base.order_kind(slot) for slot in (full, empty)] == [orders.RETURN, orders.IDLE]
    base.kill(base.slot_at(*helpers.COMMAND_CENTER))
    assert base.act(helpers.RETURN) == protocol_codes.CANT_FIND_DROP_OFF


def test_a_smart_order_depends_on_unit_and_target(base):
    scv, marine = base.put(unit_types.SCV, 34, 30), base.put(unit_types.MARINE, 36, 24)
    center, field = base.slot_at(*helpers.COMMAND_CENTER), base.slot_at(24, 25.5)
    base.select(scv, marine, center)
    assert base.act(functions.SMART_SCREEN, (24, 25.5)) == protocol_codes.OK
    assert [base.order_kind(slot) for slot in (scv, marine)] == [orders.GATHER, orders.MOVE]
    assert base.g.order_target[scv, 0] == base.g.rally_target[center - 200] == field
    assert base.act(functions.SMART_SCREEN, (35, 26)) == protocol_codes.OK
    assert [base.order_kind(slot) for slot in (scv, marine)] == [orders.MOVE, orders.MOVE]
    assert base.g.has_rally[center - 200] and base.g.rally_target[center - 200] == NO_UNIT


@pytest.mark.parametrize('place, code', [(-1, 3), (0, 0), (1, 0), (2, 3), (2**62, 3)])
def test_units_in_training_are_cancelled_by_index(base, place, code):
    base.g.minerals = 100
    base.select(base.slot_at(*helpers.COMMAND_CENTER))
    for _ in range(2):
        assert base.act(functions.TRAIN_SCV_QUICK) == protocol_codes.OK
    assert base.act(functions.BUILD_QUEUE, build_queue_id=place) == code
    assert base.g.minerals == (50 if code == protocol_codes.OK else 0)
