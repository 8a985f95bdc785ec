"""Parts of a training that run alone, to be timed or to count their arithmetic."""

import contextlib
import statistics
import time
from typing import Callable, Dict, Iterator, Tuple

import numpy as np
import tensorflow.compat.v1 as tf

from benchmarks import timing
from benchmarks.flops import count_flops
from benchmarks.workload.flags import sizes
from benchmarks.workload.graphs import (
    build_acting_loop,
    build_actor,
    build_update,
    make_agent,
    make_environment,
    session,
)
from benchmarks.workload.inputs import constant_batch, env_output_arrays, no_action, variables_of
from sc2impala import envs
from sc2impala.envs import players
from sc2impala.settings.settings import Settings

PARTS = ('network', 'actor', 'environment', 'learner')
"""Parts of a training that `part` builds."""


COMPUTATIONS = ('act', 'forward', 'update')
"""Computations of the network of which `flops` counts the arithmetic."""


@contextlib.contextmanager
def part(name: str, settings: Settings) -> Iterator[Tuple[Callable[[], float], int]]:
    """Builds one part of a training in a graph of its own.

    Args:
      name: one of `PARTS`. network: `build_acting_loop`; actor: `build_actor`; environment: T steps
        of K environments called from Python with random actions, the choice of which is not
        timed; learner: `build_update`.
      settings: of the training.

    Yields:
      A function that runs the part once and returns its duration in seconds, and the number of
      agent steps of a run.
    """
    steps = sizes(settings)
    with contextlib.ExitStack() as stack:
        if name == 'environment':
            env = make_environment(settings)
            stack.callback(env.close)
            yield _random_unroll(settings, env), steps.steps_per_unroll
            return
        stack.enter_context(tf.Graph().as_default())
        if name == 'actor':
            operation, env = build_actor(settings)
            stack.callback(env.close)
        else:
            operation = {'network': build_acting_loop, 'learner': build_update}[name](settings)
        opened = stack.enter_context(session(settings))
        run = opened.make_callable([operation])
        amount = steps.steps_per_update if name == 'learner' else steps.steps_per_unroll
        yield lambda: timing.seconds_of(run), amount


def rate_alone(name: str, settings: Settings, seconds: float) -> float:
    """Returns agent steps per second of one of the `PARTS`, from the median duration of its runs.

    Args:
      name: the part.
      settings: of the training.
      seconds: for how long to measure.
    """
    with part(name, settings) as (run, steps):
        durations = timing.interleaved_seconds({name: run}, seconds, rounds=1)[name]
        return steps / statistics.median(durations)


def network_bound(acting: float, learning: float) -> float:
    """Returns the throughput of a training in which only the network takes time.

    Args:
      acting: agent steps per second of the network acting alone.
      learning: agent steps per second of the learner alone.

    Returns:
      Agent steps per second if each step is acted once and learned once, one after the other.
    """
    return 1 / (1 / acting + 1 / learning)


def flops(settings: Settings, computation: str) -> Dict[str, float]:
    """Counts the floating-point operations of one run of the network, see `count_flops`.

    Args:
      settings: of the training.
      computation: one of `COMPUTATIONS`. act: one step of K environments; forward: the agent
        unrolled over a batch; update: forward and backward pass and the rest of an update.

    Returns:
      {operation type: floating-point operations}.
    """
    with tf.Graph().as_default():
        if computation == 'update':
            return count_flops(build_update(settings))
        specs, agent = make_agent(settings)
        if computation == 'act':
            env_output = variables_of(env_output_arrays(specs[0], [settings.actors.num_envs]))
            inputs = no_action(settings, agent), env_output
            output = agent.act(inputs, agent.initial_state(settings.actors.num_envs))
        else:
            batch = constant_batch(settings, agent, specs)
            output = agent.unroll(batch.agent_outputs.action, batch.env_outputs, batch.agent_state)
        return count_flops(tf.group(*tf.nest.flatten(output)))


@contextlib.contextmanager
def matrix_product(size: int = 2048) -> Iterator[Tuple[Callable[[], float], int]]:
    """Builds a product of two square float32 matrices, the reference for the speed of arithmetic.

    Args:
      size: rows and columns of the matrices.

    Yields:
      A function that runs the product once and returns its duration in seconds, and the number of
      floating-point operations of a run.
    """
    with tf.Graph().as_default():
        a, b = (tf.Variable(tf.random.normal([size, size]), use_resource=True) for _ in range(2))
        product = tf.matmul(a.read_value(), b.read_value())
        with session() as opened:
            run = opened.make_callable([product.op])
            yield lambda: timing.seconds_of(run), 2 * size**3


def _random_unroll(settings: Settings, env: envs.VectorEnvironment) -> Callable[[], float]:
    """Returns a function that takes T random steps and returns the environment's seconds."""
    fixed, max_step_mul = settings.environment.agent_step_mul, settings.environment.max_step_mul
    rng = np.random.RandomState(0)
    player = players.RandomPlayer(env.action_spec, rng)
    observation = env.reset()

    def unroll() -> float:
        nonlocal observation
        seconds = 0.0
        for _ in range(settings.actors.unroll_length):
            action = player.act(observation)
            if fixed is None:
                step_mul = rng.randint(1, max_step_mul + 1, size=env.num_envs).astype(np.int32)
            else:
                step_mul = np.full([env.num_envs], fixed, np.int32)
            started = time.perf_counter()
            observation = env.step(action, step_mul).observation
            seconds += time.perf_counter() - started
        return seconds

    return unroll
