"""Actors in threads of this process."""

import contextlib
from typing import Any, Callable, Iterator, List, Mapping, Optional, Sequence

import numpy as np
import tensorflow.compat.v1 as tf

from sc2impala import activity, saved_arrays
from sc2impala import actors as actors_lib
from sc2impala.agents.agent import Agent
from sc2impala.agents.teacher import Teacher
from sc2impala.envs.vector import Specs, VectorEnvironment
from sc2impala.factories import acting, environments
from sc2impala.learner import phases
from sc2impala.runtime import seeds, sessions
from sc2impala.runtime.stop_request import StopRequest
from sc2impala.runtime.summary_log import SummaryLog
from sc2impala.saved_arrays import Arrays
from sc2impala.settings import validation
from sc2impala.settings.settings import Settings
from sc2impala.structs import ActorOutput
from sc2impala.training.actor_threads import ActorThreads, QueueContents, Sequences
from sc2impala.training.actors import Actors
from sc2impala.training.components.account import (
    AccountedQueue,
    AccountHook,
    AccountState,
)
from sc2impala.training.state import LocalVariables, State


class LocalActors(Actors):
    """Actors of this process, each in a thread; or in turns with the learner (`--deterministic`).

    enqueue_ops: one per actor; running one generates an unroll and enqueues it.
    """

    queue: AccountedQueue
    is_saved = True

    def __init__(
        self,
        settings: Settings,
        stack: contextlib.ExitStack,
        before: Optional[Mapping[str, object]] = None,
    ):
        """Args:
        settings: of the run.
        stack: closes the environments.
        before: settings of the previous start; None in a new run.
        """
        numbers = settings.actors
        self.enqueue_ops: List[tf.Operation] = []
        self.num_games = numbers.num_actors * numbers.num_envs
        self._settings = settings
        self._stack = stack
        self._assigned = environments.assign(settings.environment, settings.tasks, self.num_games)
        # A separate line has reported that the number of games differs.
        self._has_new_games = before is not None and (
            (numbers.num_actors, numbers.num_envs) != (before['num_actors'], before['num_envs'])
        )
        self._threads: Optional[ActorThreads] = None

    def build(
        self,
        agent: Agent,
        specs: Specs,
        spec: ActorOutput,
        start: int,
        teacher: Optional[Teacher],
    ) -> None:
        """See `Actors`."""
        settings, numbers = self._settings, self._settings.actors
        algorithm = acting.main_algorithm(settings)
        agents = algorithm.acting_agents(agent, numbers.num_actors, numbers.num_envs)
        _, batch_size = validation.largest_batch(settings)
        overlap = algorithm.sequences(agent).overlap
        capacity = numbers.queue_capacity or batch_size + numbers.num_envs
        action_seeds = seeds.streams(settings.run.seed, 'actions', numbers.num_actors, start)
        version = phases.policy_version()
        envs: List[Any] = []
        variables: List[tf.Variable] = []
        with tf.device('/cpu'):
            self.queue = AccountedQueue(spec, capacity, overlap)
            for index, of_actor in enumerate(agents):
                env = self._make_env(specs, index, start)
                self._stack.callback(env.close)
                envs.append(env)
                actor = actors_lib.build_actor(
                    of_actor,
                    env,
                    numbers.unroll_length,
                    actor=index,
                    policy_version=version,
                    teacher=teacher,
                    seed=action_seeds[index],
                    overlap=overlap,
                )
                variables += actor.variables
                self.enqueue_ops.append(self.queue.enqueue_many(actor.output))
            size = self.queue.size()
        self.envs = self.queue.account.envs = envs
        self._stack.enter_context(sessions.failures_reported(envs))
        self._alternation = AlternationHook(self.enqueue_ops[0], size, batch_size)
        contents = QueueContents(self.queue)
        if not settings.run.deterministic:
            self._threads = ActorThreads(self.enqueue_ops, numbers.num_envs, self.queue, contents)
        self._games = Games(envs, variables, self._has_new_games)
        self._waiting = Waiting(contents, self._threads, self._restore_queued)
        self._account_state = AccountState(self.queue.account)
        self.states = [self._account_state, self._games, self._waiting]

    def components(
        self, frames: tf.Tensor, summaries: SummaryLog, stop: StopRequest
    ) -> List[tf.train.SessionRunHook]:
        """See `Actors`."""
        every_secs = self._settings.output.progress_secs
        return [AccountHook(self.queue.account, frames, summaries, every_secs)]

    def acting(self) -> List[tf.train.SessionRunHook]:
        """See `Actors`."""
        return [self._threads or self._alternation]

    def fill(self, session: tf.Session) -> None:
        """See `Actors`."""
        if self._threads is None:
            self._alternation.fill(session)

    @contextlib.contextmanager
    def halted(self, session: tf.Session) -> Iterator[None]:
        """See `Actors`. Games that cannot be saved are not waited for."""
        self._waiting.take(session, self._games.can_be_saved)
        try:
            yield
        finally:
            self._waiting.put_back(session)

    def restore_staged(self) -> None:
        """See `Actors`."""
        self.queue.account.keep(0, [self._account_state.staged])

    def _restore_queued(self, sequences: Sequences) -> None:
        """Counts the sequences that were restored into the queue."""
        unrolls = tf.nest.pack_sequence_as(self.queue.spec, sequences)
        count = self.queue.num_frames(unrolls.env_outputs, unrolls.agent_outputs.step_mul)
        self.queue.account.keep(count)

    def _make_env(self, specs: Specs, actor: int, start: int) -> VectorEnvironment:
        """Returns the `VectorEnvironment` of an actor."""
        settings, run_seed = self._settings, self._settings.run.seed
        env_seeds = seeds.streams(run_seed, 'training', settings.actors.num_envs, start, actor)
        (share_seed,) = seeds.streams(run_seed, 'demonstrator', 1, start, actor)
        return environments.make_actor_environment(
            settings.environment,
            settings.starcraft,
            settings.demonstrations,
            specs,
            env_seeds,
            share_seed,
            spread=True,
            assigned=self._assigned[actor :: settings.actors.num_actors],
            start_share=settings.environment.start_share(settings.actors.num_actors),
        )


class AlternationHook(tf.train.SessionRunHook):
    """Runs an actor before each update until the queue contains a batch, without other threads."""

    def __init__(self, enqueue: tf.Operation, queue_size: tf.Tensor, batch_size: int):
        """Args:
        enqueue: generates one unroll and enqueues it.
        queue_size: sequences in the queue, int32 [].
        batch_size: sequences that an update dequeues at most.
        """
        self._enqueue = enqueue
        self._queue_size = queue_size
        self._batch_size = batch_size

    def before_run(self, run_context: tf.train.SessionRunContext) -> None:
        """Acts for the next update."""
        self.fill(run_context.session)

    def fill(self, session: tf.Session) -> None:
        """Acts until the queue contains a batch."""
        with activity.doing(activity.FILL):
            while session.run(self._queue_size) < self._batch_size:
                session.run(self._enqueue)


class Games(State):
    """Games, recurrent states, last outputs, and the seeds of the next actions."""

    name = 'actors'
    is_never_empty = True
    survives_errors = False
    otherwise = 'all games start new episodes'

    def __init__(
        self, envs: Sequence[VectorEnvironment], variables: Sequence[tf.Variable], may_differ: bool
    ):
        """Args:
        envs: `envs.VectorEnvironment`s, one per actor.
        variables: the local variables of the actors.
        may_differ: True if a state of other games may be replaced by new games.
        """
        self._envs = list(envs)
        self._variables = LocalVariables(variables)
        self._may_differ = may_differ
        self._can_be_saved: Optional[bool] = None

    @property
    def can_be_saved(self) -> bool:
        """True if the games can be saved; known once they have been reset."""
        if self._can_be_saved is None:
            # Checked once: the check copies all of them.
            self._can_be_saved = all(env.get_state() is not None for env in self._envs)
        return self._can_be_saved

    def get_state(self, session: tf.Session) -> Arrays:
        """See `State`."""
        games = [env.get_state() for env in self._envs]
        parts = {f'games_{index}': state for index, state in enumerate(games) if state is not None}
        if len(parts) < len(games):
            return {}
        return saved_arrays.join({**parts, 'variables': self._variables.get_state(session)})

    def set_state(self, session: tf.Session, state: Mapping[str, np.ndarray]) -> None:
        """See `State`."""
        try:
            self._set_state(session, state)
        except saved_arrays.DifferentState:
            if not self._may_differ:
                raise

    def _set_state(self, session: tf.Session, state: Mapping[str, np.ndarray]) -> None:
        variables = saved_arrays.part(state, 'variables')
        self._variables.check(variables)
        games = [saved_arrays.part(state, f'games_{index}') for index in range(len(self._envs))]
        for env, of_env in zip(self._envs, games):
            saved_arrays.check(of_env, env.get_state() or {})
        if len(state) != len(variables) + sum(map(len, games)):
            raise saved_arrays.DifferentState('there are more actors in it.')
        for env, of_env in zip(self._envs, games):
            env.set_state(of_env)
        self._variables.set_state(session, variables)


class Waiting(State):
    """The sequences in the queue."""

    name = 'queue'
    is_never_empty = True
    # The dequeued sequences are compressed after the actors have resumed.
    needs_halt = False
    survives_errors = False
    otherwise = 'what waited for an update is lost'

    def __init__(
        self,
        contents: QueueContents,
        threads: Optional[ActorThreads],
        restored: Callable[[Sequences], None] = lambda sequences: None,
    ):
        """Args:
        contents: contents of the queue.
        threads: threads of the actors; None if only the learner's thread acts.
        restored: called with restored sequences.
        """
        self._contents = contents
        self._threads = threads
        self._restored = restored
        self._sequences: Sequences = contents.none()

    def take(self, session: tf.Session, wait: bool) -> None:
        """Halts the actors and dequeues all sequences; `put_back` must follow.

        Args:
          session: session of the run.
          wait: see `ActorThreads.halt`.
        """
        if self._threads is None:
            self._sequences = self._contents.take(session)
        else:
            self._sequences = self._threads.halt(session, wait)

    def put_back(self, session: tf.Session) -> None:
        """Puts all sequences back, and resumes the actors."""
        if self._threads is None:
            self._contents.put(session, self._sequences)
        else:
            self._threads.resume(session, self._sequences)

    def get_state(self, session: tf.Session) -> Arrays:
        """See `State`; the state at the last `take`."""
        sequences, self._sequences = self._sequences, self._contents.none()
        return self._contents.to_state(sequences)

    def set_state(self, session: tf.Session, state: Mapping[str, np.ndarray]) -> None:
        """See `State`."""
        sequences = self._contents.from_state(state)
        if self._threads is None and len(sequences[0]) > self._contents.capacity:
            raise saved_arrays.DifferentState('the queue is shorter.')
        self._sequences = sequences
        self.put_back(session)
        self._sequences = self._contents.none()
        self._restored(sequences)
