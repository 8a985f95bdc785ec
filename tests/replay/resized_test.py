"""A replay table that continues from the state of one of another capacity."""

import itertools

import numpy as np
import pytest

from sc2impala.replay import Prioritised
from tests.replay.tables import (
    COMPRESSIONS,
    NUMBER,
    assert_equal,
    kept,
    make_table,
    play,
    sequences,
)


def resized(table, capacity, compression='none', sampler=None):
    """A table of another capacity with the sequences of a table."""
    state = table.get_state()
    other = make_table(capacity, str(state['eviction']), 99, compression, sampler=sampler)
    other.set_state(state)
    return other


def numbers(table):
    """The numbers of the sequences in a table, and the keys, in the order of their slots."""
    plain = make_table(table.capacity, str(table.get_state()['eviction']))
    plain.set_state(table.get_state())
    state = plain.get_state()
    return state[f'component_{NUMBER}'].tolist(), state['keys'].tolist()


@pytest.mark.parametrize('after', COMPRESSIONS)
@pytest.mark.parametrize('before', COMPRESSIONS)
class TestFifo:
    @pytest.mark.long
    def test_keeps_the_latest_and_evicts_the_oldest(self, before, after):
        for count, capacity in itertools.product([0, 2, 4, 5, 7, 11], [1, 2, 3, 4, 6, 9]):
            table = make_table(4, 'fifo', 0, before)
            table.insert(sequences(0, count))
            other = resized(table, capacity, after)
            held = list(range(count))[-4:][-capacity:]
            assert kept(other) == held and other.num_inserted == count
            for number in range(count, count + 12):
                assert other.insert(sequences(number, 1)).tolist() == [number]
                held = [*held, number][-capacity:]
                assert kept(other) == held
                other = resized(other, capacity, before)
            values, keys = numbers(other)
            assert values == keys

    def test_changes_back(self, before, after):
        table = make_table(4, 'fifo', 0, before)
        table.insert(sequences(0, 9))
        other = resized(resized(table, 7, after), 4, before)
        for number in range(9, 15):
            for each in (table, other):
                each.insert(sequences(number, 1))
            assert kept(other) == kept(table)


@pytest.mark.parametrize('compression', COMPRESSIONS)
class TestReservoir:
    def test_a_larger_one_keeps_all_and_fills_its_free_slots(self, compression):
        table = make_table(5, 'reservoir', 0, compression)
        table.insert(sequences(0, 40))
        before = kept(table)
        other = resized(table, 8, compression)
        assert (other.size, other.num_inserted) == (5, 40) and kept(other) == before
        assert 'size' in other.get_state()
        assert other.insert(sequences(40, 2)).tolist() == [40, 41]
        same = resized(other, 8, compression)
        for each in (other, same):
            assert kept(each) == [*before, 40, 41] and each.size == 7
            assert each.insert(sequences(42, 1)).tolist() == [42]
            assert each.size == 8 and 'size' not in each.get_state()
        assert_equal(play(same, 50), play(other, 50))

    def test_one_that_is_not_full_is_the_same_table(self, compression):
        table, same = (make_table(size, 'reservoir', 0, compression) for size in (5, 9))
        for each in (table, same):
            each.insert(sequences(0, 4))
        assert_equal(play(resized(table, 9, compression), 50), play(same, 50))


def test_a_smaller_reservoir_keeps_a_uniform_sample():
    counts = np.zeros([12])
    for seed in range(200):
        table = make_table(6, 'reservoir', seed)
        table.insert(sequences(0, 12))
        counts[numbers(resized(table, 3))[0]] += 1
    # Each of 12 sequences is kept in a quarter of the tables: 50, with a deviation of 6.
    assert counts.sum() == 600 and abs(counts - 50).max() < 25


@pytest.mark.parametrize('compression', COMPRESSIONS)
def test_sequences_keep_their_priorities_and_keys(compression):
    table = make_table(4, 'fifo', 0, compression, sampler=Prioritised())
    table.insert(sequences(0, 6), np.arange(6.0) * 2)
    for capacity in (3, 4, 6):
        other = resized(table, capacity, compression, Prioritised())
        state = other.get_state()
        keys = state['keys']
        np.testing.assert_array_equal(state['sampler_priorities'], keys * 2.0)
        assert state['sampler_max_priority'] == 10
        sample = other.sample(3)
        total = state['sampler_priorities'].sum()
        np.testing.assert_allclose(sample.probabilities, sample.keys * 2.0 / total)
        np.testing.assert_array_equal(sample.components[NUMBER], sample.keys)
        other.update_priorities(np.array([5]), np.array([1.0]))
        assert other.get_state()['sampler_priorities'][keys.tolist().index(5)] == 1


@pytest.mark.parametrize(
    'change, message',
    [
        (dict(size=np.asarray(6)), r"`state\['size'\]` must be from 0 to 5, but is 6"),
        (dict(size=np.asarray(-1)), r"`state\['size'\]` must be from 0 to 5, but is -1"),
        (dict(size=np.asarray(0.5)), r"`state\['size'\]` must be a number or text"),
        (dict(size=np.asarray(3)), r"`state\['keys'\]` must be int64 \[3\]"),
        (dict(capacity=np.asarray(0)), r"`state\['capacity'\]` must be at least 1"),
        (dict(capacity=np.asarray(4)), r"`state\['keys'\]` must be int64 \[4\]"),
    ],
)
def test_a_state_that_contradicts_itself(change, message):
    table = make_table()
    table.insert(sequences(0, 9))
    other = make_table(7)
    with pytest.raises(ValueError, match=message):
        other.set_state(dict(table.get_state(), **change))
    assert other.size == 0


def test_priorities_of_another_number_of_sequences():
    table = make_table(sampler=Prioritised())
    table.insert(sequences(0, 9))
    state = dict(table.get_state(), sampler_priorities=np.ones([4]))
    with pytest.raises(ValueError, match=r"`state\['sampler_priorities'\]` must be float64 \[5\]"):
        make_table(3, sampler=Prioritised()).set_state(state)
