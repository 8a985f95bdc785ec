import numpy as np
import pytest

from sc2impala.sim import protocol_codes, unit_types
from sc2impala.sim.economy import ground
from sc2impala.sim.units import NO_UNIT
from tests.sim.economy import sites

INVALID = protocol_codes.CANT_BUILD_LOCATION_INVALID
TOO_CLOSE = protocol_codes.CANT_BUILD_TOO_CLOSE_TO_RESOURCES


@pytest.fixture
def site():
    return sites.Site()


def can_build(site, unit_type, x, y):
    type_index = sites.TYPES.index(unit_type)
    return ground.can_build(site.g, site.rules, type_index, float(x), float(y))


def taken_cells(site):
    rows, columns = np.nonzero(site.g.taken)
    return set(zip(columns, rows))


def block(left, right, bottom, top):
    return {(x, y) for x in range(left, right) for y in range(bottom, top)}


def test_resources_and_the_command_center_stand_there_from_the_beginning(site):
    cells = taken_cells(site)
    assert block(28, 33, 25, 30) <= cells
    assert block(22, 24, 26, 27) <= cells
    assert block(25, 28, 19, 22) <= cells
    assert len(cells) == 25 + 16 * 2 + 4 * 9


def test_what_appears_takes_cells_and_what_dies_leaves_them(site):
    before = taken_cells(site)
    depot = site.put(unit_types.SUPPLY_DEPOT, 36, 27)
    assert taken_cells(site) - before == block(35, 37, 26, 28)
    site.kill(depot)
    site.run(1)
    assert taken_cells(site) == before


def test_the_geyser_stays_when_its_refinery_dies(site):
    before = taken_cells(site)
    refinery = site.put(unit_types.REFINERY, 26.5, 20.5)
    site.kill(refinery)
    site.run(1)
    assert taken_cells(site) == before


def test_the_ground_is_drawn_again_when_it_changes(site):
    site.g._ground_changed = False
    before = site.g.ground_version
    site.run(3)
    assert (site.g._ground_changed, site.g.ground_version) == (False, before)
    site.put(unit_types.SUPPLY_DEPOT, 36, 27)
    assert (site.g._ground_changed, site.g.ground_version) == (True, before + 1)


def test_where_there_is_room(site):
    for unit_type, x, y, code in [
        (unit_types.SUPPLY_DEPOT, 36, 27, protocol_codes.OK),
        (unit_types.SUPPLY_DEPOT, 34, 27, protocol_codes.OK),
        (unit_types.SUPPLY_DEPOT, 33, 27, INVALID),
        (unit_types.SUPPLY_DEPOT, 25, 26, INVALID),
        (unit_types.SUPPLY_DEPOT, 26, 26, protocol_codes.OK),
        (unit_types.SUPPLY_DEPOT, 36, 19, protocol_codes.OK),
        (unit_types.SUPPLY_DEPOT, 36, 18, INVALID),
        (unit_types.SUPPLY_DEPOT, 20, 36, protocol_codes.OK),
        (unit_types.SUPPLY_DEPOT, 19, 36, INVALID),
        (unit_types.SUPPLY_DEPOT, 36, 37, INVALID),
        (unit_types.SUPPLY_DEPOT, 0, 0, INVALID),
        (unit_types.SUPPLY_DEPOT, -30, 1000, INVALID),
        (unit_types.BARRACKS, 35.5, 27.5, protocol_codes.OK),
        (unit_types.BARRACKS, 33.5, 27.5, INVALID),
        (unit_types.COMMAND_CENTER, 35.5, 27.5, protocol_codes.OK),
        (unit_types.COMMAND_CENTER, 36.5, 27.5, TOO_CLOSE),
        (unit_types.COMMAND_CENTER, 34.5, 27.5, INVALID),
        (unit_types.COMMAND_CENTER, 33.5, 32.5, TOO_CLOSE),
        (unit_types.COMMAND_CENTER, 30.5, 33.5, TOO_CLOSE),
        (unit_types.REFINERY, 26.5, 20.5, protocol_codes.OK),
        (unit_types.REFINERY, 27.5, 20.5, INVALID),
        (unit_types.REFINERY, 36.5, 27.5, INVALID),
        (unit_types.REFINERY, 30.5, 27.5, INVALID),
    ]:
        assert can_build(site, unit_type, x, y) == code, unit_type


def test_one_refinery_per_geyser(site):
    site.put(unit_types.REFINERY, 26.5, 20.5)
    assert can_build(site, unit_types.REFINERY, 26.5, 20.5) == INVALID
    assert can_build(site, unit_types.REFINERY, 26.5, 34.5) == protocol_codes.OK


def test_the_unit_at_a_point(site):
    geyser = site.slot_of[(26.5, 20.5)]
    assert ground.fixed_at(site.g, site.rules, 26.5, 20.5) == geyser
    site.put(unit_types.REFINERY, 26.5, 20.5)
    assert ground.fixed_at(site.g, site.rules, 26.5, 20.5) == geyser
    site.put(unit_types.MARINE, 36.5, 20.5)
    assert ground.fixed_at(site.g, site.rules, 36.5, 20.5) == NO_UNIT


def test_segments_blocked_by_obstacles(site):
    for start, end, expected in [
        ((26.0, 27.5), (35.0, 27.5), True),
        ((26.0, 30.3), (35.0, 30.3), True),
        ((26.0, 30.375), (35.0, 30.375), False),
        ((26.0, 27.5), (27.625, 27.5), False),
        ((26.0, 27.5), (27.7, 27.5), True),
        ((30.5, 33.0), (30.5, 22.0), True),
        ((33.375, 33.0), (33.375, 22.0), False),
        ((27.7, 27.5), (26.0, 27.5), False),
        ((36.0, 24.0), (33.0, 31.0), True),
    ]:
        assert ground.crosses(site.g, *start, *end) == expected, start


def test_free_cells(site):
    assert ground.nearest_free_cell(site.g, site.rules, 36.2, 27.9) == (36.5, 27.5)
    # Of two cells with the same distance the first, counted from the bottom left.
    assert ground.nearest_free_cell(site.g, site.rules, 36.0, 27.5) == (35.5, 27.5)
    assert ground.nearest_free_cell(site.g, site.rules, 32.9, 27.4) == (33.5, 27.5)
    assert ground.nearest_free_cell(site.g, site.rules, 0.0, 0.0) == (20.5, 19.5)


def test_without_a_free_cell_the_point_itself_is_returned(site):
    site.g.taken[:] = True
    assert ground.nearest_free_cell(site.g, site.rules, 36.2, 27.9) == (36.2, 27.9)


def test_room_is_where_no_unit_stands_if_possible(site):
    site.put(unit_types.MARINE, 36.5, 27.5)
    assert ground.nearest_free_cell(site.g, site.rules, 36.4, 27.5) == (36.5, 27.5)
    assert ground.nearest_room(site.g, site.rules, 36.4, 27.5) == (35.5, 27.5)
    site.g.taken[:] = True
    site.g.taken[27, 36] = False
    assert ground.nearest_room(site.g, site.rules, 36.4, 27.5) == (36.5, 27.5)
