"""Checks that variables and outputs are finite before they are saved."""

from typing import Callable, Mapping, Optional, Sequence

import numpy as np
import tensorflow.compat.v1 as tf

from sc2impala import structs
from sc2impala.agents.agent import Agent
from sc2impala.envs import synthetic
from sc2impala.envs.specs import ObservationSpec
from sc2impala.errors import UnsoundState

_NUM_OBSERVATIONS = 2


class FiniteCheck:
    """Raises an error if arrays of variables, or outputs of the policy, are not finite.

    Weights may be finite, and so large that the policy overflows: actors notice that first. The
    observations are random ones, with all functions available.
    """

    def __init__(
        self,
        agent: Agent,
        observation_spec: ObservationSpec,
        variables: Sequence[tf.Variable],
        newest: Callable[[], Optional[int]],
    ):
        """Builds the operations.

        Args:
          agent: `agents.agent.Agent`.
          observation_spec: `envs.specs.ObservationSpec`.
          variables: variables of a checkpoint.
          newest: frames of the last checkpoint, or None.
        """
        self._newest = newest
        # No scalars: they may be infinite, as the best return before an evaluation is.
        arrays = [v for v in variables if v.dtype.base_dtype.is_floating and v.shape.ndims]
        self._observation = synthetic.random_observation(
            observation_spec, [1, _NUM_OBSERVATIONS], np.random.RandomState(0)
        )
        self._placeholders = tf.nest.map_structure(
            lambda array: tf.placeholder(array.dtype, array.shape), self._observation
        )
        self._sound = {
            'weights': _all_finite([v.read_value() for v in arrays]),
            'outputs': _all_finite(_outputs(agent, self._placeholders)),
        }

    def __call__(self, session: tf.Session) -> None:
        """Checks the current state.

        Raises:
          UnsoundState: it names the last checkpoint, which has passed this check.
        """
        names = tf.nest.flatten(self._placeholders), tf.nest.flatten(self._observation)
        sound = session.run(self._sound, dict(zip(*names)))
        for what, is_sound in sound.items():
            if not is_sound:
                newest = self._newest()
                saved = 'there is no earlier checkpoint'
                if newest is not None:
                    saved = f'the newest finite checkpoint is checkpoints/{newest}'
                raise UnsoundState(
                    f'the {what} of the agent became NaN or infinite; this state is not saved, '
                    f'{saved}: lower the learning rate, or clip rewards or gradients, in a new '
                    '--logdir with --init_checkpoint.'
                )


def _outputs(agent: Agent, observation: Mapping[str, structs.Nest]) -> Sequence[tf.Tensor]:
    """Logits and baselines of the agent for the first observations of episodes."""

    def zeros(spec: tf.TensorSpec) -> tf.Tensor:
        return tf.zeros([1, _NUM_OBSERVATIONS] + spec.shape.as_list(), spec.dtype)

    actions = tf.nest.map_structure(zeros, agent.output_spec().action)
    zero = tf.zeros([1, _NUM_OBSERVATIONS])
    none = tf.zeros([1, _NUM_OBSERVATIONS], tf.int32)
    env_outputs = structs.EnvOutput(
        reward=zero,
        info=structs.EpisodeInfo(zero, none, none, none > 0),
        done=zero < 1,
        observation=observation,
    )
    state = agent.initial_state(_NUM_OBSERVATIONS)
    outputs, _ = agent.unroll(actions, env_outputs, state, given=actions)
    return tf.nest.flatten((outputs.action_logits, outputs.step_mul_logits, outputs.baseline))


def _all_finite(tensors: Sequence[tf.Tensor]) -> tf.Tensor:
    return tf.reduce_all([tf.reduce_all(tf.is_finite(tensor)) for tensor in tensors])
