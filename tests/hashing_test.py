"""Random numbers from integers: against Python's integers, and as random as they have to be."""

import numpy as np
import tensorflow.compat.v1 as tf

from sc2impala import hashing


def numpy_uniform(*integers):
    """With integers of any size in the place of tensors."""
    low_word, state = 2**32 - 1, 0
    for integer in integers:
        integer = int(integer) % 2**64
        for word in (integer & low_word, integer >> 32):
            state = ((state + 0x9E3779B9) ^ word) & low_word
            for shift, factor in ((16, 0x21F0AAAD), (15, 0x735A2D97), (15, 1)):
                state = ((state ^ (state >> shift)) * factor) & low_word
    return (state >> 8) / 2**24


def uniform(*integers):
    with tf.Graph().as_default(), tf.Session() as session:
        return session.run(hashing.uniform([np.asarray(each, np.int64) for each in integers]))


def test_agrees_with_python():
    first = np.array([[0], [1], [2**32 - 1], [2**62 + 5], [-1], [-(2**40)]])
    second = np.array([0, 3, 2**33])
    found = uniform(first, second)
    assert found.dtype == np.float32 and found.shape == (6, 3)
    for index in np.ndindex(6, 3):
        assert found[index] == numpy_uniform(first[index[0], 0], second[index[1]])
    assert len(set(found.ravel().tolist())) == 18
    assert uniform(7) == numpy_uniform(7)


def test_is_uniform_and_neighbours_are_independent():
    """Chi-square of pairs: 63 degrees of freedom, of which 110 is exceeded once in 5000 times."""
    numbers = uniform(np.arange(100)[:, np.newaxis], np.arange(80))
    assert numbers.min() >= 0 and numbers.max() < 1
    upper = np.triu_indices(80, 1)
    for a, b in (
        (numbers[:-1], numbers[1:]),
        (numbers[:, :-1], numbers[:, 1:]),
        (numbers[upper], numbers[upper[::-1]]),
    ):
        cells = 8 * (8 * a.ravel()).astype(int) + (8 * b.ravel()).astype(int)
        expected = cells.size / 64
        statistic = np.sum((np.bincount(cells, minlength=64) - expected) ** 2) / expected
        assert statistic < 110
