"""A target network: a copy of the agent with periodically copied weights."""

import tensorflow.compat.v1 as tf

from sc2impala.agents.agent import Agent

SCOPE = 'target'
"""Name scope of the variables of a target network."""


class TargetNetwork:
    """An agent of the same kind with variables that no optimizer trains.

    The variables and the number of updates since the last copy are part of checkpoints.

    agent: the copy. Use it after `refreshed`.
    """

    def __init__(self, agent: Agent, period: int):
        """Args:
        agent: the trained `agents.agent.Agent`, with its variables.
        period: number of updates between copies.

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
        """Copies the weights of the agent if a copy is due; one is due before the first update."""
        is_due = tf.equal(self._num_updates.read_value() % self._period, 0)
        return tf.cond(is_due, self._copy, tf.no_op)

    def counted(self, train: tf.Operation, counts: tf.Tensor) -> tf.Operation:
        """Runs `train`, and counts an update if `counts`, bool []."""
        with tf.control_dependencies([train]):
            return self._num_updates.assign_add(tf.cast(counts, tf.int64)).op

    def _copy(self) -> tf.Operation:
        pairs = zip(self._trained.weights, self.agent.weights)
        return tf.group(*[target.assign(source.read_value()).op for source, target in pairs])
