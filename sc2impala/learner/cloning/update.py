"""Behaviour cloning: the agent imitates a demonstrator's labels of its observations.

The labels are the demonstrator's choices on an observation, see `labels`. The behaviour policy
does not matter: labels of observations that the agent has reached itself (DAgger, Ross et al.
2011, arXiv 1011.0686) are learned from in the same way. T is the unroll length, B the batch size.
"""

from typing import Optional, Sequence

import tensorflow.compat.v1 as tf

from sc2impala.agents.agent import Agent
from sc2impala.learner import labels as labels_lib
from sc2impala.learner import losses, optimization, sequences, targets
from sc2impala.learner.algorithm import PretrainingAlgorithm, Update
from sc2impala.learner.batch import Batch
from sc2impala.learner.cloning.settings import CloningSettings
from sc2impala.learner.optimization import Schedule
from sc2impala.learner.value_normalisation import ValueNormalisation


class Cloning(PretrainingAlgorithm):
    """Maximises the log-probability of the labels; the baseline learns the returns meanwhile.

    The loss of a step is -log pi(label) over function, the arguments that the label's function
    uses, and the step multiplier unless it is fixed; with candidates it is the cross-entropy of
    their distribution, see `JointPolicy.expected_log_prob`. Labels whose function is not available
    carry no loss. The target of the baseline is the discounted return to the end of the unroll plus
    the bootstrap value, for any behaviour policy. Losses are summed over time and batch.

    Nothing is replayed, and sequences of this phase do not enter the replay buffer: CLEAR would
    later regularise the agent towards untrained policies.
    """

    title = 'cloning'
    settings: CloningSettings
    frames_variable = 'cloning_frames'
    from_demonstrations = True

    def demonstrator_share(self, frames: int) -> Optional[float]:
        """Changes linearly over the phase, see `Algorithm.demonstrator_share`."""
        first, last = self.settings.demonstrator_share, self.settings.final_demonstrator_share
        if last < 0:
            return first
        return first + (last - first) * min(1.0, frames / max(1, self.settings.num_frames))

    def build_update(
        self, agent: Agent, batch: Batch, variables: Sequence[tf.Variable], schedule: Schedule
    ) -> Update:
        """Builds the update of policy and baseline; see `Algorithm.build_update`.

        Raises:
          ValueError: if the observations have no labels.
        """
        settings = self.settings
        observation = batch.env_outputs.observation
        labels = labels_lib.read(observation)
        steps = sequences.unroll(agent, batch, True, labels_lib.given(observation))
        normalisation = ValueNormalisation(agent, settings.value_normalisation_rate)
        log_probs = labels_lib.log_probs(agent.policy, steps.learner, labels)
        returns = targets.returns(steps, settings)
        terms = {
            'loss': (1.0, losses.demonstration_loss(log_probs, labels.mask)),
            'baseline_loss': (
                settings.cloning_baseline_cost,
                normalisation.divided(
                    losses.baseline_loss(returns, steps.learner.baseline), steps.tasks, power=2
                ),
            ),
        }
        weighted, total_loss = optimization.weighted_sum(terms, steps.mask)
        learning_rate = schedule.linear(
            settings.cloning_learning_rate, settings.final_cloning_learning_rate
        )
        train, grad_norm = optimization.adam_step(
            total_loss, variables, learning_rate, settings, name='cloning_adam'
        )
        train = normalisation.followed(train, returns, steps.mask, steps.tasks)
        metrics = dict(
            weighted,
            learning_rate=learning_rate,
            grad_norm=grad_norm,
            **labels_lib.agreement(agent.policy, steps.learner, labels),
        )
        done, infos = sequences.countable(steps)
        metrics = {'cloning/' + name: value for name, value in metrics.items()}
        frames = sequences.count_frames(steps)
        return Update(train, frames, done, infos, metrics, grad_norm=grad_norm)
