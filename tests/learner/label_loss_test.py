"""The loss of labels in IMPALA, and what else the steps of a demonstrator carry: nothing."""

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

from sc2impala.learner import optimization
from sc2impala.learner.impala import Impala, ImpalaSettings
from tests.learner import table_agent as table
from tests.learner.labels import random_labels

T, B = 6, 3


class Update:
    """One update by gradient descent, and the gradients of the logits and the baseline."""

    def __init__(self, plays, **settings):
        self.pi, mu = table.random_outputs(0, T, B), table.random_outputs(1, T, B)
        shape = [T + 1, B]
        labels = random_labels(3, table.HEADS, table.MAX_STEP_MUL, shape)
        self.labels = dict(labels, plays=np.full(shape, plays))
        available = np.ones(shape + [table.HEADS['function']], bool)
        observation = {'available_actions': available, 'demonstration': self.labels}
        env = table.random_env_outputs(2, T, B)._replace(observation=observation)
        made = ImpalaSettings(
            learning_rate=1e8,
            final_learning_rate=1e8,
            adam_beta1=0.0,
            adam_beta2=0.0,
            adam_epsilon=1e8,
            clip_grad_norm=0.0,
            **settings,
        )
        self.shares = [Impala(made).demonstrator_share(frames) for frames in (0, 10**9)]
        with tf.Graph().as_default(), table.session() as session:
            agent = table.TableAgent(self.pi)
            frames = tf.train.get_or_create_global_step()
            update = Impala(made).build_update(
                agent, table.make_batch(env, mu), agent.weights, optimization.Schedule(frames, 1e9)
            )
            session.run(tf.global_variables_initializer())
            before = session.run(agent.variables)
            metrics = {tag: m for tag, m in update.metrics.items() if m.shape.rank == 0}
            # Some metrics are those after the update.
            self.metrics, _ = session.run([metrics, update.train])
            after = session.run(agent.variables)
        self.gradients = tf.nest.map_structure(lambda a, b: a - b, before, after)


def test_the_steps_of_a_demonstrator_carry_no_other_loss():
    update = Update(plays=True)
    assert not any(np.any(gradient) for gradient in tf.nest.flatten(update.gradients))
    assert update.metrics['loss/total_loss'] == 0.0
    assert update.shares == [None, None]


@pytest.mark.parametrize('plays', [True, False])
def test_the_loss_of_labels_is_that_of_all_of_them(plays):
    without, update = Update(plays), Update(plays, demonstration_cost=0.5)
    logits = dict(update.pi.action_logits, step_mul=update.pi.step_mul_logits)
    loss, gradient = 0.0, np.zeros(logits['function'].shape)
    for t, b in np.ndindex(T, B):
        if not update.labels['valid'][t, b]:
            continue
        function = update.labels['action']['function'][t, b]
        index = {'function': function, 'step_mul': update.labels['step_mul'][t, b] - 1}
        if table.HEAD_USED['screen'][function]:
            index['screen'] = update.labels['action']['screen'][t, b]
        loss -= sum(table.log_softmax(logits[name][t, b])[i] for name, i in index.items())
        gradient[t, b] = np.exp(table.log_softmax(logits['function'][t, b]))
        gradient[t, b, function] -= 1.0
    np.testing.assert_allclose(update.metrics['loss/demonstration'], 0.5 * loss, rtol=1e-5)
    total = update.metrics['loss/total_loss'] - without.metrics['loss/total_loss']
    np.testing.assert_allclose(total, 0.5 * loss, rtol=1e-4)
    more = update.gradients[0]['function'] - without.gradients[0]['function']
    np.testing.assert_allclose(more, 0.5 * gradient, atol=1e-4)
    np.testing.assert_array_equal(update.gradients[2], without.gradients[2])
    # The agent plays, and is told what the demonstrator would do.
    assert update.shares == [0.0, 0.0]
