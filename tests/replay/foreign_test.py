"""Files of a stranger, made by hand: refused before they take memory, and never a crash."""

import io
import struct
import zipfile

import numpy as np
import pytest

from sc2impala.replay import load, save
from tests.replay.tables import make_table, sequences


@pytest.fixture
def path(tmp_path):
    return str(tmp_path / 'replay.npz')


def array_file(header, data=b''):
    """An .npy file with a header of this text."""
    padded = header.encode()
    return b'\x93NUMPY\x01\x00' + struct.pack('<H', len(padded)) + padded + data


def header(shape, dtype="'<i8'", order='False'):
    return f"{{'descr': {dtype}, 'fortran_order': {order}, 'shape': {shape}, }}\n"


def test_a_small_file_that_unpacks_to_much(path):
    with zipfile.ZipFile(path, 'w', zipfile.ZIP_DEFLATED) as archive:
        archive.writestr('a.npy', bytes(2**22))
    with pytest.raises(ValueError, match='a.npy. is not a plain array'):
        load(path)


def test_members_that_share_their_bytes(path):
    content = io.BytesIO()
    np.lib.format.write_array(content, np.zeros([1000]))
    with zipfile.ZipFile(path, 'w') as archive:
        archive.writestr('a.npy', content.getvalue())
        archive.filelist += 50 * archive.filelist
    with pytest.raises(ValueError, match='it is smaller than'):
        load(path)


def test_headers(path):
    for text, data in [
        (header('(2305843009213693952,)'), b'12345678'),
        (header('(4611686018427387904, 4)'), b''),
        (header('(-1,)'), b'12345678'),
        (header('(-1, -1)'), b'12345678'),
        (header('(2,)'), b'12345678'),
        (header('(1.5,)'), b'12345678'),
        (header('(True,)', order='3'), b'12345678'),
        (header('()', "'O'"), b'12345678'),
        (header('()', "[('a', 'O')]"), b'12345678'),
        (header('(1,)', "'>q9'"), b'12345678'),
        ('(' * 5000, b''),
        ('[' * 60000, b''),
        ('\x00', b''),
        ('__import__("os").abort()', b''),
    ]:
        with zipfile.ZipFile(path, 'w') as archive:
            archive.writestr('a.npy', array_file(text, data))
        with pytest.raises(ValueError, match='replay.npz'):
            load(path)['a']


VALUES = (
    *(np.asarray(value) for value in (-5, 10**9, -(2**62), 0.5, np.nan, '', 'x' * 99, True, 1j)),
    *(np.zeros(shape, dtype) for shape in ([], [0], [3], [1, 1]) for dtype in ('i8', 'f4', 'U3')),
    np.zeros([3], np.uint64) + 2**63,
    np.full([3], 2**62),
    np.zeros([2], [('a', 'i4'), ('b', 'f8')]),
    np.zeros([], 'M8[s]'),
)


@pytest.mark.long
@pytest.mark.parametrize('compression', ['none', 'zstd'])
def test_every_entry_replaced_by_something_else(compression, path):
    """What is not refused leaves a table that works."""
    table = make_table(compression=compression)
    table.insert(sequences(0, 3))
    state = table.get_state()
    num_refused = 0
    for name in state:
        for value in VALUES:
            save(path, dict(state, **{name: value}))
            other = make_table(compression=compression)
            try:
                other.set_state(load(path))
            except ValueError:
                num_refused += 1
                assert other.size == 0
            other.insert(sequences(5, 4))
            other.sample(2)
    assert num_refused > 0.9 * len(state) * len(VALUES)


@pytest.mark.parametrize('position', [-5, 625, 10**9])
def test_position_of_the_random_state(position):
    table = make_table()
    table.insert(sequences(0, 3))
    state = dict(table.get_state(), rng_position=np.asarray(position))
    with pytest.raises(ValueError, match='rng_position'):
        make_table().set_state(state)


def test_two_sequences_in_the_same_pages():
    table = make_table(compression='zstd')
    table.insert(sequences(0, 3))
    state = table.get_state()
    state['pages'] = np.zeros_like(state['pages'])
    with pytest.raises(ValueError, match='must be different numbers'):
        make_table(compression='zstd').set_state(state)
