"""Recordings: what was written is read, and nothing else is."""

import json
import os

import numpy as np
import pytest

from sc2impala import demonstrations
from tests.demonstrations import games


def read(recording, episode):
    """All steps of an episode, by name of component."""
    parts, arrays = [], recording.empty_chunk()
    for chunk in recording.episodes[episode]:
        recording.read(chunk, arrays)
        parts.append([array[: chunk.steps].copy() for array in arrays])
    names = [component.name for component in recording.components]
    return dict(zip(names, map(np.concatenate, zip(*parts))))


@pytest.mark.parametrize('part_bytes', [1, 10**6])
def test_what_was_recorded_is_read(tmp_path, part_bytes):
    lengths = [1, 4, 9, 3]
    games.record(tmp_path / 'a', lengths, part_bytes=part_bytes)
    recording = demonstrations.Recording(str(tmp_path / 'a'))
    assert len(recording.manifest['parts']) == (4 if part_bytes == 1 else 1)
    assert [sum(c.steps for c in episode) for episode in recording.episodes] == lengths
    for episode, length in enumerate(lengths):
        arrays = read(recording, episode)
        assert games.number_of(arrays).tolist() == [100 * episode + t for t in range(length)]
        assert arrays['done'].tolist() == [False] * (length - 1) + [True]
        np.testing.assert_allclose(arrays['reward'], arrays['action/function'] / 10)


def test_the_manifest_says_what_is_in_it(tmp_path):
    games.record(tmp_path / 'a', [2, 3])
    manifest = demonstrations.Recording(str(tmp_path / 'a')).manifest
    assert manifest['map_name'] == 'Numbers' and manifest['player'] == 'counter'
    assert (manifest['num_episodes'], manifest['num_steps']) == (2, 5)
    returns = [0.1, 10 + 10.1 + 10.2]
    assert manifest['mean_return'] == pytest.approx(np.mean(returns), rel=1e-5)
    assert manifest['std_return'] == pytest.approx(np.std(returns), rel=1e-5)
    assert manifest['largest_step_mul'] == 1 + 102 % 8
    assert ['observation/screen/selected', 'uint8', [3, 2]] in manifest['components']


def test_games_that_end_at_different_times(tmp_path):
    """Two games at once: each episode has the steps of its own game."""
    recorder = demonstrations.StepRecorder(games.COMPONENTS, 2, 4)
    writer = demonstrations.Writer(str(tmp_path / 'a'), games.ABOUT, games.COMPONENTS, 4)
    episodes, t = np.array([0, 1]), np.array([0, 0])
    for _ in range(12):
        steps = [games.step([e], int(n), [3 + 2 * (e % 2)]) for e, n in zip(episodes, t)]
        step = {name: np.concatenate([s[name] for s in steps]) for name in steps[0]}
        recorder.add(step)
        t += 1
        for game in np.flatnonzero(step['done']):
            writer.add(recorder.end(game))
            episodes[game] += 2
            t[game] = 0
    writer.flush()
    recording = demonstrations.Recording(str(tmp_path / 'a'))
    numbers = [games.number_of(read(recording, index)) for index in range(6)]
    assert sorted(n[0] // 100 for n in numbers) == [0, 1, 2, 3, 4, 6]
    for number in numbers:
        assert (number % 100).tolist() == list(range(5 if number[0] // 100 % 2 else 3))


def test_a_killed_recording_has_the_parts_that_are_whole(tmp_path):
    writer = games.record(tmp_path / 'a', [5, 5])
    # What a process leaves that is killed before the manifest lists the next part.
    path = str(tmp_path / 'a' / 'part_00001.npz')
    with open(path, 'wb') as file:
        file.write(b'half of a par')
    assert len(demonstrations.Recording(writer.folder).episodes) == 2


def test_a_full_disk_leaves_what_was_there(tmp_path, monkeypatch):
    writer = games.record(tmp_path / 'a', [5, 5])
    before = {name: (tmp_path / 'a' / name).read_bytes() for name in os.listdir(writer.folder)}

    def fail(*unused, **unused_arrays):
        raise OSError(28, 'No space left on device')

    writer.add(demonstrations.steps.Episode([b'x'], [1], 0.0, 1))
    with monkeypatch.context() as patch:
        patch.setattr('sc2impala.replay.storage.np.savez', fail)
        with pytest.raises(OSError, match='No space'):
            writer.flush()
    after = {name: (tmp_path / 'a' / name).read_bytes() for name in os.listdir(writer.folder)}
    assert before == after


def test_a_folder_of_recordings(tmp_path):
    for name in ('b', 'a'):
        games.record(tmp_path / name, [2])
    (tmp_path / 'c').mkdir()
    paths = [str(tmp_path / name) for name in ('a', 'b')]
    assert demonstrations.find(str(tmp_path)) == paths
    assert demonstrations.find(paths[1]) == paths[1:]
    for empty in ('c', 'd'):
        with pytest.raises(ValueError, match='has no recording'):
            demonstrations.find(str(tmp_path / empty))
    with pytest.raises(OSError):
        games.record(tmp_path / 'a', [2])


@pytest.mark.parametrize(
    'shape, dtype, message',
    [
        ([2**40, 2**40], 'float32', 'chunks of .* bytes, expected at most'),
        ([10**9], 'uint8', 'chunks of .* bytes, expected at most'),
        ([1e300], 'uint8', 'chunks of .* bytes|wrong components'),
        ([1], 'O', 'wrong components'),
        ([1], '(9,9)i4', 'wrong components'),
        ([1], {'names': ['a'], 'formats': 3}, 'wrong components'),
        ([float('inf')], 'uint8', 'wrong components'),
        ([True, [2]], 'uint8', 'wrong components'),
    ],
)
def test_components_of_a_stranger(shape, dtype, message, tmp_path):
    """Checked before memory is taken."""
    games.record(tmp_path / 'a', [2])
    path = tmp_path / 'a' / 'recording.json'
    manifest = json.loads(path.read_text())
    manifest['components'].append(['observation/large', dtype, shape])
    path.write_text(json.dumps(manifest))
    with pytest.raises(ValueError, match=message):
        demonstrations.Recording(str(tmp_path / 'a'))


def test_deeply_nested_manifest(tmp_path):
    games.record(tmp_path / 'a', [2])
    (tmp_path / 'a' / 'recording.json').write_text('[' * 100000)
    with pytest.raises(ValueError, match='recording.json. cannot be read'):
        demonstrations.Recording(str(tmp_path / 'a'))


def change_manifest(**values):
    def change(folder):
        path = folder / 'recording.json'
        manifest = json.loads(path.read_text())
        manifest.update(values)
        path.write_text(json.dumps(manifest))

    return change


def change_part(**values):
    def change(folder):
        path = folder / 'recording.json'
        manifest = json.loads(path.read_text())
        manifest['parts'][0].update(values)
        path.write_text(json.dumps(manifest))

    return change


def change_arrays(**functions):
    def change(folder):
        path = str(folder / 'part_00000.npz')
        with np.load(path) as archive:
            arrays = dict(archive)
        for name, function in functions.items():
            arrays[name] = function(arrays[name])
        np.savez(path, **arrays)

    return change


def truncate(folder):
    path = folder / 'part_00000.npz'
    path.write_bytes(path.read_bytes()[:-30])


def flip(folder):
    path = folder / 'part_00000.npz'
    content = bytearray(path.read_bytes())
    content[200] ^= 1
    path.write_bytes(bytes(content))


def remove(folder):
    (folder / 'part_00000.npz').unlink()


def objects(folder):
    path = str(folder / 'part_00000.npz')
    with np.load(path) as archive:
        arrays = dict(archive)
    np.savez(path, **dict(arrays, content=np.array([print], object)))


@pytest.mark.parametrize(
    'damage, complaint',
    [
        (change_manifest(format=2), 'has the format 2, expected 1'),
        (change_manifest(heads=3), 'has no dict for heads'),
        (change_manifest(heads={'function': 'x'}), "has 'x' choices of function"),
        (change_manifest(chunk_steps=0), 'has 0 for chunk_steps, expected 1..10000'),
        (change_manifest(components=[['a', 'O', []]]), 'has wrong components'),
        (change_manifest(components=[['a', 'i4']]), 'has wrong components'),
        (change_manifest(parts=[]), 'has no episode'),
        (change_manifest(parts=[3]), 'has a part None, expected a file name'),
        (change_part(file='../part_00000.npz'), 'expected a file name'),
        (change_part(chunks=4), 'is not what recording.json lists'),
        (change_part(chunks='4'), 'has no lengths'),
        (change_arrays(steps=lambda a: a * 0), r'chunks of \[0\] steps, expected 4'),
        (change_arrays(steps=lambda a: a.astype(np.int64)), '`steps` must be int32'),
        (change_arrays(lengths=lambda a: a + 1), 'chunks of other sizes than its content'),
        (change_arrays(episode_chunks=lambda a: a + 1), 'episodes of other sizes'),
        (truncate, 'is damaged'),
        (flip, 'is damaged'),
        (remove, 'cannot be read'),
        (objects, 'is not a plain array'),
    ],
)
def test_damage_is_found(tmp_path, damage, complaint):
    games.record(tmp_path / 'a', [2, 7])
    damage(tmp_path / 'a')
    with pytest.raises(ValueError, match=complaint) as error:
        demonstrations.Recording(str(tmp_path / 'a'))
    assert '\n' not in str(error.value)


@pytest.mark.parametrize(
    'damage, complaint',
    [
        (change_arrays(content=lambda a: a[::-1]), 'is damaged: a sequence'),
        (change_manifest(heads={'function': 100, 'screen': 6}), r'expected 0\.\.99'),
        (change_manifest(largest_step_mul=2), r'step_mul has a value .*, expected 1\.\.2'),
        (change_manifest(chunk_steps=8), 'is damaged: a sequence must have'),
    ],
)
def test_damage_is_found_when_a_chunk_is_read(tmp_path, damage, complaint):
    games.record(tmp_path / 'a', [2, 4, 4], first=2)
    damage(tmp_path / 'a')
    recording = demonstrations.Recording(str(tmp_path / 'a'))
    with pytest.raises(ValueError, match=complaint):
        read(recording, 1)


def test_nested_is_the_inverse_of_flatten():
    nest = {'a': {'b': 1, 'c': {'d': 2}}, 'e': 3}
    flat = {'a/b': 1, 'a/c/d': 2, 'e': 3}
    assert demonstrations.flatten(nest) == flat
    assert demonstrations.nested(flat) == nest
