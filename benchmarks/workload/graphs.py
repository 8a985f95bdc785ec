"""Parts of the graph of a training, and a session for them."""

import contextlib
from typing import Any, Callable, Iterator, List, Optional, Tuple

import tensorflow.compat.v1 as tf

from benchmarks.workload.flags import imitates
from benchmarks.workload.inputs import (
    ConstantSource,
    constant_batch,
    env_output_arrays,
    no_action,
    stored,
    variables_of,
)
from sc2impala import actors, envs, learner
from sc2impala.agents.agent import Agent
from sc2impala.factories import acting, environments
from sc2impala.learner import phases
from sc2impala.learner.sources import Batches
from sc2impala.runtime import seeds, sessions
from sc2impala.settings.settings import Settings


@contextlib.contextmanager
def session(
    settings: Optional[Settings] = None, one_operation_at_a_time: bool = False
) -> Iterator[tf.Session]:
    """Opens a session as a training does and initialises all variables.

    Args:
      settings: of the training, or None for a graph that has no agent.
      one_operation_at_a_time: whether operations run one after the other, each on all cores.
    """
    in_bfloat16 = settings is not None and settings.run.bfloat16
    session_config = sessions.session_config(deterministic=False, in_bfloat16=in_bfloat16)
    if one_operation_at_a_time:
        session_config.inter_op_parallelism_threads = 1
        # Otherwise the session shares the threads of the first session of the process.
        session_config.use_per_session_threads = True
    with tf.Session(config=session_config) as opened:
        opened.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
        yield opened


def make_environment(settings: Settings) -> envs.VectorEnvironment:
    """Returns K training environments."""
    return environment_of(settings, make_specs(settings))


def make_specs(settings: Settings) -> Tuple[Any, Any]:
    """Returns observation and action spec, with labels if the training imitates a script."""
    return environments.labelled_specs(
        settings.demonstrations, environments.make_specs(settings.environment)
    )


def environment_of(settings: Settings, specs: Tuple[Any, Any]) -> envs.VectorEnvironment:
    """Returns K training environments with these observation and action specs."""
    env_seeds = seeds.streams(settings.run.seed, 'training', settings.actors.num_envs)
    return environments.make_actor_environment(
        settings.environment,
        settings.starcraft,
        settings.demonstrations,
        specs,
        env_seeds,
        share_seed=0,
    )


def make_agent(settings: Settings) -> Tuple[Tuple[Any, Any], Agent]:
    """Builds the agent in the default graph; returns observation and action spec, and the agent."""
    environment = settings.environment
    specs = make_specs(settings)
    agent = acting.create_agent(
        settings.agent, specs, environment.max_step_mul, environment.agent_step_mul
    )
    return specs, agent


def build_acting_loop(settings: Settings) -> tf.Operation:
    """Builds the agent acting T steps on K constant observations, without an environment."""
    specs, agent = make_agent(settings)
    env_output = variables_of(env_output_arrays(specs[0], [settings.actors.num_envs]))
    action = no_action(settings, agent)
    state = agent.initial_state(settings.actors.num_envs)

    def act(index: tf.Tensor, action: Any, state: Any) -> Tuple[tf.Tensor, Any, Any]:
        output, state = agent.act((action, env_output), state)
        return index + 1, output.action, state

    _, last_action, last_state = tf.while_loop(
        lambda index, *unused: index < settings.actors.unroll_length,
        act,
        (tf.constant(0), action, state),
        parallel_iterations=1,
        back_prop=False,
    )
    return tf.group(*[stored(t) for t in tf.nest.flatten((last_action, last_state))])


def build_actor(settings: Settings) -> Tuple[tf.Operation, envs.VectorEnvironment]:
    """Builds an actor without a queue.

    Returns:
      The operation that unrolls K environments over T steps, and the environments, to be closed.
    """
    specs, agent = make_agent(settings)
    env = environment_of(settings, specs)
    output = actors.build_actor(
        agent, env, settings.actors.unroll_length, policy_version=phases.policy_version()
    ).output
    return tf.group(*tf.nest.flatten(output)), env


def build_update(settings: Settings) -> tf.Operation:
    """Builds the learner on a constant batch; returns the operation that runs an update.

    It is an update of the first phase: of imitation, or of the training.
    """
    specs, agent = make_agent(settings)
    source = ConstantSource(constant_batch(settings, agent, specs))
    name = 'cloning' if imitates(settings) else settings.training.algorithm
    load: Callable[[str], Any] = learner.load_pretraining if imitates(settings) else learner.load
    plan = phases.Plan(
        load(name)(settings.algorithms[name]),
        source,
        settings.environment.map_name,
        settings.training.total_environment_frames,
        tf.train.get_or_create_global_step(),
    )
    batches = Batches(devices=())
    (phase,) = phases.build_phases([plan], agent, batches.of, phases.policy_version())
    return phase.train.op


def build_weights(settings: Settings) -> Tuple[List[tf.Variable], int]:
    """Builds the agent in the default graph; returns its variables, and their size in bytes."""
    make_agent(settings)
    variables = tf.global_variables()
    return variables, sum(v.shape.num_elements() * v.dtype.size for v in variables)
