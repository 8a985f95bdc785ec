"""The target network of a real agent: the same outputs after a copy, with variables of its own."""

import numpy as np
import tensorflow.compat.v1 as tf

from sc2impala import agents
from sc2impala.learner.r2d2.target_network import TargetNetwork
from tests import fakes


def test_copies_a_recurrent_agent():
    observation_spec, action_spec = fakes.make_specs()
    with tf.Graph().as_default(), tf.Session() as session:
        tf.set_random_seed(0)
        agent = agents.make_agent('fully_conv_lstm', observation_spec, action_spec, 4)
        agent.create_variables(observation_spec)
        target = TargetNetwork(agent, 2)
        names = [variable.op.name for variable in agent.weights]
        assert [v.op.name for v in target.agent.weights] == ['target/' + name for name in names]
        assert target.agent.output_spec() == agent.output_spec()
        refreshed = target.refreshed()
        changed = tf.group(*[v.assign_add(tf.ones_like(v)) for v in agent.weights])
        counts = tf.placeholder(tf.bool, [])
        counted = target.counted(changed, counts)
        session.run(tf.global_variables_initializer())
        pairs = list(zip(agent.weights, target.agent.weights))
        differs = [tf.reduce_any(tf.not_equal(a, b)) for a, b in pairs]
        assert any(session.run(differs))
        # (whether the update counts, whether the copy is due before it)
        for counting, is_due in ((False, True), (True, True), (True, False), (True, True)):
            before = session.run(target.agent.weights)
            session.run(refreshed)
            assert any(session.run(differs)) != is_due
            if not is_due:
                for a, b in zip(before, session.run(target.agent.weights)):
                    np.testing.assert_array_equal(a, b)
            session.run(counted, {counts: counting})
