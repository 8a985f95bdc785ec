"""Critic pre-training: the baseline learns the returns of a fixed policy.

For agents that start from a loaded policy: their critic is untrained, and the policy would
otherwise first learn from its errors.
"""

from typing import Sequence

import tensorflow.compat.v1 as tf

from sc2impala.agents.agent import Agent
from sc2impala.learner import losses, optimization, sequences, targets
from sc2impala.learner.algorithm import PretrainingAlgorithm, Update
from sc2impala.learner.batch import Batch
from sc2impala.learner.critic_pretraining.settings import CriticPretrainingSettings
from sc2impala.learner.optimization import Schedule
from sc2impala.learner.value_normalisation import ValueNormalisation


class CriticPretraining(PretrainingAlgorithm):
    """Regression of the baseline on discounted returns, with a separate optimizer.

    The target is the discounted return to the end of the unroll plus the bootstrap value,
    G_t = r_t + gamma_t G_{t+1}; the loss 1/2 (G - V)^2 is summed over time and batch. Only
    variables on which no output of the policy depends are trained, unless set
    otherwise.
    """

    title = 'critic pre-training'
    settings: CriticPretrainingSettings
    frames_variable = 'critic_pretrain_frames'

    def build_update(
        self, agent: Agent, batch: Batch, variables: Sequence[tf.Variable], schedule: Schedule
    ) -> Update:
        """Builds the update of the baseline alone; see `Algorithm.build_update`.

        Raises:
          ValueError: if the critic shares every variable with the policy.
        """
        settings = self.settings
        steps = sequences.unroll(agent, batch)
        returns = targets.returns(steps, settings)
        normalisation = ValueNormalisation(agent, settings.value_normalisation_rate)
        loss = losses.baseline_loss(returns, steps.learner.baseline)
        terms = {'baseline_loss': (1.0, normalisation.divided(loss, steps.tasks, power=2))}
        _, loss = optimization.weighted_sum(terms, steps.mask)
        if not settings.critic_pretrain_all_variables:
            variables = optimization.critic_variables(steps.learner, variables)
        train, grad_norm = optimization.adam_step(
            loss, variables, settings.critic_learning_rate, settings, name='critic_adam'
        )
        train = normalisation.followed(train, returns, steps.mask, steps.tasks)
        metrics = {'critic_pretrain/baseline_loss': loss, 'critic_pretrain/grad_norm': grad_norm}
        metrics.update(normalisation.metrics())
        done, infos = sequences.countable(steps)
        frames = sequences.count_frames(steps)
        return Update(train, frames, done, infos, metrics, grad_norm=grad_norm)
