import numpy as np

from sc2impala.sim import placement
from sc2impala.sim.geometry import SINGLE_SCREEN, Rectangle

PLAYABLE = SINGLE_SCREEN.playable


def place(points, radii, playable=PLAYABLE):
    """points [s, 2] of one game."""
    x, y = np.array(points, float).T.copy()
    placement.nearest_free(x, y, np.array(radii, float), playable)
    return np.stack([x, y], axis=1)


def overlap(points, radii):
    """The deepest overlap of two of the points [s, 2]."""
    radii = np.array(radii)
    apart = np.hypot(*(points[:, None] - points[None]).transpose(2, 0, 1))
    reach = radii[:, None] + radii
    return (reach - apart)[np.triu_indices(len(points), 1)].max()


def test_free_places_are_kept():
    points = [(30, 28), (30, 29), (30, 27)]
    np.testing.assert_array_equal(place(points, [0.375] * 3), points)


def test_the_first_of_a_pile_stays_and_the_others_stand_around_it():
    placed = place([(30, 28)] * 10, [0.375] * 10)
    np.testing.assert_array_equal(placed[0], [30, 28])
    assert overlap(placed, [0.375] * 10) < 1e-5
    assert np.hypot(*(placed - (30, 28)).T).max() < 2


def test_large_units_get_more_room():
    radii = [0.375, 0.5, 2.0, 0.5]
    assert overlap(place([(30, 28)] * 4, radii), radii) < 1e-5


def test_each_gets_the_nearest_place_that_is_tried():
    placed = place([(30, 28), (30, 28.5)], [0.375] * 2)
    np.testing.assert_array_equal(placed[1], [30, 28.75])


def test_units_are_placed_inside_the_playable_region():
    points = [(33, 28 + y) for y in sorted(range(-30, 31), key=abs)]
    placed = place(points, [0.375] * 61)
    left, right, bottom, top = PLAYABLE
    x, y = placed.T
    assert x.min() >= left and x.max() <= right and y.min() == bottom and y.max() == top
    assert overlap(placed, [0.375] * 61) < 1e-5
    np.testing.assert_array_equal(placed[:17], points[:17])


def test_where_there_is_no_room_units_are_put_all_the_same():
    tiny = Rectangle(left=30.0, right=30.5, bottom=28.0, top=28.5)
    placed = place([(30, 28)] * 3, [0.375] * 3, tiny)
    assert ((placed >= (30, 28)) & (placed <= (30.5, 28.5))).all()


def test_crowds_are_resolved():
    for seed in range(5):
        points = 25 + 10 * np.random.RandomState(seed).rand(30, 2)
        assert overlap(place(points, [0.375] * 30), [0.375] * 30) < 1e-5
