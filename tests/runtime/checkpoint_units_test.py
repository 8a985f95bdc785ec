"""The index of a checkpoint: what belongs to it, and whether it is whole."""

import json
import os
import zlib

import pytest

from sc2impala.runtime import checkpoint_units as units
from sc2impala.runtime.checkpoint_parts import ReplayPart
from sc2impala.training.components.account import AccountPart
from sc2impala.training.components.exact_resume import ResumePart


@pytest.fixture
def folder(tmp_path):
    """Returns a folder with the units of 5 and 15 frames."""
    for frames in (5, 15):
        for name in ('data-00000-of-00001', 'index'):
            (tmp_path / f'model.ckpt-{frames}.{name}').write_text(f'{name} of {frames}')
        (tmp_path / f'replay-{frames}.npz').write_text(f'replay of {frames}')
        units.write(str(tmp_path), frames, ['replay'])
    return tmp_path


FILES = ('model.ckpt-5.data-00000-of-00001', 'model.ckpt-5.index', 'replay-5.npz', 'unit-5.json')


def test_an_index_lists_the_files_of_its_unit(folder):
    (folder / 'other-5.npz').write_text('of an earlier run')
    assert units.indexed(str(folder)) == units.with_variables(str(folder)) == [5, 15]
    assert tuple(units.read(str(folder), 5)) == FILES[:3]
    assert units.read(str(folder), 5)['replay-5.npz'] == units.File(11, 0xA1E567D1)
    assert units.fault(str(folder), 5) is units.fault(str(folder), 15) is None
    assert units.read(str(folder), 6) is None
    with pytest.raises(ValueError, match='unit-6.json is missing'):
        units.fault(str(folder), 6)


@pytest.mark.parametrize('name', FILES)
@pytest.mark.parametrize('damage', ['shorter', 'flipped', 'folder', 'of another unit'])
def test_damage_is_found(name, damage, folder):
    path = folder / name
    content = path.read_bytes()
    path.unlink()
    if damage == 'shorter':
        path.write_bytes(content[:-3])
    elif damage == 'flipped':
        path.write_bytes(content[:9] + bytes([content[9] ^ 0x80]) + content[10:])
    elif damage == 'folder':
        path.mkdir()
    else:
        path.write_bytes((folder / name.replace('-5', '-15')).read_bytes())
    if name == 'unit-5.json':
        with pytest.raises(ValueError, match='unit-5.json (is damaged|cannot be read)'):
            units.fault(str(folder), 5)
    else:
        fault = units.fault(str(folder), 5)
        assert fault.startswith(name) and '\n' not in fault
    assert units.fault(str(folder), 15) is None


@pytest.mark.parametrize(
    'change',
    [
        {'format': 2},
        {'frames': 15},
        {'files': []},
        {'files': {}},
        {'files': {'model.ckpt-5.index': {'bytes': 1, 'crc32': 1}}},
        {'files': {'../model.ckpt-5.index': {'bytes': 1, 'crc32': 1}}},
        {'files': {'model.ckpt-5.index': 3, 'replay-5.npz': None}},
        {'files': {'model.ckpt-5.index': {'bytes': '1', 'crc32': 1}, 'replay-5.npz': {}}},
    ],
)
def test_an_index_with_other_content(change, folder):
    path = folder / 'unit-5.json'
    content = dict(json.loads(path.read_text()), **change)
    del content['checksum']
    content['checksum'] = zlib.crc32(json.dumps(content, sort_keys=True).encode())
    path.write_text(json.dumps(content))
    with pytest.raises(ValueError, match='^unit-5.json is damaged$'):
        units.fault(str(folder), 5)


def test_deeply_nested_index(folder):
    (folder / 'unit-5.json').write_text('[' * 100000)
    with pytest.raises(ValueError, match='unit-5.json cannot be read'):
        units.fault(str(folder), 5)


def test_a_unit_without_its_parts_is_whole(folder):
    units.drop_parts(str(folder), 5)
    assert units.fault(str(folder), 5) is None
    assert not (folder / 'replay-5.npz').exists() and (folder / 'replay-15.npz').exists()


@pytest.mark.parametrize('part', [ReplayPart, ResumePart, AccountPart])
def test_every_part_of_a_training_is_known(part, folder):
    (folder / f'{part.name}-5.npz').write_text('a part')
    (folder / f'{part.name}-15.npz.tmp').write_text('unfinished')
    assert units.part_of(f'{part.name}-5.npz') == part.name
    units.write(str(folder), 5, [part.name])
    assert f'{part.name}-5.npz' in units.read(str(folder), 5)
    units.drop_parts(str(folder), 5)
    units.remove_unfinished(str(folder), [5, 15])
    assert sorted(path.name for path in folder.glob(f'{part.name}-*')) == (
        ['replay-15.npz'] if part is ReplayPart else []
    )


def test_removed_with_all_its_files(folder):
    units.remove(str(folder), 5)
    left = {name.replace('-5', '-15') for name in FILES}
    assert set(os.listdir(str(folder))) == left
