import numpy as np
import pytest

from sc2impala.watch import packing


@pytest.mark.parametrize('dtype', [np.uint8, np.uint16, np.int32, np.float32])
def test_unpacking_returns_the_array(dtype):
    array = np.random.RandomState(0).randint(0, 250, (7, 3, 2)).astype(dtype)
    array[3] = 255 - array[2]
    unpacked = packing.unpack(packing.pack(array))
    assert unpacked.dtype == array.dtype
    np.testing.assert_array_equal(unpacked, array)


def test_differences_wrap_around():
    array = np.array([[0], [65535], [1]], np.uint16)
    np.testing.assert_array_equal(packing.unpack(packing.pack(array)), array)


def test_truth_values_become_bytes():
    array = np.array([[True, False], [True, True]])
    assert packing.unpack(packing.pack(array)).tolist() == [[1, 0], [1, 1]]


def test_what_does_not_change_takes_no_space():
    rng = np.random.RandomState(0)
    still = np.repeat(rng.randint(0, 255, (1, 32, 32)), 500, axis=0).astype(np.uint8)
    moving = rng.randint(0, 255, (500, 32, 32)).astype(np.uint8)
    assert packing.size(packing.pack(still)) < 4000 < packing.size(packing.pack(moving))


def test_an_array_without_steps():
    array = np.zeros([0, 4, 4], np.uint8)
    assert packing.unpack(packing.pack(array)).shape == (0, 4, 4)
