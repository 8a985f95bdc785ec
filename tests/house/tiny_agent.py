"""An agent in one file, as a user adds it: one hidden layer on the screen, and no memory."""

from typing import Any, Mapping

import sonnet as snt
import tensorflow.compat.v1 as tf

from sc2impala.agents.heads import HeadOutputs


class Flatten(snt.Module):
    """Screen pixels and the last function -> float32 [N, 16]."""

    def __init__(self) -> None:
        super().__init__(name='flatten')
        self._hidden = snt.Linear(16)

    def __call__(self, observation: Mapping[str, Any], last_function: tf.Tensor) -> tf.Tensor:
        layers = [tf.cast(x, tf.float32) for x in tf.nest.flatten(observation['screen'])]
        flat = [tf.reshape(x, [tf.shape(x)[0], x.shape[1] * x.shape[2]]) for x in layers]
        return tf.nn.relu(self._hidden(tf.concat(flat + [last_function], axis=-1)))


class Forgetful:
    """The two methods of a core, without a state."""

    def initial_state(self, batch_size: Any) -> tuple:
        return ()

    def unroll(self, features: tf.Tensor, done: tf.Tensor, state: tuple) -> tuple:
        return features, state


class Linears(snt.Module):
    """A linear layer for every head."""

    def __init__(self, heads: Mapping[str, int], num_step_muls: int):
        super().__init__(name='linears')
        self._heads = {name: snt.Linear(size, name=name) for name, size in sorted(heads.items())}
        self._step_mul = snt.Linear(num_step_muls, name='step_mul')
        self._baseline = snt.Linear(1, name='baseline')

    def __call__(self, features: tf.Tensor) -> HeadOutputs:
        return HeadOutputs(
            action_logits={name: layer(features) for name, layer in self._heads.items()},
            step_mul_logits=self._step_mul(features),
            baseline=tf.squeeze(self._baseline(features), axis=-1),
        )


def make_parts(observation_spec: Any, action_spec: Any, num_step_muls: int) -> tuple:
    """Torso, core and heads."""
    return Flatten(), Forgetful(), Linears(action_spec.heads, num_step_muls)
