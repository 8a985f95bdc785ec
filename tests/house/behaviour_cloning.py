"""Behaviour cloning: imitates the recorded actions. An algorithm in one file, as a user adds it."""

import dataclasses
from typing import ClassVar, Sequence

import tensorflow.compat.v1 as tf

from sc2impala.agents.agent import Agent
from sc2impala.learner import diagnostics, optimization, sequences
from sc2impala.learner.algorithm import Algorithm, Update
from sc2impala.learner.batch import Batch
from sc2impala.learner.optimization import Schedule
from sc2impala.settings.fields import setting
from sc2impala.settings.learning import AdamSettings


@dataclasses.dataclass(frozen=True)
class BehaviourCloningSettings(AdamSettings):
    """The cross-entropy is summed over time and batch."""

    TITLE: ClassVar[str] = 'behaviour cloning'

    cloning_cost: float = setting(1.0, 'weight of the cross-entropy', between=(0.0, 1e6))
    imitation_learning_rate: float = setting(1e-3, 'of Adam', between=(0.0, 10.0))


class BehaviourCloning(Algorithm):
    """Maximizes the log-probability of the actions of the behaviour policy."""

    title = 'behaviour cloning'
    settings_class = BehaviourCloningSettings
    settings: BehaviourCloningSettings

    def build_update(
        self, agent: Agent, batch: Batch, variables: Sequence[tf.Variable], schedule: Schedule
    ) -> Update:
        """Builds the update of the policy; the baseline is left alone."""
        settings = self.settings
        steps = sequences.unroll(agent, batch)
        cross_entropy = -agent.policy.log_prob(steps.learner, steps.behaviour)
        weighted, loss = optimization.weighted_sum(
            {'cloning': (settings.cloning_cost, cross_entropy)}, steps.mask
        )
        rate = schedule.linear(settings.imitation_learning_rate, 0.0)
        train, grad_norm = optimization.adam_step(loss, variables, rate, settings, name='adam')
        metrics = {'loss/cloning': weighted['cloning'], 'grad_norm': grad_norm}
        metrics.update(diagnostics.action_histograms(agent.policy, steps.behaviour, steps.is_new))
        done, infos = sequences.countable(steps)
        frames = sequences.count_frames(steps)
        return Update(train, frames, done, infos, metrics, grad_norm=grad_norm)
