"""Learners for programs with a session of their own: one algorithm on one batch.

The command builds phases from the same algorithms, see `learner.phases`.
"""

import collections
from typing import Any, Optional, Sequence

import tensorflow.compat.v1 as tf

from sc2impala.learner import optimization, phases
from sc2impala.learner.algorithm import Algorithm, check_agent
from sc2impala.learner.critic_pretraining import CriticPretraining, CriticPretrainingSettings
from sc2impala.learner.impala import Impala, ImpalaSettings

LearnerOutput = collections.namedtuple(
    'LearnerOutput', ['done', 'infos', 'num_env_frames_and_train', 'metrics']
)
"""done: bool [T, B], where an episode ended that counts: in a new column, and not aborted.
infos: EpisodeInfo of [T, B]; `aborted` is cleared in replayed columns.
num_env_frames_and_train: int64 [], the environment frames after the update: running it trains.
metrics: dict from tag to tensor, see `algorithm.Update`; `summaries.merge` writes them."""


def build_learner(
    agent: Any,
    batch: Any,
    total_environment_frames: float,
    settings: Optional[ImpalaSettings] = None,
    variables: Optional[Sequence[tf.Variable]] = None,
) -> LearnerOutput:
    """Builds the update of IMPALA with CLEAR; see `impala.Impala`.

    The global step of the graph counts environment frames of new columns.

    Args:
      agent: `agents.agent.Agent`.
      batch: `learner.Batch`.
      total_environment_frames: length of the schedules.
      settings: costs, returns and optimizer; the defaults are those of the flags.
      variables: what to train; the weights of the agent by default.

    Raises:
      ValueError: if the agent lacks something, or an option is unknown.
    """
    return _build(
        Impala(settings or ImpalaSettings()),
        agent,
        batch,
        tf.train.get_or_create_global_step(),
        total_environment_frames,
        variables,
    )


def build_critic_learner(
    agent: Any,
    batch: Any,
    settings: Optional[CriticPretrainingSettings] = None,
    variables: Optional[Sequence[tf.Variable]] = None,
) -> LearnerOutput:
    """Builds the update of the baseline alone; see `critic_pretraining.CriticPretraining`.

    Frames of new columns are counted in the variable `critic_pretrain_frames`; the global step does
    not change.

    Args:
      agent: `agents.agent.Agent`.
      batch: `learner.Batch`.
      settings: returns and optimizer; the defaults are those of the flags.
      variables: out of these the critic's own are trained; the weights of the agent by default.

    Raises:
      ValueError: if no variable is the critic's own, the agent lacks something, or an option is
        unknown.
    """
    algorithm = CriticPretraining(settings or CriticPretrainingSettings())
    counter = phases.frames_variable(algorithm.frames_variable)
    return _build(algorithm, agent, batch, counter, algorithm.num_frames, variables)


def _build(
    algorithm: Algorithm,
    agent: Any,
    batch: Any,
    counter: tf.Variable,
    num_frames: float,
    variables: Optional[Sequence[tf.Variable]],
) -> LearnerOutput:
    check_agent(algorithm, agent)
    schedule = optimization.Schedule(counter, num_frames)
    trained = agent.weights if variables is None else variables
    update = algorithm.build_update(agent, batch, trained, schedule)
    frames = phases.advance(counter, update.frames, [update.train])
    return LearnerOutput(update.done, update.infos, frames, update.metrics)
