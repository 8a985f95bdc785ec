import numpy as np
import pytest

from sc2impala.sim.canvas import Canvas


def make_canvas():
    return Canvas(2, (3, 2), {'layer': 300, 'sum': 16, 'other': 2}, ['layer', 'sum'])


def test_pictures_are_those_asked_for():
    canvas = make_canvas()
    assert {name: (a.dtype, a.shape) for name, a in canvas.pictures.items()} == {
        'layer': (np.uint16, (2, 2, 3)),
        'sum': (np.uint8, (2, 2, 3)),
    }


def test_painting_replaces_what_was_painted_and_the_last_value_counts():
    canvas = make_canvas()
    canvas.paint('layer', np.array([0, 1]), np.array([7, 8]))
    canvas.paint('layer', np.array([1, 11, 1]), np.array([9, 299, 10]))
    np.testing.assert_array_equal(
        canvas.pictures['layer'], [[[0, 10, 0], [0, 0, 0]], [[0, 0, 0], [0, 0, 299]]]
    )


def test_pictures_full_of_paint_are_replaced_too():
    random = np.random.RandomState(0)
    canvas = make_canvas()
    for num_pixels in (12, 1, 0, 9, 12, 2):
        pixels = random.permutation(12)[:num_pixels]
        values = random.randint(1, 16, size=num_pixels).astype(np.uint16)
        expected = np.zeros([12])
        expected[pixels] = values
        canvas.paint('layer', pixels, values)
        np.testing.assert_array_equal(canvas.pictures['layer'].reshape(-1), expected)
        canvas.paint_sum('sum', pixels, values)
        np.testing.assert_array_equal(canvas.pictures['sum'].reshape(-1), expected)


def test_a_cleared_layer_is_zero_and_can_be_painted_again():
    canvas = make_canvas()
    canvas.paint('layer', np.array([0, 7]), np.array([7, 8]))
    canvas.paint('sum', np.array([1]), np.array([3]))
    canvas.clear('layer')
    assert not canvas.pictures['layer'].any() and canvas.pictures['sum'].any()
    canvas.paint('layer', np.array([2]), np.array([5]))
    np.testing.assert_array_equal(canvas.pictures['layer'][0], [[0, 0, 5], [0, 0, 0]])


def test_sums_stop_at_the_scale_and_start_anew():
    canvas = make_canvas()
    for _ in range(2):
        pixels = np.array([3, 3, 4, 5])
        canvas.paint_sum('sum', pixels, np.array([9, 8, 200, 2], np.uint16))
        np.testing.assert_array_equal(canvas.pictures['sum'][0], [[0, 0, 0], [15, 15, 2]])


def test_refuses_unknown_layers():
    with pytest.raises(ValueError, match=r"\['shape'\].*'layer', 'other', 'sum'"):
        Canvas(1, (2, 2), {'layer': 300, 'sum': 16, 'other': 2}, ['layer', 'shape'])
