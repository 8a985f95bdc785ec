"""A vector environment without a game: random observations of the right shapes, at little cost.

It is for measuring the speed of everything except the game (agent, actors, queue, replay buffer and
learner), with the observation shapes of any map, or shapes for which other trainers publish their
speed. Nothing can be learned from it.
"""

from typing import Callable, Dict, Mapping, Optional, Sequence

import numpy as np

from sc2impala import saved_arrays, structs
from sc2impala.envs import vector
from sc2impala.envs.actions import ActionSpec
from sc2impala.envs.maps import MapDefaults
from sc2impala.envs.specs import ArraySpec, ObservationSpec
from sc2impala.structs import Nest

NUM_OBSERVATIONS = 8
"""Number of different observations of a game, which are returned cyclically."""
EPISODE_STEPS = 200
"""Number of agent steps of an episode."""

_VECTOR_VALUES = 100
"""Upper bound (exclusive) of the numbers in vectors."""

SYNTHETIC_MAPS = {
    # The shapes that IMPALA and Sample Factory are measured with: images of 72 x 96 pixels of three
    # bytes, nine actions without arguments. Layers with 256 values stand for the colours.
    'Frames': MapDefaults(
        episode_frames=8 * EPISODE_STEPS,
        functions=(
            'no_op',
            'Stop_quick',
            'HoldPosition_quick',
            'Halt_quick',
            'Cancel_quick',
            'Lift_quick',
            'Effect_Stim_quick',
            'Train_SCV_quick',
            'Train_Marine_quick',
        ),
        fixed_arguments={'queued': 0},
        screen_layers=('height_map', 'unit_hit_points_ratio', 'unit_shields_ratio'),
        vectors=(),
        screen_size=(96, 72),
        settings={'agent': 'impala_resnet', 'fixed_step_mul': True},
    ),
}
"""MapDefaults of maps that exist in this environment only."""


class SyntheticEnvironment(vector.VectorEnvironment):
    """K games with `NUM_OBSERVATIONS` random observations each, which are returned cyclically.

    All functions are always available, the reward is 1 whenever the cycle starts again, else 0, and
    an episode lasts `EPISODE_STEPS` agent steps, or until it is truncated.
    """

    def __init__(
        self,
        map_name: str,
        seeds: Sequence[int],
        observation_spec: ObservationSpec,
        action_spec: ActionSpec,
        max_step_mul: int,
        max_episode_frames: Optional[int] = None,
    ):
        """Draws the observations.

        Args:
          map_name: not used; the specs determine all shapes.
          seeds: K non-negative ints; seeds[i] determines the observations of game i.
          observation_spec, action_spec, max_step_mul: see `VectorEnvironment`.
          max_episode_frames: see `SimulatedEnvironment`.
        """
        super().__init__(len(seeds), observation_spec, action_spec, max_step_mul)
        self._max_episode_frames = vector.check_max_episode_frames(max_episode_frames)
        games = [
            random_observation(observation_spec, [NUM_OBSERVATIONS], np.random.RandomState(seed))
            for seed in seeds
        ]
        # [NUM_OBSERVATIONS, K, ...], so that the observations of one step are contiguous.
        self._observations = _map_leaves(lambda *arrays: np.stack(arrays, axis=1), *games)
        self._restart()

    def reset(self) -> Dict[str, Nest]:
        """See `VectorEnvironment.reset`."""
        self._restart()
        return self._observe()

    def step(self, action: Mapping[str, np.ndarray], step_mul: np.ndarray) -> structs.EnvOutput:
        """See `VectorEnvironment.step`. No game is ever aborted, and actions have no effect."""
        step_mul = self._check_step_mul(step_mul)
        self._decode(action)
        truncated = self._frames >= self._max_episode_frames
        step_mul = np.where(truncated, 0, step_mul)
        self._num_steps += 1
        reward = np.where(truncated, 0, self._num_steps % NUM_OBSERVATIONS == 0).astype(np.float32)
        self._returns += reward
        self._frames += step_mul
        self.frames_played += int(step_mul.sum())
        self._steps += ~truncated
        done = truncated | (self._steps == EPISODE_STEPS)
        info = structs.EpisodeInfo(
            episode_return=self._returns.copy(),
            episode_frames=self._frames.copy(),
            episode_steps=self._steps.copy(),
            aborted=np.zeros_like(done),
        )
        for total in (self._returns, self._frames, self._steps):
            total[done] = 0
        return structs.EnvOutput(reward, info, done, self._observe())

    def get_state(self) -> Dict[str, np.ndarray]:
        """See `VectorEnvironment.get_state`. The observations are not part of it."""
        return {
            'num_steps': np.array(self._num_steps, np.int64),
            'returns': self._returns.copy(),
            'frames': self._frames.copy(),
            'steps': self._steps.copy(),
        }

    def set_state(self, state: Mapping[str, np.ndarray]) -> None:
        """See `VectorEnvironment.set_state`. The seeds have to be the same."""
        saved_arrays.check(state, self.get_state())
        self._num_steps = int(state['num_steps'])
        self._returns[:] = state['returns']
        self._frames[:] = state['frames']
        self._steps[:] = state['steps']

    def close(self) -> None:
        """See `VectorEnvironment.close`."""
        self._observations = None

    def _restart(self) -> None:
        self._num_steps = 0
        self._returns = np.zeros([self.num_envs], np.float32)
        self._frames = np.zeros([self.num_envs], np.int32)
        self._steps = np.zeros([self.num_envs], np.int32)

    def _observe(self) -> Dict[str, Nest]:
        now = self._num_steps % NUM_OBSERVATIONS
        return _map_leaves(lambda array: array[now].copy(), self._observations)


def random_observation(
    observation_spec: ObservationSpec, leading: Sequence[int], rng: np.random.RandomState
) -> Dict[str, Nest]:
    """Draws uniform values of every layer and vector, with all functions available.

    Args:
      observation_spec: the structure and the ranges of the values.
      leading: leading dimensions, in front of the spec's.
      rng: the source of randomness.

    Returns:
      Nested dict of arrays [*leading, ...].
    """
    layers = observation_spec.screen_layers + observation_spec.minimap_layers
    scales = {layer.name: layer.scale for layer in layers}

    def draw(name: str, spec: ArraySpec) -> np.ndarray:
        shape = tuple(leading) + spec.shape
        if spec.dtype == np.bool_:
            return np.ones(shape, np.bool_)
        return rng.randint(scales.get(name, _VECTOR_VALUES), size=shape).astype(spec.dtype)

    def fill(structure: Mapping[str, Nest]) -> Dict[str, Nest]:
        return {
            name: fill(spec) if isinstance(spec, dict) else draw(name, spec)
            for name, spec in structure.items()
        }

    return fill(observation_spec.structure())


def _map_leaves(function: Callable[..., np.ndarray], *nests: Nest) -> Nest:
    """Applies a function to the corresponding arrays of nested dicts of the same structure."""
    first = nests[0]
    if not isinstance(first, dict):
        return function(*nests)
    return {name: _map_leaves(function, *(nest[name] for nest in nests)) for name in first}
