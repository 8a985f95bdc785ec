import numpy as np

from sc2impala.sim import functions
from tests.sim.scenes import MARINE, SELF, Scene

RADIUS = 5.0


def targets(positions, chosen, point=(40, 30), formation_radius=RADIUS):
    """Where marines go that are sent to a point: [n, 2]."""
    units = [(MARINE, SELF, x, y) for x, y in positions]
    scene = Scene(*units, formation_radius=formation_radius)
    scene.select(*np.flatnonzero(chosen))
    scene.call(functions.MOVE_SCREEN, place=point)
    return np.array([scene.order(slot)[1] for slot in np.flatnonzero(chosen)])


def test_a_single_unit_goes_to_the_point():
    np.testing.assert_array_equal(targets([(23, 21), (30, 30)], [False, True]), [(40, 30)])


def test_a_compact_group_keeps_its_formation():
    found = targets([(30, 30), (31, 32), (12, 14)], [True, True, False])
    np.testing.assert_allclose(found, [(39.5, 29), (40.5, 31)])


def test_a_group_that_is_spread_out_meets():
    found = targets([(24, 30), (24 + 2 * RADIUS + 0.1, 30)], [True, True])
    np.testing.assert_array_equal(found, [(40, 30), (40, 30)])


def test_a_group_sent_to_a_point_between_its_units_meets():
    found = targets([(39, 29), (41, 31)], [True, True])
    np.testing.assert_array_equal(found, [(40, 30), (40, 30)])


def test_groups_meet_by_default():
    default = Scene((MARINE, SELF, 30, 30)).rules.formation_radius
    found = targets([(30, 30), (31, 32)], [True, True], formation_radius=default)
    np.testing.assert_array_equal(found, [(40, 30), (40, 30)])


def test_targets_stay_in_the_playable_region():
    np.testing.assert_array_equal(targets([(30, 30)], [True], point=(-5, 100)), [(10, 44)])
    found = targets([(30, 30), (32, 30)], [True, True], point=(54, 20))
    np.testing.assert_array_equal(found, [(53, 20), (54, 20)])
