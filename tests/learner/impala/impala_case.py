"""One update of IMPALA on random data, for the tests of its loss and of what it counts."""

import numpy as np
import tensorflow.compat.v1 as tf

from sc2impala import learner
from sc2impala.learner import diagnostics
from sc2impala.learner.impala.settings import ImpalaSettings
from tests.learner import table_agent as table

T, B = 6, 4
COSTS = {
    'policy_gradient': 1.0,
    'baseline': 0.7,
    'entropy': 0.03,
    'policy_cloning': 0.4,
    'value_cloning': 0.2,
}
REPLAYED = np.array([False, True, False, True])


class Case:
    """One update on random data, and its results.

    With beta1 = beta2 = 0 and an epsilon far above every gradient, Adam is gradient descent with
    rate learning_rate / epsilon, here 1: the change of a variable is its gradient.
    """

    def __init__(
        self,
        unroll_length=T,
        seed=0,
        change=lambda pi, mu, env: None,
        is_replay=None,
        num_replay=None,
        learn_step_mul=True,
        probabilities=None,
        **settings,
    ):
        self.pi = table.random_outputs(seed, unroll_length, B)
        self.mu = table.random_outputs(seed + 1, unroll_length, B)
        self.env = table.random_env_outputs(seed + 2, unroll_length, B)
        change(self.pi, self.mu, self.env)
        with tf.Graph().as_default(), table.session() as session:
            agent = table.TableAgent(self.pi, learn_step_mul)
            batch = table.make_batch(self.env, self.mu, is_replay, num_replay)
            if probabilities is not None:
                batch = batch._replace(probabilities=tf.constant(probabilities))
            output = learner.build_learner(agent, batch, 1e9, make_settings(**settings))
            summary = diagnostics.merge(output.metrics)
            session.run(tf.global_variables_initializer())
            before = session.run(agent.variables)
            self.output, serialized = session.run([output, summary])
            after = session.run(agent.variables)
        self.gradients = tf.nest.map_structure(lambda a, b: a - b, before, after)
        self.summary = table.scalars(serialized)
        self.histograms = table.histograms(serialized)

    def reference(self, replayed, clip_advantage=False, self_imitation=False):
        """Function from pi to the terms of the loss, with the targets held constant."""
        vs, advantages = table.vtrace_targets(self.pi, self.mu, self.env, 0.9)
        if clip_advantage:
            advantages = np.maximum(advantages, 0)
        if self_imitation:
            advantages = np.where(replayed, np.maximum(advantages, 0), advantages)
        return lambda pi: table.loss_terms(pi, self.mu, self.env, vs, advantages, replayed, COSTS)


def make_settings(**settings):
    """Costs of the reference, and gradient descent with rate 1; see `Case`."""
    defaults = dict(
        discounting=0.9,
        baseline_cost=COSTS['baseline'],
        entropy_cost=COSTS['entropy'],
        final_entropy_cost=-1.0,
        policy_cloning_cost=COSTS['policy_cloning'],
        value_cloning_cost=COSTS['value_cloning'],
        learning_rate=1e8,
        adam_beta1=0.0,
        adam_beta2=0.0,
        adam_epsilon=1e8,
        clip_grad_norm=0.0,
    )
    return ImpalaSettings(**dict(defaults, **settings))
