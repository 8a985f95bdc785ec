"""Steps of episodes: their components, and the recorder that compresses them in chunks.

C is the number of steps of a chunk, K the number of games.
"""

from typing import Any, Dict, List, Mapping, NamedTuple, Sequence, Tuple

import numpy as np

from sc2impala.replay.codec import SequenceCodec

OBSERVATION, ACTION = 'observation/', 'action/'
"""Prefixes of names of components."""

OUTCOME = {
    'reward': np.dtype(np.float32),
    'done': np.dtype(np.bool_),
    'episode_return': np.dtype(np.float32),
    'episode_frames': np.dtype(np.int32),
    'episode_steps': np.dtype(np.int32),
}
"""Scalars that follow the action of a step: name -> dtype."""


class Component(NamedTuple):
    """One array of a step, such as 'observation/screen/selected'."""

    name: str
    dtype: np.dtype
    shape: Tuple[int, ...]

    def __str__(self) -> str:
        return f'{self.name} {self.dtype} {list(self.shape)}'


class Episode(NamedTuple):
    """A compressed episode.

    chunks: the compressed chunks in order.
    steps: the number of steps of each; all but the last have C.
    episode_return: sum of the rewards.
    max_step_mul: the largest step multiplier of the actions.
    """

    chunks: List[bytes]
    steps: List[int]
    episode_return: float
    max_step_mul: int


def components_of(structure: Mapping[str, object], heads: Sequence[str]) -> List[Component]:
    """Returns the components of a step.

    Args:
      structure: nested dict of `ArraySpec`s of an observation without labels.
      heads: names of the heads of an action.
    """
    observation = flatten({OBSERVATION[:-1]: structure})
    scalars: Dict[str, np.dtype] = {ACTION + head: np.dtype(np.int32) for head in heads}
    scalars.update(step_mul=np.dtype(np.int32), **OUTCOME)
    return [
        Component(name, np.dtype(spec.dtype), tuple(spec.shape))
        for name, spec in observation.items()
    ] + [Component(name, dtype, ()) for name, dtype in scalars.items()]


def flatten(nest: Mapping[str, object], prefix: str = '') -> Dict[str, Any]:
    """{'a': {'b': x}} -> {'a/b': x}."""
    result: Dict[str, Any] = {}
    for name, value in nest.items():
        if isinstance(value, dict):
            result.update(flatten(value, f'{prefix}{name}/'))
        else:
            result[prefix + name] = value
    return result


def nested(flat: Mapping[str, object]) -> Dict[str, Any]:
    """{'a/b': x} -> {'a': {'b': x}}; the inverse of `flatten`."""
    result: Dict[str, Any] = {}
    for path, value in flat.items():
        *groups, name = path.split('/')
        target = result
        for group in groups:
            target = target.setdefault(group, {})
        target[name] = value
    return result


def make_codec(components: Sequence[Component], chunk_steps: int) -> SequenceCodec:
    """The codec of chunks of C steps."""
    return SequenceCodec([((chunk_steps, *c.shape), c.dtype) for c in components])


class StepRecorder:
    """Collects the steps of K games and compresses their episodes."""

    def __init__(self, components: Sequence[Component], num_games: int, chunk_steps: int):
        """Args:
        components: of a step.
        num_games: K.
        chunk_steps: C.
        """
        self._components = list(components)
        self._chunk_steps = chunk_steps
        self._codec = make_codec(components, chunk_steps)
        self._buffers = [
            np.zeros((num_games, chunk_steps, *c.shape), c.dtype) for c in self._components
        ]
        self._games = np.arange(num_games)
        self._position = np.zeros([num_games], np.int64)
        self._chunks: List[List[bytes]] = [[] for _ in range(num_games)]
        self._returns = np.zeros([num_games])
        self._max_step_mul = np.zeros([num_games], np.int64)

    def add(self, step: Mapping[str, np.ndarray]) -> None:
        """Adds a step of every game: by name of component an array [K, ...]."""
        for component, buffer in zip(self._components, self._buffers):
            buffer[self._games, self._position] = step[component.name]
        self._position += 1
        self._returns += step['reward']
        self._max_step_mul = np.maximum(self._max_step_mul, step['step_mul'])
        for game in np.flatnonzero(self._position == self._chunk_steps).tolist():
            self._compress(game)

    def end(self, game: int) -> Episode:
        """Returns the episode of a game so far; its next step begins another one."""
        chunks, last = self._chunks[game], int(self._position[game])
        steps = [self._chunk_steps] * len(chunks) + [last] * (last > 0)
        if last:
            for buffer in self._buffers:
                buffer[game, last:] = 0
            self._compress(game)
        episode = Episode(chunks, steps, self._returns[game], int(self._max_step_mul[game]))
        self._chunks[game] = []
        self._returns[game] = 0
        self._max_step_mul[game] = 0
        return episode

    def _compress(self, game: int) -> None:
        self._chunks[game].append(self._codec.encode([buffer[game] for buffer in self._buffers]))
        self._position[game] = 0
