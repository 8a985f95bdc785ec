import math

import numpy as np
import pytest

from sc2impala.sim import kernels, protocol_codes, unit_types
from tests.sim.economy import helpers

INVALID = protocol_codes.CANT_BUILD_LOCATION_INVALID
X, Y = helpers.COMMAND_CENTER


@pytest.fixture
def base():
    return helpers.Base(minerals=1000)


def check(base, unit_type, x, y):
    codes = np.zeros([1], np.int64)
    type_index = base.type_index(unit_type)
    base.game.run(kernels.build_economy().check_site, type_index, float(x), float(y), codes)
    return codes[0]


def way(base, start, end):
    points = [float(coordinate) for coordinate in start + end]
    lengths = np.full([1], np.nan)
    base.game.run(kernels.build_economy().find_way, *points, lengths)
    return lengths[0]


def test_the_location_of_a_building_is_checked_first_then_its_cost(base):
    assert check(base, unit_types.SUPPLY_DEPOT, X, Y + 6) == protocol_codes.OK
    assert check(base, unit_types.SUPPLY_DEPOT, X, Y) == INVALID
    base.g.minerals = 0
    assert check(base, unit_types.SUPPLY_DEPOT, X, Y + 6) == protocol_codes.NOT_ENOUGH_MINERALS
    assert check(base, unit_types.SUPPLY_DEPOT, X, Y) == INVALID


def test_a_building_may_be_asked_for_beside_its_grid(base):
    # Only the cells 35, 36 are free of the depots on both sides, so that the centre is x = 36.
    for x in (34, 38):
        base.put(unit_types.SUPPLY_DEPOT, x, 33)
    for x, code in (
        (35.6, protocol_codes.OK),
        (36.4, protocol_codes.OK),
        (35.4, INVALID),
        (36.6, INVALID),
    ):
        assert check(base, unit_types.SUPPLY_DEPOT, x, 33.3) == code, x


def test_a_way_on_open_ground_is_straight(base):
    assert way(base, (36, 25), (39, 29)) == 5
    assert way(base, (36.25, 25), (36.25, 25)) == 0


def test_a_way_leads_around_buildings(base):
    straight = 8
    found = way(base, (X - 4, Y), (X + 4, Y))
    assert straight < found < 2 * straight
    assert found == int(found)


def test_a_way_out_of_a_building_begins_beside_it(base):
    assert way(base, (X, Y), (X, Y + 6)) == 6  # Boxes around the start block nothing.
    corner = X - 2, Y
    assert 6 <= way(base, corner, (X + 4, Y)) < math.inf


def test_without_a_way_the_length_is_zero(base):
    # Depots around the cells 39, 40 in both directions.
    for x in (38, 40, 42):
        for y in (30, 32, 34):
            if (x, y) != (40, 32):
                base.put(unit_types.SUPPLY_DEPOT, x, y)
    assert way(base, (35, 25), (40, 32)) == 0


def test_questions_change_nothing(base):
    before = base.game.get_state()
    check(base, unit_types.BARRACKS, X, Y + 6)
    way(base, (X - 4, Y), (X + 4, Y))
    after = base.game.get_state()
    for name, values in before.items():
        np.testing.assert_array_equal(after[name], values, err_msg=name)
