"""Actors in other processes, see docs/guides/cluster.md."""

import secrets
import time
from typing import ContextManager, List, Optional, Sequence

import tensorflow.compat.v1 as tf

from sc2impala import actors
from sc2impala.agents.agent import Agent
from sc2impala.agents.teacher import Teacher
from sc2impala.cluster import inference, intake, messages
from sc2impala.cluster import run_info as run_info
from sc2impala.cluster.accounts import Accounts
from sc2impala.cluster.run_info import RunInfo
from sc2impala.envs.specs import ObservationSpec
from sc2impala.envs.vector import Specs
from sc2impala.errors import UserError
from sc2impala.learner import phases
from sc2impala.runtime import console, sessions
from sc2impala.runtime.stop_request import StopRequest
from sc2impala.runtime.summary_log import SummaryLog
from sc2impala.settings import addresses, resolve, validation
from sc2impala.settings.settings import Settings
from sc2impala.structs import ActorOutput
from sc2impala.training.actors import Actors
from sc2impala.training.components.cluster import ClusterHook

_FAREWELL_SECS = 15.0
_POLL_SECS = 0.1


class RemoteActors(Actors):
    """Receives sequences of actors in other processes.

    The actors keep their games. Received sequences are not saved.

    run: random id of this start.
    accounts: frames that were generated, trained on and lost.
    """

    queue: intake.AccountedQueue

    def __init__(self, settings: Settings):
        """Args: settings: of the run."""
        self._settings = settings
        self.run = secrets.token_hex(8)
        self.accounts = Accounts(self.run, settings.cluster.max_policy_lag, console.say)
        self._server: Optional[tf.train.Server] = None
        self._port = 0
        self._demonstrator = RemoteDemonstrator()
        self.envs = [self._demonstrator]
        self._told: List[float] = []

    def open(self, session_config: tf.ConfigProto) -> None:
        """See `Actors`; opens the port."""
        address = self._settings.cluster.learner_address
        _, port = addresses.parse(address)
        try:
            # Not the address: this machine may not know the name that actors use.
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
            f'listening for actors on port {self._port} of all interfaces. Anyone who reaches the '
            'port can run code as this user: keep it behind a firewall or in a private network '
            '(docs/guides/cluster.md)'
        )

    def place_variables(self) -> ContextManager[None]:
        """See `Actors`. Variables get explicit devices for other processes."""
        return tf.device('/cpu')

    def build(
        self,
        agent: Agent,
        specs: Specs,
        spec: ActorOutput,
        start: int,
        teacher: Optional[Teacher],
    ) -> None:
        """See `Actors`."""
        policy_version = phases.policy_version()
        settings, updates = self._settings, policy_version[1]
        (_, batch_size), num_envs = validation.largest_batch(settings), settings.actors.num_envs
        per_message = messages.sequences_per_message(actors.component_specs(spec))
        info = RunInfo(
            run=self.run,
            versions=run_info.versions(),
            config=resolve.to_manifest(settings.values()),
            start=start,
            components=run_info.component_lines(spec),
            variables=run_info.describe_variables(tf.global_variables() + [updates]),
            # Room for as many sequences as one local actor would have waiting.
            capacity=-(-num_envs // per_message),
        )
        _, status = run_info.local_variables(info)
        with tf.device('/cpu'):
            queue = intake.AccountedQueue(
                spec, settings.actors.queue_capacity or batch_size, self.accounts
            )
            self._intake = intake.build_intake(queue, info.capacity, self.accounts, updates)
            self._new_status = tf.placeholder(tf.float64, [2])
            self._set_status = status.assign(self._new_status).op
        self.queue = queue
        self._enqueue_ops = [self._intake.enqueue]
        if settings.cluster.inference == 'central':
            self._act_here(agent, specs[0], policy_version, teacher)

    def _act_here(
        self,
        agent: Agent,
        observation_spec: ObservationSpec,
        policy_version: Sequence[tf.Variable],
        teacher: Optional[Teacher],
    ) -> None:
        """Builds central inference for actors that request each action."""
        central = inference.build_inference(
            agent,
            self.queue,
            inference.specs_of_step(agent, observation_spec, teacher),
            self.run,
            self.accounts,
            policy_version,
            teacher,
            sessions.gpu_device(),
        )
        with tf.device('/cpu'):
            self._intake = self._intake._replace(
                waiting=self._intake.waiting + central.waiting,
                cancel=tf.group(self._intake.cancel, central.close),
            )
        self._enqueue_ops.append(central.step)

    def components(
        self, frames: tf.Tensor, summaries: SummaryLog, stop: StopRequest
    ) -> List[tf.train.SessionRunHook]:
        """See `Actors`."""
        every_secs = self._settings.output.progress_secs
        return [
            ClusterHook(
                self.accounts, self._intake, self._tell, summaries, stop, self._port, every_secs
            )
        ]

    def acting(self) -> List[tf.train.SessionRunHook]:
        """See `Actors`. The session receives sequences as soon as it starts."""
        runner = tf.train.QueueRunner(
            self.queue.queue,
            self._enqueue_ops,
            cancel_op=self._intake.cancel,
            # A stop cancels enqueue operations that are blocked.
            queue_closed_exception_types=(tf.errors.OutOfRangeError, tf.errors.CancelledError),
        )
        tf.train.add_queue_runner(runner)
        return []

    def close(self) -> None:
        """Keeps the port open until all actors know that the training is finished.

        This takes about a second, unless an actor does not answer.
        """
        if not self._told or self._told[0] != run_info.FINISHED:
            return
        count, end = len(self.accounts.present()), time.monotonic() + _FAREWELL_SECS
        with tf.Graph().as_default(), tf.Session(self.master) as session:
            name = run_info.NUM_DISCONNECTED
            number = run_info.remote_variable(name, tf.int64, [], '/device:CPU:0')
            while session.run(number) < count and time.monotonic() < end:
                time.sleep(_POLL_SECS)

    def _tell(self, session: tf.Session, stage: int) -> None:
        """Sends the learner's activity and the share of the demonstrator to the actors."""
        status = [stage, self._demonstrator.share]
        if status != self._told:
            session.run(self._set_status, {self._new_status: status})
            self._told = status


class RemoteDemonstrator:
    """Demonstrators of all actors; their share is sent with the status."""

    def __init__(self) -> None:
        self._share = 1.0
        self._is_enabled = False
        self.failure = None

    @property
    def share(self) -> float:
        """Sets the share of the demonstrator in the status."""
        return self._share if self._is_enabled else run_info.NO_LABELS

    def set_share(self, share: float) -> None:
        """See `envs.demonstrator.DemonstratedEnvironment.set_share`."""
        self._share = share

    def enable(self, is_enabled: bool) -> None:
        """See `envs.demonstrator.DemonstratedEnvironment.enable`."""
        self._is_enabled = is_enabled

    def close(self) -> None:
        """Does nothing: there is nothing to close."""
