"""Writes a recording: parts with compressed episodes, and the manifest that lists them."""

import json
import os
from typing import Any, Dict, List, Mapping, Sequence

import numpy as np

from sc2impala.demonstrations.steps import Component, Episode
from sc2impala.replay import storage

MANIFEST = 'recording.json'
FORMAT = 1
"""Version of the format; others are refused."""

_PART_BYTES = 4 * 2**20
"""Size of pending episodes, which are lost if the process is killed."""


class Writer:
    """Adds episodes to a new recording.

    Episodes are kept in memory until there are enough for a part, or until `flush`.

    folder, components, chunk_steps: the arguments of the constructor.
    """

    def __init__(
        self,
        folder: str,
        about: Mapping[str, object],
        components: Sequence[Component],
        chunk_steps: int,
        part_bytes: int = _PART_BYTES,
    ):
        """Creates the folder.

        Args:
          folder: a new one.
          about: further entries of the manifest: numbers, text, lists and dicts of them.
          components: components of a step.
          chunk_steps: steps of a chunk.
          part_bytes: size of pending episodes from which a part is written.

        Raises:
          OSError: if the folder exists, or cannot be created.
        """
        os.makedirs(folder)
        self.folder = folder
        self.components = list(components)
        self.chunk_steps = chunk_steps
        self._part_bytes = part_bytes
        self._about = dict(
            about,
            format=FORMAT,
            chunk_steps=chunk_steps,
            components=[[c.name, str(c.dtype), list(c.shape)] for c in components],
        )
        self._parts: List[Dict[str, Any]] = []
        self._waiting: List[Episode] = []
        self._waiting_bytes = 0
        self._written_returns: List[float] = []
        self._max_step_mul = 0

    def add(self, episode: Episode) -> None:
        """Adds an episode.

        Raises:
          OSError: if a part cannot be written.
        """
        self._waiting.append(episode)
        self._waiting_bytes += sum(map(len, episode.chunks))
        if self._waiting_bytes >= self._part_bytes:
            self.flush()

    def flush(self) -> None:
        """Writes the episodes that are not in a part yet, and the manifest.

        Raises:
          OSError: if that fails; the recording is then unchanged.
        """
        if not self._waiting:
            return
        name = f'part_{len(self._parts):05d}.npz'
        state = _state(self._waiting)
        storage.save(os.path.join(self.folder, name), state)
        steps = int(state['steps'].sum())
        self._parts.append(
            {
                'file': name,
                'episodes': len(self._waiting),
                'chunks': len(state['steps']),
                'steps': steps,
                'bytes': len(state['content']),
            }
        )
        self._written_returns += [float(e.episode_return) for e in self._waiting]
        self._max_step_mul = max([self._max_step_mul] + [e.max_step_mul for e in self._waiting])
        self._waiting, self._waiting_bytes = [], 0
        self._write_manifest()

    def manifest(self) -> Dict[str, Any]:
        """The content of the manifest, for the written parts."""
        returns = np.array(self._written_returns)
        return dict(
            self._about,
            num_episodes=len(returns),
            num_steps=sum(part['steps'] for part in self._parts),
            mean_return=float(returns.mean()) if len(returns) else 0.0,
            std_return=float(returns.std()) if len(returns) else 0.0,
            largest_step_mul=self._max_step_mul,
            parts=self._parts,
        )

    def _write_manifest(self) -> None:
        path = os.path.join(self.folder, MANIFEST)
        with open(path + '.tmp', 'w') as file:
            json.dump(self.manifest(), file, indent=2, sort_keys=True)
            file.write('\n')
            file.flush()
            os.fsync(file.fileno())
        os.replace(path + '.tmp', path)


def _state(episodes: Sequence[Episode]) -> Dict[str, np.ndarray]:
    """The arrays of a part.

    content: uint8, all compressed chunks, one after the other.
    lengths: int64 [chunks], their sizes in bytes.
    steps: int32 [chunks], their steps.
    episode_chunks: int32 [episodes], the number of chunks of each.
    episode_returns: float32 [episodes].
    """
    chunks = [chunk for episode in episodes for chunk in episode.chunks]
    return {
        'content': np.frombuffer(b''.join(chunks), np.uint8),
        'lengths': np.array([len(chunk) for chunk in chunks], np.int64),
        'steps': np.array([n for episode in episodes for n in episode.steps], np.int32),
        'episode_chunks': np.array([len(episode.chunks) for episode in episodes], np.int32),
        'episode_returns': np.array([e.episode_return for e in episodes], np.float32),
    }
