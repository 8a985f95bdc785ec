"""APPO: asynchronous proximal policy optimisation, with CLEAR on the replayed columns.

Sources: PPO (Schulman et al. 2017, arXiv 1707.06347) and Sample Factory (Petrenko et al. 2020,
arXiv 2006.11751), whose learner gets sequences from actors with older weights, like IMPALA's.
T is the unroll length, N the new and R the replayed sequences of a batch, B = N + R.
"""

import functools
from typing import Callable, Dict, NamedTuple, Optional, Sequence, Tuple

import tensorflow.compat.v1 as tf

from sc2impala import vtrace
from sc2impala.agents.agent import Agent
from sc2impala.agents.policy import JointPolicy
from sc2impala.learner import (
    diagnostics,
    labels,
    losses,
    optimization,
    phases,
    sequences,
    targets,
)
from sc2impala.learner.actor_critic import ActorCritic
from sc2impala.learner.algorithm import Update
from sc2impala.learner.appo import epochs, minibatches, ppo
from sc2impala.learner.appo.settings import AppoSettings
from sc2impala.learner.batch import Batch
from sc2impala.learner.optimization import Schedule
from sc2impala.learner.sequences import Steps
from sc2impala.learner.value_normalisation import ValueNormalisation
from sc2impala.structs import AgentOutput


class Costs(NamedTuple):
    """Current values of schedules, float32 []; None without a teacher."""

    learning_rate: tf.Tensor
    entropy: tf.Tensor
    teacher: Optional[tf.Tensor]


class Goals(NamedTuple):
    """Targets and advantages, constant over the epochs of an update, float32 [T, B].

    vs: targets of the baseline.
    advantages: of the policy, normalised.
    mask: 0 for steps that carry no loss.
    weights: of the losses, the mask times importance weights.
    """

    vs: tf.Tensor
    advantages: tf.Tensor
    mask: tf.Tensor
    weights: tf.Tensor


class Losses(NamedTuple):
    """weighted: float32 [] by name, with their costs. total: their sum. ratios: float32 [T, B]."""

    weighted: Dict[str, tf.Tensor]
    total: tf.Tensor
    ratios: tf.Tensor


class Appo(ActorCritic):
    """Clipped surrogate on advantages, baseline on their targets, exploration, CLEAR and teacher.

    The ratio compares the trained policy pi with the behaviour policy mu, whose logits are in
    the sequences, for joint actions. Targets and advantages are computed once for an
    update, with the weights before it, and stay the same over all epochs: the clipped surrogate
    assumes fixed advantages, they are normalised over the whole batch, and the result does not
    depend on the split into minibatches. This takes one more forward pass, unless there is only one
    minibatch and one epoch. The recurrent state of every minibatch is run again from the stored
    state at the start of its sequences.

    V-trace's rho and c are clipped at 1. The advantages lack IMPALA's weight min(1, rho), since
    the ratio in the loss corrects the action already. With one epoch and one minibatch, no clipping
    and no normalisation the policy gradient is - rho * A * grad log pi, and on-policy IMPALA's.
    """

    settings: AppoSettings

    def build_update(
        self, agent: Agent, batch: Batch, variables: Sequence[tf.Variable], schedule: Schedule
    ) -> Update:
        """Builds the update of policy and baseline; see `Algorithm.build_update`.

        Raises:
          ValueError: if the columns cannot be divided into minibatches.
        """
        settings = self.settings
        costs = Costs(
            self.learning_rate(schedule),
            self.entropy_cost(schedule),
            self.teacher_cost(schedule),
        )
        unroll = functools.partial(self.unroll, agent)
        own_terms = functools.partial(self.own_terms, agent, schedule=schedule)
        learner = _Learner(settings, agent, variables, costs, own_terms)
        state = sequences.first_state(batch)
        # The state of recorded columns is read for the minibatches before the whole batch changes
        # it.
        with tf.control_dependencies(tf.nest.flatten(state)):
            steps, given_labels = unroll(batch)
        if settings.max_policy_lag:
            steps = steps._replace(mask=steps.mask * young_enough(batch, settings.max_policy_lag))
        vs, advantages = ppo_targets(agent.policy, steps, settings)
        weights, priorities = self.prioritised(batch, steps, advantages, schedule)
        goals = Goals(vs, learner.normalised(advantages, steps), steps.mask, weights)
        losses_before = learner.losses(batch, steps, given_labels, goals)
        if settings.appo_epochs == settings.appo_minibatches == 1:
            only = learner.step(steps, goals, losses_before)
            totals, train = epochs.add(epochs.start(), only, tf.constant(True)), only.train
        else:
            # The state of streams has moved on; the minibatches begin where the batch began.
            again = batch._replace(agent_state=state, stream_state=())
            totals = learner.run_epochs(unroll, again, goals, schedule.frames)
            train = totals.rounds.op
        train = learner.popart.followed(train, goals.vs, goals.mask, steps.tasks)

        metrics = learner.metrics(losses_before)
        metrics.update(totals.metrics())
        metrics.update(
            diagnostics.measure_update(
                agent.policy, steps, goals.vs, goals.advantages, variables, train
            )
        )
        done, infos = sequences.countable(steps)
        return Update(
            train,
            sequences.count_frames(steps),
            done,
            infos,
            metrics,
            priorities,
            grad_norm=metrics['grad_norm'],
        )


def ppo_targets(
    policy: JointPolicy, steps: Steps, settings: AppoSettings
) -> Tuple[tf.Tensor, tf.Tensor]:
    """Targets of the baseline and advantages for a loss with its own importance weight.

    With `--appo_advantage=vtrace` they follow V-trace, with rho and c clipped at 1; with gae
    TD(lambda) and GAE(lambda), as if the current policy had acted.

    Args:
      policy: policy of the agent.
      steps: `Steps` of [T, B].
      settings: kind of advantage, lambda and discount.

    Returns:
      vs and advantages, float32 [T, B]; no gradient flows through them.
    """
    inputs = targets.vtrace_inputs(policy, steps, settings)
    if settings.appo_advantage != 'vtrace':
        inputs['log_rhos'] = tf.zeros_like(inputs['log_rhos'])
    with tf.device('/cpu'):
        vs = vtrace.from_importance_weights(trace_decay=settings.trace_decay, **inputs).vs
        del inputs['log_rhos']
        return vs, ppo.advantages(vs=vs, trace_decay=settings.trace_decay, **inputs)


def young_enough(batch: Batch, max_lag: int) -> tf.Tensor:
    """1 in columns with an admissible policy lag, float32 [B].

    These are replayed columns, which are old on purpose, and new ones generated by
    weights that are at most `max_lag` updates older than the current ones.
    """
    updates = phases.policy_version()[1].read_value()
    is_young = updates - batch.sequence_info.policy_updates <= max_lag
    return tf.cast(tf.logical_or(is_young, batch.is_replay), tf.float32)


class _Learner:
    """The parts of an update, for a whole batch or a minibatch."""

    def __init__(
        self,
        settings: AppoSettings,
        agent: Agent,
        variables: Sequence[tf.Variable],
        costs: Costs,
        own_terms: Callable[[Batch, Steps], optimization.Terms],
    ):
        """Args:
        settings, agent, variables: see `Algorithm`.
        costs: current values of schedules.
        own_terms: see `ActorCritic.own_terms`.
        """
        self._own_terms = own_terms
        self.popart = ValueNormalisation(agent, settings.value_normalisation_rate)
        self._settings = settings
        self._agent = agent
        self._policy = agent.policy
        self._variables = variables
        self._costs = costs

    def normalised(self, advantages: tf.Tensor, steps: Steps) -> tf.Tensor:
        """Advantages of mean 0 and deviation 1 if the setting is on, else in units of PopArt."""
        if self._settings.appo_normalise_advantages:
            return ppo.normalised(advantages, steps.mask)
        return self.popart.divided(advantages, steps.tasks)

    def losses(self, batch: Batch, steps: Steps, given_labels: AgentOutput, goals: Goals) -> Losses:
        """All terms of the loss, each with its cost.

        Args:
          batch: batch of sequences.
          steps, given_labels: see `ActorCritic.unroll`.
          goals: goals of the same columns.
        """
        settings, costs, policy, popart = self._settings, self._costs, self._policy, self.popart
        pi, mu = steps.learner, steps.behaviour
        terms: optimization.Terms = {}
        ratios = ppo.ratios(policy.log_prob(pi, mu), policy.log_prob(mu, mu))
        loss = ppo.policy_loss(ratios, goals.advantages, settings.appo_clip)
        terms['policy_gradient'] = 1.0, loss
        if settings.appo_exploration == 'entropy':
            terms['entropy'] = costs.entropy, losses.entropy_loss(policy.entropy(pi, mu))
        else:
            terms['uniform_kl'] = costs.entropy, policy.uniform_kl(pi, mu)
        if batch.num_replay:
            replayed = sequences.replayed(batch)
            loss = replayed * losses.policy_cloning_loss(policy.kl(mu, pi, mu))
            terms['policy_cloning'] = settings.policy_cloning_cost, loss
            loss = losses.value_cloning_loss(pi.baseline, mu.baseline)
            loss = popart.divided(loss, steps.tasks, power=2)
            terms['value_cloning'] = settings.value_cloning_cost, replayed * loss
        if batch.teacher_logits and costs.teacher is not None:
            teacher = sequences.teacher_logits(batch)
            loss = losses.teacher_loss(policy.kl(teacher, pi, mu), teacher.valid)
            terms['teacher'] = costs.teacher, loss
        # In units of PopArt, like the clipping range.
        values = goals.vs, pi.baseline, mu.baseline
        vs, value, old_value = (popart.divided(each, steps.tasks) for each in values)
        loss = ppo.value_loss(vs, value, old_value, settings.appo_value_clip)
        terms['baseline'] = settings.baseline_cost, loss
        terms.update(self._own_terms(batch, steps))
        weighted, total = optimization.weighted_sum(terms, goals.weights)
        if settings.demonstration_cost:
            loss = labels.loss(policy, given_labels, batch.env_outputs.observation, steps.resets)
            weighted['demonstration'] = settings.demonstration_cost * loss
            total += weighted['demonstration']
        return Losses(weighted, total, ratios)

    def step(self, steps: Steps, goals: Goals, found: Losses) -> epochs.Round:
        """Builds the step of the optimizer; the divergence is over new columns."""
        train, norm = optimization.adam_step(
            found.total, self._variables, self._costs.learning_rate, self._settings, name='adam'
        )
        counted = goals.mask * tf.cast(steps.is_new, tf.float32)
        divergence = self._policy.kl(steps.behaviour, steps.learner, steps.behaviour)
        clipped = ppo.is_clipped(found.ratios, goals.advantages, self._settings.appo_clip)
        # Masked ratios must not become an extreme.
        of_valid = tf.where(goals.mask > 0.0, found.ratios, tf.ones_like(found.ratios))
        return epochs.Round(
            train=train,
            grad_norm=norm,
            divergence=tf.reduce_sum(counted * divergence),
            counted=tf.reduce_sum(counted),
            clipped=tf.reduce_sum(goals.mask * tf.cast(clipped, tf.float32)),
            valid=tf.reduce_sum(goals.mask),
            smallest_ratio=tf.reduce_min(of_valid),
            largest_ratio=tf.reduce_max(of_valid),
        )

    def run_epochs(
        self,
        unroll: Callable[[Batch], Tuple[Steps, AgentOutput]],
        batch: Batch,
        goals: Goals,
        frames: tf.Variable,
    ) -> epochs.Totals:
        """Several steps of the optimizer, one after the other.

        Args:
          unroll: see `ActorCritic.unroll`.
          batch: B columns.
          goals: goals of all columns.
          frames: int64 [], environment frames of the phase.
        """
        settings = self._settings

        def update(order: tf.Tensor) -> epochs.Round:
            part = minibatches.take(batch, order)
            own = minibatches.time_major(goals, minibatches.columns_of(batch, order))
            steps, given_labels = unroll(part)
            steps = steps._replace(mask=own.mask)
            return self.step(steps, own, self.losses(part, steps, given_labels, own))

        orders = minibatches.orders(
            batch, frames.read_value(), settings.appo_epochs, settings.appo_minibatches
        )
        # Results that depend on the weights before the update are computed before they change.
        with tf.control_dependencies([*goals, *tf.nest.flatten(batch.agent_state)]):
            orders = tf.identity(orders)
        return epochs.run(update, orders, settings.appo_minibatches, settings.appo_max_kl)

    def metrics(self, found: Losses) -> Dict[str, tf.Tensor]:
        """Losses and the values of schedules."""
        costs = self._costs
        metrics = {'loss/total_loss': found.total, 'learning_rate': costs.learning_rate}
        metrics['entropy_cost'] = costs.entropy
        if 'teacher' in found.weighted:
            metrics['teacher_cost'] = costs.teacher
        metrics.update(('loss/' + name, value) for name, value in found.weighted.items())
        metrics.update(self.popart.metrics())
        return metrics
