"""Inputs of the components of a run."""

import contextlib
from typing import TYPE_CHECKING, NamedTuple, Optional, Sequence

import tensorflow.compat.v1 as tf

from sc2impala.agents.agent import Agent
from sc2impala.checkpoints.writer import CheckpointWriter
from sc2impala.envs.specs import ObservationSpec
from sc2impala.learner import labels
from sc2impala.learner.phases import Phase
from sc2impala.learner.sources import Batches
from sc2impala.replay import ReplayTable
from sc2impala.runtime.stop_request import StopRequest
from sc2impala.runtime.summary_log import SummaryLog
from sc2impala.settings.settings import Settings
from sc2impala.training.actors import Actors
from sc2impala.training.start import Start

if TYPE_CHECKING:
    from sc2impala.training.components.episodes import EpisodeLog
    from sc2impala.training.components.recordings import Recorded
    from sc2impala.training.components.start_policy import StartPolicy


class Graph(NamedTuple):
    """The graph of a run.

    agent: the trained agent.
    start_policy: the policy with which the training starts; None if it is not used.
    actors: fill the queue.
    table: the replay buffer, or None.
    recorded: the recordings to learn from; may be empty.
    batches: of all sources, on the devices of the learner.
    phases: in the order in which they run.
    observation_spec: observation spec of the agent.
    """

    agent: Agent
    start_policy: Optional['StartPolicy']
    actors: Actors
    table: Optional[ReplayTable]
    recorded: 'Recorded'
    batches: Batches
    phases: Sequence[Phase]
    observation_spec: ObservationSpec

    @property
    def has_labels(self) -> bool:
        """True if observations have labels."""
        return labels.KEY in self.actors.queue.spec.env_outputs.observation


class Run(NamedTuple):
    """A run whose graph is built.

    settings: all of them.
    graph: graph of the run.
    frames: environment frames of all phases together, int64 [].
    start: where the run begins.
    stop: set when the run should end.
    stack: closes files and processes of components.
    writer: saves checkpoints.
    summaries: the events for TensorBoard.
    episodes: the list of episodes.
    """

    settings: Settings
    graph: Graph
    frames: tf.Tensor
    start: Start
    stop: StopRequest
    stack: contextlib.ExitStack
    writer: CheckpointWriter
    summaries: SummaryLog
    episodes: 'EpisodeLog'

    @property
    def is_restored(self) -> bool:
        """True if the session starts from a checkpoint."""
        return self.start.checkpoint is not None
