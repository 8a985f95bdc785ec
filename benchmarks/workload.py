"""The parts of a training, each to be run alone: what the benchmarks of speed share.

A workload is given by the flags of the command itself, so that whatever can be trained can be
measured. All sessions have the settings of a training.
"""

import argparse
import contextlib
import json
import statistics
import subprocess
import sys
import time
from typing import Any, Callable, Dict, Iterator, List, Sequence, Tuple

import numpy as np
import tensorflow.compat.v1 as tf

from sc2impala import actors, experiment, learner, structs
from sc2impala.runtime import config as config_lib
from sc2impala.runtime import graph, phases

WORKLOADS = {
    'resnet': ['--backend=synthetic', '--map_name=Frames', '--num_envs=16'],
    'beacon32': ['--map_name=MoveToBeacon', '--screen_size=32', '--fixed_step_mul'],
    'beacon16': ['--map_name=MoveToBeacon', '--fixed_step_mul'],
}
"""Flags by the name of a workload."""


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
    shape = [config.unroll_length + 1, config.batch_size]
    rng = np.random.RandomState(0)
    _, num_replay = config_lib.batch_split(config)
    batch = learner.Batch(
        agent_state=_constants(_evaluated(lambda: agent.initial_state(config.batch_size))),
        env_outputs=_constants(_env_output_arrays(specs[0], shape)),
        agent_outputs=_constants(_agent_output_arrays(agent, config, shape, rng)),
        is_replay=tf.constant(np.arange(config.batch_size) >= config.batch_size - num_replay),
    )
    return phases.build_phases(config, agent, batch)[-1].train.op


@contextlib.contextmanager
def session() -> Iterator[Any]:
    """A session of a training, with everything initialised."""
    with tf.Session(config=graph.session_config(deterministic=False)) as opened:
        opened.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
        yield opened


def rate(run: Callable[[], Any], per_run: float, seconds: float) -> float:
    """Calls `run` for so many seconds, at least five times; `per_run` by the median duration."""
    run()
    durations, started = [], time.perf_counter()
    while len(durations) < 5 or time.perf_counter() - started < seconds:
        before = time.perf_counter()
        run()
        durations.append(time.perf_counter() - before)
    return per_run / statistics.median(durations)


def matmul_flops_per_second(seconds: float = 2.0, size: int = 2048) -> float:
    """What a large product of matrices reaches here: its best run, floating-point operations."""
    with tf.Graph().as_default():
        a, b = (tf.Variable(tf.random.normal([size, size]), use_resource=True) for _ in range(2))
        product = tf.matmul(a.read_value(), b.read_value())
        with session() as opened:
            run = opened.make_callable([product.op])
            run()
            durations, started = [], time.perf_counter()
            while time.perf_counter() - started < seconds:
                before = time.perf_counter()
                run()
                durations.append(time.perf_counter() - before)
    return 2 * size**3 / min(durations)


def arithmetic(tf_graph: tf.Graph) -> float:
    """Floating-point operations of all convolutions and matrix products of a graph, loops once."""
    options = tf.profiler.ProfileOptionBuilder(
        tf.profiler.ProfileOptionBuilder.float_operation()
    ).with_empty_output()
    profile = tf.profiler.profile(tf_graph, cmd='op', options=options.build())
    return sum(_float_ops_of(profile))


def in_process_of_its_own(script: str, arguments: Sequence[str]) -> Dict[str, Any]:
    """Runs a benchmark and returns its JSON: what one graph leaves behind may slow the next."""
    output = subprocess.run(
        [sys.executable, script] + list(arguments), stdout=subprocess.PIPE, check=True
    ).stdout
    return json.loads(output.decode().splitlines()[-1])


def _float_ops_of(node):
    for child in node.children:
        yield from _float_ops_of(child)
    if node.name.startswith(('Conv2D', 'MatMul', 'BatchMatMul', '_FusedConv2D')):
        yield node.float_ops


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
        return opened.run(build())


def _env_output_arrays(observation_spec, shape):
    rng = np.random.RandomState(0)
    zeros = np.zeros(shape, np.float32)
    counts = np.zeros(shape, np.int32)
    done = rng.uniform(size=shape) < 0.01
    layers = observation_spec.screen_layers + observation_spec.minimap_layers
    scales = {layer.name: layer.scale for layer in layers}

    def array(name, spec):
        if spec.dtype == np.bool_:
            return np.ones(tuple(shape) + spec.shape, np.bool_)
        high = scales.get(name, 100)
        return rng.randint(high, size=tuple(shape) + spec.shape).astype(spec.dtype)

    def fill(structure):
        return {
            name: fill(spec) if isinstance(spec, dict) else array(name, spec)
            for name, spec in structure.items()
        }

    info = structs.EpisodeInfo(zeros, counts, counts, done & False)
    return structs.EnvOutput(zeros + 0.1, info, done, fill(observation_spec.structure()))


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
