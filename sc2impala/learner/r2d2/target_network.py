"""A target network: a copy of the agent whose weights follow those of the agent in steps."""

import tensorflow.compat.v1 as tf

from sc2impala.agents.agent import Agent

SCOPE = 'target'
"""The variables of a target network have the names of those of the agent in this scope."""


class TargetNetwork:
    """Another agent of the same kind, whose variables no optimizer trains.

    They are part of checkpoints, and so is the number of updates since the last copy.

    agent: the copy. To be used after `refreshed`.
    """

    def __init__(self, agent: Agent, period: int):
        """Args:
        agent: `agents.agent.Agent` that is trained, with its variables.
        period: updates from one copy to the next.

        Raises:
          ValueError: if the agent has no `make_copy`.
        """
        if agent.make_copy is None:
            raise ValueError('a target network needs an agent that can be copied')
        self.agent = agent.make_copy(SCOPE)
        self._trained = agent
        self._period = period
        self._num_updates = tf.Variable(
            0, trainable=False, use_resource=True, dtype=tf.int64, name=f'{SCOPE}_num_updates'
        )

    def refreshed(self) -> tf.Operation:
        """Copies the weights of the agent if that is due, as it is before the first update."""
        is_due = tf.equal(self._num_updates.read_value() % self._period, 0)
        return tf.cond(is_due, self._copy, tf.no_op)

    def counted(self, train: tf.Operation, counts: tf.Tensor) -> tf.Operation:
        """Runs `train`, and counts an update if `counts`, bool []."""
        with tf.control_dependencies([train]):
            return self._num_updates.assign_add(tf.cast(counts, tf.int64)).op

    def _copy(self) -> tf.Operation:
        pairs = zip(self._trained.weights, self.agent.weights)
        return tf.group(*[target.assign(source.read_value()).op for source, target in pairs])
