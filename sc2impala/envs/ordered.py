"""A screen layer that remembers where the agent has sent its units: `ordered`.

PySC2's observations do not show the goals of orders. An agent that sends one unit after the other,
as on CollectMineralShards, has to know where those are going which it does not order now. The layer
has a pixel's label out of

    4 to 1   it was the target of an order, at most AGES[0], AGES[1], AGES[2], AGES[3] environment
             frames ago,
    0        it was none in that time, or the camera has moved since.

Orders to selected units count, whoever gave them: the agent, or a demonstrator that plays. Points
of selections do not.
"""

from typing import Callable, List, Mapping

import numpy as np

from sc2impala.envs import actions, own_layer, specs, vector

AGES = (16, 48, 128, 320)
"""In environment frames; a marine crosses the screen in about 170."""

_POINT = 'screen'


def make(
    make_environment: Callable[[specs.ObservationSpec], vector.VectorEnvironment],
    observation_spec: specs.ObservationSpec,
) -> vector.VectorEnvironment:
    """Makes an environment whose observations may have the layer.

    Args:
      make_environment: makes one without it.
      observation_spec: of the observations, with the layer or without it.

    Returns:
      The result of `make_environment`, wrapped if the spec has the layer.
    """
    names = [layer.name for layer in observation_spec.screen_layers]
    if specs.ORDERED not in names:
        return make_environment(observation_spec)
    played = [name for name in names if name != specs.ORDERED]
    env = make_environment(specs.with_layers(observation_spec, 'screen', played))
    return OrderedEnvironment(env, names)


class OrderedEnvironment(own_layer.OwnLayerEnvironment):
    """K games of another environment, with the layer in their observations."""

    def __init__(self, env: vector.VectorEnvironment, screen_layers: List[str]):
        """Wraps an environment, which is closed with this one.

        Args:
          env: environment of K games, without the layer.
          screen_layers: names of the observed layers, including `ordered`.
        """
        spec = specs.with_layers(env.observation_spec, 'screen', screen_layers)
        super().__init__(env, spec, specs.ORDERED)
        self._has_target = env.action_spec.has_target(_POINT)
        self._moves_camera = np.equal(env.action_spec.functions, actions.FUNCTIONS.move_camera.id)

    def _remember(self, action: Mapping[str, np.ndarray]) -> None:
        function = np.asarray(action['function'])
        self._last[self._moves_camera[function]] = own_layer.NEVER
        games = np.flatnonzero(self._has_target[function])
        if len(games):
            pixels = np.asarray(action[_POINT])[games]
            self._last.reshape(self.num_envs, -1)[games, pixels] = self._frames[games]

    def _labels(self, layers: Mapping[str, np.ndarray], ages: np.ndarray) -> np.ndarray:
        return len(AGES) - np.searchsorted(AGES, ages)
