import numpy as np
import pytest

from sc2impala.sim import functions
from sc2impala.sim.units import NO_UNIT

NO_OP = np.zeros([3], int)


def test_scalars_and_points_of_all_games():
    points = np.array([[1, 2], [3, 4], [250, 0]], np.uint8)
    calls = functions.calls(
        np.array([7, 331, 2**40]), {'queued': np.array([1, 0, 7]), 'screen': points}, 3
    )
    assert calls.dtype == functions.CALL
    assert calls['function'].tolist() == [7, 331, 2**40]
    assert calls['queued'].tolist() == [1, 0, 7]
    assert calls['screen_x'].tolist() == [1, 3, 250]
    assert calls['screen_y'].tolist() == [2, 4, 0]


def test_absent_arguments_are_zero():
    calls = functions.calls(NO_OP, {}, 3)
    for name in calls.dtype.names:
        assert not calls[name].any(), name


def test_extreme_values_are_kept():
    extremes = np.array([[-(2**63), 2**63 - 1]])
    calls = functions.calls(extremes[0, :1], {'minimap': extremes}, 1)
    assert calls['function'].tolist() == calls['minimap_x'].tolist() == [-(2**63)]
    assert calls['minimap_y'].tolist() == [2**63 - 1]


def test_places_override_pixels():
    points = np.array([[1.5, 2.5, 3.5], [4.0, 5.0, 6.0]])
    calls = functions.calls(NO_OP, {}, 3, (points, np.array([4, NO_UNIT, 0])))
    assert calls['has_place'].all()
    assert calls['place_x'].tolist() == [1.5, 2.5, 3.5]
    assert calls['place_y'].tolist() == [4, 5, 6]
    assert calls['place_target'].tolist() == [4, NO_UNIT, 0]


@pytest.mark.parametrize(
    'given, message',
    [
        ({'sreen': np.zeros([3, 2], int)}, "'sreen'.*'screen'"),
        ({'screen': np.zeros([3], int)}, r"'screen'.*\[3\].*\[3, 2\]"),
        ({'queued': np.zeros([2], int)}, r"'queued'.*\[2\].*\[3\]"),
        ({'queued': np.zeros([3])}, "'queued'.*float64.*integers"),
    ],
)
def test_refuses_other_names_shapes_and_dtypes(given, message):
    with pytest.raises(ValueError, match=message):
        functions.calls(NO_OP, given, 3)


@pytest.mark.parametrize('function_id', [0, np.zeros([2], int), np.zeros([3])])
def test_refuses_functions_of_other_shapes_and_dtypes(function_id):
    with pytest.raises(ValueError, match=r'function_id is .*expected integers \[3\]'):
        functions.calls(function_id, {}, 3)
