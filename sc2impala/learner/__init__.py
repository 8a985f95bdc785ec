"""The learner: batches, losses, and the updates of policy and critic."""

from sc2impala import tf_setup  # noqa: F401
from sc2impala.learner.batch import Batch, next_batch, stage
from sc2impala.learner.critic import (
    CRITIC_SUMMARIES,
    CriticLearnerOutput,
    build_critic_learner,
    critic_frames,
)
from sc2impala.learner.learner import LearnerOutput, build_learner
from sc2impala.learner.optimization import NOT_FINITE

__all__ = [
    'Batch',
    'CRITIC_SUMMARIES',
    'CriticLearnerOutput',
    'LearnerOutput',
    'NOT_FINITE',
    'build_critic_learner',
    'build_learner',
    'critic_frames',
    'next_batch',
    'stage',
]
