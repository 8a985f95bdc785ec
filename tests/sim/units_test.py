import numpy as np

from sc2impala.sim import unit_types
from sc2impala.sim.units import FEW_SLOTS, Units
from tests.sim.economy import helpers


def test_slots_up_to_the_last_living_unit_are_used():
    base = helpers.Base()
    assert base.units.num_mobile > FEW_SLOTS
    assert base.units.num_used() == 0
    workers = [base.put(unit_types.SCV, 34 + i, 30) for i in range(4)]
    assert base.units.num_used() == 4
    base.world.kill(helpers.GAME, np.array(workers[1:2]))
    assert base.units.num_used() == 4
    base.world.kill(helpers.GAME, np.array(workers[3:]))
    assert base.units.num_used() == 3


def test_of_few_slots_all_are_used():
    assert Units(2, 5, 3, [unit_types.MARINE]).num_used() == 3


def test_places_in_flattened_arrays():
    units = Units(3, 7, 4, [unit_types.MARINE])
    units.position[0, 2, 3] = units.goal[0, 2, 3] = 1
    in_all, in_mobile = units.flat(np.array([2]), np.array([3]))
    assert units.position[0].reshape(-1)[in_all] == units.goal[0].reshape(-1)[in_mobile] == 1
