from sc2impala.sim import unit_types
from sc2impala.sim.economy import lifecycle
from sc2impala.sim.units import NO_UNIT
from tests.sim.economy import sites


def test_the_first_free_slot():
    site = sites.Site()
    for i in range(3):
        site.put(unit_types.SCV, 34 + i, 30)
    assert lifecycle.first_free(site.g, 0, 200) == 3
    site.kill(1)
    assert lifecycle.first_free(site.g, 0, 200) == 1
    assert lifecycle.first_free(site.g, 0, 1) == NO_UNIT
    first = lifecycle.first_building(site.g, site.rules)
    assert first == 220
    assert lifecycle.first_free(site.g, first, 320) == 221


def test_workers():
    site = sites.Site()
    site.put(unit_types.SCV, 34, 30)
    site.put(unit_types.MARINE, 36, 30)
    site.put(unit_types.SCV, 38, 30)
    site.kill(2)
    assert [lifecycle.is_worker(site.g, site.rules, i) for i in range(4)] == [
        True,
        False,
        False,
        False,
    ]
