import mmap
import os
import zipfile

import numpy as np
import pytest

from sc2impala.replay import load, save, storage
from tests.replay.tables import make_table

STATE = {
    'numbers': np.arange(12, dtype=np.uint8).reshape(3, 4),
    'scalar': np.asarray(7),
    'text': np.asarray('reservoir'),
    'empty': np.zeros([0, 5], np.float32),
    'columns': np.asfortranarray(np.arange(6.0).reshape(2, 3)),
    'flags': np.array([True, False]),
}


def _assert_equal(state, expected):
    assert sorted(state) == sorted(expected)
    assert len(state) == len(expected)
    for name, array in expected.items():
        np.testing.assert_array_equal(state[name], array)
        assert state[name].dtype == array.dtype


@pytest.fixture(name='path')
def _path(tmp_path):
    return str(tmp_path / 'replay.npz')


def test_round_trip(path):
    save(path, STATE)
    _assert_equal(load(path), STATE)
    assert os.listdir(os.path.dirname(path)) == ['replay.npz']


def test_round_trip_in_the_working_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    save('replay.npz', STATE)
    _assert_equal(load('replay.npz'), STATE)


def test_replaces_an_older_file_and_the_temporary_file_of_a_killed_run(path):
    save(path, {'old': np.arange(3)})
    with open(path + '.tmp', 'wb') as file:
        file.write(b'half')
    save(path, STATE)
    _assert_equal(load(path), STATE)


@pytest.mark.parametrize('after', ['none', 'zstd'])
@pytest.mark.parametrize('before', ['none', 'zstd'])
def test_table_continues_from_a_file(path, before, after):
    specs = [((2,), np.float32), ((), np.int32)]
    table = make_table(4, 'reservoir', 0, before, specs)
    restored = make_table(4, 'reservoir', 1, after, specs)
    table.insert([np.ones([9, 2], np.float32), np.arange(9, dtype=np.int32)])
    with table.lock:
        save(path, table.get_state())
    restored.set_state(load(path))
    actual, expected = restored.sample(3), table.sample(3)
    for a, b in zip(actual.components, expected.components):
        np.testing.assert_array_equal(a, b)
    np.testing.assert_array_equal(actual.keys, expected.keys)


def test_damaged_file_of_a_compressed_table(path):
    table = make_table(3, 'fifo', 0, 'zstd', [((500,), np.float64)])
    table.insert([np.random.RandomState(1).normal(size=[3, 500])])
    save(path, table.get_state())
    content = _read(path)
    # The compressed sequences are in the middle.
    middle = len(content) // 2
    damaged = content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1 :]
    for changed in (content[:middle], content[:-1], damaged):
        _write(path, changed)
        with pytest.raises(ValueError, match='replay.npz.* is damaged'):
            table.set_state(load(path))


def test_failed_save_leaves_the_old_file(path, monkeypatch):
    save(path, STATE)

    def no_space(file, **arrays):
        file.write(b'half')
        raise OSError('No space left on device')

    monkeypatch.setattr(storage.np, 'savez', no_space)
    with pytest.raises(OSError, match='No space left'):
        save(path, {'new': np.arange(3)})
    monkeypatch.undo()
    _assert_equal(load(path), STATE)
    assert os.listdir(os.path.dirname(path)) == ['replay.npz']


def test_save_into_a_missing_folder(tmp_path):
    with pytest.raises(FileNotFoundError):
        save(str(tmp_path / 'missing' / 'replay.npz'), STATE)


def test_objects_are_not_saved(path):
    with pytest.raises(ValueError, match=r"`state\['bad'\]` must hold plain numbers or text"):
        save(path, {'bad': np.asarray([None])})
    assert not os.path.exists(path)


def _write(path, content):
    with open(path, 'wb') as file:
        file.write(content)


def _read(path):
    with open(path, 'rb') as file:
        return file.read()


def test_truncated_file(path):
    save(path, STATE)
    content = _read(path)
    for length in range(0, len(content), 7):
        _write(path, content[:length])
        with pytest.raises(
            ValueError, match='replay.npz.* is damaged, or not a file of saved arrays'
        ):
            load(path)


@pytest.mark.long
def test_flipped_bits_are_found_or_harmless(path):
    save(path, STATE)
    content = _read(path)
    num_found = 0
    for position in range(len(content)):
        changed = bytearray(content)
        changed[position] ^= 0xFF
        _write(path, bytes(changed))
        try:
            state = dict(load(path).items())
        except ValueError as error:
            assert 'replay.npz' in str(error)
            num_found += 1
        else:
            # The rest are names, dates and attributes of the archive's members.
            for name in set(state) & set(STATE):
                np.testing.assert_array_equal(state[name], STATE[name])
    assert num_found > len(content) // 2


def test_flipped_bit_in_a_large_array(path):
    save(path, {'large': np.arange(100000)})
    content = bytearray(_read(path))
    content[len(content) // 2] ^= 1
    _write(path, bytes(content))
    with pytest.raises(ValueError, match='replay.npz.* is damaged.*a checksum is wrong'):
        load(path)


def test_empty_array_where_a_memory_page_begins(path):
    empty = np.zeros([0, 3])
    save(path, {'padding': np.zeros([0], np.uint8), 'empty': empty})
    end_of_header = _read(path).index(b'\n', _read(path).index(b'(0, 3)')) + 1
    padding = np.zeros([-end_of_header % mmap.ALLOCATIONGRANULARITY], np.uint8)
    save(path, {'padding': padding, 'empty': empty})
    _assert_equal(load(path), {'padding': padding, 'empty': empty})


def test_foreign_files(path):
    for content in (b'', b'not a zip file at all', bytes(1000)):
        _write(path, content)
        with pytest.raises(ValueError, match='replay.npz'):
            load(path)
    with zipfile.ZipFile(path, 'w') as archive:
        archive.writestr('letter.txt', 'Dear reader')
    with pytest.raises(ValueError, match='replay.npz'):
        load(path)
    with zipfile.ZipFile(path, 'w') as archive:
        archive.writestr('letter.npy', 'Dear reader')
    with pytest.raises(ValueError, match='replay.npz'):
        load(path)['letter']


@pytest.mark.parametrize(
    'write', [np.savez_compressed, lambda path, a: np.savez(path, a.astype(object))]
)
def test_arrays_that_cannot_be_mapped(path, write):
    write(path, np.arange(3))
    with pytest.raises(ValueError, match="replay.npz.*'arr_0.npy' is not a plain array"):
        load(path)['arr_0']


def test_missing_file_and_missing_entry(path):
    with pytest.raises(FileNotFoundError):
        load(path)
    save(path, STATE)
    with pytest.raises(KeyError):
        load(path)['missing']
