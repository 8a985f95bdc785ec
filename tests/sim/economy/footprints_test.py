import pytest

from sc2impala.sim import unit_types
from sc2impala.sim.economy import footprints
from tests.sim.economy import sites


@pytest.fixture(scope='module')
def table():
    return sites.make_rules()


def type_of(unit_type):
    return sites.TYPES.index(unit_type)


@pytest.mark.parametrize(
    'unit_type, point, middle',
    [
        (unit_types.SUPPLY_DEPOT, (30.4, 25.6), (30, 26)),
        (unit_types.SUPPLY_DEPOT, (30.5, 25.49), (31, 25)),
        (unit_types.BARRACKS, (30.01, 25.99), (30.5, 25.5)),
        (unit_types.COMMAND_CENTER, (30.9, 25.0), (30.5, 25.5)),
        (unit_types.MINERAL_FIELD, (30.4, 25.6), (30, 25.5)),
    ],
)
def test_middles_are_on_lines_or_between_them(table, unit_type, point, middle):
    assert footprints.snap(table[0], type_of(unit_type), *point) == middle


@pytest.mark.parametrize(
    'unit_type, centre, block',
    [
        (unit_types.SUPPLY_DEPOT, (30.0, 26.0), (29, 31, 25, 27)),
        (unit_types.BARRACKS, (30.5, 25.5), (29, 32, 24, 27)),
        (unit_types.COMMAND_CENTER, (30.5, 27.5), (28, 33, 25, 30)),
        (unit_types.MINERAL_FIELD, (23.0, 26.5), (22, 24, 26, 27)),
        (unit_types.VESPENE_GEYSER, (26.5, 20.5), (25, 28, 19, 22)),
    ],
)
def test_cells_that_are_covered(table, unit_type, centre, block):
    assert footprints.cells(table[0], type_of(unit_type), *centre, 0) == block
    left, right, bottom, top = block
    beside = footprints.cells(table[0], type_of(unit_type), *centre, 1)
    assert beside == (left - 1, right + 1, bottom - 1, top + 1)


@pytest.mark.parametrize(
    'centre, block', [((1.0, 0.0), (0, 4, 0, 3)), ((63.0, 64.0), (60, 64, 61, 64))]
)
def test_cells_outside_the_map_are_left_out(table, centre, block):
    assert footprints.cells(table[0], type_of(unit_types.SUPPLY_DEPOT), *centre, 2) == block


def test_room_around_resources_has_no_corners(table):
    closed = {
        (x, y)
        for x in range(64)
        for y in range(64)
        if footprints.is_closed(table[0], type_of(unit_types.MINERAL_FIELD), 23.0, 26.5, x, y)
    }
    block = {(x, y) for x in range(19, 27) for y in range(23, 30)}
    assert closed == block - {(19, 23), (26, 23), (19, 29), (26, 29)}
