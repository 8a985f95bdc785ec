"""Learners for programs with their own session: one algorithm on one batch.

The command builds phases from the same algorithms, see `learner.phases`.
"""

from typing import Any, NamedTuple, Optional, Sequence

import tensorflow.compat.v1 as tf

from sc2impala import structs
from sc2impala.agents.agent import Agent
from sc2impala.learner import optimization, phases
from sc2impala.learner.algorithm import Algorithm, build_update
from sc2impala.learner.batch import Batch
from sc2impala.learner.critic_pretraining.settings import CriticPretrainingSettings
from sc2impala.learner.critic_pretraining.update import CriticPretraining
from sc2impala.learner.impala.settings import ImpalaSettings
from sc2impala.learner.impala.update import Impala


class LearnerOutput(NamedTuple):
    """Outputs of a learner.

    done: bool [T, B], ends of episodes in new columns that were not aborted.
    infos: structs.EpisodeInfo of [T, B]; `aborted` is cleared in replayed columns.
    num_env_frames_and_train: int64 [], the environment frames after the update: running it trains.
    metrics: dict from tag to tensor, see `algorithm.Update`; `summaries.merge` writes them.
    """

    done: tf.Tensor
    infos: structs.EpisodeInfo
    num_env_frames_and_train: tf.Tensor
    metrics: Any


def build_learner(
    agent: Agent,
    batch: Batch,
    total_environment_frames: float,
    settings: Optional[ImpalaSettings] = None,
    variables: Optional[Sequence[tf.Variable]] = None,
) -> LearnerOutput:
    """Builds the update of IMPALA with CLEAR; see `impala.update.Impala`.

    The global step of the graph counts environment frames of new columns.

    Args:
      agent: the trained agent.
      batch: see `batch.make_batch`.
      total_environment_frames: length of the schedules.
      settings: costs, returns and optimizer; the defaults are the flags' defaults.
      variables: variables to train; the weights of the agent by default.

    Raises:
      ValueError: if the agent lacks an attribute, or an option is unknown.
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
    agent: Agent,
    batch: Batch,
    settings: Optional[CriticPretrainingSettings] = None,
    variables: Optional[Sequence[tf.Variable]] = None,
) -> LearnerOutput:
    """Builds the update of the baseline alone; see `critic_pretraining.update.CriticPretraining`.

    Frames of new columns are counted in the variable `critic_pretrain_frames`; the global step does
    not change.

    Args:
      agent: the trained agent.
      batch: see `batch.make_batch`.
      settings: returns and optimizer; the defaults are the flags' defaults.
      variables: candidates, of which the critic's own are trained; by default the agent's weights.

    Raises:
      ValueError: if no variable is the critic's own, the agent lacks an attribute, or an option is
        unknown.
    """
    settings = settings or CriticPretrainingSettings()
    algorithm = CriticPretraining(settings)
    counter = phases.frames_variable(algorithm.frames_variable)
    return _build(algorithm, agent, batch, counter, settings.num_frames, variables)


def _build(
    algorithm: Algorithm,
    agent: Agent,
    batch: Batch,
    counter: tf.Variable,
    num_frames: float,
    variables: Optional[Sequence[tf.Variable]],
) -> LearnerOutput:
    schedule = optimization.Schedule(counter, num_frames)
    trained = agent.weights if variables is None else variables
    update = build_update(algorithm, agent, batch, trained, schedule)
    frames = phases.advance(counter, update.frames, [update.train])
    return LearnerOutput(update.done, update.infos, frames, update.metrics)
