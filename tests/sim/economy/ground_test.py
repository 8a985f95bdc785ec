import numpy as np
import pytest

from sc2impala.sim import layers, orders, results, unit_types
from sc2impala.sim.economy.ground import EVICTION_SPEED
from tests.sim import players
from tests.sim.economy import helpers

INVALID = results.CANT_BUILD_LOCATION_INVALID
TOO_CLOSE = results.CANT_BUILD_TOO_CLOSE_TO_RESOURCES


@pytest.fixture
def base():
    return helpers.Base()


def can_build(base, unit_type, x, y):
    type_index = base.units.types.index(unit_type)
    return base.mechanics['ground'].can_build(base.world, 0, type_index, np.array([x, y], float))


def taken_cells(base):
    rows, columns = np.nonzero(base.mechanics['ground'].taken[0])
    return set(zip(columns, rows))


def block(left, right, bottom, top):
    return {(x, y) for x in range(left, right) for y in range(bottom, top)}


def inside(base, slot, x, y, half):
    """The depth of the centre of a unit inside of the box around a building."""
    away = np.abs(np.array(base.where(slot)) - (x, y))
    return (half + 0.375 - away).min()


def test_resources_and_the_command_center_stand_there_from_the_beginning(base):
    cells = taken_cells(base)
    assert block(28, 33, 25, 30) <= cells
    assert block(22, 24, 26, 27) <= cells
    assert block(25, 28, 19, 22) <= cells
    assert len(cells) == 25 + 16 * 2 + 4 * 9


def test_what_appears_takes_cells_and_what_dies_leaves_them(base):
    before = taken_cells(base)
    depot = base.put(unit_types.SUPPLY_DEPOT, 36, 27)
    assert taken_cells(base) - before == block(35, 37, 26, 28)
    base.world.kill(helpers.GAME, np.array([depot]))
    base.run(1)
    assert taken_cells(base) == before


def test_the_geyser_stays_when_its_refinery_dies(base):
    before = taken_cells(base)
    refinery = base.put(unit_types.REFINERY, 26.5, 20.5)
    base.world.kill(helpers.GAME, np.array([refinery]))
    base.run(1)
    assert taken_cells(base) == before


@pytest.mark.parametrize(
    'unit_type, x, y, code',
    [
        (unit_types.SUPPLY_DEPOT, 36, 27, results.OK),
        (unit_types.SUPPLY_DEPOT, 34, 27, results.OK),
        (unit_types.SUPPLY_DEPOT, 33, 27, INVALID),
        (unit_types.SUPPLY_DEPOT, 25, 26, INVALID),
        (unit_types.SUPPLY_DEPOT, 26, 26, results.OK),
        (unit_types.SUPPLY_DEPOT, 36, 20, results.OK),
        (unit_types.SUPPLY_DEPOT, 36, 19, INVALID),
        (unit_types.SUPPLY_DEPOT, 21, 36, results.OK),
        (unit_types.SUPPLY_DEPOT, 20, 36, INVALID),
        (unit_types.SUPPLY_DEPOT, 36, 37, INVALID),
        (unit_types.SUPPLY_DEPOT, 0, 0, INVALID),
        (unit_types.BARRACKS, 35.5, 27.5, results.OK),
        (unit_types.BARRACKS, 33.5, 27.5, INVALID),
        (unit_types.COMMAND_CENTER, 35.5, 27.5, results.OK),
        (unit_types.COMMAND_CENTER, 36.5, 27.5, TOO_CLOSE),
        (unit_types.COMMAND_CENTER, 34.5, 27.5, INVALID),
        (unit_types.COMMAND_CENTER, 33.5, 32.5, TOO_CLOSE),
        (unit_types.COMMAND_CENTER, 30.5, 33.5, TOO_CLOSE),
        (unit_types.REFINERY, 26.5, 20.5, results.OK),
        (unit_types.REFINERY, 27.5, 20.5, INVALID),
        (unit_types.REFINERY, 36.5, 27.5, INVALID),
    ],
)
def test_where_there_is_room(base, unit_type, x, y, code):
    assert can_build(base, unit_type, x, y) == code


def test_one_refinery_per_geyser(base):
    base.put(unit_types.REFINERY, 26.5, 20.5)
    assert can_build(base, unit_types.REFINERY, 26.5, 20.5) == INVALID
    assert can_build(base, unit_types.REFINERY, 26.5, 34.5) == results.OK


def test_the_ground_of_one_game_is_not_that_of_another():
    base = helpers.Base()
    other = helpers.Base()
    base.put(unit_types.SUPPLY_DEPOT, 36, 27)
    assert can_build(base, unit_types.SUPPLY_DEPOT, 36, 27) == INVALID
    assert can_build(other, unit_types.SUPPLY_DEPOT, 36, 27) == results.OK


@pytest.mark.parametrize(
    'start, end, expected',
    [
        ((26, 27.5), (35, 27.5), True),
        ((26, 30.3), (35, 30.3), True),
        ((26, 30.375), (35, 30.375), False),
        ((26, 27.5), (27.625, 27.5), False),
        ((26, 27.5), (27.7, 27.5), True),
        ((30.5, 33), (30.5, 22), True),
        ((33.375, 33), (33.375, 22), False),
        ((27.7, 27.5), (26, 27.5), False),
        ((36, 24), (33, 31), True),
    ],
)
def test_segments_blocked_by_obstacles(base, start, end, expected):
    ground = base.mechanics['ground']
    points = [np.array(point, float)[:, None] for point in (start, end)]
    assert ground.crosses(helpers.GAME, *points)[0] == expected


def test_units_leave_a_place_that_is_built_on(base):
    marines = [base.put(unit_types.MARINE, *point) for point in [(36, 24), (37.2, 24.9)]]
    base.put(unit_types.BARRACKS, 36.5, 24.5)
    before = [np.array(base.where(marine)) for marine in marines]
    base.run(1)
    for marine, was in zip(marines, before):
        assert np.hypot(*(np.array(base.where(marine)) - was)) <= EVICTION_SPEED + 1e-9
    base.run(4)
    for marine in marines:
        assert abs(inside(base, marine, 36.5, 24.5, 1.5)) < 1e-6
        assert base.order_kind(marine) == 0
    there = [base.where(marine) for marine in marines]
    base.run(20)
    assert [base.where(marine) for marine in marines] == there


def test_units_leave_towards_a_side_that_is_free(base):
    base.put(unit_types.BARRACKS, 33.5, 34.5)
    base.put(unit_types.BARRACKS, 39.5, 31.5)
    marine = base.put(unit_types.MARINE, 38, 34.5)
    base.put(unit_types.BARRACKS, 39.5, 34.5)
    base.put(unit_types.BARRACKS, 36.5, 34.5)
    base.run(10)
    for x, y in [(33.5, 34.5), (36.5, 34.5), (39.5, 34.5), (39.5, 31.5)]:
        assert inside(base, marine, x, y, 1.5) < 1e-6


def test_exits_avoid_units_that_cannot_be_pushed(base):
    base.order(base.put(unit_types.MARINE, 35.4, 24.5), orders.HOLD)
    marine = base.put(unit_types.MARINE, 36.16, 24.5)
    base.put(unit_types.SUPPLY_DEPOT, 37, 24)
    base.run(4)
    assert inside(base, marine, 37, 24, 1) < 1e-6
    assert base.where(marine)[1] == pytest.approx(25.375)


def test_harvesters_are_not_pushed_but_walk_out(base):
    scv = base.put(unit_types.SCV, 26.8, 27.2)
    base.order(scv, orders.GATHER, target=base.slot_at(23, 26.5))
    base.run(1)
    base.put(unit_types.SUPPLY_DEPOT, 27, 28)
    at = np.array(base.where(scv))
    base.run(1)
    assert np.hypot(*(np.array(base.where(scv)) - at)) < 0.176
    base.run_until(lambda: inside(base, scv, 27, 28, 1) < 1e-6, 60)


def test_cells_of_buildings_are_neither_buildable_nor_pathable():
    game = players.make(
        helpers.GAS, [0], screen_layers=('buildable',), minimap_layers=tuple(layers.MINIMAP_SCALES)
    )
    game.reset()
    minimap = game.observe()['minimap']
    for name in ('pathable', 'buildable'):
        assert minimap[name].sum() == 26 * 18 - 25 - 32 - 36
        assert not minimap[name][0, 64 - 28, 30]
        assert minimap[name][0, 64 - 28, 35]
    assert not game.observe()['screen']['buildable'][0, 33, 33]
