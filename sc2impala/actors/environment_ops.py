"""A vector environment as operations of the graph."""

from typing import TYPE_CHECKING, Callable, List, Mapping, Sequence, Tuple

import numpy as np
import tensorflow.compat.v1 as tf

from sc2impala import activity, structs
from sc2impala.actors.sequence_queue import env_output_spec
from sc2impala.structs import Nest

if TYPE_CHECKING:
    from sc2impala.envs.vector import VectorEnvironment


class EnvironmentOps:
    """Calls a `VectorEnvironment` of K environments from inside the graph.

    The calls are ordered by their data: every step needs an action, and an action needs the
    observation before it.
    """

    def __init__(self, env: 'VectorEnvironment'):
        self._env = env
        self.num_envs = env.num_envs
        self._spec = env_output_spec(env.observation_spec, [env.num_envs])

    def reset(self) -> structs.EnvOutput:
        """Starts fresh episodes: zero reward, and `done` set as on every first observation.

        The statistics of episodes are the environment's totals, see `VectorEnvironment.totals`.
        """

        def reset_arrays() -> Tuple[structs.EpisodeInfo, Nest]:
            with activity.doing(activity.GAME):
                observation = self._env.reset()
            return self._env.totals(), observation

        spec = self._spec
        info, observation = _call(reset_arrays, [], (spec.info, spec.observation), 'reset')
        return structs.EnvOutput(
            reward=tf.zeros(spec.reward.shape, spec.reward.dtype),
            info=info,
            done=tf.ones(spec.done.shape, spec.done.dtype),
            observation=observation,
        )

    def step(self, action: Mapping[str, tf.Tensor], step_mul: tf.Tensor) -> structs.EnvOutput:
        """Steps with a dict of int32 [K] for int32 [K] frames; returns `EnvOutput` of [K]."""
        heads = sorted(action)

        def step_arrays(step_mul_array: np.ndarray, *head_arrays: np.ndarray) -> structs.EnvOutput:
            with activity.doing(activity.GAME):
                return self._env.step(dict(zip(heads, head_arrays)), step_mul_array)

        return _call(step_arrays, [step_mul] + [action[h] for h in heads], self._spec, 'step')


def _call(function: Callable, inputs: Sequence[tf.Tensor], spec: Nest, name: str) -> Nest:
    """`tf.numpy_function` that returns a nest with static shapes."""
    flat_spec = tf.nest.flatten(spec)

    def flat_function(*arrays: np.ndarray) -> List[np.ndarray]:
        outputs = tf.nest.flatten(function(*arrays))
        return [np.asarray(out, s.dtype.as_numpy_dtype) for out, s in zip(outputs, flat_spec)]

    flat = tf.numpy_function(flat_function, inputs, [s.dtype for s in flat_spec], name=name)
    for tensor, tensor_spec in zip(flat, flat_spec):
        tensor.set_shape(tensor_spec.shape)
    return tf.nest.pack_sequence_as(spec, flat)
