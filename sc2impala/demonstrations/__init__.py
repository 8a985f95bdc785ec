"""Recordings of whole episodes: observations, actions and outcomes to learn from.

A recording is a folder with a manifest, `recording.json`, and parts, `part_<i>.npz`. It has the
steps of one player on one map, compressed by the codec of the replay buffer. Each part, and the
manifest that lists it, is written atomically: if the recording process is killed, the
recording has the episodes of earlier parts.

    writer = demonstrations.Writer(folder, about, components, chunk_steps=20)
    steps = demonstrations.StepRecorder(components, num_games=32, chunk_steps=20)
    ...
    streams = demonstrations.Streams([demonstrations.Recording(folder)], 16, 20, rng)
    arrays = streams.next()

NumPy only. A step is an observation, its action, and the outcome.
"""

from sc2impala.demonstrations.recording import Recording, find
from sc2impala.demonstrations.steps import Component, StepRecorder, components_of, flatten, nested
from sc2impala.demonstrations.streams import Streams
from sc2impala.demonstrations.writer import Writer

__all__ = [
    'Component',
    'Recording',
    'StepRecorder',
    'Streams',
    'Writer',
    'components_of',
    'find',
    'flatten',
    'nested',
]
