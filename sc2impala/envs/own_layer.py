"""Layers of this package, which remember what happened at each pixel: environments with one.

Such a layer is computed from observations and actions, so it is the same on all backends.
"""

import abc
from typing import Any, Dict, Mapping, Optional

import numpy as np

from sc2impala import saved_arrays, structs
from sc2impala.envs import specs, vector
from sc2impala.structs import Nest

NEVER = -(2**30)
"""The frame of what never happened."""


class OwnLayerEnvironment(vector.VectorEnvironment):
    """K games of another environment, with a layer of this package in their observations.

    A subclass writes the frame at which something last happened at a pixel into `_last`.
    """

    final_observation: Optional[Dict[str, Any]] = None
    """See `SimulatedEnvironment`."""

    def __init__(
        self, env: vector.VectorEnvironment, observation_spec: specs.ObservationSpec, layer: str
    ):
        """Wraps an environment, which is closed with this one.

        Args:
          env: environment of K games, without the layer.
          observation_spec: of the observations, with the layer.
          layer: a key of `specs.OWN_LAYERS`.
        """
        super().__init__(env.num_envs, observation_spec, env.action_spec, env.max_step_mul)
        self._env = env
        self._layer = layer
        self._group = specs.OWN_LAYERS[layer].group
        width, height = getattr(observation_spec, self._group + '_size')
        self._names = sorted(
            each.name for each in getattr(observation_spec, self._group + '_layers')
        )
        self._frames = np.zeros([env.num_envs], np.int32)
        self._last = np.full([env.num_envs, height, width], NEVER, np.int32)

    @property
    def failure(self) -> Optional[Exception]:  # type: ignore[override]
        """The error that made the games unusable, or None."""
        return self._env.failure

    @property
    def frames_played(self) -> int:  # type: ignore[override]
        """Total environment frames of all games in `step`."""
        return self._env.frames_played

    @property
    def unwrapped(self) -> vector.VectorEnvironment:
        """See `VectorEnvironment.unwrapped`."""
        return self._env.unwrapped

    def totals(self) -> structs.EpisodeInfo:
        """See `VectorEnvironment.totals`."""
        return self._env.totals()

    def reset(self) -> Dict[str, Nest]:
        """See `VectorEnvironment.reset`."""
        observed = self._env.reset()
        self.final_observation = None
        self._frames[:] = 0
        self._last[:] = NEVER
        return self._with_layer(observed)

    def step(self, action: Mapping[str, np.ndarray], step_mul: np.ndarray) -> structs.EnvOutput:
        """See `VectorEnvironment.step`."""
        output = self._env.step(action, step_mul)
        self._remember(action)
        self._frames[:] = output.info.episode_frames
        final = getattr(self._env, 'final_observation', None)
        self.final_observation = None if final is None else self._with_layer(final)
        self._frames[output.done] = 0
        self._last[output.done] = NEVER
        return output._replace(observation=self._with_layer(output.observation))

    def get_state(self) -> Optional[Dict[str, np.ndarray]]:
        """See `VectorEnvironment.get_state`."""
        games = self._env.get_state()
        if games is None:
            return None
        own = {'frames': self._frames.copy(), 'last': self._last.copy()}
        return saved_arrays.join({'environment': games, self._layer: own})

    def set_state(self, state: Mapping[str, np.ndarray]) -> None:
        """See `VectorEnvironment.set_state`."""
        saved_arrays.check(state, self.get_state() or {})
        self._env.set_state(saved_arrays.part(state, 'environment'))
        own = saved_arrays.part(state, self._layer)
        self._frames[:] = own['frames']
        self._last[:] = own['last']
        self.final_observation = None

    def close(self) -> None:
        """See `VectorEnvironment.close`."""
        self._env.close()

    def _remember(self, action: Mapping[str, np.ndarray]) -> None:
        """Writes the effect of actions into `_last`, at the frames before their step."""

    @abc.abstractmethod
    def _labels(self, layers: Mapping[str, np.ndarray], ages: np.ndarray) -> np.ndarray:
        """Returns the labels of the layer, integers [K, H, W].

        Args:
          layers: the observed layers of the same group, [K, H, W] each.
          ages: int32 [K, H, W], frames since the last event at a pixel, very large for none.
        """

    def _with_layer(self, observed: Mapping[str, Nest]) -> Dict[str, Nest]:
        """Adds the layer, and leaves out one that was observed for its sake only."""
        layers = dict(observed.get(self._group, {}))
        ages = self._frames[:, np.newaxis, np.newaxis] - self._last
        layers[self._layer] = self._labels(layers, ages).astype(np.uint8)
        groups = dict(observed, **{self._group: {name: layers[name] for name in self._names}})
        return {key: groups[key] for key in sorted(groups)}
