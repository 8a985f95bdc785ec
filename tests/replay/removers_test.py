import itertools

import numpy as np
import pytest

from sc2impala.replay import REMOVERS, Fifo, Remover, ReplayTable, Reservoir, Uniform
from tests.replay.tables import COMPRESSIONS, kept, make_table, sequences


def test_names_are_those_in_saved_states():
    assert dict(REMOVERS) == dict(reservoir=Reservoir, fifo=Fifo)
    for name, remover in REMOVERS.items():
        assert remover.name == name and isinstance(remover(), Remover)


@pytest.mark.parametrize('remover', [Reservoir(), Fifo()])
def test_fills_free_slots_first_and_draws_nothing(remover):
    assert [remover.next_slot(i, 4, None) for i in range(4)] == [0, 1, 2, 3]


def test_fifo_draws_nothing_and_reservoir_one_integer_per_sequence():
    assert [Fifo().next_slot(i, 3, None) for i in range(3, 8)] == [0, 1, 2, 0, 1]
    rng, same = np.random.RandomState(4), np.random.RandomState(4)
    for i in range(3, 100):
        drawn = same.randint(i + 1, dtype=np.int64)
        assert Reservoir().next_slot(i, 3, rng) == (drawn if drawn < 3 else None)


@pytest.mark.parametrize('compression', COMPRESSIONS)
@pytest.mark.parametrize('sizes', [[1] * 23, [23], [4, 7, 12]])
def test_fifo_keeps_the_latest(sizes, compression):
    table = make_table(5, 'fifo', 0, compression)
    first = 0
    for size in sizes:
        table.insert(sequences(first, size))
        first += size
    assert kept(table) == [18, 19, 20, 21, 22]


def test_reservoir_does_not_depend_on_how_inserts_are_grouped():
    one_by_one, at_once = make_table(), make_table()
    keys = np.concatenate([one_by_one.insert(sequences(i, 1)) for i in range(40)])
    np.testing.assert_array_equal(at_once.insert(sequences(0, 40)), keys)
    for entry in ('component_1', 'keys'):
        np.testing.assert_array_equal(one_by_one.get_state()[entry], at_once.get_state()[entry])


def test_reservoir_keeps_every_subset_equally_often():
    rng = np.random.RandomState(1)
    counts = dict.fromkeys(itertools.combinations(range(6), 2), 0)
    trials = 3000
    for _ in range(trials):
        table = _table_of_numbers(2, rng)
        table.insert([np.arange(4)])
        table.insert([np.arange(4, 6)])
        counts[tuple(_kept_numbers(table))] += 1
    expected = trials / len(counts)
    chi_square = sum((count - expected) ** 2 / expected for count in counts.values())
    # 14 degrees of freedom: 36.1 is exceeded by one uniform reservoir in a thousand.
    assert len(counts) == 15 and chi_square < 36.1


def test_reservoir_keeps_old_and_new_equally_often():
    rng = np.random.RandomState(2)
    trials, capacity, inserted = 400, 20, 200
    counts = np.zeros(inserted)
    for _ in range(trials):
        table = _table_of_numbers(capacity, rng)
        table.insert([np.arange(inserted)])
        counts[_kept_numbers(table)] += 1
    expected = trials * capacity / inserted
    # Each trial keeps exactly `capacity`, so that the counts vary less than those of a Poisson
    # distribution.
    chi_square = np.sum((counts - expected) ** 2) / (expected * (1 - capacity / inserted))
    # 199 degrees of freedom: 0.1% of uniform reservoirs are above 267, and 0.1% below 142.
    assert 142 < chi_square < 267


def _table_of_numbers(capacity, rng):
    return ReplayTable(capacity, [((), np.int64)], Uniform(), Reservoir(), rng)


def _kept_numbers(table):
    return sorted(table.get_state()['component_0'])
