"""Recordings of whole episodes: what was observed and played, for agents that learn from it.

A recording is a folder with a manifest, `recording.json`, and parts, `part_<i>.npz`. It holds the
steps of one player on one map, compressed by the codec of the replay buffer. Each part, and the
manifest that lists it, is written whole or not at all: if the recording process is killed, the
recording has the episodes of the parts before.

    writer = demonstrations.Writer(folder, about, components, chunk_steps=20)
    steps = demonstrations.StepRecorder(components, num_games=32, chunk_steps=20)
    ...
    streams = demonstrations.Streams([demonstrations.Recording(folder)], 16, 20, rng)
    arrays = streams.next()

NumPy only. A step is an observation, the action that was chosen on it, and what followed.
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
