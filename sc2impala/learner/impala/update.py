"""IMPALA's actor-critic update, with CLEAR on the replayed columns.

Sources: IMPALA (Espeholt et al. 2018, arXiv 1802.01561) and CLEAR (Rolnick et al. 2018, arXiv
1811.11682). T is the unroll length, N the new and R the replayed sequences of a batch, B = N + R.
"""

from typing import Sequence

import tensorflow.compat.v1 as tf

from sc2impala.agents.agent import Agent
from sc2impala.agents.policy import JointPolicy
from sc2impala.learner import (
    anchors,
    diagnostics,
    gains,
    losses,
    optimization,
    sequences,
    targets,
)
from sc2impala.learner.actor_critic import ActorCritic
from sc2impala.learner.algorithm import Update
from sc2impala.learner.batch import Batch
from sc2impala.learner.impala.settings import ImpalaSettings
from sc2impala.learner.optimization import Schedule
from sc2impala.learner.sequences import Steps
from sc2impala.learner.value_normalisation import ValueNormalisation


class Impala(ActorCritic):
    """Policy gradient on V-trace advantages, baseline on V-trace targets, entropy bonus.

    Replayed columns are cloned as well: the policy is held near the behaviour policy by
    KL(mu || pi), the baseline near the recorded one. With R = 0 the graph is plain IMPALA.
    A teacher, if there is one, holds the policy near the one with which the training started
    (kickstarting).

    The priority of a sequence in a replay buffer that has priorities is made of the absolute
    V-trace advantages of its steps; the losses of replayed columns have importance weights.
    """

    settings: ImpalaSettings

    def build_update(
        self, agent: Agent, batch: Batch, variables: Sequence[tf.Variable], schedule: Schedule
    ) -> Update:
        """Builds the update of policy and baseline; see `Algorithm.build_update`."""
        settings = self.settings
        steps = sequences.unroll(agent, batch, with_labels=settings.demonstration_cost > 0)
        steps = steps._replace(gain_share=gains.share(settings.gain_decay, schedule))
        policy, pi, mu = agent.policy, steps.learner, steps.behaviour
        normalisation = ValueNormalisation(agent, settings.value_normalisation_rate)
        log_probs, vtrace = targets.vtrace_targets(policy, steps, settings, settings.trace_decay)
        advantages = normalisation.divided(
            targets.clip_advantages(vtrace.pg_advantages, settings.clip_advantage)
        )

        # Cost and loss of [T, B]; another term is one more line.
        terms = self._policy_terms(policy, steps, log_probs, advantages, normalisation)
        entropy = losses.entropy_loss(policy.entropy(pi, mu))
        terms['entropy'] = (self.entropy_cost(schedule), entropy)
        teacher = self.teacher_cost(schedule)
        terms.update(anchors.anchor_terms(settings, policy, batch, steps, normalisation, teacher))
        baseline = normalisation.divided(losses.baseline_loss(vtrace.vs, pi.baseline), power=2)
        terms['baseline'] = (settings.baseline_cost, baseline)
        weights, priorities = self.prioritised(batch, steps, vtrace.pg_advantages, schedule)
        weighted, total_loss = optimization.weighted_sum(terms, weights)
        if settings.demonstration_cost:
            weighted['demonstration'] = anchors.label_loss(settings, policy, batch, steps)
            total_loss += weighted['demonstration']

        learning_rate = self.learning_rate(schedule)
        train, grad_norm = optimization.adam_step(
            total_loss, variables, learning_rate, settings, name='adam'
        )
        train = normalisation.followed(train, vtrace.vs, steps.mask)
        metrics = {'loss/total_loss': total_loss, 'learning_rate': learning_rate}
        metrics['grad_norm'] = grad_norm
        metrics.update((n + '_cost', terms[n][0]) for n in ('entropy', 'teacher') if n in terms)
        metrics.update(('loss/' + name, value) for name, value in weighted.items())
        metrics.update(normalisation.metrics())
        metrics.update(targets.shaping_metrics(policy, steps, settings))
        metrics.update(
            diagnostics.of_update(policy, steps, vtrace.vs, advantages, variables, train)
        )
        done, infos = sequences.countable(steps)
        return Update(train, sequences.count_frames(steps), done, infos, metrics, priorities)

    def _policy_terms(
        self,
        policy: JointPolicy,
        steps: Steps,
        log_probs: tf.Tensor,
        advantages: tf.Tensor,
        normalisation: ValueNormalisation,
    ) -> anchors.Terms:
        """The policy gradients by name: cost, and loss of [T, B]."""
        terms: anchors.Terms = {
            'policy_gradient': (1.0, losses.policy_gradient_loss(log_probs, advantages))
        }
        if self.settings.upgo_cost:
            upgo = targets.upgo_advantages(policy, steps, self.settings)
            loss = losses.policy_gradient_loss(log_probs, normalisation.divided(upgo))
            terms['upgo'] = (self.settings.upgo_cost, loss)
        return terms
