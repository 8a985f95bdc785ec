"""Tests that tables draw the same random numbers as earlier versions, and load their files.

The hashes, the numbers and the files `tests/data/replay_<remover>_<compression>.npz.gz` were made
with the last version before samplers and keys (commit f33b60e). A file is the saved state of a
table with capacity 3 and seed 8, after inserting `sequences(10 * i, 2)` and sampling one sequence
for i = 0, 1, 2, 3.
"""

import gzip
import hashlib
import itertools
import os
import tracemalloc

import numpy as np
import pytest

from sc2impala.replay import Prioritised, load, save
from tests.replay.tables import COMPRESSIONS, NUMBER, SPECS, assert_equal, make_table, sequences

DATA = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), 'data')

REMOVERS = ['reservoir', 'fifo']

DIGESTS = {
    'reservoir': '5510874259a7ece20afd151a0130e507911895bd76b64db2a47d424da0beded0',
    'fifo': '2cccf314da0f303ca3b45b6bec4149563db396f53423442985c26f7af18e98cf',
}
"""SHA-256 of all samples of `test_draws_as_earlier_versions_did` and of the final random state."""

POSITIONS = {'reservoir': 490, 'fifo': 99}
"""The position in the final random state."""

KEPT = {'reservoir': [30, 1, 20], 'fifo': [30, 31, 21]}
"""The numbers of the sequences in the files, by slot."""

CONTINUED = {
    'reservoir': (
        [[30, 20, 1], [1, 30], [51, 30, 1], [51, 1], [30, 51, 1], [51, 30]]
        + [[1, 30, 51], [51, 30], [30, 51, 1], [30, 1], [51, 1, 30], [1, 30]]
    ),
    'fifo': (
        [[21, 31, 30], [50, 31], [50, 51, 31], [51, 61], [51, 60, 61], [61, 71]]
        + [[70, 61, 71], [80, 81], [71, 81, 80], [81, 90], [91, 90, 81], [91, 101]]
    ),
}
"""The numbers of the sequences that `_continue` sampled."""

NEW_SPECS = SPECS + [((), np.int32), ((), np.int64)]
NEW_DEFAULTS = {4: 0, 5: -1}
"""Two more components, which the files lack."""


@pytest.mark.parametrize('compression', COMPRESSIONS)
@pytest.mark.parametrize('remover', REMOVERS)
def test_draws_as_earlier_versions_did(remover, compression):
    table = make_table(11, remover, 5, compression)
    digest = hashlib.sha256()
    first = 0
    for step in range(100):
        count = 5 * step % 7
        table.insert(sequences(first, count))
        first += count
        if table.size >= 3:
            for array in table.sample(3).components:
                digest.update(array.tobytes())
    for array in table.sample(table.size).components:
        digest.update(array.tobytes())
    state = table.get_state()
    digest.update(state['rng_keys'].astype('<u4').tobytes())
    assert digest.hexdigest() == DIGESTS[remover]
    assert state['rng_position'] == POSITIONS[remover]


@pytest.fixture(name='old_file')
def _old_file(tmp_path):
    def unpack(remover, compression):
        path = str(tmp_path / 'old.npz')
        packed = os.path.join(DATA, f'replay_{remover}_{compression}.npz.gz')
        with gzip.open(packed) as source, open(path, 'wb') as file:
            file.write(source.read())
        return path

    return unpack


def _continue(table, specs):
    """Samples and inserts alternately; returns what was sampled."""
    samples = []
    for i in range(6):
        samples.append(table.sample(3))
        table.insert(sequences(50 + 10 * i, 2, specs))
        samples.append(table.sample(2))
    return samples


def _assert_continues(table, remover, specs):
    samples = _continue(table, specs)
    numbers = [sample.components[NUMBER].tolist() for sample in samples]
    assert numbers == CONTINUED[remover]
    for sample in samples:
        for old, key, number in zip(
            sample.components[NUMBER] < 50, sample.keys.tolist(), sample.components[NUMBER].tolist()
        ):
            # Two sequences were inserted for each ten numbers from 50.
            inserted = 8 + (number - 50) // 10 * 2 + number % 10
            assert key == (KEPT[remover].index(number) if old else inserted)
        assert_equal([sample.probabilities], [np.full([len(sample.keys)], 1 / 3)])
    return samples


def test_continues_from_an_old_file(old_file):
    for after, before, remover in itertools.product(COMPRESSIONS, COMPRESSIONS, REMOVERS):
        state = load(old_file(remover, before))
        assert 'keys' not in state and 'sampler' not in state
        table = make_table(3, remover, 99, after)
        table.set_state(state)
        assert (table.size, table.num_inserted) == (3, 8)
        assert table.get_state()['keys'].tolist() == [0, 1, 2]
        samples = _assert_continues(table, remover, SPECS)
        for sample in samples:
            expected = [sequences(n, 1) for n in sample.components[NUMBER]]
            assert_equal(sample.components, [np.concatenate(arrays) for arrays in zip(*expected)])


def test_components_that_an_old_file_lacks_are_filled(old_file, tmp_path):
    for after, before, remover in itertools.product(COMPRESSIONS, COMPRESSIONS, REMOVERS):
        table = make_table(3, remover, 99, after, NEW_SPECS, defaults=NEW_DEFAULTS)
        table.set_state(load(old_file(remover, before)))
        # A state saved afterwards has all components.
        path = str(tmp_path / 'new.npz')
        save(path, table.get_state())
        restored = make_table(3, remover, 98, before, NEW_SPECS)
        restored.set_state(load(path))
        for each in (table, restored):
            for sample in _assert_continues(each, remover, NEW_SPECS):
                assert [component.dtype for component in sample.components[4:]] == [
                    np.int32,
                    np.int64,
                ]
                for number, task, step in zip(*(sample.components[i] for i in (NUMBER, 4, 5))):
                    assert (task, step) == ((0, -1) if number < 50 else (number, number))


@pytest.mark.parametrize('after', COMPRESSIONS)
@pytest.mark.parametrize('before', COMPRESSIONS)
def test_states_with_keys_may_lack_components_too(before, after):
    table = make_table(5, 'reservoir', 0, before, NEW_SPECS[:5])
    restored = make_table(5, 'reservoir', 1, after, NEW_SPECS, defaults=NEW_DEFAULTS)
    table.insert(sequences(0, 20, NEW_SPECS[:5]))
    restored.set_state(table.get_state())
    expected, actual = table.sample(5), restored.sample(5)
    assert_equal(actual.components, expected.components + [np.full([5], -1)])
    assert_equal([actual.keys], [expected.keys])


@pytest.mark.parametrize('after', COMPRESSIONS)
def test_an_empty_state_may_lack_components(after):
    for before in COMPRESSIONS:
        table = make_table(5, 'fifo', 1, after, NEW_SPECS, defaults=NEW_DEFAULTS)
        table.set_state(make_table(5, 'fifo', 0, before).get_state())
        assert table.size == 0
        table.insert(sequences(0, 2, NEW_SPECS))
        assert sorted(table.sample(2).components[5]) == [0, 1]


@pytest.mark.parametrize('before', COMPRESSIONS)
def test_other_components_are_refused(old_file, before):
    for specs, defaults, message in [
        # There are no default values.
        (NEW_SPECS, None, "must have the entries.*component_5|'layout'.*must be.*'int64"),
        # One of the two has no default value.
        (NEW_SPECS, {5: -1}, "must have the entries.*component_5|'layout'.*must be.*'int64"),
        # The file has one component more, with and without default values for others.
        (SPECS[:3], None, "must have the entries|'layout'.*must be"),
        (SPECS[:3], {2: 0}, "must have the entries|'layout'.*must be"),
        # The components in the file differ.
        (
            [((3, 2), np.float64)] + NEW_SPECS[1:],
            NEW_DEFAULTS,
            r"component_0.* must be float64|'layout'.*must be.*'float64 \[3, 2\]'",
        ),
        (
            NEW_SPECS[:3] + NEW_SPECS[4:],
            {3: 0, 4: 0},
            r"component_3.* must be int32|'layout'.*must be.*'int32 \[\]'",
        ),
    ]:
        for after in COMPRESSIONS:
            table = make_table(3, 'fifo', 0, after, specs, defaults=defaults)
            table.insert(sequences(0, 2, specs))
            with pytest.raises(ValueError, match=message):
                table.set_state(load(old_file('fifo', before)))
            assert table.size == 0, specs
            table.insert(sequences(0, 2, specs))
            assert table.sample(2).components[0].shape == (2, 3, 2), specs


@pytest.mark.parametrize('before', COMPRESSIONS)
def test_other_arguments_are_refused(old_file, before):
    path = old_file('fifo', before)
    for table, message in (
        (make_table(3, 'reservoir'), r"`state\['eviction'\]` must be 'reservoir', but is fifo"),
        (
            make_table(3, 'fifo', sampler=Prioritised()),
            r"`state\['sampler'\]` must be 'prioritised', but is uniform",
        ),
    ):
        with pytest.raises(ValueError, match=message):
            table.set_state(load(path))
        assert table.size == 0


def test_defaults_are_unused_if_nothing_is_missing():
    table = make_table(3, 'fifo', specs=NEW_SPECS)
    restored = make_table(3, 'fifo', specs=NEW_SPECS, defaults=NEW_DEFAULTS)
    table.insert(sequences(5, 3, NEW_SPECS))
    restored.set_state(table.get_state())
    assert sorted(restored.sample(3).components[5]) == [5, 6, 7]


@pytest.mark.parametrize('after', COMPRESSIONS)
@pytest.mark.parametrize('before', COMPRESSIONS)
def test_sequences_are_restored_one_by_one(tmp_path, before, after):
    specs = [((1 << 18,), np.uint8)]
    noise = np.random.RandomState(0).randint(256, size=[40, 1 << 18]).astype(np.uint8)
    table = make_table(40, 'fifo', 0, before, specs)
    table.insert([noise])
    path = str(tmp_path / 'replay.npz')
    save(path, table.get_state())
    restored = make_table(40, 'fifo', 0, after, specs + [((), np.int64)], defaults={1: -1})
    state = load(path)
    tracemalloc.start()
    try:
        restored.set_state(state)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    # The sequences take 10 MiB, also compressed, since they are noise. A slab takes 64 MiB.
    allocated = 0 if after == 'none' else 64 << 20
    assert peak < allocated + (4 << 20)
    assert_equal([restored.sample(40).components[1]], [np.full([40], -1)])
