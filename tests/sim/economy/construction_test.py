import numpy as np
import pytest

from sc2impala.sim import functions, orders, protocol_codes, unit_types
from sc2impala.sim.feature_units import COLUMNS
from sc2impala.sim.units import NO_UNIT
from tests.sim.economy import helpers
from tests.sim.economy.helpers import BARRACKS, DEPOT, GATHER

COMMAND_CENTER = functions.BUILD_COMMAND_CENTER_SCREEN
REFINERY = functions.BUILD_REFINERY_SCREEN
PLACE = (37, 27)


@pytest.fixture
def base():
    return helpers.Base(minerals=1000)


def builder(base, x=34.5, y=24.5):
    scv = base.put(unit_types.SCV, x, y)
    base.select(scv)
    return scv


def started(base, function=DEPOT, place=PLACE, **position):
    """A worker that has started, and its building."""
    scv = builder(base, **position)
    assert base.act(function, place) == protocol_codes.OK
    base.run_until(lambda: base.g.bound[scv])
    return scv, int(base.g.order_target[scv, 0])


def test_a_worker_walks_there_pays_builds_and_idles(base):
    scv = builder(base)
    assert base.act(DEPOT, PLACE) == protocol_codes.OK
    base.run(2)
    assert base.g.minerals == 1000 and not base.slots(unit_types.SUPPLY_DEPOT).size
    base.run_until(lambda: base.slots(unit_types.SUPPLY_DEPOT).size)
    (depot,) = base.slots(unit_types.SUPPLY_DEPOT)
    assert base.where(depot) == (37, 27)
    assert base.g.minerals == 900
    away = np.abs(np.array(base.where(scv)) - PLACE).max() - 1
    assert 0.5 < away <= 0.75
    assert base.order_kind(scv) == orders.BUILD
    assert base.run_until(lambda: not base.g.unfinished[depot]) == 479
    assert protocol_codes.BUILDING_COMPLETE in base.game.observe()['alerts'][0]
    assert base.order_kind(scv) == orders.IDLE
    base.act(functions.NO_OP)
    assert not base.game.observe()['alerts'].any()


@pytest.mark.parametrize(
    'function, unit_type, place, cost, loops',
    [
        (DEPOT, unit_types.SUPPLY_DEPOT, (36, 27), 100, 480),
        (BARRACKS, unit_types.BARRACKS, (36.5, 27.5), 150, 1040),
        (REFINERY, unit_types.REFINERY, (39.5, 34.5), 75, 480),
        (COMMAND_CENTER, unit_types.COMMAND_CENTER, (35.5, 27.5), 400, 1600),
    ],
)
def test_costs_and_times(base, function, unit_type, place, cost, loops):
    base.put(unit_types.SUPPLY_DEPOT, 36, 22)
    _, building = started(base, function, place)
    begun = base.g.game_loop
    assert base.types[base.g.type[building]] == unit_type
    assert base.where(building) == place
    assert base.g.minerals == 1000 - cost
    assert base.g.spent_minerals == cost
    base.run_until(lambda: not base.g.unfinished[building])
    assert base.g.game_loop - begun == loops - 1


def test_a_building_at_the_lower_border():
    base = helpers.Base(helpers.MARINES, minerals=1000)
    base.put(unit_types.SUPPLY_DEPOT, 36, 22)
    _, barracks = started(base, BARRACKS, (30.5, 19.5))
    assert base.where(barracks) == (30.5, 19.5)
    base.run_until(lambda: not base.g.unfinished[barracks])
    base.select(barracks)
    base.act(functions.TRAIN_MARINE_QUICK)
    base.run(401)
    (marine,) = base.slots(unit_types.MARINE)
    assert base.g.y[marine] > 18.998


def test_health_grows_with_the_building(base):
    _, depot = started(base)
    assert base.g.health[depot] == pytest.approx(0.1 * 400, abs=1)
    base.run(240)
    assert base.g.health[depot] == pytest.approx(0.55 * 400, abs=1)
    base.g.health[depot] -= 50
    base.run(240)
    assert not base.g.unfinished[depot]
    assert base.g.health[depot] == pytest.approx(350)


def test_a_click_means_the_nearest_place_for_the_building(base):
    builder(base)
    base.act(DEPOT, (36.6, 27.4))
    base.run_until(lambda: base.slots(unit_types.SUPPLY_DEPOT).size)
    assert base.where(base.slots(unit_types.SUPPLY_DEPOT)[0]) == (37, 27)


@pytest.mark.parametrize(
    'function, place, code',
    [
        (DEPOT, helpers.COMMAND_CENTER, protocol_codes.CANT_BUILD_LOCATION_INVALID),
        (DEPOT, (24, 25.5), protocol_codes.CANT_BUILD_LOCATION_INVALID),
        (DEPOT, (36, 15), protocol_codes.CANT_BUILD_LOCATION_INVALID),
        (REFINERY, (36, 27), protocol_codes.CANT_BUILD_LOCATION_INVALID),
        (COMMAND_CENTER, (37.5, 27.5), protocol_codes.CANT_BUILD_TOO_CLOSE_TO_RESOURCES),
    ],
)
def test_a_click_that_fails_costs_nothing(base, function, place, code):
    scv = builder(base)
    assert base.act(function, place) == code
    assert base.game.observe()['action_result'][0, 0] == code
    base.run(100)
    assert base.order_kind(scv) == orders.IDLE
    assert base.g.minerals == 1000


def test_a_refinery_may_be_clicked_anywhere_on_the_geyser(base):
    builder(base, 38, 31)
    assert base.act(REFINERY, (38.4, 33.8)) == protocol_codes.OK
    base.run_until(lambda: base.slots(unit_types.REFINERY).size)
    assert base.where(base.slots(unit_types.REFINERY)[0]) == (39.5, 34.5)


def test_a_refinery_that_was_built_gives_gas(base):
    scv, refinery = started(base, REFINERY, (39.5, 34.5))
    base.run_until(lambda: not base.g.unfinished[refinery])
    base.act(GATHER, (39.5, 34.5))
    assert base.order_kind(scv) == orders.GATHER
    base.run_until(lambda: base.g.vespene, 500)
    assert base.g.vespene == 4


def test_money_that_is_gone_when_the_worker_arrives(base):
    scv = builder(base)
    base.act(DEPOT, PLACE)
    base.g.minerals = 99
    base.run_until(lambda: base.order_kind(scv) == orders.IDLE)
    assert base.game.observe()['action_result'][0, 0] == protocol_codes.NOT_ENOUGH_MINERALS
    assert not base.slots(unit_types.SUPPLY_DEPOT).size
    assert base.g.minerals == 99


def test_a_place_that_is_taken_when_the_worker_arrives(base):
    scv = builder(base)
    base.act(DEPOT, PLACE)
    base.put(unit_types.BARRACKS, 38.5, 27.5)
    base.run_until(lambda: base.order_kind(scv) == orders.IDLE)
    assert base.game.observe()['action_result'][0, 0] == protocol_codes.CANT_BUILD_LOCATION_INVALID
    assert base.g.minerals == 1000


def test_two_workers_cannot_build_in_one_place(base):
    one, two = builder(base, 34.5, 25.5), builder(base, 34.5, 26.5)
    base.select(one)
    base.act(DEPOT, PLACE)
    base.select(two)
    base.act(DEPOT, (38, 27))
    base.run(100)
    assert len(base.slots(unit_types.SUPPLY_DEPOT)) == 1
    assert base.g.minerals == 900
    assert sorted([base.order_kind(one), base.order_kind(two)]) == [orders.IDLE, orders.BUILD]


def test_barracks_need_a_complete_depot(base):
    scv, depot = started(base)
    other = builder(base)
    assert BARRACKS not in base.offers()
    base.run_until(lambda: not base.g.unfinished[depot])
    base.select(other)
    assert BARRACKS in base.offers()
    assert base.act(BARRACKS, (37.5, 31.5)) == protocol_codes.OK
    base.kill(depot)
    base.run_until(lambda: base.order_kind(other) == orders.IDLE)
    result = base.game.observe()['action_result'][0, 0]
    assert result == protocol_codes.BUILD_TECH_REQUIREMENTS_NOT_MET


def test_only_what_can_be_paid_is_offered():
    base = helpers.Base(helpers.MARINES, minerals=35)
    base.put(unit_types.SUPPLY_DEPOT, 36, 22)
    base.put(unit_types.MARINE, 36, 30)
    builder(base)
    # A recorded observation. [S] OBS
    assert base.offers() == [0, 1, 2, 3, 4, 6, 7, 264]
    base.g.minerals = 100
    base.select(*base.slots(unit_types.SCV))
    assert base.offers() == [0, 1, 2, 3, 4, 6, 7, 91, 264]
    base.g.minerals = 150
    base.select(*base.slots(unit_types.SCV))
    assert base.offers() == [0, 1, 2, 3, 4, 6, 7, 42, 91, 264]


def test_the_nearest_of_several_workers_builds(base):
    far, near = base.put(unit_types.SCV, 26, 31), base.put(unit_types.SCV, 35, 31)
    base.select(far, near)
    base.act(DEPOT, PLACE)
    assert base.order_kind(near) == orders.BUILD and base.order_kind(far) == orders.IDLE
    base.act(DEPOT, (37, 30))
    assert base.order_kind(far) == orders.BUILD


def test_builders_finish_before_they_execute_their_orders_and_can_halt(base):
    scv, depot = started(base)
    base.act(functions.MOVE_SCREEN, (34, 32))
    assert base.order_kind(scv) == orders.BUILD
    base.act(functions.STOP_QUICK)
    base.run(5)
    assert base.order_kind(scv) == orders.BUILD
    base.act(functions.MOVE_SCREEN, (34, 32), queued=1)
    assert functions.HALT_QUICK in base.offers()
    base.act(functions.HALT_QUICK)
    assert base.order_kind(scv) == orders.IDLE
    assert functions.HALT_QUICK not in base.offers()
    left = base.g.unfinished[depot]
    base.run(50)
    assert base.g.unfinished[depot] == left > 0
    assert base.g.builder[depot - 200] == NO_UNIT


def test_a_builder_takes_its_next_building_without_a_queue(base):
    """The last of several orders counts, as in the game (tl.net, topic 315271)."""
    scv, depot = started(base)
    assert DEPOT in base.offers()
    assert base.act(DEPOT, (34, 32)) == protocol_codes.OK
    assert base.act(DEPOT, (37, 31)) == protocol_codes.OK
    base.run_until(lambda: not base.g.unfinished[depot])
    assert base.order_kind(scv) == orders.BUILD
    base.run_until(lambda: len(base.slots(unit_types.SUPPLY_DEPOT)) == 2, 200)
    base.run_until(lambda: base.order_kind(scv) == orders.IDLE)
    assert {base.where(slot) for slot in base.slots(unit_types.SUPPLY_DEPOT)} == {PLACE, (37, 31)}


def test_queued_orders_follow(base):
    scv, depot = started(base)
    base.act(DEPOT, (37, 30), queued=1)
    base.act(GATHER, (42, 29.5), queued=1)
    base.run_until(lambda: len(base.slots(unit_types.SUPPLY_DEPOT)) == 2, 700)
    assert not base.g.unfinished[depot]
    base.run_until(lambda: base.order_kind(scv) == orders.GATHER, 700)


def test_another_worker_can_go_on(base):
    _, depot = started(base)
    base.act(functions.HALT_QUICK)
    base.run(2)
    left = base.g.unfinished[depot]
    other = builder(base, 36, 31)
    base.act(functions.SMART_SCREEN, PLACE)
    assert base.order_kind(other) == orders.BUILD
    base.run_until(lambda: base.g.unfinished[depot] < left, 100)
    base.run_until(lambda: not base.g.unfinished[depot])
    assert base.g.minerals == 900
    assert base.order_kind(other) == orders.IDLE


def test_one_worker_at_a_time_works_on_a_building(base):
    _, depot = started(base)
    other = builder(base, 36, 31)
    base.act(functions.SMART_SCREEN, PLACE)
    base.run_until(lambda: base.order_kind(other) == orders.IDLE, 100)
    before = base.g.unfinished[depot]
    base.run(10)
    assert base.g.unfinished[depot] == before - 10


def test_a_cancelled_building_vanishes_and_most_of_its_cost_comes_back(base):
    scv, depot = started(base)
    base.select(depot)
    assert base.offers() == [0, 1, 2, 3, 4, functions.CANCEL_QUICK]
    assert base.act(functions.CANCEL_QUICK) == protocol_codes.OK
    assert not base.slots(unit_types.SUPPLY_DEPOT).size
    assert base.g.minerals == 975
    assert base.g.spent_minerals == 25
    assert base.order_kind(scv) == orders.IDLE and base.g.solid[scv]
    base.select(scv)
    assert base.act(DEPOT, PLACE) == protocol_codes.OK


def test_a_complete_building_cannot_be_cancelled(base):
    depot = base.put(unit_types.SUPPLY_DEPOT, *PLACE)
    base.select(depot)
    assert base.offers() == [0, 1, 2, 3, 4]


def test_a_builder_that_dies_leaves_its_building_as_it_is(base):
    scv, depot = started(base)
    base.run(10)
    left = base.g.unfinished[depot]
    base.kill(scv)
    marine = base.put(unit_types.MARINE, 36, 32)
    assert marine == scv
    base.run(10)
    assert base.g.unfinished[depot] == left


def test_marines_make_room_and_their_orders_stay(base):
    idle, walking = base.put(unit_types.MARINE, 37, 27), base.put(unit_types.MARINE, 36.5, 27.5)
    base.order(walking, orders.PATROL, 36.5, 27.6)
    _, depot = started(base)
    base.run(10)
    for marine in (idle, walking):
        assert np.abs(np.array(base.where(marine)) - PLACE).max() > 1.37
    assert base.order_kind(walking) == orders.PATROL and base.order_kind(idle) == orders.IDLE


def test_there_is_room_for_no_more_than_the_slots():
    base = helpers.Base(minerals=1000)
    points = [(x, y) for x in range(30, 40) for y in range(1, 11)]
    for x, y in points[:79]:
        base.put(unit_types.SUPPLY_DEPOT, x, y)
    while not base.g.alive[helpers.FIRST_BUILDING :].all():
        base.put(unit_types.SUPPLY_DEPOT, 1, 60)
    scv = builder(base)
    base.act(DEPOT, PLACE)
    base.run_until(lambda: base.order_kind(scv) == orders.IDLE)
    assert base.g.minerals == 1000
    assert base.game.observe()['action_result'][0, 0] == protocol_codes.CANT_BUILD_LOCATION_INVALID


def test_what_the_player_sees_of_a_building_under_construction():
    layers = ('build_progress', 'unit_hit_points', 'unit_hit_points_ratio', 'active')
    base = helpers.Base(workers=12, minerals=1000, screen_layers=layers)
    base.select(0)
    base.act(DEPOT, PLACE)
    base.run_until(lambda: base.slots(unit_types.SUPPLY_DEPOT).size)
    base.run(239)
    (depot,) = base.slots(unit_types.SUPPLY_DEPOT)
    base.select(depot)
    seen = base.game.observe()
    column, row = base.pixel(*PLACE)
    screen = {name: picture[0, row, column] for name, picture in seen['screen'].items()}
    assert screen == {
        'build_progress': 127,
        'unit_hit_points': 220,
        'unit_hit_points_ratio': 140,
        'active': 0,
    }
    row = list(seen['single_select'][0, 0])
    assert row == [19, 1, 220, 0, 0, 0, 50]
    units = base.game.feature_units()[0]
    (unit,) = units[units[:, 0] == 19]
    assert unit[COLUMNS.index('build_progress')] == 50
    base.run(240)
    seen = base.game.observe()
    column, row = base.pixel(*PLACE)
    assert seen['screen']['build_progress'][0, row, column] == 0
    assert seen['screen']['unit_hit_points'][0, row, column] == 400
