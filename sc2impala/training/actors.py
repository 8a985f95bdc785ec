"""The interface of the actors of a run."""

import abc
import contextlib
from typing import Any, ContextManager, List, Optional, Sequence

import tensorflow.compat.v1 as tf

from sc2impala.actors import SequenceQueue
from sc2impala.agents.agent import Agent
from sc2impala.agents.teacher import Teacher
from sc2impala.envs.vector import Specs
from sc2impala.runtime.stop_request import StopRequest
from sc2impala.runtime.summary_log import SummaryLog
from sc2impala.structs import ActorOutput
from sc2impala.training.state import State


class Actors(abc.ABC):
    """Acts in the games of a run and fills a queue with sequences.

    The methods are called in this order.

    queue: `actors.SequenceQueue` of `ActorOutput`s; there is one after `build`.
    envs: environments in which a demonstrator can be switched on and off, after `build`.
    num_games: number of games in this process.
    states: state of actors and queue for an exact resume, after `build`.
    """

    queue: SequenceQueue
    envs: Sequence[Any] = ()
    num_games = 0
    is_saved = False
    master = ''
    states: Sequence[State] = ()

    def open(self, session_config: tf.ConfigProto) -> None:  # noqa: B027
        """Called before the graph is built.

        Raises:
          UserError: if actors cannot be reached.
        """

    def place_variables(self) -> ContextManager[None]:
        """Returns the context for creating the variables that remote actors read."""
        return contextlib.nullcontext()

    @abc.abstractmethod
    def build(
        self,
        agent: Agent,
        specs: Specs,
        spec: ActorOutput,
        start: int,
        teacher: Optional[Teacher],
    ) -> None:
        """Builds the queue and the operations that fill it.

        Args:
          agent: `agents.agent.Agent`, whose variables exist.
          specs: observation and action spec.
          spec: `ActorOutput` of `tf.TensorSpec`s of one sequence.
          start: number of earlier starts of the run.
          teacher: acts along with the agent; or None.

        Raises:
          UserError: if an environment cannot be made.
        """

    @abc.abstractmethod
    def components(
        self, frames: tf.Tensor, summaries: SummaryLog, stop: StopRequest
    ) -> List[tf.train.SessionRunHook]:
        """Returns hooks that monitor the actors, and log.

        Args:
          frames: environment frames of all phases together, int64 [].
          summaries: the event file of the run.
          stop: set when the run should end.
        """

    @abc.abstractmethod
    def acting(self) -> List[tf.train.SessionRunHook]:
        """Returns hooks that start the actors, once the state is restored or saved."""

    def fill(self, session: tf.Session) -> None:  # noqa: B027
        """Acts until the queue contains a batch, if no other thread does."""

    def halted(self, session: tf.Session) -> ContextManager[None]:
        """Returns a context in which no actor is within an unroll, to read `states`."""
        return contextlib.nullcontext()

    def restore_staged(self) -> None:  # noqa: B027
        """Called when batches that had been taken from the queue were restored."""

    def close(self) -> None:  # noqa: B027
        """Called once the session is closed, and the run has not failed."""
