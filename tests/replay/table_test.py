import contextlib
import sys
import threading

import numpy as np
import pytest

from sc2impala.replay import Prioritised, min_compressed_bytes, uncompressed_bytes
from sc2impala.replay.codec import SequenceCodec
from tests.replay.tables import (
    COMPRESSIONS,
    NUMBER,
    SPECS,
    assert_equal,
    kept,
    make_table,
    play,
    sequences,
)


@pytest.mark.parametrize('compression', COMPRESSIONS)
@pytest.mark.parametrize('remover', ['reservoir', 'fifo'])
def test_keeps_everything_until_full(remover, compression):
    table = make_table(5, remover, 0, compression)
    assert (table.size, table.num_inserted, table.capacity) == (0, 0, 5)
    table.insert(sequences(0, 2))
    assert (table.size, table.num_inserted) == (2, 2)
    table.insert(sequences(2, 3))
    assert (table.size, table.num_inserted) == (5, 5)
    assert kept(table) == [0, 1, 2, 3, 4]
    table.insert(sequences(5, 1))
    assert (table.size, table.num_inserted) == (5, 6)


@pytest.mark.parametrize('compression', COMPRESSIONS)
@pytest.mark.parametrize('remover', ['reservoir', 'fifo'])
def test_components_of_a_sequence_stay_together(remover, compression):
    table = make_table(5, remover, 0, compression)
    table.insert(sequences(0, 30))
    components = table.sample(4).components
    for component, (shape, dtype) in zip(components, SPECS):
        assert component.shape == (4,) + shape
        assert component.dtype == dtype
    number = components[NUMBER]
    expected = [np.concatenate([sequences(i, 1)[c] for i in number]) for c in range(len(SPECS))]
    assert_equal(components, expected)


@pytest.mark.parametrize('compression', COMPRESSIONS)
@pytest.mark.parametrize('remover', ['reservoir', 'fifo'])
def test_keys_are_insertion_numbers(remover, compression):
    table = make_table(5, remover, 0, compression)
    all_keys, first = [], 0
    for count in (3, 0, 4, 1, 30, 2):
        keys = table.insert(sequences(first, count))
        assert keys.dtype == np.int64 and keys.shape == (count,)
        all_keys += keys.tolist()
        first += count
        if table.size >= 3:
            sample = table.sample(3)
            assert_equal([sample.keys], [sample.components[NUMBER]])
            assert_equal([sample.probabilities], [np.full([3], 1 / table.size)])
            assert sorted(table.get_state()['keys']) == kept(table)
    assert all(key in (-1, number) for number, key in enumerate(all_keys))
    assert set(kept(table)) <= set(all_keys)
    assert (-1 in all_keys) == (remover == 'reservoir')


def test_a_rejected_sequence_has_no_key():
    table = make_table(2, 'reservoir')
    for number in range(60):
        before = kept(table)
        key = table.insert(sequences(number, 1)).item()
        assert key == (number if number in kept(table) else -1)
        assert (kept(table) == before) == (key == -1)


def test_sample_of_all_and_of_too_many():
    table = make_table()
    with pytest.raises(ValueError, match='`count` must be at most the 0 sequences held, but is 1'):
        table.sample(1)
    table.insert(sequences(0, 3))
    assert sorted(table.sample(3).components[NUMBER]) == [0, 1, 2]
    with pytest.raises(ValueError, match='`count` must be at most the 3 sequences held, but is 4'):
        table.sample(4)


@pytest.mark.parametrize('compression', COMPRESSIONS)
def test_sample_is_a_copy_and_so_is_what_is_inserted(compression):
    table = make_table(compression=compression)
    inserted = sequences(1, 1)
    keys = table.insert(inserted)
    inserted[NUMBER][:] = 7
    keys[:] = 7
    sample = table.sample(1)
    sample.components[NUMBER][:] = 8
    sample.keys[:] = 8
    table.get_state()['keys'][:] = 9
    assert kept(table) == [1]
    assert table.sample(1).keys == [0]


@pytest.mark.parametrize('remover', ['reservoir', 'fifo'])
def test_same_seed_same_samples(remover):
    first, second, other = (make_table(5, remover, seed) for seed in (0, 0, 1))
    sampled = play(first, 0)
    assert_equal(play(second, 0), sampled)
    num_arrays = len(SPECS) + 2
    numbers = np.concatenate(sampled[NUMBER::num_arrays])
    assert np.any(np.concatenate(play(other, 0)[NUMBER::num_arrays]) != numbers)


@pytest.mark.parametrize('remover', ['reservoir', 'fifo'])
def test_compression_changes_nothing_that_is_sampled(remover):
    assert_equal(play(make_table(5, remover, 0, 'zstd'), 0), play(make_table(5, remover), 0))


def test_memory_use_grows_until_the_table_is_full():
    specs = [((4, 1000), np.float32)]
    raw = make_table(100, 'fifo', specs=specs)
    table = make_table(100, 'fifo', 0, 'zstd', specs)
    assert raw.num_bytes == uncompressed_bytes(specs, 100)
    assert table.num_bytes == 0
    rng, sizes = np.random.RandomState(0), []
    for _ in range(30):
        table.insert([rng.normal(size=[10, 4, 1000]).astype(np.float32)])
        sizes.append(table.num_bytes)
    assert 0 < sizes[0] < sizes[4] < sizes[9] < raw.num_bytes
    assert sizes[-1] < 1.05 * sizes[9]


def test_only_kept_sequences_are_compressed(monkeypatch):
    counts = []

    def encode(self, arrays, encode=SequenceCodec.encode):
        counts.append(1)
        return encode(self, arrays)

    monkeypatch.setattr(SequenceCodec, 'encode', encode)
    table = make_table(compression='zstd')
    table.insert(sequences(0, 5))
    assert len(counts) == 5
    table.insert(sequences(5, 495))
    # One after the other, 5 * (1/6 + ... + 1/500) = 23 of them would be kept for a while.
    assert len(counts) <= 10


@pytest.mark.parametrize('num_before', [0, 3, 9])
def test_insert_that_runs_out_of_memory_leaves_a_valid_table(monkeypatch, num_before):
    table = make_table(5, 'fifo', 0, 'zstd')
    table.insert(sequences(0, num_before))
    counts = []

    def encode(self, arrays, encode=SequenceCodec.encode):
        counts.append(1)
        if len(counts) == 2:
            raise MemoryError
        return encode(self, arrays)

    monkeypatch.setattr(SequenceCodec, 'encode', encode)
    with pytest.raises(MemoryError):
        table.insert(sequences(50, 3))
    assert table.num_inserted == num_before
    # Some sequences have been overwritten, but no key refers to a wrong sequence.
    number_of_key = dict(enumerate(range(num_before)))
    _assert_keys(table, number_of_key)
    restored = make_table(5, 'fifo', 0, 'none')
    restored.set_state(table.get_state())
    _assert_keys(restored, number_of_key)
    keys = table.insert(sequences(60, 4))
    assert len(kept(table)) == min(num_before + 4, 5)
    assert set(kept(table)) >= {60, 61, 62, 63}
    number_of_key.update(zip(keys.tolist(), range(60, 64)))
    _assert_keys(table, number_of_key)


def _assert_keys(table, number_of_key):
    sample = table.sample(table.size)
    for key, number in zip(sample.keys.tolist(), sample.components[NUMBER].tolist()):
        assert key == -1 or number_of_key[key] == number


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
    table = make_table()
    with pytest.raises(ValueError, match=message):
        table.insert(change(sequences(0, 2)))
    assert table.num_inserted == 0


@pytest.mark.parametrize(
    'arguments, message',
    [
        (dict(capacity=0), '`capacity` must be at least 1, but is 0'),
        (dict(specs=[((), object)]), r'`specs\[0\]` must hold plain numbers'),
        (
            dict(compression='gzip'),
            r"`compression` must be one of \['none', 'zstd'\], but is 'gzip'",
        ),
        (dict(defaults={2: 0}), r'`defaults` must name the last of 4 components, but names \[2\]'),
        (dict(defaults={3: 0, 1: 0}), r'but names \[1, 3\]'),
        (dict(defaults={4: 0}), r'but names \[4\]'),
    ],
)
def test_bad_arguments(arguments, message):
    with pytest.raises(ValueError, match=message):
        make_table(**arguments)


def test_unknown_compression():
    message = r"`compression` must be one of \['none', 'zstd'\], but is 'gzip'"
    with pytest.raises(ValueError, match=message):
        make_table(compression='gzip')


def test_memory_bytes_is_what_the_full_state_takes():
    assert uncompressed_bytes(SPECS, 7) == 7 * (6 * 4 + 8 + 4 + 1)
    table = make_table(7)
    table.insert(sequences(0, 7))
    state = table.get_state()
    components = [array for name, array in state.items() if name.startswith('component')]
    assert sum(array.nbytes for array in components) == uncompressed_bytes(SPECS, 7)


def test_no_compressed_table_takes_less_than_the_minimum():
    for specs in ([((100, 64, 64), np.uint8)], [((), np.uint8)]):
        table = make_table(4, 'fifo', 0, 'zstd', specs)
        table.insert([np.zeros((4,) + shape, dtype) for shape, dtype in specs])
        assert min_compressed_bytes(specs, 8) == 2 * min_compressed_bytes(specs, 4)
        if uncompressed_bytes(specs, 1) < 1024:
            assert 4 * 1024 == min_compressed_bytes(specs, 4) <= table.num_bytes
        else:
            assert min_compressed_bytes(specs, 4) == uncompressed_bytes(specs, 4) // 100


def test_memory_bytes_beyond_32_bits():
    assert uncompressed_bytes([((1 << 20, 1 << 10), np.float32)], 1 << 20) == 1 << 52


@pytest.mark.parametrize('compression', COMPRESSIONS)
def test_threads_never_see_half_a_sequence(compression):
    size = 1000
    specs = [((size,), np.int64)] * 3
    table = make_table(4, 'fifo', 0, compression, specs)
    table.insert([np.zeros([4, size], np.int64)] * 3)
    stop = threading.Event()

    def keep_inserting():
        number = 0
        while not stop.is_set():
            number += 1
            table.insert([np.full([4, size], number)] * 3)

    with _in_background(keep_inserting, stop):
        for _ in range(100):
            sample = np.stack(table.sample(4).components)
            assert np.all(sample == sample[0, 0, 0])
    assert table.num_inserted > 4


def test_threads_never_update_a_wrong_sequence():
    table = make_table(4, 'fifo', 0, 'none', [((), np.int64)], Prioritised())
    keys = table.insert([np.zeros([4], np.int64)], np.arange(4) + 1)
    stop = threading.Event()

    def keep_inserting():
        while not stop.is_set():
            table.insert([np.zeros([2], np.int64)], table.num_inserted + np.arange(2) + 1)

    with _in_background(keep_inserting, stop):
        for _ in range(1000):
            keys = np.concatenate([keys[-4:], table.sample(4).keys])
            table.update_priorities(keys, keys + 1)
    state = table.get_state()
    np.testing.assert_array_equal(state['sampler_priorities'], state['keys'] + 1)
    assert table.num_inserted > 4


@contextlib.contextmanager
def _in_background(function, stop):
    """Runs a function in a thread with frequent thread switches, until the block ends."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    thread = threading.Thread(target=function)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()
        sys.setswitchinterval(interval)
