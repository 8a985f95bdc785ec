"""Shared memory: its layout, and that no file remains."""

import os
import subprocess
import sys
import tempfile

import numpy as np
import pytest

from sc2impala import envs
from sc2impala.envs.pysc2_backend import shared_arrays
from sc2impala.envs.pysc2_backend.shared_arrays import SharedArrays

SPEC, _ = envs.make_specs(
    'MoveToBeacon',
    screen_size=(5, 3),
    minimap_size=(3, 3),
    screen_layers=['selected', 'unit_type'],
    minimap_layers=['camera'],
    vectors=['player', 'game_loop'],
)


def leaves(nest, prefix=''):
    for name, value in nest.items():
        if isinstance(value, dict):
            yield from leaves(value, prefix + name + '/')
        else:
            yield prefix + name, value


def test_observations_are_those_of_the_spec():
    observation = SharedArrays(SPEC, 4).copy_observation()
    found = {name: (array.shape, array.dtype) for name, array in leaves(observation)}
    expected = {name: ((4,) + spec.shape, spec.dtype) for name, spec in leaves(SPEC.structure())}
    assert found == expected
    for name, array in leaves(observation):
        assert array.flags.c_contiguous and array.flags.aligned, name
        assert type(array) is np.ndarray and not array.any(), name


def test_a_game_writes_to_its_own_part():
    arrays = SharedArrays(SPEC, 3)
    call, observation, result = arrays.view_game(1)
    for number, (_, array) in enumerate(leaves(observation), 1):
        array[...] = number
    result['reward'][...] = -2.5
    result['done'][...] = True
    arrays.calls['step_mul'][:] = [4, 5, 6]
    assert call['step_mul'] == 5 and call['arguments'].shape == (13, 2)
    assert arrays.results['reward'].tolist() == [0, -2.5, 0]
    assert arrays.results['done'].tolist() == [False, True, False]
    seen = arrays.copy_observation()
    for (name, array), (_, part) in zip(leaves(seen), leaves(observation)):
        np.testing.assert_array_equal(array[1], part, err_msg=name)
        assert array[1].any() and not array[[0, 2]].any(), name


def test_copies_belong_to_the_caller():
    arrays = SharedArrays(SPEC, 2)
    first = arrays.copy_observation()
    arrays.view_game(0)[1]['player'][:] = 3
    assert not first['player'].any()
    assert arrays.copy_observation()['player'][0].tolist() == [3] * 11


def test_another_process_sees_the_same():
    arrays = SharedArrays(SPEC, 2)
    program = (
        'import sys\n'
        'from tests.envs.pysc2_backend.shared_arrays_test import SPEC, SharedArrays\n'
        'call, observation, result = SharedArrays(SPEC, 2, int(sys.argv[1])).view_game(1)\n'
        "observation['screen']['unit_type'][2, 4] = call['function_id'] + 1\n"
    )
    arrays.calls['function_id'][:] = [0, 331]
    subprocess.run(
        [sys.executable, '-c', program, str(arrays.fileno)],
        pass_fds=[arrays.fileno],
        env=dict(os.environ, PYTHONPATH=os.pathsep.join(sys.path)),
        check=True,
    )
    assert arrays.copy_observation()['screen']['unit_type'][1, 2, 4] == 332


def test_without_space_in_memory_a_file_is_used(monkeypatch, tmp_path):
    made = []
    real = tempfile.TemporaryFile

    def no_room(dir=None):
        made.append(dir)
        if dir is not None:
            return real(mode='rb')
        return real()

    monkeypatch.setattr(tempfile, 'TemporaryFile', no_room)
    monkeypatch.setattr(shared_arrays, '_IN_MEMORY', str(tmp_path))
    SharedArrays(SPEC, 2).calls['step_mul'][:] = 1
    assert made == [str(tmp_path), None]
    assert os.listdir(str(tmp_path)) == []
    monkeypatch.setattr(tempfile, 'TemporaryFile', lambda dir=None: real(mode='rb'))
    with pytest.raises(OSError):
        SharedArrays(SPEC, 2)
