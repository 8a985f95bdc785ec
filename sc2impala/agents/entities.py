"""A network over a small map of entities: down, memory, a module between entities, and up again."""

from typing import Callable, List, Tuple, Union

import sonnet as snt
import tensorflow.compat.v1 as tf

from sc2impala.agents import heads, recurrent, torsos
from sc2impala.agents.recurrent import Features
from sc2impala.envs.actions import ActionSpec
from sc2impala.envs.specs import ObservationSpec
from sc2impala.structs import Nest

MAX_SIDE = 8
"""Maximum of the shorter side of the map of entities: 64 entities for a square screen."""

CHANNELS = 32
"""Channels of all maps. The paper has several times as many; these are for a few CPU cores."""

HIDDEN_SIZE = 256


def make_parts(
    observation_spec: ObservationSpec,
    action_spec: ActionSpec,
    num_step_muls: int,
    module: Callable[[tf.Tensor], tf.Tensor],
) -> tuple:
    """Returns torso, core and heads.

    Args:
      observation_spec: `ObservationSpec`.
      action_spec: `ActionSpec`.
      num_step_muls: choices of the step multiplier head.
      module: float32 [N, H, W, CHANNELS] -> [N, H, W, CHANNELS], the module between entities.
    """
    width, height = observation_spec.screen_size
    sizes = map_sizes(height, width)
    downscaling = [(CHANNELS, 4, 2)] * (len(sizes) - 1) or [(CHANNELS, 3, 1)]
    return (
        torsos.ConvTorso(observation_spec, downscaling + [(CHANNELS, 3, 1)]),
        EntityCore(sizes, module),
        heads.Heads(action_spec, num_step_muls, heads.ConvPointHead, hidden_size=None),
    )


def map_sizes(height: int, width: int) -> List[Tuple[int, int]]:
    """(height, width) of the map, halved and rounded up until its shorter side is MAX_SIDE."""
    sizes = [(height, width)]
    while min(sizes[-1]) > MAX_SIDE:
        sizes.append(((sizes[-1][0] + 1) // 2, (sizes[-1][1] + 1) // 2))
    return sizes


class EntityCore(snt.Module):
    """A convolutional LSTM over the map of entities, with all later layers.

    Its outputs are a map of the size of the screen, by transposed convolutions, and a hidden layer
    over the maximum over all entities and the vector.
    """

    def __init__(
        self,
        sizes: List[Tuple[int, int]],
        module: Callable[[tf.Tensor], tf.Tensor],
        name: str = 'entity_core',
    ):
        """Args:
        sizes: (height, width) of the screen, and of the maps down to the map of entities.
        module: see `make_parts`.
        """
        super().__init__(name=name)
        self._memory = recurrent.ConvLSTM(sizes[-1][0], sizes[-1][1], CHANNELS)
        self._module = module
        self._upscaling = [
            snt.Conv2DTranspose(CHANNELS, 4, output_shape=size, stride=2, name=f'up_{index}')
            for index, size in enumerate(reversed(sizes[:-1]))
        ]
        self._hidden = snt.Linear(HIDDEN_SIZE, name='hidden')

    def initial_state(self, batch_size: Union[int, tf.Tensor]) -> Nest:
        """Returns the state of the memory at the start of an episode."""
        return self._memory.initial_state(batch_size)

    def unroll(self, features: Features, done: tf.Tensor, state: Nest) -> Tuple[Features, Nest]:
        """Advances the memory over time.

        Args:
          features: `Features` of [T, B, ...].
          done: bool [T, B].
          state: state before the first step, as `initial_state` returns it.

        Returns:
          `Features` of [T, B, ...] and the state after the last step.
        """
        features, state = self._memory.unroll(features, done, state)
        return snt.BatchApply(self._relate)(features), state

    def _relate(self, features: Features) -> Features:
        entities = self._module(features.spatial)
        vector = tf.concat([tf.reduce_max(entities, axis=[1, 2]), features.vector], axis=-1)
        spatial = entities
        for layer in self._upscaling:
            spatial = tf.nn.relu(layer(spatial))
        return Features(spatial, tf.nn.relu(self._hidden(vector)))
