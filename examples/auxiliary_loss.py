"""Self-imitation as an auxiliary loss of IMPALA, from outside of the package.

Self-imitation learning (Oh et al. 2018, arXiv:1806.05635) imitates past actions whose return G was
better than expected. It adds to the loss of each step

    self_imitation_cost * (- log pi(a) * max(G - V, 0) + 1/2 max(G - V, 0)^2)

The fields of the settings are flags:

    python -m sc2impala.experiment --logdir=runs/self_imitation --from_scratch \
        --algorithm=examples.auxiliary_loss:SelfImitation --self_imitation_cost=0.1
"""

import dataclasses
from typing import ClassVar, Sequence

import tensorflow.compat.v1 as tf

from sc2impala import vtrace
from sc2impala.agents.agent import Agent
from sc2impala.learner import losses, optimization, sequences, targets
from sc2impala.learner.actor_critic import ActorCritic
from sc2impala.learner.algorithm import Update
from sc2impala.learner.batch import Batch
from sc2impala.learner.optimization import Schedule
from sc2impala.settings.fields import setting
from sc2impala.settings.learning import ActorCriticSettings


@dataclasses.dataclass(frozen=True)
class SelfImitationSettings(ActorCriticSettings):
    """The settings of an actor-critic, and the cost of the auxiliary loss."""

    TITLE: ClassVar[str] = 'self-imitation'

    self_imitation_cost: float = setting(
        0.1, 'weight of the self-imitation loss', between=(0.0, 100.0), tunable=True
    )


class SelfImitation(ActorCritic):
    """IMPALA without CLEAR and teacher, with the loss of self-imitation."""

    settings_class = SelfImitationSettings
    settings: SelfImitationSettings

    def build_update(
        self, agent: Agent, batch: Batch, variables: Sequence[tf.Variable], schedule: Schedule
    ) -> Update:
        """Builds one step of Adam on the sum of all terms; see `Algorithm.build_update`."""
        settings, policy = self.settings, agent.policy
        steps = sequences.unroll(agent, batch)
        pi, mu = steps.learner, steps.behaviour
        log_probs = policy.log_prob(pi, mu)
        inputs = targets.vtrace_inputs(policy, steps, settings)
        corrected = vtrace.from_importance_weights(trace_decay=settings.trace_decay, **inputs)

        # The auxiliary loss: steps whose return exceeds the baseline are imitated.
        gain = tf.nn.relu(targets.returns(steps, settings) - pi.baseline)
        imitation = losses.policy_gradient_loss(log_probs, gain) + 0.5 * tf.square(gain)

        terms: optimization.Terms = {
            'policy_gradient': (
                1.0,
                losses.policy_gradient_loss(log_probs, corrected.pg_advantages),
            ),
            'baseline': (settings.baseline_cost, losses.baseline_loss(corrected.vs, pi.baseline)),
            'entropy': (
                self.entropy_cost(schedule),
                losses.entropy_loss(policy.entropy(pi, mu)),
            ),
            'self_imitation': (settings.self_imitation_cost, imitation),
        }
        weighted, total_loss = optimization.weighted_sum(terms, steps.mask)
        learning_rate = self.learning_rate(schedule)
        train, grad_norm = optimization.adam_step(
            total_loss, variables, learning_rate, settings, name='adam'
        )
        metrics = optimization.loss_metrics(terms, weighted, total_loss)
        metrics.update(learning_rate=learning_rate, grad_norm=grad_norm)
        done, infos = sequences.countable(steps)
        return Update(train, sequences.count_frames(steps), done, infos, metrics)
