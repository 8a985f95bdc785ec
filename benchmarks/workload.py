"""The parts of a training, each to be run alone: what the benchmarks of speed share.

A workload is given by the flags of the command itself, so that whatever can be trained can be
measured. All sessions have the settings of a training.
"""

import argparse
import contextlib
import json
import os
import statistics
import subprocess
import sys
import time
from typing import Any, Callable, Dict, Iterator, List, Mapping, Sequence, Tuple

import numpy as np
import tensorflow.compat.v1 as tf

from sc2impala import actors, experiment, learner, structs
from sc2impala.envs import players, synthetic
from sc2impala.runtime import config as config_lib
from sc2impala.runtime import graph, phases

WORKLOADS = {
    'resnet': ['--backend=synthetic', '--map_name=Frames', '--num_envs=16'],
    'beacon32': ['--map_name=MoveToBeacon', '--screen_size=32', '--fixed_step_mul'],
    'beacon16': ['--map_name=MoveToBeacon', '--fixed_step_mul'],
}
"""Flags by the name of a workload."""

PARTS = ('network', 'actor', 'environment', 'learner')
"""What `part` makes."""


def parse(
    parser: argparse.ArgumentParser, argv: Sequence[str]
) -> Tuple[argparse.Namespace, List[str]]:
    """Splits a command line into the benchmark's own arguments and flags of the training.

    Adds --workload, which stands for flags; what follows it on the command line wins.

    Returns:
      The benchmark's arguments, and all flags of the training.
    """
    parser.add_argument(
        '--workload',
        choices=sorted(WORKLOADS),
        help='; '.join(f'{name}: {" ".join(flags)}' for name, flags in WORKLOADS.items())
        + '. Any other flag is one of the training: python -m sc2impala.experiment --help',
    )
    arguments, flags = parser.parse_known_args(argv)
    return arguments, WORKLOADS.get(arguments.workload, []) + flags


def make_config(flags: Sequence[str]) -> config_lib.Config:
    """The settings that a training with these flags has."""
    config = experiment.read_config(['--logdir=no-such-folder'] + list(flags))
    config_lib.check(config)
    return config


def agent_loop(config: config_lib.Config) -> tf.Operation:
    """Builds the network acting alone: T steps of K games whose observation never changes."""
    specs = config_lib.make_specs(config)
    agent = graph.make_agent(config, *specs)
    env_output = _constants(_env_output_arrays(specs[0], [config.num_envs]))
    action = {name: tf.zeros([config.num_envs], tf.int32) for name in agent.policy.heads}
    state = agent.initial_state(config.num_envs)
    _, last_action, last_state = tf.while_loop(
        lambda index, *unused: index < config.unroll_length,
        lambda index, action, state: _act(agent, env_output, index, action, state),
        (tf.constant(0), action, state),
        parallel_iterations=1,
        back_prop=False,
    )
    return tf.group(*[_kept(t) for t in tf.nest.flatten((last_action, last_state))])


def _act(agent, env_output, index, action, state):
    output, state = agent.act((action, env_output), state)
    return index + 1, output.action, state


def actor(config: config_lib.Config) -> Tuple[tf.Operation, Any]:
    """Builds an actor without a queue; returns what plays T steps of K games, and the games."""
    specs = config_lib.make_specs(config)
    agent = graph.make_agent(config, *specs)
    env = graph.make_environment(config, specs, 'training', config.num_envs)
    output = actors.build_actor(agent, env, config.unroll_length)
    return tf.group(*tf.nest.flatten(output)), env


def update(config: config_lib.Config) -> tf.Operation:
    """Builds the learner on a batch that never changes; returns what does an update."""
    specs = config_lib.make_specs(config)
    agent = graph.make_agent(config, *specs)
    return phases.build_phases(config, agent, _batch(config, agent, specs))[-1].train.op


def _batch(config, agent, specs):
    shape = [config.unroll_length + 1, config.batch_size]
    rng = np.random.RandomState(0)
    _, num_replay = config_lib.batch_split(config)
    return learner.Batch(
        agent_state=_constants(_evaluated(lambda: agent.initial_state(config.batch_size))),
        env_outputs=_constants(_env_output_arrays(specs[0], shape)),
        agent_outputs=_constants(_agent_output_arrays(agent, config, shape, rng)),
        is_replay=tf.constant(np.arange(config.batch_size) >= config.batch_size - num_replay),
    )


@contextlib.contextmanager
def part(name: str, config: config_lib.Config) -> Iterator[Tuple[Callable[[], float], int]]:
    """Makes one part of a training, in a graph of its own.

    Args:
      name: of `PARTS`. network: `agent_loop`; actor: `actor`; environment: T steps of K games that
        are called from Python, with random actions, whose choice is not timed; learner: `update`.
      config: the settings.

    Yields:
      What runs it once and returns the seconds that it took, and the agent steps of a run.
    """
    played = config.num_envs * config.unroll_length
    with contextlib.ExitStack() as stack:
        if name == 'environment':
            env = _environment(config)
            stack.callback(env.close)
            yield _timed_games(config, env), played
            return
        stack.enter_context(tf.Graph().as_default())
        if name == 'actor':
            operation, env = actor(config)
            stack.callback(env.close)
        else:
            operation = {'network': agent_loop, 'learner': update}[name](config)
        opened = stack.enter_context(session(config.bfloat16))
        trained = config_lib.batch_split(config)[0] * config.unroll_length
        run = opened.make_callable([operation])
        yield lambda: _seconds(run), trained if name == 'learner' else played


def _environment(config):
    specs = config_lib.make_specs(config)
    return graph.make_environment(config, specs, 'training', config.num_envs)


def _timed_games(config, env):
    rng = np.random.RandomState(0)
    player = players.RandomPlayer(env.action_spec, rng)
    games = [env.reset()]

    def play():
        seconds = 0.0
        for _ in range(config.unroll_length):
            action = player.act(games[0])
            if config.fixed_step_mul:
                step_mul = np.full([env.num_envs], config.step_mul, np.int32)
            else:
                step_mul = rng.randint(1, config.max_step_mul + 1, size=env.num_envs)
            started = time.perf_counter()
            games[0] = env.step(action, step_mul).observation
            seconds += time.perf_counter() - started
        return seconds

    return play


def _seconds(run):
    started = time.perf_counter()
    run()
    return time.perf_counter() - started


def times_in_turn(
    runs: Mapping[str, Callable[[], float]], seconds: float, rounds: int
) -> Dict[str, List[float]]:
    """Runs each of several parts for a while, again and again, so that all meet the same load.

    Args:
      runs: by name what runs once and returns its seconds; it runs once before anything counts.
      seconds: for each of them in each round, in which it runs twice at least.
      rounds: how often it is everybody's turn.

    Returns:
      By name the seconds of all runs.
    """
    found = {name: [] for name in runs}
    for run in runs.values():
        run()
    for _ in range(rounds):
        for name, run in runs.items():
            ends, least = time.perf_counter() + seconds, len(found[name]) + 2
            while len(found[name]) < least or time.perf_counter() < ends:
                found[name].append(run())
    return found


def rate_alone(name: str, config: config_lib.Config, seconds: float) -> float:
    """Agent steps per second of one of the `PARTS`, by the median duration of its runs."""
    with part(name, config) as (run, amount):
        return amount / statistics.median(times_in_turn({name: run}, seconds, rounds=1)[name])


def allowed_by_network(acting: float, learning: float) -> float:
    """Agent steps per second if every step is acted once and learned once, and nothing else."""
    return 1 / (1 / acting + 1 / learning)


@contextlib.contextmanager
def session(in_bfloat16: bool = False) -> Iterator[Any]:
    """A session of a training, with everything initialised."""
    session_config = graph.session_config(deterministic=False, in_bfloat16=in_bfloat16)
    with tf.Session(config=session_config) as opened:
        opened.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
        yield opened


@contextlib.contextmanager
def matrix_product(size: int = 2048) -> Iterator[Tuple[Callable[[], float], int]]:
    """A large product of matrices in float32, to hold the arithmetic of a part against.

    Yields:
      As `part`, with floating-point operations instead of agent steps.
    """
    with tf.Graph().as_default():
        a, b = (tf.Variable(tf.random.normal([size, size]), use_resource=True) for _ in range(2))
        product = tf.matmul(a.read_value(), b.read_value())
        with session() as opened:
            run = opened.make_callable([product.op])
            yield lambda: _seconds(run), 2 * size**3


def arithmetic(operation: tf.Operation) -> Dict[str, float]:
    """Floating-point operations of convolutions and matrix products, by the type of operations.

    Counts what has to be computed for `operation`, and not what else there is in its graph. The
    bodies of loops count nothing.
    """
    options = tf.profiler.ProfileOptionBuilder(
        tf.profiler.ProfileOptionBuilder.float_operation()
    ).with_empty_output()
    needed = {each.name: each.type for each in _needed_for(operation)}
    nodes = [tf.profiler.profile(operation.graph, cmd='scope', options=options.build())]
    found = {}
    while nodes:
        node = nodes.pop()
        nodes.extend(node.children)
        op_type = needed.get(node.name, '')
        if op_type.startswith(('Conv2D', 'MatMul', 'BatchMatMul')):
            found[op_type] = found.get(op_type, 0) + node.float_ops
    return found


def _needed_for(operation):
    seen, ahead = set(), [operation]
    while ahead:
        each = ahead.pop()
        if each not in seen:
            seen.add(each)
            ahead.extend(tensor.op for tensor in each.inputs)
            ahead.extend(each.control_inputs)
    return seen


def arithmetic_of(config: config_lib.Config, what: str) -> Dict[str, float]:
    """The arithmetic of one run of the network.

    Args:
      config: the settings.
      what: 'act' for one step of K games, 'forward' for the agent unrolled over a batch, 'update'
        for forward, backward and all the rest of an update.
    """
    with tf.Graph().as_default():
        if what == 'update':
            return arithmetic(update(config))
        specs = config_lib.make_specs(config)
        agent = graph.make_agent(config, *specs)
        if what == 'act':
            env_output = _constants(_env_output_arrays(specs[0], [config.num_envs]))
            action = {name: tf.zeros([config.num_envs], tf.int32) for name in agent.policy.heads}
            output = agent.act((action, env_output), agent.initial_state(config.num_envs))
        else:
            batch = _batch(config, agent, specs)
            output = agent.unroll(batch.agent_outputs.action, batch.env_outputs, batch.agent_state)
        return arithmetic(tf.group(*tf.nest.flatten(output)))


def in_process_of_its_own(
    script: str, arguments: Sequence[str], show: bool = False
) -> Dict[str, Any]:
    """Runs a benchmark and returns its JSON: what one graph leaves behind may slow the next.

    Args:
      script: the name of a file beside this one.
      arguments: its command line.
      show: print what it prints, without the JSON.

    Raises:
      subprocess.CalledProcessError: if it fails.
    """
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), script)
    command = [sys.executable, path] + list(arguments)
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        last = ''
        for line in process.stdout:
            if show and last:
                print(last, flush=True)
            last = line.decode().rstrip('\n')
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command)
    return json.loads(last)


def _constants(nest):
    """Variables, so that nothing of what is measured is folded away as constant."""

    def variable(array):
        return tf.Variable(array, trainable=False, use_resource=True).read_value()

    return tf.nest.map_structure(variable, nest)


def _kept(tensor):
    return tf.Variable(
        tf.zeros(tensor.shape, tensor.dtype), trainable=False, use_resource=True
    ).assign(tensor)


def _evaluated(build):
    with tf.Graph().as_default(), tf.Session() as opened:
        nest = build()
        # There is nothing to run for an agent without memory.
        return opened.run(nest) if tf.nest.flatten(nest) else nest


def _env_output_arrays(observation_spec, shape):
    rng = np.random.RandomState(0)
    zeros = np.zeros(shape, np.float32)
    counts = np.zeros(shape, np.int32)
    done = rng.uniform(size=shape) < 0.01
    observation = synthetic.random_observation(observation_spec, shape, rng)
    info = structs.EpisodeInfo(zeros, counts, counts, done & False)
    return structs.EnvOutput(zeros + 0.1, info, done, observation)


def _agent_output_arrays(agent, config, shape, rng):
    heads = agent.policy.heads
    num_step_muls = 1 if config.fixed_step_mul else config.max_step_mul
    return structs.AgentOutput(
        action={n: rng.randint(c, size=shape).astype(np.int32) for n, c in heads.items()},
        action_logits={n: rng.normal(size=shape + [c]).astype('f') for n, c in heads.items()},
        step_mul=np.full(shape, config.step_mul if config.fixed_step_mul else 1, np.int32),
        step_mul_logits=np.zeros(shape + [num_step_muls], np.float32),
        baseline=np.zeros(shape, np.float32),
    )
