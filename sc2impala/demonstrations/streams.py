"""Streams of consecutive steps: one recorded episode after the other, in a random order.

B is the number of streams, T the unroll length.
"""

import zlib
from typing import Dict, List, Mapping, Sequence, Tuple

import numpy as np

from sc2impala import saved_arrays
from sc2impala.demonstrations.recording import Chunk, Recording
from sc2impala.demonstrations.steps import ACTION, OUTCOME, Component


class _Stream:
    """The position of a stream in its episode.

    recording, episode: indices of the recording, and of the episode in it.
    chunks: unread chunks of the episode.
    arrays: the current chunk; steps: its number of steps; position: the next step.
    """

    def __init__(self) -> None:
        self.recording = -1
        self.episode = -1
        self.chunks: List[Chunk] = []
        self.arrays: List[np.ndarray] = []
        self.steps = 0
        self.position = 0


class Streams:
    """B streams, cut into consecutive sequences of T + 1 steps without overlap.

    Each stream reads an episode to its end before the next one; all episodes are
    read once before any is repeated. The first episode of each stream begins at a random
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
          components: components to read, see `steps.components_of`.
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
        # Data before the first step is unknown: it counts as the end of another episode.
        self._steps['done'][:, -1] = True
        self._streams = [_Stream() for _ in range(num_streams)]
        for stream in self._streams:
            self._begin_episode(stream)
            stream.chunks = stream.chunks[rng.randint(len(stream.chunks)) :]

    def next(self) -> Dict[str, np.ndarray]:
        """Returns the next sequence of every stream.

        Returns:
          By name of component [B, T + 1, ...]. Observation, action and step multiplier of step t
          belong to the step; its outcome (reward, done, ...) belongs to the previous action, as
          in `structs.EnvOutput`, given by 'last_action/<head>' and 'last_step_mul'. Step
          T of a sequence comes before step 0 of the next one: a recurrent state continues from it.

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

    def get_state(self) -> Dict[str, np.ndarray]:
        """Returns the state for an identical continuation by `set_state`, arrays by name."""
        places = []
        for stream in self._streams:
            episode = self._recordings[stream.recording].episodes[stream.episode]
            num_read = len(episode) - len(stream.chunks)
            place = (stream.recording, stream.episode, num_read, stream.steps > 0, stream.position)
            places.append(place)
        return saved_arrays.join(
            {
                'streams': {
                    'recordings': np.array([_fingerprint(r) for r in self._recordings], np.int64),
                    'places': np.array(places, np.int64),
                    'num_left': np.array(len(self._order), np.int64),
                    'order': self._padded_order(),
                },
                'last': {name: array[:, -1].copy() for name, array in self._steps.items()},
                'random': saved_arrays.get_random(self._rng),
            }
        )

    def set_state(self, state: Mapping[str, np.ndarray]) -> None:
        """Restores a state of `get_state` of streams of the same recordings.

        Raises:
          DifferentState: if the recordings or components differ.
          ValueError: if a number in it is out of range, or a recording is damaged.
        """
        own = self.get_state()
        saved_arrays.check(state, own)
        if not np.array_equal(state['streams/recordings'], own['streams/recordings']):
            raise saved_arrays.DifferentState('the recordings are others.')
        num_left = int(state['streams/num_left'])
        order = [(int(r), int(e)) for r, e in state['streams/order'][: max(0, num_left)]]
        if num_left != len(order):
            raise ValueError(f'{num_left} episodes are left, expected at most {len(order)}.')
        for recording, episode in order:
            self._check_episode(recording, episode)
        for stream, place in zip(self._streams, state['streams/places'].tolist()):
            self._place(stream, *place)
        saved_arrays.set_random(self._rng, saved_arrays.part(state, 'random'))
        self._order = order
        for name, array in self._steps.items():
            array[:, -1] = state[f'last/{name}']

    def _padded_order(self) -> np.ndarray:
        """The unread episodes, int64 [all episodes, 2], then -1."""
        count = sum(len(recording.episodes) for recording in self._recordings)
        rows = np.full([count, 2], -1, np.int64)
        rows[: len(self._order)] = np.array(self._order, np.int64).reshape(-1, 2)
        return rows

    def _place(
        self, stream: _Stream, recording: int, episode: int, num_read: int, has_read: int, step: int
    ) -> None:
        """Moves a stream into an episode: to a step of the current chunk."""
        self._check_episode(recording, episode)
        chunks = self._recordings[recording].episodes[episode]
        if not bool(has_read) <= num_read <= len(chunks):
            raise ValueError(f'{num_read} chunks are read, expected at most {len(chunks)}.')
        stream.recording, stream.episode = recording, episode
        stream.arrays = self._recordings[recording].empty_chunk()
        stream.chunks = list(chunks[num_read:])
        stream.steps = stream.position = 0
        if has_read:
            self._recordings[recording].read(chunks[num_read - 1], stream.arrays)
            stream.steps = chunks[num_read - 1].steps
        if not 0 <= step <= stream.steps:
            raise ValueError(f'a stream is at step {step}, expected 0..{stream.steps}.')
        stream.position = step

    def _check_episode(self, recording: int, episode: int) -> None:
        recordings = self._recordings
        in_range = 0 <= recording < len(recordings)
        if not in_range or not 0 <= episode < len(recordings[recording].episodes):
            raise ValueError(f'there is no episode {episode} in a recording {recording}.')

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
        """Reads the next chunk of the episode, or of another one."""
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
        stream.recording, stream.episode = index, episode
        stream.chunks = list(recording.episodes[episode])


def _fingerprint(recording: Recording) -> int:
    """Returns an identifier of recordings: a checksum of the positions of their chunks."""
    table = [chunk for episode in recording.episodes for chunk in (*episode, (-1, -1, -1, -1))]
    return zlib.crc32(np.array(table, np.int64).tobytes())


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
