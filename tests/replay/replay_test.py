import itertools
import sys
import threading

import numpy as np
import pytest

from sc2impala.replay import Replay, least_compressed_bytes, memory_bytes
from sc2impala.replay.codec import SequenceCodec

SPECS = [((3, 2), np.float32), ((), np.int64), ((4,), np.uint8), ((1,), np.bool_)]


COMPRESSIONS = ['none', 'zstd']


def _replay(capacity=5, eviction='reservoir', seed=0, compression='none'):
    return Replay(capacity, SPECS, eviction, np.random.RandomState(seed), compression)


def _sequences(first, count):
    """Sequences numbered from `first`; each component of one tells its number."""
    ids = np.arange(first, first + count)
    return [
        np.broadcast_to(ids.reshape([-1] + [1] * len(shape)), (count,) + shape).astype(dtype)
        for shape, dtype in SPECS
    ]


def _kept(replay, compression='none'):
    """The numbers of the sequences held; nothing is drawn for it."""
    state = replay.get_state()
    if compression != 'none':
        plain = _replay(replay.capacity, str(state['eviction']))
        plain.set_state(state)
        state = plain.get_state()
    return sorted(state['component_1'])


def _assert_equal(actual, expected):
    assert len(actual) == len(expected)
    for a, b in zip(actual, expected):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize('compression', COMPRESSIONS)
@pytest.mark.parametrize('eviction', ['reservoir', 'fifo'])
def test_keeps_everything_until_full(eviction, compression):
    replay = _replay(5, eviction, 0, compression)
    assert (replay.size, replay.num_inserted, replay.capacity) == (0, 0, 5)
    replay.insert(_sequences(0, 2))
    assert (replay.size, replay.num_inserted) == (2, 2)
    replay.insert(_sequences(2, 3))
    assert (replay.size, replay.num_inserted) == (5, 5)
    assert _kept(replay, compression) == [0, 1, 2, 3, 4]
    replay.insert(_sequences(5, 1))
    assert (replay.size, replay.num_inserted) == (5, 6)


@pytest.mark.parametrize('compression', COMPRESSIONS)
@pytest.mark.parametrize('eviction', ['reservoir', 'fifo'])
def test_components_of_a_sequence_stay_together(eviction, compression):
    replay = _replay(5, eviction, 0, compression)
    replay.insert(_sequences(0, 30))
    sample = replay.sample(4)
    for component, (shape, dtype) in zip(sample, SPECS):
        assert component.shape == (4,) + shape
        assert component.dtype == dtype
    number = sample[1]
    expected = [np.concatenate([_sequences(i, 1)[c] for i in number]) for c in range(len(SPECS))]
    _assert_equal(sample, expected)


@pytest.mark.parametrize('compression', COMPRESSIONS)
@pytest.mark.parametrize('sizes', [[1] * 23, [23], [4, 7, 12]])
def test_fifo_keeps_the_latest(sizes, compression):
    replay = _replay(5, 'fifo', 0, compression)
    first = 0
    for size in sizes:
        replay.insert(_sequences(first, size))
        first += size
    assert _kept(replay, compression) == [18, 19, 20, 21, 22]


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


@pytest.mark.parametrize('compression', COMPRESSIONS)
def test_sample_is_a_copy_and_so_is_what_is_inserted(compression):
    replay = _replay(compression=compression)
    sequences = _sequences(1, 1)
    replay.insert(sequences)
    sequences[1][:] = 7
    replay.sample(1)[1][:] = 8
    assert _kept(replay, compression) == [1]


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
def test_compression_changes_nothing_that_is_sampled(eviction):
    _assert_equal(_play(_replay(5, eviction, 0, 'zstd'), 0), _play(_replay(5, eviction), 0))


@pytest.mark.parametrize('after', COMPRESSIONS)
@pytest.mark.parametrize('before', COMPRESSIONS)
@pytest.mark.parametrize('eviction', ['reservoir', 'fifo'])
@pytest.mark.parametrize('num_inserted', [0, 3, 17])
def test_goes_on_identically_from_a_state(num_inserted, eviction, before, after):
    replay, restored = _replay(5, eviction, 0, before), _replay(5, eviction, 99, after)
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
def test_uncompressed_state_of_other_arguments(capacity, specs, eviction, message):
    for compression in COMPRESSIONS:
        _assert_refuses(_replay(), capacity, specs, eviction, compression, message)


@pytest.mark.parametrize(
    'capacity, specs, eviction, message',
    [
        (6, SPECS, 'reservoir', r"`state\['capacity'\]` must be 6, but is 5"),
        (5, SPECS[:-1], 'reservoir', r"`state\['layout'\]` must be .* but is .*'bool \[1\]'"),
        (5, SPECS[1:] + SPECS[:1], 'reservoir', r"`state\['layout'\]` must be "),
        (5, [((2, 3), np.float32)] + SPECS[1:], 'reservoir', r"must be .*'float32 \[2, 3\]'"),
    ],
)
def test_compressed_state_of_other_arguments(capacity, specs, eviction, message):
    for compression in COMPRESSIONS:
        replay = _replay(compression='zstd')
        _assert_refuses(replay, capacity, specs, eviction, compression, message)


def _assert_refuses(replay, capacity, specs, eviction, compression, message):
    replay.insert(_sequences(0, 3))
    other = Replay(capacity, specs, eviction, np.random.RandomState(0), compression)
    other.insert([np.ones((2,) + tuple(shape), dtype) for shape, dtype in specs])
    with pytest.raises(ValueError, match=message):
        other.set_state(replay.get_state())
    assert other.size == 0
    # It is empty, and as good as new.
    sequences = [np.full((9,) + tuple(shape), 1, dtype) for shape, dtype in specs]
    other.insert(sequences)
    _assert_equal(other.sample(4), [array[:4] for array in sequences])


@pytest.mark.parametrize('after', COMPRESSIONS)
@pytest.mark.parametrize('before, entry', [('none', 'component_0'), ('zstd', 'lengths')])
def test_state_that_contradicts_itself(before, entry, after):
    replay = _replay(compression=before)
    replay.insert(_sequences(0, 3))
    for num_inserted in (-1, 2, 4):
        state = dict(replay.get_state(), num_inserted=np.asarray(num_inserted))
        with pytest.raises(ValueError, match=rf"`state\['{entry}'\]` must be"):
            _replay(compression=after).set_state(state)


@pytest.mark.parametrize('after', COMPRESSIONS)
@pytest.mark.parametrize(
    'change, message',
    [
        (lambda s: s.update(pages=s['pages'] + 1), r"`state\['pages'\]` must be numbers of the 3"),
        (lambda s: s.update(pages=s['pages'] - 1), r"`state\['pages'\]` must be numbers of the 3"),
        (lambda s: s.update(pages=s['pages'][:-1]), r"`state\['pages'\]` must be int32 \[3\]"),
        (lambda s: s.update(slab_0=s['slab_0'][:, 1:]), r"`state\['slab_0'\]` must be uint8"),
        (lambda s: s.update(slab_0=s['slab_0'][:2]), 'numbers of the 2 pages'),
        (lambda s: s.update(slab_0=s['slab_0'] + 1), 'cannot be decompressed'),
        (lambda s: s.update(lengths=s['lengths'] - 1), 'a sequence'),
        (lambda s: s.update(lengths=-s['lengths']), '`state'),
        (lambda s: s.pop('slab_0'), 'numbers of the 0 pages'),
        (lambda s: s.pop('lengths'), '`state` must have the entries'),
        (lambda s: s.update(slab_2=s['slab_0']), '`state` must have the entries'),
    ],
)
def test_compressed_state_that_is_damaged(change, message, after):
    replay = _replay(compression='zstd')
    replay.insert(_sequences(0, 3))
    state = replay.get_state()
    change(state)
    restored = _replay(compression=after)
    with pytest.raises(ValueError, match=message):
        restored.set_state(state)
    assert restored.size == 0


@pytest.mark.parametrize('compression', COMPRESSIONS)
def test_state_of_the_first_version(compression):
    """Whose entries are written out here: runs that it began must go on."""
    rng_state = np.random.RandomState(3).get_state()
    state = dict(
        capacity=np.asarray(5),
        eviction=np.asarray('reservoir'),
        num_inserted=np.asarray(12),
        **dict(
            zip(
                ['rng_name', 'rng_keys', 'rng_position', 'rng_has_gauss', 'rng_gauss'],
                map(np.asarray, rng_state),
            )
        ),
    )
    state.update((f'component_{i}', array) for i, array in enumerate(_sequences(20, 5)))
    replay = _replay(5, 'reservoir', 0, compression)
    replay.set_state(state)
    assert (replay.size, replay.num_inserted) == (5, 12)
    slots = np.random.RandomState(3).choice(5, size=2, replace=False)
    _assert_equal(replay.sample(2), [array[slots] for array in _sequences(20, 5)])


def test_a_compressed_state_is_restored_as_it_was():
    replay, restored = _replay(compression='zstd'), _replay(compression='zstd')
    replay.insert(_sequences(0, 50))
    restored.set_state(replay.get_state())
    before, after = replay.get_state(), restored.get_state()
    assert sorted(before) == sorted(after)
    _assert_equal([after[name] for name in sorted(after)], [before[name] for name in sorted(after)])
    assert restored.num_bytes == replay.num_bytes


def test_memory_is_taken_as_it_fills_and_no_more_once_it_is_full():
    specs = [((4, 1000), np.float32)]
    raw = Replay(100, specs, 'fifo', np.random.RandomState(0))
    replay = Replay(100, specs, 'fifo', np.random.RandomState(0), 'zstd')
    assert raw.num_bytes == memory_bytes(specs, 100)
    assert replay.num_bytes == 0
    rng, sizes = np.random.RandomState(0), []
    for _ in range(30):
        replay.insert([rng.normal(size=[10, 4, 1000]).astype(np.float32)])
        sizes.append(replay.num_bytes)
    assert 0 < sizes[0] < sizes[4] < sizes[9] < raw.num_bytes
    assert sizes[-1] < 1.05 * sizes[9]


def test_only_what_is_kept_is_compressed(monkeypatch):
    counts = []

    def encode(self, arrays, encode=SequenceCodec.encode):
        counts.append(1)
        return encode(self, arrays)

    monkeypatch.setattr(SequenceCodec, 'encode', encode)
    replay = _replay(compression='zstd')
    replay.insert(_sequences(0, 5))
    assert len(counts) == 5
    replay.insert(_sequences(5, 495))
    # One after the other, 5 * (1/6 + ... + 1/500) = 23 of them would be kept for a while.
    assert len(counts) <= 10


@pytest.mark.parametrize('num_before', [0, 3, 9])
def test_insert_that_runs_out_of_memory_leaves_a_whole_memory(monkeypatch, num_before):
    replay = _replay(5, 'fifo', 0, 'zstd')
    replay.insert(_sequences(0, num_before))
    counts = []

    def encode(self, arrays, encode=SequenceCodec.encode):
        counts.append(1)
        if len(counts) == 2:
            raise MemoryError
        return encode(self, arrays)

    monkeypatch.setattr(SequenceCodec, 'encode', encode)
    with pytest.raises(MemoryError):
        replay.insert(_sequences(50, 3))
    assert replay.num_inserted == num_before
    replay.insert(_sequences(60, 4))
    assert len(_kept(replay, 'zstd')) == min(num_before + 4, 5)
    assert set(_kept(replay, 'zstd')) >= {60, 61, 62, 63}


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


def test_unknown_compression():
    message = r"`compression` must be one of \['none', 'zstd'\], but is 'gzip'"
    with pytest.raises(ValueError, match=message):
        _replay(compression='gzip')


def test_memory_bytes_is_what_the_full_state_takes():
    assert memory_bytes(SPECS, 7) == 7 * (6 * 4 + 8 + 4 + 1)
    replay = _replay(7)
    replay.insert(_sequences(0, 7))
    state = replay.get_state()
    components = [array for name, array in state.items() if name.startswith('component')]
    assert sum(array.nbytes for array in components) == memory_bytes(SPECS, 7)


def test_no_compressed_memory_takes_less_than_the_least():
    for specs in ([((100, 64, 64), np.uint8)], [((), np.uint8)]):
        replay = Replay(4, specs, 'fifo', np.random.RandomState(0), 'zstd')
        replay.insert([np.zeros((4,) + shape, dtype) for shape, dtype in specs])
        assert least_compressed_bytes(specs, 8) == 2 * least_compressed_bytes(specs, 4)
        if memory_bytes(specs, 1) < 1024:
            assert 4 * 1024 == least_compressed_bytes(specs, 4) <= replay.num_bytes
        else:
            assert least_compressed_bytes(specs, 4) == memory_bytes(specs, 4) // 100


def test_memory_bytes_beyond_32_bits():
    assert memory_bytes([((1 << 20, 1 << 10), np.float32)], 1 << 20) == 1 << 52


@pytest.mark.parametrize('compression', COMPRESSIONS)
def test_threads_never_see_half_a_sequence(compression):
    size = 1000
    specs = [((size,), np.int64)] * 3
    replay = Replay(4, specs, 'fifo', np.random.RandomState(0), compression)
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
