"""IMPALA's actor-critic update, with CLEAR on the replayed columns.

Sources: IMPALA (Espeholt et al. 2018, arXiv 1802.01561) and CLEAR (Rolnick et al. 2018, arXiv
1811.11682). T is the unroll length, N the new and R the replayed sequences of a batch, B = N + R.
"""

from typing import Sequence

import tensorflow.compat.v1 as tf

from sc2impala import vtrace
from sc2impala.agents.agent import Agent
from sc2impala.learner import diagnostics, labels, losses, optimization, sequences, targets
from sc2impala.learner.actor_critic import ActorCritic
from sc2impala.learner.algorithm import Update
from sc2impala.learner.batch import Batch
from sc2impala.learner.impala.settings import ImpalaSettings
from sc2impala.learner.optimization import Schedule
from sc2impala.learner.value_normalisation import ValueNormalisation


class Impala(ActorCritic):
    """Policy gradient on V-trace advantages, baseline on V-trace targets, entropy bonus.

    Replayed columns are also cloned: KL(mu || pi) regularises the policy towards the behaviour
    policy, and the baseline is regularised towards the recorded one. With R = 0 the graph is plain
    IMPALA. A teacher, if any, regularises the policy towards the start policy of the run
    (kickstarting).

    In a replay buffer with priorities, the priority of a sequence is computed from the absolute
    V-trace advantages of its steps; the losses of replayed columns have importance weights.
    """

    settings: ImpalaSettings

    def build_update(
        self, agent: Agent, batch: Batch, variables: Sequence[tf.Variable], schedule: Schedule
    ) -> Update:
        """Builds the update of policy and baseline; see `Algorithm.build_update`."""
        settings, policy = self.settings, agent.policy
        # Step t has the outputs of the learner on observation t, and from one step later the
        # action taken there and its reward: see `sequences.shift`.
        steps, given_labels = self.unroll(agent, batch)
        pi, mu = steps.learner, steps.behaviour
        popart = ValueNormalisation(agent, settings.value_normalisation_rate)

        # V-trace, with the importance weights of joint actions.
        log_probs = policy.log_prob(pi, mu)
        inputs = targets.vtrace_inputs(policy, steps, settings)
        with tf.device('/cpu'):
            returns = vtrace.from_importance_weights(trace_decay=settings.trace_decay, **inputs)
        advantages = returns.pg_advantages
        if settings.clip_advantage:
            advantages = tf.maximum(advantages, 0.0)
        elif settings.self_imitation and batch.num_replay:
            is_kept = (advantages > 0.0) | ~batch.is_replay
            advantages = tf.where(is_kept, advantages, tf.zeros_like(advantages))
        advantages = popart.divided(advantages, steps.tasks)

        # The cost and the loss [T, B] of each term, in the order of summation.
        terms: optimization.Terms = {}
        terms['policy_gradient'] = 1.0, losses.policy_gradient_loss(log_probs, advantages)
        if settings.upgo_cost:
            with tf.device('/cpu'):
                upgo = popart.divided(vtrace.upgo_advantages(**inputs), steps.tasks)
            terms['upgo'] = settings.upgo_cost, losses.policy_gradient_loss(log_probs, upgo)
        terms['entropy'] = self.entropy_cost(schedule), losses.entropy_loss(policy.entropy(pi, mu))
        if batch.num_replay:
            replayed = sequences.replayed(batch)
            loss = replayed * losses.policy_cloning_loss(policy.kl(mu, pi, mu))
            terms['policy_cloning'] = settings.policy_cloning_cost, loss
            loss = losses.value_cloning_loss(pi.baseline, mu.baseline)
            loss = popart.divided(loss, steps.tasks, power=2)
            terms['value_cloning'] = settings.value_cloning_cost, replayed * loss
        if batch.teacher_logits and settings.teacher_cost:
            teacher = sequences.teacher_logits(batch)
            loss = losses.teacher_loss(policy.kl(teacher, pi, mu), teacher.valid)
            terms['teacher'] = self.teacher_cost(schedule), loss
        loss = losses.baseline_loss(returns.vs, pi.baseline)
        loss = popart.divided(loss, steps.tasks, power=2)
        terms['baseline'] = settings.baseline_cost, loss
        terms.update(self.own_terms(agent, batch, steps, schedule))

        # Summed over time and batch, without masked steps and with importance weights of replay.
        weights, priorities = self.prioritised(batch, steps, returns.pg_advantages, schedule)
        weighted, total_loss = optimization.weighted_sum(terms, weights)
        if settings.demonstration_cost:
            loss = labels.loss(policy, given_labels, batch.env_outputs.observation, steps.resets)
            weighted['demonstration'] = settings.demonstration_cost * loss
            total_loss += weighted['demonstration']
        learning_rate = self.learning_rate(schedule)
        train, grad_norm = optimization.adam_step(
            total_loss, variables, learning_rate, settings, name='adam'
        )
        train = popart.followed(train, returns.vs, steps.mask, steps.tasks)

        metrics = optimization.loss_metrics(terms, weighted, total_loss)
        metrics.update(popart.metrics(), learning_rate=learning_rate, grad_norm=grad_norm)
        metrics.update(
            diagnostics.measure_update(policy, steps, returns.vs, advantages, variables, train)
        )
        done, infos = sequences.countable(steps)
        return Update(
            train,
            sequences.count_frames(steps),
            done,
            infos,
            metrics,
            priorities,
            grad_norm=grad_norm,
        )
