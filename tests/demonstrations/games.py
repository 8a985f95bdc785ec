"""Recordings whose steps are numbered: every array of step t of episode e is made of 100 e + t."""

import numpy as np

from sc2impala import demonstrations
from sc2impala.envs.specs import ArraySpec

STRUCTURE = {
    'available_actions': ArraySpec((2,), np.dtype(np.bool_)),
    'screen': {'selected': ArraySpec((3, 2), np.dtype(np.uint8))},
}
HEADS = {'function': 1000, 'screen': 6}
COMPONENTS = demonstrations.components_of(STRUCTURE, HEADS)
ABOUT = {'map_name': 'Numbers', 'player': 'counter', 'functions': ['no_op'], 'heads': HEADS}


def step(episodes, t, lengths):
    """Step t of one episode per game."""
    number = 100 * np.array(episodes) + t
    done = t == np.array(lengths) - 1
    return {
        'observation/available_actions': np.stack([number % 2 == 0, number % 3 == 0], axis=1),
        'observation/screen/selected': np.broadcast_to(
            (number % 251).astype(np.uint8)[:, np.newaxis, np.newaxis], [len(number), 3, 2]
        ),
        'action/function': number.astype(np.int32),
        'action/screen': (number % 6).astype(np.int32),
        'step_mul': (1 + number % 8).astype(np.int32),
        'reward': number.astype(np.float32) / 10,
        'done': done,
        'episode_return': number.astype(np.float32),
        'episode_frames': number.astype(np.int32) + 1,
        'episode_steps': np.full(len(number), t + 1, np.int32),
    }


def record(folder, lengths, chunk_steps=4, first=0, **writer):
    """Writes episodes of these lengths, numbered from `first` on; returns the writer."""
    recording = demonstrations.Writer(str(folder), ABOUT, COMPONENTS, chunk_steps, **writer)
    recorder = demonstrations.StepRecorder(COMPONENTS, 1, chunk_steps)
    for episode, length in enumerate(lengths, start=first):
        for t in range(length):
            recorder.add(step([episode], t, [length]))
        recording.add(recorder.end(0))
    recording.flush()
    return recording


def number_of(arrays):
    """The numbers of the steps [...] that are in arrays by name; all components must agree."""
    number = arrays['action/function']
    np.testing.assert_array_equal(arrays['observation/screen/selected'][..., 2, 1], number % 251)
    np.testing.assert_array_equal(arrays['observation/available_actions'][..., 1], number % 3 == 0)
    np.testing.assert_array_equal(arrays['action/screen'], number % 6)
    np.testing.assert_array_equal(arrays['step_mul'], 1 + number % 8)
    return number
