import numpy as np
import pytest

from sc2impala.sim import geometry
from sc2impala.sim.compiler import uncompiled
from sc2impala.sim.geometry import Rectangle

clamp, length = uncompiled(geometry.clamp), uncompiled(geometry.length)


@pytest.mark.parametrize('value, expected', [(-1.0, 0.0), (0.0, 0.0), (1.5, 1.5), (7.0, 2.0)])
def test_clamp(value, expected):
    assert clamp(value, 0.0, 2.0) == expected


def test_length():
    assert length(3.0, -4.0) == 5
    assert length(0.0, 0.0) == 0


def test_length_is_rounded_once_per_operation():
    x, y = np.random.RandomState(0).uniform(-60, 60, size=[2, 1000])
    expected = np.sqrt(x * x + y * y)
    np.testing.assert_array_equal([length(*point) for point in zip(x, y)], expected)


def test_cells_within_a_rectangle_have_their_middle_inside():
    columns, rows = geometry.cells_within(Rectangle(left=2.0, right=4.0, bottom=3.5, top=6.4))
    assert np.flatnonzero(columns).tolist() == [2, 3]
    # The middle of row 3 is on the border, and that of row 6 outside.
    assert np.flatnonzero(rows).tolist() == [4, 5]
    assert columns.shape == rows.shape == (geometry.MAP_EXTENT,)


def test_a_map_can_be_divided_into_fewer_cells():
    """Of 4 by 8 of the world; their middles are at 2, 6, ... and at 4, 12, ..."""
    rectangle = Rectangle(left=5.0, right=10.0, bottom=4.0, top=20.5)
    columns, rows = geometry.cells_within(rectangle, (16, 8))
    assert (columns.shape, rows.shape) == ((16,), (8,))
    np.testing.assert_array_equal(np.flatnonzero(columns), [1])
    np.testing.assert_array_equal(np.flatnonzero(rows), [1, 2])


@pytest.mark.parametrize('arena', [geometry.SINGLE_SCREEN, geometry.OPEN_FIELD])
def test_regions_lie_within_the_map_and_the_camera_within_the_playable_one(arena):
    for region in (arena.playable, arena.revealed, arena.pathable):
        if region is not None:
            assert 0 <= region.left < region.right <= geometry.MAP_EXTENT
            assert 0 <= region.bottom < region.top <= geometry.MAP_EXTENT
    left, right, bottom, top = arena.playable
    assert left <= arena.camera[0] <= right and bottom <= arena.camera[1] <= top
