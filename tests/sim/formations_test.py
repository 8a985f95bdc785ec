import numpy as np

from sc2impala.sim import formations

POINT = np.array([[40.0], [30.0]])


def targets(positions, chosen, point=POINT):
    position = np.array(positions, float).T[:, None]
    return formations.targets(position, np.array([chosen]), point)[:, 0].T


def test_a_single_unit_goes_to_the_point():
    np.testing.assert_array_equal(targets([(23, 21), (30, 30)], [False, True])[1], [40, 30])


def test_a_compact_group_keeps_its_formation():
    np.testing.assert_allclose(
        targets([(30, 30), (31, 32), (0, 0)], [True, True, False])[:2], [(39.5, 29), (40.5, 31)]
    )


def test_a_group_that_is_spread_out_meets():
    found = targets([(24, 30), (24 + 2 * formations.MAX_FORMATION_RADIUS + 0.1, 30)], [True, True])
    np.testing.assert_array_equal(found, [(40, 30), (40, 30)])


def test_a_group_sent_to_a_point_between_its_units_meets():
    found = targets([(39, 29), (41, 31)], [True, True])
    np.testing.assert_array_equal(found, [(40, 30), (40, 30)])
