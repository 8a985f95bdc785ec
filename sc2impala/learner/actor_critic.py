"""Common parts of IMPALA and APPO."""

from typing import Optional, Tuple

import tensorflow.compat.v1 as tf

from sc2impala.agents.agent import Agent
from sc2impala.learner import prioritisation, sequences
from sc2impala.learner.algorithm import Algorithm
from sc2impala.learner.batch import Batch
from sc2impala.learner.optimization import Schedule, Terms
from sc2impala.learner.sequences import Steps
from sc2impala.settings.learning import ActorCriticSettings
from sc2impala.structs import AgentOutput


class ActorCritic(Algorithm):
    """An algorithm with settings of type `ActorCriticSettings`."""

    settings: ActorCriticSettings

    def teacher_cost(self, schedule: Schedule) -> Optional[tf.Tensor]:
        """Falls linearly to 0; None if it is 0 from the start. See `Algorithm.teacher_cost`."""
        if not self.settings.teacher_cost:
            return None
        return schedule.linear(self.settings.teacher_cost, 0.0, part=self.settings.teacher_decay)

    def demonstrator_share(self, frames: int) -> Optional[float]:
        """Returns 0 with a cost of labels, else None; see `Algorithm.demonstrator_share`."""
        return 0.0 if self.settings.demonstration_cost else None

    def unroll(self, agent: Agent, batch: Batch) -> Tuple[Steps, AgentOutput]:
        """Unrolls a batch: its steps, and outputs of [T, B] for the loss of labels, if any.

        See `sequences.unroll_with_labels`.
        """
        if self.settings.demonstration_cost:
            return sequences.unroll_with_labels(agent, batch)
        steps = sequences.unroll(agent, batch)
        return steps, steps.learner

    def own_terms(self, agent: Agent, batch: Batch, steps: Steps, schedule: Schedule) -> Terms:
        """Returns further terms of the loss by name, from subclasses.

        Args:
          agent: the agent that is trained.
          batch: B columns, or a minibatch of them.
          steps: `Steps` of [T, B]; `steps.learner.auxiliary` has the outputs of auxiliary heads.
          schedule: schedule of the phase, for costs that change.
        """
        return {}

    def learning_rate(self, schedule: Schedule) -> tf.Tensor:
        """The current learning rate, float32 []."""
        first, last = self.settings.learning_rate, self.settings.final_learning_rate
        return schedule.linear(first, last, warmup=self.settings.warmup_frames)

    def entropy_cost(self, schedule: Schedule) -> tf.Tensor:
        """The current weight of the entropy, float32 []."""
        first, last = self.settings.entropy_cost, self.settings.entropy_cost_at_end
        return schedule.linear(first, last, part=self.settings.entropy_decay)

    def prioritised(
        self, batch: Batch, steps: Steps, advantages: tf.Tensor, schedule: Schedule
    ) -> Tuple[tf.Tensor, Optional[tf.Tensor]]:
        """Weights and priorities for a replay buffer with priorities.

        Args:
          batch: B columns.
          steps: `Steps` of [T, B].
          advantages: float32 [T, B]; their absolute values determine the priority of a sequence.
          schedule: as in `build_update`.

        Returns:
          The weights of losses, float32 [T, B], that is, the mask times importance weights; and the
          priorities of sequences, float32 [B], or None without replay.
        """
        if not batch.num_replay:
            return steps.mask, None
        weights = prioritisation.batch_weights(batch, self.settings, schedule)
        priorities = prioritisation.sequence_priorities(
            advantages, steps.mask, self.settings.priority_max_share
        )
        return steps.mask * weights, priorities
