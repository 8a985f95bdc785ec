"""Streams of consecutive steps: one recorded episode after the other, in a random order.

B is the number of streams, T the unroll length.
"""

from typing import Dict, List, Sequence, Tuple

import numpy as np

from sc2impala.demonstrations.recording import Chunk, Recording
from sc2impala.demonstrations.steps import ACTION, OUTCOME, Component


class _Stream:
    """The position of a stream in its episode.

    recording: index of the recording; chunks: those of the episode that are not read yet.
    arrays: the chunk that was read last; steps: how many it has; position: the next of them.
    """

    def __init__(self) -> None:
        self.recording = -1
        self.chunks: List[Chunk] = []
        self.arrays: List[np.ndarray] = []
        self.steps = 0
        self.position = 0


class Streams:
    """B streams, cut into sequences of T + 1 steps that follow each other without overlap.

    Each episode is played to its end before the stream goes on with another one; all episodes are
    played once before any is played again. The first episode of each stream begins at a random
    chunk, so that the streams are not at the same point of their episodes.
    """

    def __init__(
        self,
        recordings: Sequence[Recording],
        num_streams: int,
        unroll_length: int,
        components: Sequence[Component],
        rng: np.random.RandomState,
    ):
        """Starts the streams.

        Args:
          recordings: at least one.
          num_streams: B.
          unroll_length: T.
          components: what is read, see `steps.components_of`.
          rng: determines the order of the episodes.

        Raises:
          ValueError: if a recording lacks one of the components.
        """
        self._recordings = list(recordings)
        self._names = [component.name for component in components]
        self._columns = [_columns(recording, components) for recording in recordings]
        self._rng = rng
        self._order: List[Tuple[int, int]] = []
        self._unroll_length = unroll_length
        # Steps -1 to T of the latest sequence.
        self._steps: Dict[str, np.ndarray] = {
            c.name: np.zeros((num_streams, unroll_length + 2, *c.shape), c.dtype)
            for c in components
        }
        # What came before the first step is unknown: it counts as the end of another episode.
        self._steps['done'][:, -1] = True
        self._streams = [_Stream() for _ in range(num_streams)]
        for stream in self._streams:
            self._begin_episode(stream)
            stream.chunks = stream.chunks[rng.randint(len(stream.chunks)) :]

    def next(self) -> Dict[str, np.ndarray]:
        """Returns the next sequence of every stream.

        Returns:
          By name of component [B, T + 1, ...]. Observation, action and step multiplier of step t
          are those of the step; its outcome (reward, done, ...) is that of the action before it, as
          in `structs.EnvOutput`, and 'last_action/<head>' and 'last_step_mul' are that action. Step
          T of a sequence comes before step 0 of the next one: a recurrent state goes on with it.

        Raises:
          ValueError: if a recording is damaged.
        """
        for array in self._steps.values():
            array[:, 0] = array[:, -1]
        for row in range(len(self._streams)):
            self._fill(row)
        result = {}
        for name, array in self._steps.items():
            before, now = array[:, :-1], array[:, 1:]
            result[name] = (before if name in OUTCOME else now).copy()
            if name == 'step_mul' or name.startswith(ACTION):
                result['last_' + name] = before.copy()
        return result

    def _fill(self, row: int) -> None:
        """Copies the next T + 1 steps of a stream."""
        stream, start, stop = self._streams[row], 1, self._unroll_length + 2
        while start < stop:
            if stream.position == stream.steps:
                self._read_chunk(stream)
            count = min(stop - start, stream.steps - stream.position)
            source = slice(stream.position, stream.position + count)
            for name, column in zip(self._names, self._columns[stream.recording]):
                self._steps[name][row, start : start + count] = stream.arrays[column][source]
            stream.position += count
            start += count

    def _read_chunk(self, stream: _Stream) -> None:
        """Goes on to the next chunk of the episode, or of another one."""
        if not stream.chunks:
            self._begin_episode(stream)
        chunk = stream.chunks.pop(0)
        self._recordings[stream.recording].read(chunk, stream.arrays)
        stream.position, stream.steps = 0, chunk.steps

    def _begin_episode(self, stream: _Stream) -> None:
        """Takes the next episode in the random order."""
        if not self._order:
            self._order = [
                (index, episode)
                for index, recording in enumerate(self._recordings)
                for episode in range(len(recording.episodes))
            ]
            self._rng.shuffle(self._order)
        index, episode = self._order.pop()
        recording = self._recordings[index]
        if stream.recording != index:
            stream.arrays = recording.empty_chunk()
        stream.recording, stream.chunks = index, list(recording.episodes[episode])


def _columns(recording: Recording, components: Sequence[Component]) -> List[int]:
    """The indices of components in a recording."""
    known = {component.name: component for component in recording.components}
    for component in components:
        if known.get(component.name) != component:
            raise ValueError(
                f'{recording.folder!r} has {known.get(component.name, "no " + component.name)}, '
                f'expected {component}.'
            )
    return [recording.components.index(component) for component in components]
