"""The games of the league as gymnasium environments."""

from typing import Any, Dict, List, Optional, Tuple

import gymnasium
import numpy as np

from benchmarks.league import work
from benchmarks.league.peers import reporting

Step = Tuple[np.ndarray, float, bool, bool, Dict[str, Any]]


class FramesEnv(gymnasium.Env):
    """`work.Frames` with channels first, [3, 72, 96]."""

    observation_space = gymnasium.spaces.Box(0, 255, work.shape_of(True), np.uint8)
    action_space = gymnasium.spaces.Discrete(work.NUM_ACTIONS)
    render_mode = None

    def __init__(self, seed: int = 0):
        self._frames = work.Frames(seed, channels_first=True)

    def reset(
        self, *, seed: Optional[int] = None, options: Optional[Dict[str, Any]] = None
    ) -> Tuple[np.ndarray, Dict[str, Any]]:
        """Starts an episode; seed and options have no effect."""
        return self._frames.reset(), {}

    def step(self, action: Any) -> Step:
        """Returns the next observation; the action has no effect."""
        observation, reward, done = self._frames.step()
        return observation, reward, done, False, {}

    def action_masks(self) -> np.ndarray:
        """Returns that all actions are available, bool [9]."""
        return np.ones([work.NUM_ACTIONS], np.bool_)


class PlanesEnv(gymnasium.Wrapper):
    """MoveToBeacon with one observation: a plane for each label of a layer, [C, H, W] uint8.

    Layers with few labels have one plane for each, other layers one with their values; vectors and
    masks are planes of a constant. Numbers above 255 are cut. Episodes are reported.
    """

    def __init__(self, seed: int = 0, step_mul: int = 8):
        super().__init__(gymnasium.make(work.ENV_ID, step_mul=step_mul, disable_env_checker=True))
        self._reporter = reporting.Reporter()
        self._seed: Optional[int] = seed
        spaces = self.env.observation_space.spaces
        self._layers = [name for name in spaces if name.startswith(('screen_', 'minimap_'))]
        self._vectors = [name for name in spaces if name not in self._layers]
        self._labels = {name: _num_labels(spaces[name]) for name in self._layers}
        height, width = spaces[self._layers[0]].shape
        planes = sum(self._labels.values())
        planes += sum(int(np.prod(spaces[name].shape)) for name in self._vectors)
        shape = (planes, height, width)
        self.observation_space = gymnasium.spaces.Box(0, 255, shape, np.uint8)

    def reset(
        self, *, seed: Optional[int] = None, options: Optional[Dict[str, Any]] = None
    ) -> Tuple[np.ndarray, Dict[str, Any]]:
        """Starts an episode, the first with the seed of the constructor."""
        observation, info = self.env.reset(seed=self._seed)
        self._seed = None
        return self._planes(observation), info

    def step(self, action: Any) -> Step:
        """Steps the game and reports the return of an episode that ends."""
        observation, reward, terminated, truncated, info = self.env.step(np.asarray(action))
        if terminated or truncated:
            self._reporter.episode(info['episode_return'])
        return self._planes(observation), float(reward), terminated, truncated, info

    def action_masks(self) -> np.ndarray:
        """Returns the mask over all choices of all dimensions, bool."""
        return self.env.unwrapped.action_masks()

    def _planes(self, observation: Dict[str, np.ndarray]) -> np.ndarray:
        planes: List[np.ndarray] = []
        for name in self._layers:
            layer, labels = observation[name], self._labels[name]
            if labels > 1:
                planes.extend(layer == label for label in range(labels))
            else:
                planes.append(_cut(layer))
        shape = self.observation_space.shape[1:]
        for name in self._vectors:
            planes.extend(np.full(shape, value) for value in _cut(np.ravel(observation[name])))
        return np.stack(planes).astype(np.uint8)


def _cut(numbers: np.ndarray) -> np.ndarray:
    """Returns uint8; the numbers may be of a type that has no 255."""
    return numbers.astype(np.int64).clip(0, 255).astype(np.uint8)


def _num_labels(space: gymnasium.spaces.Box) -> int:
    """Returns the number of labels of a layer of categories, otherwise 1."""
    highest = int(space.high.max())
    return highest + 1 if highest < np.iinfo(np.uint8).max else 1
