"""A teacher: a frozen copy of the agent that regularises its policy.

The loss regularises the agent towards its teacher for a while (kickstarting, Schmitt et al. 2018,
arXiv 1803.03835), so that learning does not first destroy the start policy.
K is the number of environments of one actor.
"""

from typing import Mapping, Optional, Sequence, Tuple, Union

import tensorflow.compat.v1 as tf

from sc2impala import structs
from sc2impala.agents.agent import Agent
from sc2impala.structs import Nest

SCOPE = 'teacher'
"""Name scope of the variables of a teacher."""


class Teacher:
    """Another agent of the same kind with separate variables that no algorithm trains.

    agent: the copy.
    is_frozen: variable, bool []: the copy is final. Part of checkpoints, like the weights.
    keep: operation that copies the weights of the student to the teacher.
    give: operation that copies the weights of the teacher to the student.
    freeze: operation that makes the copy final.
    """

    def __init__(self, agent: Agent, student: Agent, cost: Optional[tf.Tensor] = None):
        """Builds the operations.

        Args:
          agent: `agents.agent.Agent`, made in the name scope SCOPE, with its variables.
          student: the agent that learns, of the same kind, with its variables.
          cost: float32 [], the current weight of the teacher in the loss: at 0 it does not act.
            None for a copy that never acts.

        Raises:
          ValueError: if the two agents are not of the same kind.
        """
        names = [f'{SCOPE}/{variable.op.name}' for variable in student.weights]
        if names != [variable.op.name for variable in agent.weights]:
            raise ValueError(
                f'the teacher has the variables {[v.op.name for v in agent.weights]}, expected '
                f'{names}'
            )
        self.agent = agent
        self._cost = cost
        self.is_frozen = tf.Variable(
            False, trainable=False, use_resource=True, name=f'{SCOPE}_is_frozen'
        )
        self.keep = _copy(student.weights, agent.weights)
        self.give = _copy(agent.weights, student.weights)
        self.freeze = self.is_frozen.assign(True).op

    @property
    def acts(self) -> bool:
        """Returns whether the teacher may ever become active."""
        return self._cost is not None

    def is_active(self) -> tf.Tensor:
        """Returns whether the teacher is active, bool []: it is final, and its cost is not 0."""
        if self._cost is None:
            return tf.constant(False)
        return tf.logical_and(self.is_frozen.read_value(), self._cost > 0.0)

    def output_spec(self) -> structs.TeacherLogits:
        """`TeacherLogits` of the `tf.TensorSpec`s of one step of one environment."""
        output = self.agent.output_spec()
        return structs.TeacherLogits(
            output.action_logits, output.step_mul_logits, tf.TensorSpec([], tf.bool)
        )

    def start(self, num_envs: int) -> Tuple[Nest, structs.TeacherLogits]:
        """Recurrent state and `TeacherLogits` of [K] before the first observation."""
        return self.agent.initial_state(num_envs), self._nothing(num_envs)

    def act(
        self,
        inputs: Tuple[Mapping[str, tf.Tensor], structs.EnvOutput],
        state: Nest,
        student_state: Nest,
        is_active: tf.Tensor,
        given: Optional[Mapping[str, tf.Tensor]] = None,
    ) -> Tuple[structs.TeacherLogits, Nest]:
        """One step of K environments; almost free while the teacher is not active.

        Args:
          inputs: inputs of the student, as in `Agent.__call__`.
          state: recurrent state of the teacher.
          student_state: the student's state after the step. An inactive teacher takes it over:
            when a teacher becomes active, both have the same weights.
          is_active: bool [].
          given: int32 [K] by head, executed choices. A teacher with conditioned arguments
            returns logits given them; None lets it choose.

        Returns:
          `TeacherLogits` of [K], next recurrent state.
        """
        # Unknown where the learner acts for several actors at once.
        num_envs = inputs[1].done.shape[0] or tf.shape(inputs[1].done)[0]

        def play() -> Tuple[structs.TeacherLogits, Nest]:
            output, next_state = self.agent.act(inputs, state, given=given)
            valid = tf.ones([num_envs], tf.bool)
            logits = structs.TeacherLogits(output.action_logits, output.step_mul_logits, valid)
            return logits, next_state

        def skip() -> Tuple[structs.TeacherLogits, Nest]:
            return self._nothing(num_envs), tf.nest.map_structure(tf.identity, student_state)

        return tf.cond(is_active, play, skip)

    def _nothing(self, num_envs: Union[int, tf.Tensor]) -> structs.TeacherLogits:
        return tf.nest.map_structure(
            lambda spec: tf.zeros([num_envs] + spec.shape.as_list(), spec.dtype),
            self.output_spec(),
        )


def _copy(sources: Sequence[tf.Variable], targets: Sequence[tf.Variable]) -> tf.Operation:
    return tf.group(*[t.assign(s.read_value()).op for s, t in zip(sources, targets)])
