"""Games without a game: random observations of the right shapes, at hardly any cost.

What trains on them learns nothing. They measure everything but the game: the agent, the actors, the
queue, replay and the learner, on the shapes of any map, or on the frames that other trainers
publish their speed for.
"""

from typing import Any, Dict, Mapping, Sequence

import numpy as np

from sc2impala import structs
from sc2impala.envs import vector
from sc2impala.envs.actions import ActionSpec
from sc2impala.envs.maps import MapDefaults
from sc2impala.envs.specs import ObservationSpec

NUM_FRAMES = 8
"""Different observations of a game; they come in turn."""
EPISODE_STEPS = 200
"""Agent steps of an episode."""

_VECTOR_VALUES = 100
"""Numbers in vectors are below this."""

SYNTHETIC_MAPS = {
    # The work that IMPALA and Sample Factory are measured by: frames of 72 x 96 pixels and three
    # bytes each, nine actions without arguments. Layers with 256 values stand for the colours.
    'Frames': MapDefaults(
        episode_loops=8 * EPISODE_STEPS,
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
        flags={'agent': 'impala_resnet', 'fixed_step_mul': True},
    ),
}
"""MapDefaults of what is shapes only."""


class SyntheticEnvironment(vector.VectorEnvironment):
    """K games whose observations are drawn once, uniformly, and then come in turn.

    All functions are always available, the reward is 1 with each first frame of the turn, and an
    episode lasts `EPISODE_STEPS` agent steps.
    """

    def __init__(
        self,
        map_name: str,
        seeds: Sequence[int],
        observation_spec: ObservationSpec,
        action_spec: ActionSpec,
        max_step_mul: int,
    ):
        """Draws the observations.

        Args:
          map_name: of no effect: the specs are all there is of a map.
          seeds: K non-negative ints; game i shows what seeds[i] stands for.
          observation_spec, action_spec, max_step_mul: as for every environment.
        """
        super().__init__(len(seeds), observation_spec, action_spec, max_step_mul)
        games = [
            random_observation(observation_spec, [NUM_FRAMES], np.random.RandomState(seed))
            for seed in seeds
        ]
        # [NUM_FRAMES, K, ...]: what is shown at once lies together.
        self._frames = _map_leaves(lambda *arrays: np.stack(arrays, axis=1), *games)
        self._restart()

    def reset(self) -> Dict[str, Any]:
        """See `VectorEnvironment.reset`."""
        self._restart()
        return self._observe()

    def step(self, action: Mapping[str, np.ndarray], step_mul: np.ndarray) -> structs.EnvOutput:
        """See `VectorEnvironment.step`. No game is ever aborted, and actions have no effect."""
        step_mul = self._check_step_mul(step_mul)
        self._decode(action)
        self._num_steps += 1
        reward = np.full([self.num_envs], self._num_steps % NUM_FRAMES == 0, np.float32)
        self._returns += reward
        self._loops += step_mul
        self._steps += 1
        done = self._steps == EPISODE_STEPS
        info = structs.EpisodeInfo(
            episode_return=self._returns.copy(),
            episode_frames=self._loops.copy(),
            episode_steps=self._steps.copy(),
            aborted=np.zeros_like(done),
        )
        for total in (self._returns, self._loops, self._steps):
            total[done] = 0
        return structs.EnvOutput(reward, info, done, self._observe())

    def close(self) -> None:
        """See `VectorEnvironment.close`."""
        self._frames = None

    def _restart(self):
        self._num_steps = 0
        self._returns = np.zeros([self.num_envs], np.float32)
        self._loops = np.zeros([self.num_envs], np.int32)
        self._steps = np.zeros([self.num_envs], np.int32)

    def _observe(self):
        now = self._num_steps % NUM_FRAMES
        return _map_leaves(lambda frames: frames[now].copy(), self._frames)


def random_observation(
    observation_spec: ObservationSpec, leading: Sequence[int], rng: np.random.RandomState
) -> Dict[str, Any]:
    """Uniform values of every layer and vector, with all functions available.

    Args:
      observation_spec: what is observed.
      leading: dimensions before those of the spec.
      rng: the source of randomness.

    Returns:
      Nested dict of arrays [*leading, ...].
    """
    layers = observation_spec.screen_layers + observation_spec.minimap_layers
    scales = {layer.name: layer.scale for layer in layers}

    def draw(name, spec):
        shape = tuple(leading) + spec.shape
        if spec.dtype == np.bool_:
            return np.ones(shape, np.bool_)
        return rng.randint(scales.get(name, _VECTOR_VALUES), size=shape).astype(spec.dtype)

    def fill(structure):
        return {
            name: fill(spec) if isinstance(spec, dict) else draw(name, spec)
            for name, spec in structure.items()
        }

    return fill(observation_spec.structure())


def _map_leaves(function, *nests):
    """`function` of the arrays at the same place in nested dicts, as a nested dict."""
    first = nests[0]
    if not isinstance(first, dict):
        return function(*nests)
    return {name: _map_leaves(function, *(nest[name] for nest in nests)) for name in first}
