"""Actors in other processes, in the place of those of this process."""

import secrets
import time
from typing import Any, List, Optional, Sequence

import tensorflow.compat.v1 as tf

from sc2impala import actors
from sc2impala.cluster import board as board_lib
from sc2impala.cluster import inference, intake, messages
from sc2impala.cluster.accounts import Accounts
from sc2impala.cluster.board import Board
from sc2impala.errors import UserError
from sc2impala.runtime import console, graph
from sc2impala.runtime.cluster_hook import ClusterHook
from sc2impala.runtime.experience import Experience
from sc2impala.runtime.remote_demonstrator import RemoteDemonstrator
from sc2impala.runtime.stop_request import StopRequest
from sc2impala.runtime.summary_log import SummaryLog
from sc2impala.settings import addresses, resolve, validation
from sc2impala.settings.settings import Settings

_FAREWELL_SECS = 15.0
_POLL_SECS = 0.1


class RemoteActors:
    """Takes the place of the actors of this process.

    run: random id of this start.
    accounts: what was played, and what became of it.
    master: target of the session, once `open` was called.
    """

    def __init__(self, settings: Settings):
        self._settings = settings
        self.run = secrets.token_hex(8)
        self.accounts = Accounts(self.run, settings.cluster.max_policy_lag, console.say)
        self.master = ''
        self._server: Optional[tf.train.Server] = None
        self._port = 0
        self._demonstrator = RemoteDemonstrator()
        self._told: List[float] = []

    def open(self, session_config: tf.ConfigProto) -> None:
        """Opens the port.

        Raises:
          UserError: if that is not possible.
        """
        address = self._settings.cluster.learner_address
        _, port = addresses.parse(address)
        try:
            # The name by which actors find this machine need not be one that it knows.
            self._server = tf.train.Server(
                {'learner': [f'localhost:{port}']},
                job_name='learner',
                task_index=0,
                config=session_config,
            )
        except tf.errors.OpError as error:
            raise UserError(
                f'--learner_address={address}: port {port} cannot be opened, expected one that '
                'nothing else uses, or 0 for any that is free.'
            ) from error
        self.master = self._server.target
        self._port = int(self.master.rpartition(':')[2])
        console.say(
            f'listening for actors on port {self._port} of all interfaces. Whoever reaches the '
            'port runs what they want as this user: keep it behind a firewall or in a private '
            'network (docs/cluster.md)'
        )

    def make_experience(
        self,
        agent: Any,
        observation_spec: Any,
        spec: Any,
        start: int,
        policy_version: Sequence[tf.Variable],
        teacher: Optional[Any] = None,
    ) -> Experience:
        """The queue of the batches and what fills it.

        Args:
          agent: `agents.agent.Agent`, whose variables exist.
          observation_spec: `envs.specs.ObservationSpec`.
          spec: `ActorOutput` of `tf.TensorSpec`s of one sequence.
          start: how many starts of the run there were before.
          policy_version: int64 variables with environment frames and updates of the weights.
          teacher: `agents.teacher.Teacher` that plays beside the agent, or None.
        """
        settings, updates = self._settings, policy_version[1]
        (_, batch_size), num_envs = validation.largest_batch(settings), settings.actors.num_envs
        per_message = messages.sequences_per_message(actors.component_specs(spec))
        board = Board(
            run=self.run,
            versions=board_lib.versions(),
            config=resolve.to_manifest(settings.values()),
            start=start,
            components=board_lib.component_lines(spec),
            variables=board_lib.describe_variables(tf.global_variables() + [updates]),
            # As many sequences as one actor of this process would have waiting.
            capacity=-(-num_envs // per_message),
        )
        _, status = board_lib.local_variables(board)
        with tf.device('/cpu'):
            queue = intake.AccountedQueue(
                spec, settings.actors.queue_capacity or batch_size, self.accounts
            )
            self._intake = intake.build_intake(queue, board.capacity, self.accounts, updates)
            self._new_status = tf.placeholder(tf.float64, [2])
            self._set_status = status.assign(self._new_status).op
        self._queue = queue
        self._enqueue_ops = [self._intake.enqueue]
        if settings.cluster.inference == 'central':
            self._play_here(agent, observation_spec, policy_version, teacher)
        return Experience(queue, self._enqueue_ops, [self._demonstrator])

    def _play_here(
        self,
        agent: Any,
        observation_spec: Any,
        policy_version: Sequence[tf.Variable],
        teacher: Optional[Any],
    ) -> None:
        """Builds what plays the games of actors that ask at each step."""
        central = inference.build_inference(
            agent,
            self._queue,
            inference.specs_of_step(agent, observation_spec, teacher),
            self.run,
            self.accounts,
            policy_version,
            teacher,
            graph.gpu_device(),
        )
        with tf.device('/cpu'):
            self._intake = self._intake._replace(
                waiting=self._intake.waiting + central.waiting,
                cancel=tf.group(self._intake.cancel, central.close),
            )
        self._enqueue_ops.append(central.step)

    def run_in_background(self) -> None:
        """Takes in what actors send as soon as the session starts."""
        runner = tf.train.QueueRunner(
            self._queue.queue,
            self._enqueue_ops,
            cancel_op=self._intake.cancel,
            # A stop cancels what waits for room in the queue.
            queue_closed_exception_types=(tf.errors.OutOfRangeError, tf.errors.CancelledError),
        )
        tf.train.add_queue_runner(runner)

    def make_hook(self, summaries: SummaryLog, stop: StopRequest) -> ClusterHook:
        """What watches over the actors, and logs.

        Args:
          summaries: where to.
          stop: set when the training should end.
        """
        every_secs = self._settings.output.progress_secs
        return ClusterHook(
            self.accounts, self._intake, self._tell, summaries, stop, self._port, every_secs
        )

    def wait_for_farewells(self) -> None:
        """Keeps the port open until all actors know that the training is finished.

        That is a matter of a second, unless one of them does not answer.
        """
        if not self._told or self._told[0] != board_lib.FINISHED:
            return
        count, end = len(self.accounts.present()), time.monotonic() + _FAREWELL_SECS
        with tf.Graph().as_default(), tf.Session(self.master) as session:
            said = board_lib.remote_variable(board_lib.FAREWELLS, tf.int64, [], '/device:CPU:0')
            while session.run(said) < count and time.monotonic() < end:
                time.sleep(_POLL_SECS)

    def _tell(self, session: tf.Session, stage: int) -> None:
        """Tells the actors what the learner does, and what the demonstrator shall do."""
        status = [stage, self._demonstrator.share]
        if status != self._told:
            session.run(self._set_status, {self._new_status: status})
            self._told = status
