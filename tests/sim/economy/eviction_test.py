import numpy as np
import pytest

from sc2impala.sim import orders, unit_types
from sc2impala.sim.economy.eviction import EVICTION_SPEED
from tests.sim.economy import sites
from tests.sim.economy.sites import inside


@pytest.fixture
def site():
    return sites.Site()


def test_units_leave_a_place_that_is_built_on(site):
    marines = [site.put(unit_types.MARINE, *point) for point in [(36, 24), (37.2, 24.9)]]
    site.put(unit_types.BARRACKS, 36.5, 24.5)
    before = [np.array(site.where(marine)) for marine in marines]
    site.run(1)
    for marine, was in zip(marines, before):
        assert 0 < np.hypot(*(np.array(site.where(marine)) - was)) <= EVICTION_SPEED + 1e-9
    site.run(4)
    for marine in marines:
        assert abs(inside(site, marine, 36.5, 24.5, 1.5)) < 1e-6
        assert site.order_kind(marine) == orders.IDLE
    there = [site.where(marine) for marine in marines]
    site.run(20)
    assert [site.where(marine) for marine in marines] == there


def test_units_leave_towards_a_side_that_is_free(site):
    site.put(unit_types.BARRACKS, 33.5, 34.5)
    site.put(unit_types.BARRACKS, 39.5, 31.5)
    marine = site.put(unit_types.MARINE, 38, 34.5)
    site.put(unit_types.BARRACKS, 39.5, 34.5)
    site.put(unit_types.BARRACKS, 36.5, 34.5)
    site.run(10)
    for x, y in [(33.5, 34.5), (36.5, 34.5), (39.5, 34.5), (39.5, 31.5)]:
        assert inside(site, marine, x, y, 1.5) < 1e-6


def test_a_unit_without_a_free_side_leaves_to_a_free_cell(site):
    marine = site.put(unit_types.MARINE, 36.4, 27)
    site.wall((34, 27), (36, 25), (36, 29), (38, 27), (36, 27))
    site.run(10)
    for x, y in [(34, 27), (36, 25), (36, 29), (38, 27), (36, 27)]:
        assert inside(site, marine, x, y, 1) < 1e-6


def test_exits_avoid_units_that_cannot_be_pushed(site):
    site.order(site.put(unit_types.MARINE, 35.4, 24.5), orders.HOLD)
    marine = site.put(unit_types.MARINE, 36.16, 24.5)
    site.put(unit_types.SUPPLY_DEPOT, 37, 24)
    site.run(4)
    assert inside(site, marine, 37, 24, 1) < 1e-6
    assert site.where(marine)[1] == pytest.approx(25.375)


def test_units_that_do_not_collide_are_not_pushed(site):
    marine = site.put(unit_types.MARINE, 36, 24)
    site.g.solid[marine] = False
    site.put(unit_types.BARRACKS, 36.5, 24.5)
    site.run(5)
    assert site.where(marine) == (36, 24)
