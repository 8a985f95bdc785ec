"""The loss of labels beside rewards, and what else the steps of a demonstrator carry: nothing."""

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

from sc2impala.learner import labels, optimization
from sc2impala.learner.appo.settings import AppoSettings
from sc2impala.learner.appo.update import Appo
from sc2impala.learner.impala.settings import ImpalaSettings
from sc2impala.learner.impala.update import Impala
from tests.learner import table_agent as table
from tests.learner.labels import random_labels
from tests.learner.towers_test import make_agent, make_batch, randomise

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


ALGORITHMS = {
    'impala': Impala(ImpalaSettings(demonstration_cost=0.5, learning_rate=1e-3)),
    'appo': Appo(AppoSettings(demonstration_cost=0.5, learning_rate=1e-3, appo_minibatches=2)),
}


@pytest.mark.long
@pytest.mark.parametrize('name', sorted(ALGORITHMS))
def test_the_arguments_of_a_label_are_those_given_its_own_choices(name):
    """And not those given what was played, which the policy gradient is about."""
    with tf.Graph().as_default(), table.session() as session:
        agent, specs = make_agent(argument_conditioning=True)
        batch = make_batch(agent, specs)
        schedule = optimization.Schedule(tf.train.get_or_create_global_step(), 1e9)
        update = ALGORITHMS[name].build_update(agent, batch, agent.weights, schedule)
        observation = batch.env_outputs.observation
        outputs, _ = agent.unroll(
            batch.agent_outputs.action,
            batch.env_outputs,
            batch.agent_state,
            labels.given(observation),
        )
        outputs = tf.nest.map_structure(lambda t: t[:-1], outputs)
        of_label = labels.read(observation)
        log_probs = agent.policy.log_prob(outputs, of_label)
        expected = -0.5 * tf.reduce_sum(log_probs * of_label.mask)
        session.run(tf.global_variables_initializer())
        randomise(agent, session)
        expected = session.run(expected)
        fetches = [update.metrics['loss/demonstration'], update.train]
        losses = [session.run(fetches)[0] for _ in range(30)]
    np.testing.assert_allclose(losses[0], expected, rtol=1e-4)
    assert losses[-1] < 0.7 * losses[0]
