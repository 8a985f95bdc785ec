"""Reads recordings. All content is checked: a damaged recording raises a ValueError."""

import functools
import json
import operator
import os
from typing import Any, Dict, List, Mapping, NamedTuple, Sequence, Tuple

import numpy as np

from sc2impala.demonstrations import steps as steps_lib
from sc2impala.demonstrations.steps import ACTION, Component
from sc2impala.demonstrations.writer import FORMAT, MANIFEST
from sc2impala.replay import entries, storage

_PART_ENTRIES = {
    'content': ('content', np.uint8),
    'lengths': ('chunks', np.int64),
    'steps': ('chunks', np.int32),
    'episode_chunks': ('episodes', np.int32),
    'episode_returns': ('episodes', np.float32),
}
"""Arrays of a part: the unit of their dimension, and their dtype."""

_MANIFEST_TYPES = {
    'map_name': str,
    'player': str,
    'functions': list,
    'heads': dict,
    'components': list,
    'chunk_steps': int,
    'largest_step_mul': int,
    'num_episodes': int,
    'mean_return': float,
    'parts': list,
}

_MAX_CHUNK_STEPS = 10000
_MAX_CHUNK_BYTES = 2**31
"""Maximum size of a decompressed chunk."""

_MAX_MANIFEST_BYTES = 2**28


class Chunk(NamedTuple):
    """Position of a chunk in the file, and its number of steps."""

    part: int
    start: int
    length: int
    steps: int


def find(folder: str) -> List[str]:
    """Returns paths of the recordings in a folder, or the folder itself, in alphabetical order.

    Raises:
      ValueError: if there is no recording.
    """
    if os.path.exists(os.path.join(folder, MANIFEST)):
        return [folder]
    names = sorted(os.listdir(folder)) if os.path.isdir(folder) else []
    paths = [os.path.join(folder, name) for name in names]
    found = [path for path in paths if os.path.exists(os.path.join(path, MANIFEST))]
    if not found:
        raise ValueError(
            f'{folder!r} has no recording, expected a folder that --mode=record has written.'
        )
    return found


class Recording:
    """The episodes of one recording, on disk.

    folder: its folder.
    manifest: the content of `recording.json`.
    components: List of `Component`.
    chunk_steps: C, steps of a chunk.
    episodes: for each episode its chunks in order; all but the last one of an episode have C steps.
    """

    def __init__(self, folder: str):
        """Opens a recording.

        Raises:
          ValueError: if it is damaged, or of another version.
        """
        self.folder = folder
        self.manifest = _read_manifest(os.path.join(folder, MANIFEST))
        self.chunk_steps = self.manifest['chunk_steps']
        self.components = _components(self._path(MANIFEST), self.manifest['components'])
        self._check_chunk_size()
        self._codec = steps_lib.make_codec(self.components, self.chunk_steps)
        self._sizes = self._head_sizes()
        self._contents: List[np.ndarray] = []
        self.episodes: List[List[Chunk]] = []
        for part in self.manifest['parts']:
            self._open_part(part)
        if not self.episodes:
            raise ValueError(f'{folder!r} has no episode, expected at least one.')

    def empty_chunk(self) -> List[np.ndarray]:
        """Returns arrays for `read`: [C, ...] for every component."""
        return [np.empty((self.chunk_steps, *c.shape), c.dtype) for c in self.components]

    def read(self, chunk: Chunk, arrays: Sequence[np.ndarray]) -> None:
        """Reads a chunk into arrays from `empty_chunk`.

        Raises:
          ValueError: if it is damaged.
        """
        content = self._contents[chunk.part][chunk.start : chunk.start + chunk.length]
        try:
            self._codec.decode(content, arrays)
        except ValueError as error:
            raise ValueError(f'{self.folder!r} is damaged: {error}') from error
        for index, (name, smallest, size) in self._sizes.items():
            values = arrays[index][: chunk.steps]
            if values.min() < smallest or values.max() >= size:
                raise ValueError(
                    f'{self.folder!r} is damaged: {name} has a value out of range, expected '
                    f'{smallest}..{size - 1}.'
                )

    def _check_chunk_size(self) -> None:
        num_bytes = sum(
            functools.reduce(operator.mul, (self.chunk_steps, *c.shape), c.dtype.itemsize)
            for c in self.components
        )
        if num_bytes > _MAX_CHUNK_BYTES:
            raise ValueError(
                f'{self._path(MANIFEST)!r} has chunks of {num_bytes:,} bytes, expected at most '
                f'{_MAX_CHUNK_BYTES:,}.'
            )

    def _head_sizes(self) -> Dict[int, Tuple[str, int, int]]:
        """Components with a range: index -> (name, smallest value, smallest excluded value)."""
        heads = self.manifest['heads']
        ranges = {ACTION + head: (0, size) for head, size in heads.items()}
        ranges['step_mul'] = (1, self.manifest['largest_step_mul'] + 1)
        return {
            index: (c.name, *ranges[c.name])
            for index, c in enumerate(self.components)
            if c.name in ranges
        }

    def _path(self, name: str) -> str:
        return os.path.join(self.folder, name)

    def _open_part(self, part: Any) -> None:
        name = part.get('file') if isinstance(part, dict) else None
        if not isinstance(name, str) or os.path.basename(name) != name:
            raise ValueError(f'{self._path(MANIFEST)!r} has a part {name!r}, expected a file name.')
        path = self._path(name)
        try:
            state = storage.load(path)
        except OSError as error:
            raise ValueError(f'{path!r} cannot be read ({error.strerror}).') from error
        arrays = _check_part(path, state, part)
        ends = np.cumsum(arrays['lengths'])
        chunks = [
            Chunk(len(self._contents), int(end - length), int(length), int(steps))
            for end, length, steps in zip(ends, arrays['lengths'], arrays['steps'])
        ]
        stops = np.cumsum(arrays['episode_chunks'])
        for count, stop in zip(arrays['episode_chunks'], stops):
            episode = chunks[stop - count : stop]
            _check_episode(path, episode, self.chunk_steps)
            self.episodes.append(episode)
        self._contents.append(arrays['content'])


def _read_manifest(path: str) -> Dict[str, Any]:
    """Reads and checks a manifest."""
    try:
        with open(path, 'rb') as file:
            text = file.read(_MAX_MANIFEST_BYTES + 1)
        if len(text) > _MAX_MANIFEST_BYTES:
            raise ValueError(f'it has more than {_MAX_MANIFEST_BYTES:,} bytes')
        manifest = json.loads(text.decode())
    except (OSError, ValueError, RecursionError) as error:
        raise ValueError(f'{path!r} cannot be read ({error}).') from error
    found = manifest.get('format') if isinstance(manifest, dict) else None
    if found != FORMAT:
        raise ValueError(f'{path!r} has the format {found!r}, expected {FORMAT}.')
    for name, expected in _MANIFEST_TYPES.items():
        if type(manifest.get(name)) is not expected:
            raise ValueError(f'{path!r} has no {expected.__name__} for {name}.')
    if not 1 <= manifest['chunk_steps'] <= _MAX_CHUNK_STEPS:
        raise ValueError(
            f'{path!r} has {manifest["chunk_steps"]} for chunk_steps, expected '
            f'1..{_MAX_CHUNK_STEPS}.'
        )
    for head, size in manifest['heads'].items():
        if type(size) is not int:
            raise ValueError(f'{path!r} has {size!r} choices of {head}, expected a number.')
    return manifest


def _components(path: str, entries_of_manifest: Sequence[Any]) -> List[Component]:
    try:
        components = [
            Component(str(name), np.dtype(dtype), tuple(int(n) for n in shape))
            for name, dtype, shape in entries_of_manifest
        ]
        if any(c.dtype.kind not in 'biuf' or any(n < 1 for n in c.shape) for c in components):
            raise ValueError('not numbers')
    except (KeyError, OverflowError, SyntaxError, TypeError, ValueError) as error:
        raise ValueError(f'{path!r} has wrong components ({error}).') from error
    return components


def _check_part(
    path: str, state: Mapping[str, np.ndarray], part: Mapping[str, object]
) -> Dict[str, np.ndarray]:
    """Reads the arrays of a part; the manifest has their sizes."""
    counts = {'content': part.get('bytes'), **part}
    arrays = {}
    for name, (counted, dtype) in _PART_ENTRIES.items():
        count = counts.get(counted)
        if name not in state or type(count) is not int:
            raise ValueError(f'{path!r} has no {name}, expected what {MANIFEST} lists.')
        arrays[name] = state[name]
        try:
            entries.check_array(name, arrays[name], [count], dtype)
        except ValueError as error:
            raise ValueError(f'{path!r} is not what {MANIFEST} lists: {error}') from error
    lengths, of_episodes = arrays['lengths'], arrays['episode_chunks']
    if (lengths < 1).any() or lengths.sum() != len(arrays['content']):
        raise ValueError(f'{path!r} has chunks of other sizes than its content.')
    if (of_episodes < 1).any() or of_episodes.sum() != len(lengths):
        raise ValueError(f'{path!r} has episodes of other sizes than its chunks.')
    return arrays


def _check_episode(path: str, episode: Sequence[Chunk], chunk_steps: int) -> None:
    steps = [chunk.steps for chunk in episode]
    if set(steps[:-1]) - {chunk_steps} or not 1 <= steps[-1] <= chunk_steps:
        raise ValueError(
            f'{path!r} has an episode with chunks of {steps} steps, expected {chunk_steps} in all '
            'but the last.'
        )
