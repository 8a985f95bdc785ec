"""Small replay tables of numbered sequences."""

import numpy as np

from sc2impala.replay import REMOVERS, ReplayTable, Uniform

SPECS = [((3, 2), np.float32), ((), np.int64), ((4,), np.uint8), ((1,), np.bool_)]
NUMBER = 1
"""The component from which the number of a sequence can be read."""

COMPRESSIONS = ['none', 'zstd']


def make_table(
    capacity=5,
    remover='reservoir',
    seed=0,
    compression='none',
    specs=SPECS,
    sampler=None,
    defaults=None,
):
    return ReplayTable(
        capacity,
        specs,
        sampler or Uniform(),
        REMOVERS[remover](),
        np.random.RandomState(seed),
        compression,
        defaults,
    )


def sequences(first, count, specs=SPECS):
    """Sequences numbered from `first`; each component of a sequence is filled with its number."""
    numbers = np.arange(first, first + count)
    return [
        np.broadcast_to(numbers.reshape([-1] + [1] * len(shape)), (count,) + shape).astype(dtype)
        for shape, dtype in specs
    ]


def kept(table):
    """The sorted numbers of the sequences in the table; nothing is drawn."""
    plain = make_table(table.capacity, str(table.get_state()['eviction']))
    plain.set_state(table.get_state())
    return sorted(plain.get_state()[f'component_{NUMBER}'])


def play(table, first):
    """Inserts and samples alternately, and returns everything that was sampled."""
    sampled = []
    for i in range(6):
        table.insert(sequences(first + 4 * i, 4))
        sample = table.sample(2)
        sampled += sample.components + [sample.keys, sample.probabilities]
    return sampled


def assert_equal(actual, expected):
    assert len(actual) == len(expected)
    for a, b in zip(actual, expected):
        np.testing.assert_array_equal(a, b)
        assert a.dtype == b.dtype
