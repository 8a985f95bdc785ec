import numpy as np
import pytest

from sc2impala.sim import unit_types
from sc2impala.sim.economy import footprints


@pytest.mark.parametrize(
    'footprint, point, middle',
    [
        ((2, 2), (30.4, 25.6), (30, 26)),
        ((2, 2), (30.5, 25.49), (31, 25)),
        ((3, 3), (30.01, 25.99), (30.5, 25.5)),
        ((5, 5), (30.9, 25.0), (30.5, 25.5)),
        ((2, 1), (30.4, 25.6), (30, 25.5)),
    ],
)
def test_middles_are_on_lines_or_between_them(footprint, point, middle):
    found = footprints.snap(np.array(point), np.array(footprint))
    np.testing.assert_array_equal(found, middle)


@pytest.mark.parametrize(
    'unit_type, centre, x, y',
    [
        (unit_types.SUPPLY_DEPOT, (30, 26), range(29, 31), range(25, 27)),
        (unit_types.BARRACKS, (30.5, 25.5), range(29, 32), range(24, 27)),
        (unit_types.COMMAND_CENTER, (30.5, 27.5), range(28, 33), range(25, 30)),
        (unit_types.MINERAL_FIELD, (23, 26.5), range(22, 24), range(26, 27)),
        (unit_types.VESPENE_GEYSER, (26.5, 20.5), range(25, 28), range(19, 22)),
    ],
)
def test_cells_that_are_covered(unit_type, centre, x, y):
    mask = np.zeros([64, 64], bool)
    mask[footprints.cells(np.array(centre), np.array(unit_type.footprint))] = True
    rows, columns = np.nonzero(mask)
    assert set(zip(columns, rows)) == {(a, b) for a in x for b in y}


def test_cells_outside_the_map_are_left_out():
    rows, columns = footprints.cells(np.array([1.0, 0.0]), np.array([2, 2]), margin=2)
    assert (rows.start, columns.start) == (0, 0)
    assert (rows.stop, columns.stop) == (3, 4)


def test_room_around_resources_has_no_corners():
    mask = np.zeros([64, 64], bool)
    footprints.keep_clear(mask, np.array([23.0, 26.5]), np.array([2, 1]))
    rows, columns = np.nonzero(mask)
    assert (columns.min(), columns.max(), rows.min(), rows.max()) == (19, 26, 23, 29)
    assert len(rows) == 8 * 7 - 4
    assert not mask[[23, 23, 29, 29], [19, 26, 19, 26]].any()


def test_room_that_another_resource_needs_stays_clear():
    mask = np.ones([64, 64], bool)
    footprints.keep_clear(mask, np.array([23.0, 26.5]), np.array([2, 1]))
    assert mask.all()
