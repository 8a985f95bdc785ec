import pytest

from sc2impala.sim import unit_types
from sc2impala.sim.economy import production
from tests.sim.economy import sites


@pytest.fixture
def site():
    return sites.Site()


def exit_of(site, building, toward=None):
    x, y = toward or (0.0, 0.0)
    return production.exit_of(site.g, site.rules, building, toward is not None, x, y)


def test_without_a_direction_units_leave_at_the_bottom_left(site):
    assert exit_of(site, site.slot_of[sites.COMMAND_CENTER]) == (27.5, 24.5)


@pytest.mark.parametrize(
    'toward, expected',
    [
        ((40.0, 27.6), (33.5, 27.5)),
        ((30.5, 36.0), (30.5, 30.5)),
        ((40.0, 40.0), (33.5, 30.5)),
        ((26.0, 27.5), (27.5, 27.5)),
    ],
)
def test_units_leave_in_the_preferred_direction(site, toward, expected):
    assert exit_of(site, site.slot_of[sites.COMMAND_CENTER], toward) == expected


def test_units_leave_where_no_other_unit_stands(site):
    site.put(unit_types.MARINE, 33.5, 27.5)
    assert exit_of(site, site.slot_of[sites.COMMAND_CENTER], (40.0, 27.6)) == (33.5, 28.5)


def test_units_leave_at_a_unit_if_there_is_no_other_place(site):
    depot = site.put(unit_types.SUPPLY_DEPOT, 36, 27)
    site.g.taken[:] = True
    site.g.taken[27, 37] = False
    site.put(unit_types.MARINE, 37.5, 27.5)
    assert exit_of(site, depot, (0.0, 0.0)) == (37.5, 27.5)


def test_without_a_free_side_the_nearest_free_cell_to_the_direction_is_used(site):
    depot = site.put(unit_types.SUPPLY_DEPOT, 36, 27)
    site.wall((34, 27), (36, 25), (36, 29), (38, 27))
    site.wall((34, 25), (34, 29), (38, 25), (38, 29))
    assert exit_of(site, depot, (36.0, 33.4)) == (35.5, 33.5)
