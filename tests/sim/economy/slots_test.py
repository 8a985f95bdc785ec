import numpy as np

from sc2impala.sim import unit_types
from sc2impala.sim.economy import slots
from tests.sim.economy import helpers


def test_the_first_free_slot():
    base = helpers.Base()
    for i in range(3):
        base.put(unit_types.SCV, 34 + i, 30)
    assert slots.first_free(base.units, 0, slots.mobile(base.units)) == 3
    base.world.kill(helpers.GAME, np.array([1]))
    assert slots.first_free(base.units, 0, slots.mobile(base.units)) == 1
    assert slots.first_free(base.units, 0, slice(0, 1)) is None
    assert slots.first_free(base.units, 0, slots.buildings(base.units, 20)) == 221


def test_workers():
    base = helpers.Base()
    base.put(unit_types.SCV, 34, 30)
    base.put(unit_types.MARINE, 36, 30)
    type_index = base.units.types.index(unit_types.SCV)
    assert list(np.flatnonzero(slots.workers(base.units, type_index)[0])) == [0]
