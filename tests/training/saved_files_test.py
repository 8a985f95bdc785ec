"""Files of saved states, whole, damaged and made by others."""

import io
import zipfile

import numpy as np
import pytest

from sc2impala import replay
from sc2impala.training import saved_files

STATE = {
    'format': np.array(1),
    'games/x': np.arange(6.0).reshape(2, 3),
    'games/columns': np.asfortranarray(np.arange(6).reshape(2, 3)),
    'layout': np.array(['a', 'bc']),
    'none': np.zeros([0, 4], np.uint8),
}


def member(array, header=None):
    file = io.BytesIO()
    np.lib.format.write_array(file, array, version=(1, 0))
    content = file.getvalue()
    return content if header is None else content.replace(*header)


def test_a_state_is_read_as_it_was_written(tmp_path):
    path = str(tmp_path / 'state.npz')
    replay.save(path, STATE)
    state = saved_files.read_arrays(path)
    assert sorted(state) == sorted(set(STATE) - {'format'})
    for name, array in state.items():
        assert array.dtype == STATE[name].dtype
        np.testing.assert_array_equal(array, STATE[name])
        array[...] = array  # It can be written to.


def test_damage_is_one_sentence(tmp_path):
    path = tmp_path / 'state.npz'
    replay.save(str(path), STATE)
    content = path.read_bytes()
    position = content.index(STATE['games/x'].tobytes())
    flipped = bytearray(content)
    flipped[position + 9] ^= 16
    for damaged in (b'', b'abc', content[:-30], content[: len(content) // 2], bytes(flipped)):
        path.write_bytes(damaged)
        with pytest.raises(ValueError, match='is damaged, or not a file of saved arrays') as error:
            saved_files.read_arrays(str(path))
        assert '\n' not in str(error.value)


@pytest.mark.parametrize(
    'name, content, reason',
    [
        (
            'x.npy',
            member(np.zeros(4), (b'(4,), }   ', b'(4000,), }')),
            'has not the size of its array',
        ),
        ('x.npy', member(np.zeros(4), (b'(4,)', b'(-4,)')), 'is damaged'),
        ('x.npy', member(np.zeros(4))[:-8], 'has not the size of its array'),
        ('x.npy', member(np.zeros(4)).replace(b'<f8', b'|O8'), 'is damaged'),
        ('x.txt', b'text', "'x.txt' is not an array"),
        ('format.npy', member(np.array(2)), 'format 2, expected 1'),
        ('format.npy', member(np.array('1')), 'format 1, expected 1'),
        ('other.npy', member(np.zeros(4)), 'format 0, expected 1'),
    ],
)
def test_what_was_not_written_by_this_program(tmp_path, name, content, reason):
    path = str(tmp_path / 'state.npz')
    with zipfile.ZipFile(path, 'w') as archive:
        archive.writestr(name, content)
    with pytest.raises(ValueError, match=reason):
        saved_files.read_arrays(path)


def test_a_small_file_takes_little_memory(tmp_path):
    path = str(tmp_path / 'state.npz')
    with zipfile.ZipFile(path, 'w', zipfile.ZIP_DEFLATED) as archive:
        archive.writestr('x.npy', member(np.zeros(10**6)))
    with pytest.raises(ValueError, match='is not a plain array'):
        saved_files.read_arrays(path)
