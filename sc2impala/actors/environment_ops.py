"""A vector environment as operations of the graph."""

from typing import Any, Mapping

import numpy as np
import tensorflow.compat.v1 as tf

from sc2impala import structs


class EnvironmentOps:
    """Calls a `VectorEnvironment` of K environments from inside the graph.

    The caller orders the calls by their data: every step needs an action, which needs the
    observation before it.
    """

    def __init__(self, env: Any):
        self._env = env
        self.num_envs = env.num_envs
        self._observation_spec = tf.nest.map_structure(
            lambda spec: tf.TensorSpec(
                (env.num_envs,) + tuple(spec.shape), tf.as_dtype(spec.dtype)
            ),
            env.observation_spec.structure(),
        )
        per_env = [env.num_envs]
        self._spec = structs.EnvOutput(
            reward=tf.TensorSpec(per_env, tf.float32),
            info=structs.EpisodeInfo(
                episode_return=tf.TensorSpec(per_env, tf.float32),
                episode_frames=tf.TensorSpec(per_env, tf.int32),
                episode_steps=tf.TensorSpec(per_env, tf.int32),
                aborted=tf.TensorSpec(per_env, tf.bool),
            ),
            done=tf.TensorSpec(per_env, tf.bool),
            observation=self._observation_spec,
        )

    def reset(self) -> structs.EnvOutput:
        """Starts fresh episodes: zero reward, and `done` set as on every first observation."""
        observation = _call(self._env.reset, [], self._observation_spec, 'reset')
        zeros = tf.nest.map_structure(
            lambda spec: tf.zeros(spec.shape, spec.dtype), self._spec._replace(observation=())
        )
        return zeros._replace(done=tf.ones_like(zeros.done), observation=observation)

    def step(self, action: Mapping[str, tf.Tensor], step_mul: tf.Tensor) -> structs.EnvOutput:
        """Plays dict of int32 [K] for int32 [K] game loops, returns `EnvOutput` of [K]."""
        heads = sorted(action)

        def step_arrays(step_mul_array, *head_arrays):
            return self._env.step(dict(zip(heads, head_arrays)), step_mul_array)

        return _call(step_arrays, [step_mul] + [action[h] for h in heads], self._spec, 'step')


def _call(function, inputs, spec, name):
    """numpy_function with nests out, and the static shapes that it forgets."""
    flat_spec = tf.nest.flatten(spec)

    def flat_function(*arrays):
        outputs = tf.nest.flatten(function(*arrays))
        return [np.asarray(out, s.dtype.as_numpy_dtype) for out, s in zip(outputs, flat_spec)]

    flat = tf.numpy_function(flat_function, inputs, [s.dtype for s in flat_spec], name=name)
    for tensor, tensor_spec in zip(flat, flat_spec):
        tensor.set_shape(tensor_spec.shape)
    return tf.nest.pack_sequence_as(spec, flat)
