import itertools
import sys
import threading

import numpy as np
import pytest

from sc2impala.replay import Replay, memory_bytes

SPECS = [((3, 2), np.float32), ((), np.int64), ((4,), np.uint8), ((1,), np.bool_)]


def _replay(capacity=5, eviction='reservoir', seed=0):
    return Replay(capacity, SPECS, eviction, np.random.RandomState(seed))


def _sequences(first, count):
    """Sequences numbered from `first`; each component of one tells its number."""
    ids = np.arange(first, first + count)
    return [
        np.broadcast_to(ids.reshape([-1] + [1] * len(shape)), (count,) + shape).astype(dtype)
        for shape, dtype in SPECS
    ]


def _kept(replay):
    return sorted(replay.get_state()['component_1'])


def _assert_equal(actual, expected):
    assert len(actual) == len(expected)
    for a, b in zip(actual, expected):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize('eviction', ['reservoir', 'fifo'])
def test_keeps_everything_until_full(eviction):
    replay = _replay(5, eviction)
    assert (replay.size, replay.num_inserted, replay.capacity) == (0, 0, 5)
    replay.insert(_sequences(0, 2))
    assert (replay.size, replay.num_inserted) == (2, 2)
    replay.insert(_sequences(2, 3))
    assert (replay.size, replay.num_inserted) == (5, 5)
    assert _kept(replay) == [0, 1, 2, 3, 4]
    replay.insert(_sequences(5, 1))
    assert (replay.size, replay.num_inserted) == (5, 6)


@pytest.mark.parametrize('eviction', ['reservoir', 'fifo'])
def test_components_of_a_sequence_stay_together(eviction):
    replay = _replay(5, eviction)
    replay.insert(_sequences(0, 30))
    sample = replay.sample(4)
    for component, (shape, dtype) in zip(sample, SPECS):
        assert component.shape == (4,) + shape
        assert component.dtype == dtype
    number = sample[1]
    expected = [np.concatenate([_sequences(i, 1)[c] for i in number]) for c in range(len(SPECS))]
    _assert_equal(sample, expected)


@pytest.mark.parametrize('sizes', [[1] * 23, [23], [4, 7, 12]])
def test_fifo_keeps_the_latest(sizes):
    replay = _replay(5, 'fifo')
    first = 0
    for size in sizes:
        replay.insert(_sequences(first, size))
        first += size
    assert _kept(replay) == [18, 19, 20, 21, 22]


def test_reservoir_does_not_depend_on_how_inserts_are_grouped():
    one_by_one, at_once = _replay(), _replay()
    for i in range(40):
        one_by_one.insert(_sequences(i, 1))
    at_once.insert(_sequences(0, 40))
    np.testing.assert_array_equal(
        one_by_one.get_state()['component_1'], at_once.get_state()['component_1']
    )


def test_reservoir_keeps_every_subset_equally_often():
    rng = np.random.RandomState(1)
    counts = dict.fromkeys(itertools.combinations(range(6), 2), 0)
    trials = 3000
    for _ in range(trials):
        replay = Replay(2, [((), np.int64)], 'reservoir', rng)
        replay.insert([np.arange(4)])
        replay.insert([np.arange(4, 6)])
        counts[tuple(_kept_numbers(replay))] += 1
    expected = trials / len(counts)
    chi_square = sum((count - expected) ** 2 / expected for count in counts.values())
    # 14 degrees of freedom: 36.1 is exceeded by one uniform reservoir in a thousand.
    assert len(counts) == 15 and chi_square < 36.1


def test_reservoir_keeps_old_and_new_equally_often():
    rng = np.random.RandomState(2)
    trials, capacity, inserted = 400, 20, 200
    counts = np.zeros(inserted)
    for _ in range(trials):
        replay = Replay(capacity, [((), np.int64)], 'reservoir', rng)
        replay.insert([np.arange(inserted)])
        counts[_kept_numbers(replay)] += 1
    expected = trials * capacity / inserted
    # Of each trial exactly `capacity` are kept, which makes the counts vary less than Poisson.
    chi_square = np.sum((counts - expected) ** 2) / (expected * (1 - capacity / inserted))
    # 199 degrees of freedom: 0.1% of uniform reservoirs are above 267, and 0.1% below 142.
    assert 142 < chi_square < 267


def _kept_numbers(replay):
    return sorted(replay.get_state()['component_0'])


def test_samples_differ_and_are_equally_likely():
    replay = _replay(10)
    replay.insert(_sequences(0, 8))
    counts = np.zeros(8)
    trials = 2000
    for _ in range(trials):
        numbers = replay.sample(3)[1]
        assert len(set(numbers)) == 3
        counts[numbers] += 1
    expected = trials * 3 / 8
    chi_square = np.sum((counts - expected) ** 2) / (expected * (1 - 3 / 8))
    # 7 degrees of freedom: 24.3 is exceeded once in a thousand.
    assert chi_square < 24.3


def test_sample_of_all_and_of_too_many():
    replay = _replay()
    with pytest.raises(ValueError, match='`count` must be at most the 0 sequences held, but is 1'):
        replay.sample(1)
    replay.insert(_sequences(0, 3))
    assert sorted(replay.sample(3)[1]) == [0, 1, 2]
    with pytest.raises(ValueError, match='`count` must be at most the 3 sequences held, but is 4'):
        replay.sample(4)


def test_sample_is_a_copy_and_so_is_what_is_inserted():
    replay = _replay()
    sequences = _sequences(1, 1)
    replay.insert(sequences)
    sequences[1][:] = 7
    replay.sample(1)[1][:] = 8
    assert _kept(replay) == [1]


def _play(replay, first):
    """Inserts and samples in turn, and returns all that was sampled."""
    sampled = []
    for i in range(6):
        replay.insert(_sequences(first + 4 * i, 4))
        sampled += replay.sample(2)
    return sampled


@pytest.mark.parametrize('eviction', ['reservoir', 'fifo'])
def test_same_seed_same_samples(eviction):
    first, second, other = (_replay(5, eviction, seed) for seed in (0, 0, 1))
    sampled = _play(first, 0)
    _assert_equal(_play(second, 0), sampled)
    numbers = np.concatenate(sampled[1 :: len(SPECS)])
    assert np.any(np.concatenate(_play(other, 0)[1 :: len(SPECS)]) != numbers)


@pytest.mark.parametrize('eviction', ['reservoir', 'fifo'])
@pytest.mark.parametrize('num_inserted', [0, 3, 17])
def test_goes_on_identically_from_a_state(num_inserted, eviction):
    replay, restored = _replay(5, eviction), _replay(5, eviction, seed=99)
    replay.insert(_sequences(0, num_inserted))
    restored.insert(_sequences(100, 11))
    state = {name: np.copy(array) for name, array in replay.get_state().items()}
    restored.set_state(state)
    assert (restored.size, restored.num_inserted) == (replay.size, num_inserted)
    _assert_equal(_play(restored, 50), _play(replay, 50))


def test_state_holds_only_what_is_filled():
    replay = _replay(5)
    replay.insert(_sequences(0, 2))
    assert replay.get_state()['component_0'].shape == (2, 3, 2)


@pytest.mark.parametrize(
    'capacity, specs, eviction, message',
    [
        (6, SPECS, 'reservoir', r"`state\['capacity'\]` must be 6, but is 5"),
        (5, SPECS, 'fifo', r"`state\['eviction'\]` must be 'fifo', but is reservoir"),
        (5, SPECS[:-1], 'reservoir', '`state` must have the entries'),
        (5, SPECS[1:] + SPECS[:1], 'reservoir', r"`state\['component_0'\]` must be int64 \[3\], "),
        (5, [((3, 2), np.float64)] + SPECS[1:], 'reservoir', 'must be float64'),
        (5, [((2, 3), np.float32)] + SPECS[1:], 'reservoir', r'must be float32 \[3, 2, 3\]'),
    ],
)
def test_state_of_other_arguments(capacity, specs, eviction, message):
    replay = _replay()
    replay.insert(_sequences(0, 3))
    other = Replay(capacity, specs, eviction, np.random.RandomState(0))
    other.insert([np.ones((2,) + tuple(shape), dtype) for shape, dtype in specs])
    with pytest.raises(ValueError, match=message):
        other.set_state(replay.get_state())
    assert other.size == 0


def test_state_that_contradicts_itself():
    replay = _replay()
    replay.insert(_sequences(0, 3))
    for num_inserted in (-1, 2, 4):
        state = dict(replay.get_state(), num_inserted=np.asarray(num_inserted))
        with pytest.raises(ValueError, match=r"`state\['component_0'\]` must be"):
            _replay().set_state(state)


@pytest.mark.parametrize(
    'change, message',
    [
        (lambda c: c[:-1], '`components` must have 4 arrays, but has 3'),
        (
            lambda c: c[:1] + [c[1][:1]] + c[2:],
            r'`components\[1\]` must be int64 \[2\], but is int',
        ),
        (lambda c: [c[0][:, :1]] + c[1:], r'`components\[0\]` must be float32 \[2, 3, 2\], but'),
        (lambda c: [c[0].astype(np.float64)] + c[1:], 'must be float32 .* but is float64'),
    ],
)
def test_insert_of_something_else_inserts_nothing(change, message):
    replay = _replay()
    with pytest.raises(ValueError, match=message):
        replay.insert(change(_sequences(0, 2)))
    assert replay.num_inserted == 0


@pytest.mark.parametrize(
    'arguments, message',
    [
        ((0, SPECS, 'fifo'), '`capacity` must be at least 1, but is 0'),
        ((5, SPECS, 'lifo'), r"`eviction` must be one of \['fifo', 'reservoir'\], but is 'lifo'"),
        ((5, [((), object)], 'fifo'), r'`specs\[0\]` must hold plain numbers'),
    ],
)
def test_bad_arguments(arguments, message):
    with pytest.raises(ValueError, match=message):
        Replay(*arguments, rng=np.random.RandomState(0))


def test_memory_bytes_is_what_the_full_state_takes():
    assert memory_bytes(SPECS, 7) == 7 * (6 * 4 + 8 + 4 + 1)
    replay = _replay(7)
    replay.insert(_sequences(0, 7))
    state = replay.get_state()
    components = [array for name, array in state.items() if name.startswith('component')]
    assert sum(array.nbytes for array in components) == memory_bytes(SPECS, 7)


def test_memory_bytes_beyond_32_bits():
    assert memory_bytes([((1 << 20, 1 << 10), np.float32)], 1 << 20) == 1 << 52


def test_threads_never_see_half_a_sequence():
    size = 1000
    replay = Replay(4, [((size,), np.int64)] * 3, 'fifo', np.random.RandomState(0))
    replay.insert([np.zeros([4, size], np.int64)] * 3)
    stop = threading.Event()

    def keep_inserting():
        number = 0
        while not stop.is_set():
            number += 1
            replay.insert([np.full([4, size], number)] * 3)

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    thread = threading.Thread(target=keep_inserting)
    thread.start()
    try:
        for _ in range(100):
            sample = np.stack(replay.sample(4))
            assert np.all(sample == sample[0, 0, 0])
    finally:
        stop.set()
        thread.join()
        sys.setswitchinterval(interval)
    assert replay.num_inserted > 4
