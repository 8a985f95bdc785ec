import numpy as np
import pytest

from sc2impala.sim import functions, orders, protocol_codes, unit_types
from sc2impala.sim.economy import ground, production
from sc2impala.sim.feature_units import COLUMNS
from tests.sim.economy import helpers

TRAIN_SCV, TRAIN_MARINE = functions.TRAIN_SCV_QUICK, functions.TRAIN_MARINE_QUICK


@pytest.fixture
def base():
    """A base without units and with its command center selected."""
    base = helpers.Base(minerals=1000)
    base.select(base.slot_at(*helpers.COMMAND_CENTER))
    return base


def some_barracks(base, x=37.5, y=26.5):
    base.put(unit_types.SUPPLY_DEPOT, 36, 22)
    barracks = base.put(unit_types.BARRACKS, x, y)
    base.select(barracks)
    return barracks


def queue(base, building):
    found = base.g.queue[building - 200]
    return [base.types[type_index].unit_type for type_index in found if type_index >= 0]


def food(base):
    """Supply used and provided, of the army and of workers."""
    player = base.game.observe()['player'][0]
    return list(player[3:7])


def test_a_worker_takes_seventeen_seconds_and_is_paid_at_once(base):
    assert base.act(TRAIN_SCV) == protocol_codes.OK
    assert base.g.minerals == 950
    loops = base.run_until(lambda: base.slots(unit_types.SCV).size)
    assert loops == 1 + 272
    assert base.g.owner[base.slots(unit_types.SCV)[0]] == unit_types.SELF
    assert list(base.game.observe()['alerts'][0, :2]) == [protocol_codes.TRAIN_WORKER_COMPLETE, 0]


def test_a_marine_takes_twenty_five_seconds(base):
    some_barracks(base)
    assert base.act(TRAIN_MARINE) == protocol_codes.OK
    assert base.g.minerals == 950
    assert base.run_until(lambda: base.slots(unit_types.MARINE).size) == 1 + 400
    assert list(base.game.observe()['alerts'][0, :2]) == [protocol_codes.TRAIN_UNIT_COMPLETE, 0]


def test_five_units_wait_their_turn_and_no_more(base):
    found = [base.act(TRAIN_SCV) for _ in range(6)]
    assert found == [protocol_codes.OK] * 5 + [protocol_codes.QUEUE_IS_FULL]
    assert base.g.minerals == 750
    times = []
    for _ in range(1400):
        before = len(base.slots(unit_types.SCV))
        base.run(1)
        if len(base.slots(unit_types.SCV)) > before:
            times.append(int(base.g.game_loop))
    assert times == [1 + 272 * i for i in range(1, 6)]


def test_the_shortest_queue_gets_the_unit(base):
    first = some_barracks(base)
    second = base.put(unit_types.BARRACKS, 37.5, 31.5)
    base.select(first, second)
    for _ in range(3):
        base.act(TRAIN_MARINE)
    assert (len(queue(base, first)), len(queue(base, second))) == (2, 1)


def test_supply_counts_units_in_training_but_not_those_that_wait(base):
    base.put(unit_types.MARINE, 36, 30)
    assert food(base) == [1, 15, 1, 0]
    for _ in range(3):
        base.act(TRAIN_SCV)
    base.run(1)
    assert food(base) == [2, 15, 1, 1]
    some_barracks(base)
    base.act(TRAIN_MARINE)
    base.run(1)
    assert food(base) == [3, 23, 2, 1]


def test_what_waits_for_supply_begins_when_there_is_some(base):
    for _ in range(3):
        base.act(TRAIN_SCV)
    for index in range(14):
        base.put(unit_types.MARINE, 34 + index % 4, 20 + index // 4)
    base.run(300)
    assert len(base.slots(unit_types.SCV)) == 1
    assert food(base)[:2] == [15, 15]
    base.run(300)
    assert len(base.slots(unit_types.SCV)) == 1
    base.put(unit_types.SUPPLY_DEPOT, 37, 30)
    assert base.run_until(lambda: len(base.slots(unit_types.SCV)) == 2) == 1 + 272


def test_of_two_queues_that_wait_the_supply_lets_one_begin(base):
    first = some_barracks(base)
    second = base.put(unit_types.BARRACKS, 37.5, 31.5)
    base.select(first, second)
    base.act(TRAIN_MARINE)
    base.act(TRAIN_MARINE)
    for index in range(22):
        base.put(unit_types.MARINE, 34 + index % 4, 20 + index // 4)
    base.run(1)
    assert list(base.g.training_until[[first - 200, second - 200]] > 0) == [True, False]
    assert food(base)[:2] == [23, 23]


def test_without_supply_nothing_more_is_ordered(base):
    for index in range(15):
        base.put(unit_types.MARINE, 34 + index % 4, 20 + index // 4)
    base.select(base.slot_at(*helpers.COMMAND_CENTER))
    assert TRAIN_SCV not in base.offers()
    scv = base.type_index(unit_types.SCV)
    assert production.order_error(base.g, base.rules, scv) == protocol_codes.NOT_ENOUGH_FOOD


def test_supply_has_a_limit():
    base = helpers.Base()
    for x in range(12):
        base.put(unit_types.COMMAND_CENTER, 100 + x, 0)
    assert base.game.observe()['player'][0, 4] == 195
    base.put(unit_types.SUPPLY_DEPOT, 120, 0)
    assert base.game.observe()['player'][0, 4] == 200


def test_unfinished_buildings_neither_train_nor_provide(base):
    barracks = some_barracks(base)
    base.g.unfinished[barracks] = 10
    base.select(barracks)
    assert base.offers() == [0, 1, 2, 3, 4, functions.CANCEL_QUICK]
    depot = base.slots(unit_types.SUPPLY_DEPOT)[0]
    base.g.unfinished[depot] = 10
    assert food(base)[1] == 15


def test_only_what_can_be_paid_is_offered(base):
    cards = [0, 1, 2, 3, 4, 343, 344, 451, 452]
    assert base.offers() == sorted(cards + [TRAIN_SCV])
    base.g.minerals = 49
    assert base.offers() == cards
    assert base.act(TRAIN_SCV) == protocol_codes.NOT_SUPPORTED


def test_the_last_of_a_queue_can_be_cancelled(base):
    assert functions.CANCEL_LAST_QUICK not in base.offers()
    base.act(TRAIN_SCV)
    base.act(TRAIN_SCV)
    base.run(100)
    assert functions.CANCEL_LAST_QUICK in base.offers()
    base.act(functions.CANCEL_LAST_QUICK)
    center = base.slot_at(*helpers.COMMAND_CENTER)
    assert queue(base, center) == [45]
    assert base.g.minerals == 950
    assert base.run_until(lambda: base.slots(unit_types.SCV).size) == 173
    base.act(TRAIN_SCV)
    base.act(functions.CANCEL_LAST_QUICK)
    base.run(300)
    assert len(base.slots(unit_types.SCV)) == 1
    assert base.g.minerals == 950


def test_any_of_a_queue_can_be_cancelled(base):
    center = base.slot_at(*helpers.COMMAND_CENTER)
    assert functions.BUILD_QUEUE not in base.offers()
    base.act(TRAIN_SCV)
    base.act(TRAIN_SCV)
    base.run(100)
    assert functions.BUILD_QUEUE in base.offers()
    assert base.act(functions.BUILD_QUEUE, build_queue_id=2) == protocol_codes.ERROR
    assert base.act(functions.BUILD_QUEUE, build_queue_id=0) == protocol_codes.OK
    assert queue(base, center) == [45]
    assert base.g.minerals == 950
    assert base.run_until(lambda: base.slots(unit_types.SCV).size) == 1 + 272


def test_the_queue_is_that_of_a_building_selected_alone(base):
    barracks = some_barracks(base)
    base.act(TRAIN_MARINE)
    base.select(barracks, base.slot_at(*helpers.COMMAND_CENTER))
    assert functions.BUILD_QUEUE not in base.offers()
    assert not base.game.observe()['build_queue'].any()
    assert functions.CANCEL_LAST_QUICK in base.offers()
    base.act(functions.CANCEL_LAST_QUICK)
    assert queue(base, barracks) == []


def test_observed_queues(base):
    base.act(TRAIN_SCV)
    base.act(TRAIN_SCV)
    base.run(1 + 68)
    seen = base.game.observe()
    assert seen['build_queue_count'] == 2
    rows = [[45, 1, 45, 0, 0, 0, 25], [45, 1, 45, 0, 0, 0, 0]] + [[0] * 7] * 3
    np.testing.assert_array_equal(seen['build_queue'][0], rows)
    np.testing.assert_array_equal(seen['production_queue'][0], [[524, 25], [524, 0]] + [[0, 0]] * 3)
    units = base.game.feature_units()[0]
    (row,) = units[units[:, 0] == unit_types.COMMAND_CENTER.unit_type]
    assert row[COLUMNS.index('order_length')] == 2
    assert row[COLUMNS.index('order_progress_0')] == 25
    assert row[COLUMNS.index('active')] == 1
    some_barracks(base)
    base.act(TRAIN_MARINE)
    assert list(base.game.observe()['production_queue'][0, 0]) == [560, 0]


def test_a_building_that_dies_takes_its_queue_along(base):
    center = base.slot_at(*helpers.COMMAND_CENTER)
    base.act(TRAIN_SCV)
    base.run(10)
    base.kill(center)
    base.run(400)
    assert not base.slots(unit_types.SCV).size
    assert base.g.minerals == 950
    assert food(base) == [0, 0, 0, 0]


def test_without_a_rally_point_units_wait_beside_their_building(base):
    base.act(TRAIN_SCV)
    base.act(TRAIN_SCV)
    base.run(600)
    one, two = base.slots(unit_types.SCV)
    for scv in (one, two):
        away = np.abs(np.array(base.where(scv)) - helpers.COMMAND_CENTER).max()
        assert away == pytest.approx(3)
        assert base.order_kind(scv) == orders.IDLE
    # The bottom left corner is used first, then the cell next to it.
    assert base.where(one) == (27.5, 24.5)
    assert np.hypot(*np.subtract(base.where(one), base.where(two))) == pytest.approx(1)


def test_units_go_to_the_rally_point(base):
    barracks = some_barracks(base)
    base.act(functions.RALLY_UNITS_SCREEN, (34, 32))
    base.act(TRAIN_MARINE)
    base.run_until(lambda: base.slots(unit_types.MARINE).size)
    (marine,) = base.slots(unit_types.MARINE)
    assert base.order_kind(marine) == orders.MOVE
    x, y = base.where(marine)
    assert x < 36.5 and y > 27.5
    base.run(100)
    np.testing.assert_allclose(base.where(marine), (34, 32), atol=0.2)
    base.act(functions.RALLY_UNITS_MINIMAP, minimap=np.array([36, 64 - 35]))
    point = base.g.rally_x[barracks - 200], base.g.rally_y[barracks - 200]
    np.testing.assert_allclose(point, (36.5, 34.5))


def test_workers_that_rally_to_a_field_harvest_it(base):
    base.act(functions.RALLY_WORKERS_SCREEN, (23, 26.5))
    base.act(TRAIN_SCV)
    base.run_until(lambda: base.slots(unit_types.SCV).size)
    (scv,) = base.slots(unit_types.SCV)
    assert base.order_kind(scv) == orders.GATHER
    base.run_until(lambda: base.g.score == 5)
    field = base.slot_at(23, 26.5)
    assert base.g.contents[field - 200] == 1795


def test_a_rally_field_that_is_gone_is_a_place_like_others(base):
    base.act(functions.RALLY_WORKERS_SCREEN, (23, 26.5))
    base.act(TRAIN_SCV)
    base.kill(base.slot_at(23, 26.5))
    base.run_until(lambda: base.slots(unit_types.SCV).size)
    (scv,) = base.slots(unit_types.SCV)
    assert base.order_kind(scv) == orders.MOVE
    base.run(100)
    np.testing.assert_allclose(base.where(scv), (23, 26.5), atol=0.2)


def test_smart_sets_rally_points(base):
    center = base.slot_at(*helpers.COMMAND_CENTER)
    base.act(functions.SMART_SCREEN, (24, 25.5))
    assert base.g.rally_target[center - 200] == base.slot_at(24, 25.5)


def test_a_rally_point_outside_is_moved_inside(base):
    center = base.slot_at(*helpers.COMMAND_CENTER)
    base.act(functions.RALLY_WORKERS_MINIMAP, minimap=np.array([0, 0]))
    point = base.g.rally_x[center - 200], base.g.rally_y[center - 200]
    np.testing.assert_array_equal(point, (19.936, 36.998))


def test_new_units_appear_at_free_cells(base):
    taken = [(27.5, 24.5), (27.5, 25.5), (28.5, 24.5)]
    for point in taken:
        base.put(unit_types.MARINE, *point)
    base.act(TRAIN_SCV)
    base.run_until(lambda: base.slots(unit_types.SCV).size)
    (scv,) = base.slots(unit_types.SCV)
    gaps = [np.hypot(*np.subtract(base.where(scv), point)) for point in taken]
    assert min(gaps) >= 0.75


def test_a_building_that_is_walled_in_lets_its_units_out_elsewhere(base):
    for point in [(35, 25), (37, 25), (39, 25), (40, 27), (40, 29), (38, 30), (36, 30), (35, 28)]:
        base.put(unit_types.SUPPLY_DEPOT, *point)
    base.put(unit_types.SUPPLY_DEPOT, 35, 27)
    barracks = base.put(unit_types.BARRACKS, 37.5, 27.5)
    base.select(barracks)
    base.act(TRAIN_MARINE)
    base.run_until(lambda: base.slots(unit_types.MARINE).size)
    (marine,) = base.slots(unit_types.MARINE)
    assert ground.box_at(base.g, *base.where(marine)) < 0
    assert np.abs(np.subtract(base.where(marine), (37.5, 27.5))).max() > 3.5


def test_what_was_trained_is_counted(base):
    some_barracks(base)
    for _ in range(3):
        base.act(TRAIN_MARINE)
    base.run(1250)
    trained = base.g.trained
    assert trained[base.types.index(unit_types.MARINE)] == 3
    assert trained.sum() == 3
