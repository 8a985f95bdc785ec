"""The games of an actor process and its agent, in one graph and session."""

import contextlib
from typing import TYPE_CHECKING, Any, Sequence

import tensorflow.compat.v1 as tf

from sc2impala import actors
from sc2impala.cluster import run_info as run_info
from sc2impala.cluster.outbox import Identity
from sc2impala.cluster.weights import Weights
from sc2impala.factories import acting, environments
from sc2impala.learner import phases
from sc2impala.runtime import seeds, sessions
from sc2impala.settings.settings import Settings

if TYPE_CHECKING:
    from sc2impala.envs.vector import Specs, VectorEnvironment


class Player:
    """Agent and environments of an actor process; they outlive restarts of the learner.

    spec: `ActorOutput` of the `tf.TensorSpec`s of one sequence.
    weights: the copy of the learner's variables.
    envs: one environment per thread.
    session: session of the graph.
    outputs: `ActorOutput` of [K, ...] for each thread; running one generates an unroll.
    """

    def __init__(
        self, settings: Settings, start: int, identity: Identity, stack: contextlib.ExitStack
    ):
        """Builds everything in the default graph.

        Args:
          settings: settings of this actor.
          start: number of earlier starts of the run.
          identity: identity of this actor.
          stack: closes environments and session.

        Raises:
          UserError: if a game does not run.
        """
        self.settings = settings
        # Every process has its own games and actions.
        own = start, int(identity.actor, 16)
        tf.set_random_seed(seeds.streams(settings.run.seed, 'graph', 1, *own)[0])
        specs = environments.labelled_specs(
            settings.demonstrations, environments.make_specs(settings.environment)
        )
        self._has_labels = bool(specs[0].demonstration_heads)
        environment = settings.environment
        agent = acting.create_agent(
            settings.agent, specs, environment.max_step_mul, environment.agent_step_mul
        )
        teacher = acting.make_teacher(settings, agent, specs)
        self.spec = actors.sequence_spec(agent, specs[0], settings.actors.unroll_length, teacher)
        version = phases.policy_version()
        self.weights = Weights(tf.global_variables(), version[1])
        self.envs = []
        self.outputs = []
        for index in range(settings.actors.num_actors):
            env = make_env(settings, specs, start, identity, index)
            self.envs.append(env)
            stack.callback(env.close)
            actor = actors.build_actor(
                agent,
                env,
                settings.actors.unroll_length,
                actor=max(identity.task, 0),
                policy_version=version,
                teacher=teacher,
            )
            self.outputs.append(actor.output)
        stack.enter_context(sessions.failures_reported(self.envs))
        # All but the learner's number of updates.
        of_games = [v for v in tf.local_variables() if v is not version[1]]
        self._start = tf.variables_initializer(of_games)
        config = sessions.session_config(False, settings.run.bfloat16)
        self.session = stack.enter_context(tf.Session(config=config))

    def start_games(self) -> None:
        """Restarts all games; call it after assigning the weights."""
        self.session.run(self._start)

    def set_share(self, share: float) -> None:
        """Switches the demonstrator, if there is one."""
        set_share(self.envs if self._has_labels else (), share)


def set_share(envs: Sequence[Any], share: float) -> None:
    """Switches the demonstrators of environments with labels; `run_info.NO_LABELS` is off."""
    for env in envs:
        if share != run_info.NO_LABELS:
            env.set_share(share)
        env.enable(share != run_info.NO_LABELS)


def make_env(
    settings: Settings, specs: 'Specs', start: int, identity: Identity, index: int
) -> 'VectorEnvironment':
    """Returns the environment of an actor thread, with its own games.

    Args:
      settings: settings of the actor.
      specs: observation and action spec.
      start: number of earlier starts of the run.
      identity: identity of the actor.
      index: index of the thread.

    Raises:
      UserError: if a game does not run.
    """
    more = start, int(identity.actor, 16), index
    num_envs = settings.actors.num_envs
    (share_seed,) = seeds.streams(settings.run.seed, 'demonstrator', 1, *more)
    return environments.make_actor_environment(
        settings.environment,
        settings.starcraft,
        settings.demonstrations,
        specs,
        seeds.streams(settings.run.seed, 'training', num_envs, *more),
        share_seed,
        spread=True,
    )
