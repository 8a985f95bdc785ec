import itertools

import numpy as np
import pytest

from sc2impala.replay import SAMPLERS, Prioritised, Sampler, Uniform, load, save
from tests.replay.tables import COMPRESSIONS, NUMBER, assert_equal, kept, make_table, sequences


def test_names_are_those_in_saved_states():
    assert dict(SAMPLERS) == dict(uniform=Uniform, prioritised=Prioritised)
    for name, sampler in SAMPLERS.items():
        assert sampler.name == name and isinstance(sampler(), Sampler)


def test_uniform_samples_differ_and_are_equally_likely():
    table = make_table(10)
    table.insert(sequences(0, 8))
    counts = np.zeros(8)
    trials = 2000
    for _ in range(trials):
        numbers = table.sample(3).components[NUMBER]
        assert len(set(numbers)) == 3
        counts[numbers] += 1
    expected = trials * 3 / 8
    chi_square = np.sum((counts - expected) ** 2) / (expected * (1 - 3 / 8))
    # 7 degrees of freedom: 24.3 is exceeded once in a thousand.
    assert chi_square < 24.3


def test_uniform_draws_as_numpy_does():
    rng, same = np.random.RandomState(3), np.random.RandomState(3)
    for size, count in ((1, 1), (7, 7), (20, 4), (20, 0)):
        slots, probabilities = Uniform().sample(size, count, rng)
        assert_equal([slots], [same.choice(size, size=count, replace=False)])
        assert_equal([probabilities], [np.full([count], 1 / size)])


def test_uniform_has_no_priorities():
    table = make_table()
    assert not table.has_priorities
    message = "The sampler 'uniform' of this replay table does not use priorities"
    with pytest.raises(ValueError, match=message):
        table.insert(sequences(0, 2), np.ones([2]))
    assert table.num_inserted == 0
    keys = table.insert(sequences(0, 2))
    with pytest.raises(ValueError, match=message):
        table.update_priorities(keys, np.ones([2]))
    with pytest.raises(NotImplementedError, match='uniform has no priorities'):
        Uniform().update(np.arange(2), np.ones([2]))


def _prioritized(*args, **kwargs):
    return make_table(*args, sampler=Prioritised(), **kwargs)


def _probabilities(table):
    """Returns the probabilities found in 300 draws: {number: probability}, {key: probability}."""
    by_number, by_key = {}, {}
    for _ in range(300 // table.size):
        sample = table.sample(table.size)
        for number, key, probability in zip(
            sample.components[NUMBER].tolist(), sample.keys.tolist(), sample.probabilities
        ):
            assert by_number.setdefault(number, probability) == probability
            assert by_key.setdefault(key, probability) == probability
    return by_number, by_key


def _assert_probabilities(table, priorities):
    """Compares with {number: priority}; the keys must be the numbers."""
    total = sum(priorities.values())
    expected = {n: pytest.approx(p / total) for n, p in priorities.items() if p}
    by_number, by_key = _probabilities(table)
    assert by_number == expected
    assert by_key == expected


def test_frequencies_and_probabilities_are_proportional_to_priorities():
    table = _prioritized(10)
    assert table.has_priorities
    priorities = np.array([1, 2, 3, 4], np.float32)
    assert_equal([table.insert(sequences(0, 4), priorities)], [np.arange(4)])
    counts, draws = np.zeros(4), 4000
    for _ in range(draws // 4):
        sample = table.sample(4)
        assert_equal([sample.keys], [sample.components[NUMBER]])
        assert sample.probabilities.dtype == np.float64
        np.testing.assert_allclose(sample.probabilities, (sample.keys + 1) / 10)
        np.add.at(counts, sample.keys, 1)
    expected = draws * priorities / 10
    # 3 degrees of freedom: 16.3 is exceeded once in a thousand.
    assert np.sum((counts - expected) ** 2 / expected) < 16.3


def test_a_sequence_of_priority_0_is_not_sampled():
    table = _prioritized()
    table.insert(sequences(0, 3), [1, 0, 2])
    _assert_probabilities(table, {0: 1, 2: 2})


@pytest.mark.parametrize('exponent', [0.0, 0.6, 1.0, 2.0])
def test_the_exponent(exponent):
    table = make_table(sampler=Prioritised(exponent))
    table.insert(sequences(0, 4), [1.0, 0.0, 2.0, 3.0])
    weights = np.array([1.0, 2.0**exponent, 3.0**exponent])
    _assert_probabilities(table, dict(zip((0, 2, 3), weights)))


def test_where_all_have_priority_0_all_are_equally_likely():
    table = _prioritized()
    table.insert(sequences(0, 4), np.zeros([4]))
    _assert_probabilities(table, dict.fromkeys(range(4), 1))
    table.update_priorities(np.array([2]), np.array([0.1]))
    _assert_probabilities(table, {2: 1})


def test_the_largest_priorities_can_be_sampled():
    table = make_table(sampler=Prioritised(2.0))
    table.insert(sequences(0, 3), [1.0, 1e300, 1e200])
    _assert_probabilities(table, {1: 1, 2: 1})


def test_without_priorities_the_sampler_chooses_them():
    table = _prioritized()
    table.insert(sequences(0, 2))
    _assert_probabilities(table, {0: 1, 1: 1})
    table.insert(sequences(2, 1), [8.0])
    table.insert(sequences(3, 1))
    _assert_probabilities(table, {0: 1, 1: 1, 2: 8, 3: 8})


def test_updates_by_key():
    table = _prioritized()
    table.insert(sequences(0, 4), np.ones([4]))
    table.update_priorities(np.array([2, 0]), np.array([5.0, 3.0]))
    _assert_probabilities(table, {0: 3, 1: 1, 2: 5, 3: 1})
    # Of a repeated key (a sequence may be in a batch twice), the last priority counts.
    table.update_priorities(np.array([3, 1, 3]), np.array([9, 2, 4], np.float32))
    _assert_probabilities(table, {0: 3, 1: 2, 2: 5, 3: 4})
    table.update_priorities(np.zeros([0], np.int64), np.zeros([0]))
    _assert_probabilities(table, {0: 3, 1: 2, 2: 5, 3: 4})


def test_updates_ignore_keys_that_are_gone_and_that_were_rejected():
    table = _prioritized(3, 'fifo')
    keys = table.insert(sequences(0, 3), np.ones([3]))
    table.insert(sequences(3, 2), [2, 3])
    # The slots of 0 and 1 are those of 3 and 4 now.
    table.update_priorities(keys, [50, 60, 7])
    table.update_priorities(np.array([-1, 5, 1000]), [20, 30, 40])
    _assert_probabilities(table, {2: 7, 3: 2, 4: 3})


def test_a_sequence_overwritten_in_the_same_call_leaves_no_priority():
    table = _prioritized(3, 'fifo')
    keys = table.insert(sequences(0, 8), np.arange(1.0, 9.0))
    assert_equal([keys], [np.arange(8)])
    _assert_probabilities(table, {5: 6, 6: 7, 7: 8})
    table.update_priorities(keys, np.arange(11.0, 19.0))
    _assert_probabilities(table, {5: 16, 6: 17, 7: 18})


def test_priorities_follow_the_sequences_of_a_reservoir():
    table = _prioritized(5, 'reservoir')
    all_keys = []
    for i in range(30):
        keys = table.insert(sequences(3 * i, 3), np.arange(3 * i, 3 * i + 3) + 1.0)
        assert set(keys) <= {-1, 3 * i, 3 * i + 1, 3 * i + 2}
        all_keys += keys.tolist()
        _assert_probabilities(table, {n: n + 1 for n in kept(_without_priorities(table))})
    assert -1 in all_keys and len(set(all_keys)) == len(all_keys) - all_keys.count(-1) + 1
    table.update_priorities(np.arange(90), 100.0 + np.arange(90))
    _assert_probabilities(table, {n: n + 100 for n in kept(_without_priorities(table))})


def _without_priorities(table):
    """The same sequences in a table that samples uniformly."""
    state = {k: v for k, v in table.get_state().items() if not k.startswith('sampler')}
    state['sampler'] = np.asarray('uniform')
    plain = make_table(table.capacity, str(state['eviction']))
    plain.set_state(state)
    return plain


@pytest.mark.parametrize(
    'keys, priorities, message',
    [
        ([0, 1], [1.0], r'`priorities` must have shape \[2\], but has \[1\]'),
        ([0], [[1.0]], r'`priorities` must have shape \[1\], but has \[1, 1\]'),
        ([0, 1], [1.0, -0.5], r'finite and not negative, but are \[1.0, -0.5\]'),
        ([0], [np.nan], 'finite and not negative'),
        ([0], [np.inf], 'finite and not negative'),
        ([0.0], [1.0], r'`keys` must be int64 \[N\], but is float64 \[1\]'),
        ([[0]], [1.0], r'`keys` must be int64 \[N\], but is int64 \[1, 1\]'),
    ],
)
def test_bad_priorities_change_nothing(keys, priorities, message):
    table = _prioritized()
    table.insert(sequences(0, 2), [1, 3])
    with pytest.raises(ValueError, match=message):
        table.update_priorities(np.array(keys), np.array(priorities))
    if '`keys`' not in message:
        with pytest.raises(ValueError, match=message):
            table.insert(sequences(2, len(keys)), np.array(priorities))
    assert table.num_inserted == 2
    _assert_probabilities(table, {0: 1, 1: 3})


def test_priorities_are_saved(tmp_path):
    for after, before, remover, num_inserted in itertools.product(
        COMPRESSIONS, COMPRESSIONS, ['reservoir', 'fifo'], [0, 3, 17]
    ):
        path = str(tmp_path / 'replay.npz')
        table = _prioritized(5, remover, 0, before)
        restored = _prioritized(5, remover, 99, after)
        table.insert(sequences(0, num_inserted), np.arange(num_inserted) + 0.5)
        table.update_priorities(
            np.arange(0, num_inserted, 2), np.full([-(-num_inserted // 2)], 7.0)
        )
        restored.insert(sequences(100, 11), np.full([11], 1000.0))
        save(path, table.get_state())
        restored.set_state(load(path))
        if num_inserted:
            assert _probabilities(restored) == _probabilities(table)
        for i in range(6):
            for each in (table, restored):
                each.insert(sequences(20 + 2 * i, 2), None if i % 2 else [3.0, 4.0])
                each.update_priorities(np.array([0, 2, 20 + i, 21 + i]), [1.0, i, 2.0, 5.0])
            expected, actual = table.sample(2), restored.sample(2)
            assert_equal(actual.components, expected.components)
            assert_equal(actual[1:], expected[1:])


def test_state_of_another_sampler():
    uniform, prioritized = make_table(), _prioritized()
    for table, other, message in (
        (uniform, prioritized, r"`state\['sampler'\]` must be 'uniform', but is prioritised"),
        (prioritized, uniform, r"`state\['sampler'\]` must be 'prioritised', but is uniform"),
    ):
        other.insert(sequences(0, 3))
        table.insert(sequences(0, 2))
        with pytest.raises(ValueError, match=message):
            table.set_state(other.get_state())
        assert table.size == 0


def test_state_without_a_sampler_is_not_one_with_priorities():
    uniform = make_table()
    uniform.insert(sequences(0, 3))
    state = uniform.get_state()
    del state['keys'], state['sampler']
    with pytest.raises(ValueError, match=r"`state\['sampler'\]` must be 'prioritised', but is un"):
        _prioritized().set_state(state)


@pytest.mark.parametrize(
    'change, message',
    [
        (lambda s: s.pop('sampler_priorities'), '`state` must have the entries'),
        (lambda s: s.update(sampler_other=np.zeros([3])), '`state` must have the entries'),
        (
            lambda s: s.update(sampler_priorities=np.ones([2])),
            r"`state\['sampler_priorities'\]` must be float64 \[3\], but is float64 \[2\]",
        ),
        (
            lambda s: s.update(sampler_priorities=np.array([10.0, -20.0, 30.0])),
            r"`state\['sampler_priorities'\]` must be from 0 to the highest",
        ),
        (
            lambda s: s.update(sampler_max_priority=np.asarray(20.0)),
            r"`state\['sampler_priorities'\]` must be from 0 to the highest .*, but is 20.0",
        ),
        (
            lambda s: s.update(sampler_max_priority=np.asarray(np.inf)),
            'must be finite and at least 1, but is inf',
        ),
        (
            lambda s: s.update(sampler_max_priority=np.array([30.0])),
            r"`state\['sampler_max_priority'\]` must be float64 \[\], but is float64 \[1\]",
        ),
    ],
)
def test_damaged_state_of_a_sampler(change, message):
    table = _prioritized()
    table.insert(sequences(0, 3), [10.0, 20.0, 30.0])
    state = table.get_state()
    change(state)
    with pytest.raises(ValueError, match=message):
        table.set_state(state)
    assert table.size == 0
    # The table is empty, and the highest priority so far is reset as well.
    table.insert(sequences(0, 2))
    table.insert(sequences(2, 1), [2.0])
    _assert_probabilities(table, {0: 1, 1: 1, 2: 2})
