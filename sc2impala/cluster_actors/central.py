"""An actor process that requests its actions from the learner: `--inference=central`."""

import contextlib
import functools
import json
import threading
from typing import TYPE_CHECKING, Callable, List, Sequence

import numpy as np
import tensorflow.compat.v1 as tf

from sc2impala import actors, structs
from sc2impala.cluster import link as link_lib
from sc2impala.cluster import run_info as run_info
from sc2impala.cluster.inference_client import InferenceClient, StartAnew
from sc2impala.cluster.link import Link, RunEnded, Stopped
from sc2impala.cluster.outbox import Identity
from sc2impala.cluster.run_info import RunInfo
from sc2impala.cluster_actors import player
from sc2impala.cluster_actors.play import Threads
from sc2impala.factories import acting, environments
from sc2impala.runtime import console, sessions
from sc2impala.settings.settings import Settings

if TYPE_CHECKING:
    from sc2impala.envs.vector import Specs, VectorEnvironment

_POLL_SECS = 0.1


class CentralPlayer:
    """The games of an actor process without an agent; they outlive the runs of the learner.

    settings: settings of this actor.
    spec: `ActorOutput` of the `tf.TensorSpec`s of one sequence, as the learner builds it.
    envs: one environment per thread.
    """

    def __init__(
        self, settings: Settings, start: int, identity: Identity, stack: contextlib.ExitStack
    ):
        """Starts the games.

        Args:
          settings: settings of this actor.
          start: number of earlier starts of the run.
          identity: identity of this actor.
          stack: closes the environments.

        Raises:
          UserError: if a game does not run.
        """
        self.settings = settings
        specs = environments.labelled_specs(
            settings.demonstrations, environments.make_specs(settings.environment)
        )
        self._has_labels = bool(specs[0].demonstration_heads)
        self.spec = _sequence_spec(settings, specs)
        self.envs = []
        for index in range(settings.actors.num_actors):
            env = player.make_env(settings, specs, start, identity, index)
            self.envs.append(env)
            stack.callback(env.close)
        stack.enter_context(sessions.failures_reported(self.envs))

    def set_share(self, share: float) -> None:
        """Switches the demonstrator, if there is one."""
        player.set_share(self.envs if self._has_labels else (), share)


class CentralPlay(Threads):
    """Steps the games for one run of the learner, which chooses every action.

    unsent: 0: the learner has all frames.
    """

    unsent = 0

    def __init__(self, player: CentralPlayer, info: RunInfo, identity: Identity, unsent: int = 0):
        """Builds the graphs of the client.

        Args:
          player: the games.
          info: metadata of the run.
          identity: identity of this actor.
          unsent: not used.

        Raises:
          UserError: if the learner has another agent, or other observations.
        """
        super().__init__()
        run_info.check_components(info.components, run_info.component_lines(player.spec))
        cluster = player.settings.cluster
        self._player = player
        self._address = cluster.learner_address
        self._frames = [0] * len(player.envs)

        def make_link(graph_of_client: tf.Graph) -> Link:
            return Link(
                self._address,
                graph_of_client,
                info,
                cluster.rpc_timeout_secs,
                self._over,
                console.say,
            )

        self._graph = tf.Graph()
        with self._graph.as_default():
            self._farewell = run_info.remote_farewell()
            self._status = run_info.remote_variable(
                run_info.STATUS, tf.float64, [2], '/device:CPU:0'
            )
        self._reading = make_link(self._graph)
        self._clients = [
            InferenceClient(make_link, info.run, identity, index)
            for index in range(len(player.envs))
        ]

    def account(self) -> str:
        """Environment frames generated in this run, as JSON."""
        return json.dumps({'played': sum(self._frames)})

    def _follow_learner(self, is_ready: threading.Event) -> None:
        """Follows the learner's demonstrator, and detects the end of the training."""
        before = None
        while True:
            stage, share = self._reading.run(self._status)
            if stage == run_info.FINISHED:
                raise RunEnded(None)
            if stage != run_info.STARTING:
                if share != before:
                    self._player.set_share(float(share))
                    before = share
                is_ready.set()
            if self._over.wait(_POLL_SECS):
                raise Stopped()

    def _players(self) -> Sequence[Callable[[], None]]:
        return [functools.partial(self._play, index) for index in range(len(self._clients))]

    def _play(self, index: int) -> None:
        while not self._over.is_set():
            with contextlib.suppress(StartAnew):
                self._play_games(index)

    def _play_games(self, index: int) -> None:
        """Steps new games until the learner has forgotten them.

        Raises:
          StartAnew, RunEnded, Stopped: see `InferenceClient.ask`.
        """
        env, client = self._player.envs[index], self._clients[index]
        spec = actors.env_output_spec(env.observation_spec, [env.num_envs])
        heads = sorted(env.action_spec.heads)
        env_output, number = first_output(env, spec), 0
        while True:
            *action, step_mul = client.ask(number, flat_arrays(env_output, spec))
            env_output = env.step(dict(zip(heads, action)), step_mul)
            self._frames[index] = env.frames_played
            number += 1

    def _interrupt(self) -> None:
        self._reading.close()
        for client in self._clients:
            client.close()

    def _settle(self) -> None:
        """Does nothing: the learner has all but the last steps."""

    def _say_farewell(self) -> None:
        link_lib.run_once(self._address, self._graph, self._farewell)

    def _say_goodbye(self) -> None:
        link_lib.run_once(self._address, *self._clients[0].goodbye())


def first_output(env: 'VectorEnvironment', spec: structs.EnvOutput) -> structs.EnvOutput:
    """Starts fresh episodes: zero reward, and `done` set as on every first observation.

    The statistics of episodes are the environment's totals, see `VectorEnvironment.totals`.

    Args:
      env: `envs.vector.VectorEnvironment` of K games.
      spec: `EnvOutput` of `tf.TensorSpec`s of [K, ...].
    """
    zeros = tf.nest.map_structure(
        lambda s: np.zeros(s.shape.as_list(), s.dtype.as_numpy_dtype),
        spec._replace(observation=()),
    )
    observation = env.reset()
    return zeros._replace(info=env.totals(), done=np.ones_like(zeros.done), observation=observation)


def flat_arrays(env_output: structs.EnvOutput, spec: structs.EnvOutput) -> List[np.ndarray]:
    """The components of an `EnvOutput` with the dtypes of its spec."""
    return [
        np.asarray(array, s.dtype.as_numpy_dtype)
        for array, s in zip(tf.nest.flatten(env_output), tf.nest.flatten(spec))
    ]


def _sequence_spec(settings: Settings, specs: 'Specs') -> structs.ActorOutput:
    """Returns the spec of sequences; builds the agent in a temporary graph."""
    environment = settings.environment
    with tf.Graph().as_default():
        agent = acting.create_agent(
            settings.agent, specs, environment.max_step_mul, environment.agent_step_mul
        )
        teacher = acting.make_teacher(settings, agent, specs)
        return actors.sequence_spec(agent, specs[0], settings.actors.unroll_length, teacher)
