"""What is saved of a replay table, and what it refuses to continue from."""

import itertools

import numpy as np
import pytest

from sc2impala.replay import Prioritised
from tests.replay.tables import COMPRESSIONS, SPECS, assert_equal, make_table, play, sequences


def test_continues_identically_from_a_state():
    for after, before, remover, num_inserted in itertools.product(
        COMPRESSIONS, COMPRESSIONS, ['reservoir', 'fifo'], [0, 3, 17]
    ):
        table, restored = make_table(5, remover, 0, before), make_table(5, remover, 99, after)
        table.insert(sequences(0, num_inserted))
        restored.insert(sequences(100, 11))
        state = {name: np.copy(array) for name, array in table.get_state().items()}
        restored.set_state(state)
        assert (restored.size, restored.num_inserted) == (table.size, num_inserted)
        assert_equal(play(restored, 50), play(table, 50))


def test_state_holds_only_what_is_filled():
    table = make_table(5)
    table.insert(sequences(0, 2))
    assert table.get_state()['component_0'].shape == (2, 3, 2)
    assert table.get_state()['keys'].shape == (2,)


def test_names_of_the_entries_of_a_state():
    """They are the file format: after a change, old files cannot be read."""
    own = ['capacity', 'eviction', 'keys', 'num_inserted', 'sampler']
    own += ['rng_gauss', 'rng_has_gauss', 'rng_keys', 'rng_name', 'rng_position']
    sequences_of = {
        'none': [f'component_{index}' for index in range(len(SPECS))],
        'zstd': ['layout', 'lengths', 'pages', 'slab_0'],
    }
    for compression, names in sequences_of.items():
        table = make_table(compression=compression)
        table.insert(sequences(0, 2))
        assert sorted(table.get_state()) == sorted(own + names)
        table = make_table(compression=compression, sampler=Prioritised())
        table.insert(sequences(0, 2))
        names = names + ['sampler_max_priority', 'sampler_priorities']
        assert sorted(table.get_state()) == sorted(own + names)


def test_a_table_may_continue_from_its_own_state():
    table, same = make_table(), make_table()
    for each in (table, same):
        each.insert(sequences(0, 9))
    table.set_state(table.get_state())
    assert_equal(play(table, 50), play(same, 50))


@pytest.mark.parametrize(
    'capacity, specs, remover, message',
    [
        (5, SPECS, 'fifo', r"`state\['eviction'\]` must be 'fifo', but is reservoir"),
        (5, SPECS[:-1], 'reservoir', '`state` must have the entries'),
        (5, SPECS[1:] + SPECS[:1], 'reservoir', r"`state\['component_0'\]` must be int64 \[3\], "),
        (5, [((3, 2), np.float64)] + SPECS[1:], 'reservoir', 'must be float64'),
        (5, [((2, 3), np.float32)] + SPECS[1:], 'reservoir', r'must be float32 \[3, 2, 3\]'),
    ],
)
def test_uncompressed_state_of_other_arguments(capacity, specs, remover, message):
    for compression in COMPRESSIONS:
        _assert_refuses(make_table(), capacity, specs, remover, compression, message)


@pytest.mark.parametrize(
    'capacity, specs, remover, message',
    [
        (5, SPECS[:-1], 'reservoir', r"`state\['layout'\]` must be .* but is .*'bool \[1\]'"),
        (5, SPECS[1:] + SPECS[:1], 'reservoir', r"`state\['layout'\]` must be "),
        (5, [((2, 3), np.float32)] + SPECS[1:], 'reservoir', r"must be .*'float32 \[2, 3\]'"),
    ],
)
def test_compressed_state_of_other_arguments(capacity, specs, remover, message):
    for compression in COMPRESSIONS:
        table = make_table(compression='zstd')
        _assert_refuses(table, capacity, specs, remover, compression, message)


def _assert_refuses(table, capacity, specs, remover, compression, message):
    table.insert(sequences(0, 3))
    other = make_table(capacity, remover, 0, compression, specs)
    other.insert([np.ones((2,) + tuple(shape), dtype) for shape, dtype in specs])
    with pytest.raises(ValueError, match=message):
        other.set_state(table.get_state())
    assert other.size == 0
    # The table is empty and can still be used.
    inserted = [np.full((9,) + tuple(shape), 1, dtype) for shape, dtype in specs]
    keys = other.insert(inserted)
    sample = other.sample(4)
    assert_equal(sample.components, [array[:4] for array in inserted])
    assert set(sample.keys) <= set(keys) - {-1}


@pytest.mark.parametrize('after', COMPRESSIONS)
@pytest.mark.parametrize('before, entry', [('none', 'component_0'), ('zstd', 'lengths')])
def test_state_that_contradicts_itself(before, entry, after):
    table = make_table(compression=before)
    table.insert(sequences(0, 3))
    for num_inserted in (-1, 2, 4):
        state = dict(table.get_state(), num_inserted=np.asarray(num_inserted))
        with pytest.raises(ValueError, match=rf"`state\['({entry}|keys|num_inserted)'\]` must"):
            make_table(compression=after).set_state(state)


@pytest.mark.parametrize('after', COMPRESSIONS)
def test_compressed_state_that_is_damaged(after):
    for change, message in [
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
    ]:
        table = make_table(compression='zstd')
        table.insert(sequences(0, 3))
        state = table.get_state()
        change(state)
        restored = make_table(compression=after)
        with pytest.raises(ValueError, match=message):
            restored.set_state(state)
        assert restored.size == 0


@pytest.mark.parametrize('compression', COMPRESSIONS)
def test_state_with_other_keys_or_sampler(compression):
    for change, message in [
        (
            lambda s: s.update(keys=s['keys'][:2]),
            r"`state\['keys'\]` must be int64 \[3\], but is int",
        ),
        (
            lambda s: s.update(keys=s['keys'] + 0.5),
            r"`state\['keys'\]` must be int64 \[3\], but is fl",
        ),
        (lambda s: s.update(keys=s['keys'] + 1), 'must be different numbers from 0 to 2, or -1'),
        (lambda s: s.update(keys=s['keys'] - 2), 'must be different numbers from 0 to 2, or -1'),
        (lambda s: s.update(keys=s['keys'] * 0), 'must be different numbers from 0 to 2, or -1'),
        (lambda s: s.pop('keys'), '`state` must have the entries'),
        (lambda s: s.pop('sampler'), '`state` must have the entries'),
        (lambda s: s.update(sampler_x=np.zeros([3])), '`state` must have the entries'),
        (lambda s: s.clear(), '`state` must have the entries'),
    ]:
        table = make_table(compression=compression)
        table.insert(sequences(0, 3))
        state = table.get_state()
        change(state)
        with pytest.raises(ValueError, match=message):
            table.set_state(state)
        assert table.size == 0
        assert table.insert(sequences(0, 2)).tolist() == [0, 1]


def test_a_compressed_state_is_restored_as_it_was():
    table, restored = make_table(compression='zstd'), make_table(compression='zstd')
    table.insert(sequences(0, 50))
    restored.set_state(table.get_state())
    before, after = table.get_state(), restored.get_state()
    assert sorted(before) == sorted(after)
    assert_equal([after[name] for name in sorted(after)], [before[name] for name in sorted(after)])
    assert restored.num_bytes == table.num_bytes
