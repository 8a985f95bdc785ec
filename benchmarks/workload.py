"""Builds trainings and parts of them from command-line flags, for all benchmarks.

This is the only module of the benchmarks that uses the parts of the trainer (`runtime`, `learner`,
`actors`, `experiment`): the benchmarks pass a `Config` on to the functions here without looking
into it, and read the numbers they need from `sizes`.

K is the number of environments of an actor, T the unroll length, B the batch size, replayed
sequences included.
"""

import argparse
import contextlib
import statistics
import time
from typing import (
    Any,
    Callable,
    Dict,
    Iterator,
    List,
    Mapping,
    NamedTuple,
    Optional,
    Sequence,
    Tuple,
)

import numpy as np
import tensorflow.compat.v1 as tf

from benchmarks import timing
from benchmarks.flops import count_flops
from sc2impala import actors, agents, envs, experiment, learner, structs
from sc2impala.envs import players, synthetic
from sc2impala.runtime import checkpoints, graph, loop, phases, seeds, training
from sc2impala.runtime import config as config_lib
from sc2impala.runtime import experience as experience_lib

WORKLOADS = {
    'resnet': ['--backend=synthetic', '--map_name=Frames', '--num_envs=16'],
    'beacon32': ['--map_name=MoveToBeacon', '--screen_size=32', '--fixed_step_mul'],
    'beacon16': ['--map_name=MoveToBeacon', '--fixed_step_mul'],
}
"""Flags of a training by the name of the workload."""

PARTS = ('network', 'actor', 'environment', 'learner')
"""Parts of a training that `part` builds."""

COMPUTATIONS = ('act', 'forward', 'update')
"""Computations of the network of which `flops` counts the arithmetic."""

STARTUP_FUNCTIONS = (
    (training, 'train', 'graph'),
    (config_lib, 'make_specs', 'specs and environments'),
    (graph, 'make_environment', 'specs and environments'),
    (training, '_open_session', 'session and initialisation'),
    (checkpoints.CheckpointWriter, 'save', 'first checkpoint'),
    (loop.Loop, '_update', 'first update'),
)
"""Module or class, name of its function, and the part of the start-up in which it runs; see
`benchmarks.instrumented.training_start`. What `train` does besides the others builds the graph."""

UPDATE_FUNCTION = (loop.Loop, '_update')
"""The class and the name of the method that runs one update."""

Config = config_lib.Config
"""All settings of a training. Benchmarks pass it on, and read `sizes`."""


class Sizes(NamedTuple):
    """The sizes that the speed of a training depends on; the first four are named as their flags.

    num_replay is the number of replayed sequences in a batch.
    """

    num_envs: int
    num_actors: int
    unroll_length: int
    batch_size: int
    num_replay: int

    @property
    def steps_per_unroll(self) -> int:
        """Agent steps of K environments unrolled over T steps."""
        return self.num_envs * self.unroll_length

    @property
    def steps_per_update(self) -> int:
        """Agent steps in the new sequences of a batch."""
        return (self.batch_size - self.num_replay) * self.unroll_length


def parse(
    parser: argparse.ArgumentParser, argv: Optional[Sequence[str]]
) -> Tuple[argparse.Namespace, List[str]]:
    """Splits a command line into the benchmark's own arguments and flags of the training.

    Adds --workload, which stands for the flags in `WORKLOADS`. Flags given on the command line
    override those of the workload.

    Args:
      parser: has the benchmark's own arguments.
      argv: command-line arguments; None for those of the process.

    Returns:
      The benchmark's arguments, and all flags of the training.
    """
    parser.add_argument(
        '--workload',
        choices=sorted(WORKLOADS),
        help='; '.join(f'{name}: {" ".join(flags)}' for name, flags in WORKLOADS.items())
        + '. All other flags are those of the training: python -m sc2impala.experiment --help',
    )
    arguments, flags = parser.parse_known_args(argv)
    return arguments, WORKLOADS.get(arguments.workload, []) + flags


def make_config(flags: Sequence[str]) -> Config:
    """Returns the settings of a training with these flags.

    Raises:
      sc2impala.runtime.errors.UserError: if the settings are invalid.
      SystemExit: if a flag is unknown or of the wrong type.
    """
    config = experiment.read_config(['--logdir=no-such-folder'] + list(flags))
    config_lib.check(config)
    return config


def sizes(config: Config) -> Sizes:
    """Returns the numbers of environments, actors, steps and sequences of a training."""
    return Sizes(
        num_envs=config.num_envs,
        num_actors=config.num_actors,
        unroll_length=config.unroll_length,
        batch_size=config.batch_size,
        num_replay=config_lib.batch_split(config)[1],
    )


def train(flags: Sequence[str]) -> int:
    """Runs the training command in this process; returns its exit code."""
    return experiment.main(list(flags))


def make_environment(config: Config) -> envs.VectorEnvironment:
    """Returns K training environments."""
    return graph.make_environment(config, _make_specs(config), 'training', config.num_envs)


@contextlib.contextmanager
def session(
    config: Optional[Config] = None, one_operation_at_a_time: bool = False
) -> Iterator[tf.Session]:
    """Opens a session as a training does and initialises all variables.

    Args:
      config: the settings, or None for a graph that has no agent.
      one_operation_at_a_time: whether operations run one after the other, each on all cores.
    """
    in_bfloat16 = config is not None and config.bfloat16
    session_config = graph.session_config(deterministic=False, in_bfloat16=in_bfloat16)
    if one_operation_at_a_time:
        session_config.inter_op_parallelism_threads = 1
        # Otherwise the session shares the threads of the first session of the process.
        session_config.use_per_session_threads = True
    with tf.Session(config=session_config) as opened:
        opened.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
        yield opened


def build_acting_loop(config: Config) -> tf.Operation:
    """Builds the agent acting T steps on K constant observations, without an environment."""
    specs, agent = _make_agent(config)
    env_output = _variables_of(_env_output_arrays(specs[0], [config.num_envs]))
    action = _no_action(config, agent)
    state = agent.initial_state(config.num_envs)

    def act(index: tf.Tensor, action: Any, state: Any) -> Tuple[tf.Tensor, Any, Any]:
        output, state = agent.act((action, env_output), state)
        return index + 1, output.action, state

    _, last_action, last_state = tf.while_loop(
        lambda index, *unused: index < config.unroll_length,
        act,
        (tf.constant(0), action, state),
        parallel_iterations=1,
        back_prop=False,
    )
    return tf.group(*[_stored(t) for t in tf.nest.flatten((last_action, last_state))])


def build_actor(config: Config) -> Tuple[tf.Operation, envs.VectorEnvironment]:
    """Builds an actor without a queue.

    Returns:
      The operation that unrolls K environments over T steps, and the environments, to be closed.
    """
    specs, agent = _make_agent(config)
    env = graph.make_environment(config, specs, 'training', config.num_envs)
    output = actors.build_actor(agent, env, config.unroll_length)
    return tf.group(*tf.nest.flatten(output)), env


def build_update(config: Config) -> tf.Operation:
    """Builds the learner on a constant batch; returns the operation that runs an update."""
    specs, agent = _make_agent(config)
    batch = _constant_batch(config, agent, specs)
    return phases.build_phases(config, agent, batch)[-1].train.op


@contextlib.contextmanager
def part(name: str, config: Config) -> Iterator[Tuple[Callable[[], float], int]]:
    """Builds one part of a training in a graph of its own.

    Args:
      name: one of `PARTS`. network: `build_acting_loop`; actor: `build_actor`; environment: T steps
        of K environments called from Python with random actions, the choice of which is not
        timed; learner: `build_update`.
      config: the settings.

    Yields:
      A function that runs the part once and returns its duration in seconds, and the number of
      agent steps of a run.
    """
    steps = sizes(config)
    with contextlib.ExitStack() as stack:
        if name == 'environment':
            env = make_environment(config)
            stack.callback(env.close)
            yield _random_unroll(config, env), steps.steps_per_unroll
            return
        stack.enter_context(tf.Graph().as_default())
        if name == 'actor':
            operation, env = build_actor(config)
            stack.callback(env.close)
        else:
            operation = {'network': build_acting_loop, 'learner': build_update}[name](config)
        opened = stack.enter_context(session(config))
        run = opened.make_callable([operation])
        amount = steps.steps_per_update if name == 'learner' else steps.steps_per_unroll
        yield lambda: timing.seconds_of(run), amount


def rate_alone(name: str, config: Config, seconds: float) -> float:
    """Returns agent steps per second of one of the `PARTS`, from the median duration of its runs.

    Args:
      name: the part.
      config: the settings.
      seconds: for how long to measure.
    """
    with part(name, config) as (run, steps):
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


def flops(config: Config, computation: str) -> Dict[str, float]:
    """Counts the floating-point operations of one run of the network, see `count_flops`.

    Args:
      config: the settings.
      computation: one of `COMPUTATIONS`. act: one step of K environments; forward: the agent
        unrolled over a batch; update: forward and backward pass and the rest of an update.

    Returns:
      {operation type: floating-point operations}.
    """
    with tf.Graph().as_default():
        if computation == 'update':
            return count_flops(build_update(config))
        specs, agent = _make_agent(config)
        if computation == 'act':
            env_output = _variables_of(_env_output_arrays(specs[0], [config.num_envs]))
            inputs = _no_action(config, agent), env_output
            output = agent.act(inputs, agent.initial_state(config.num_envs))
        else:
            batch = _constant_batch(config, agent, specs)
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


def played_sequences(config: Config, num_unrolls: int, every: int) -> structs.ActorOutput:
    """Plays K environments with the initial weights, or with those of --init_checkpoint.

    Args:
      config: the settings.
      num_unrolls: the number of unrolls that are played.
      every: every `every`th unroll is returned, beginning with the `every`th.

    Returns:
      A nest of arrays [N, ...], N = K * (num_unrolls // every), as the replay buffer stores them.
    """
    with tf.Graph().as_default(), tf.Session() as opened:
        # The initial weights of a training with this seed.
        tf.set_random_seed(seeds.streams(config.seed, 'graph', 1, 0)[0])
        specs, agent = _make_agent(config)
        source = experience_lib.build_experience(config, agent, specs, start=0)
        sequences = source.queue.dequeue_many(config.num_envs)
        _initialize(config, opened)
        kept = []
        for index in range(num_unrolls):
            opened.run(source.enqueue_ops[0])
            played = opened.run(sequences)
            # Not the first, which starts from the zero state of a recurrent agent.
            if index % every == every - 1:
                kept.append(played)
        for env in source.envs:
            env.close()
        return tf.nest.map_structure(lambda *arrays: np.concatenate(arrays), *kept)


@contextlib.contextmanager
def synchronous_training(
    config: Config,
    compressions: Sequence[str],
    combine: Callable[[Mapping[str, Any]], Any],
) -> Iterator[Tuple[Any, Callable[[], None]]]:
    """Builds a training with replay in which actor and learner run alternately.

    Args:
      config: the settings; they must ask for replay.
      compressions: values of --replay_compression, each for a replay buffer of its own.
      combine: receives these buffers (`replay.Replay`) by compression, and returns the one that the
        training uses. Of the methods of `replay.Replay` it needs `size`, `insert` and `sample`.

    Yields:
      The combined buffer, and a function that runs an update: it plays until the queue holds the
      new sequences of a batch, then learns from the batch.
    """
    with tf.Graph().as_default():
        specs, agent = _make_agent(config)
        source = experience_lib.build_experience(config, agent, specs, start=0)
        buffer = combine(
            {
                name: experience_lib.make_replay(
                    config._replace(replay_compression=name), source.queue
                )
                for name in compressions
            }
        )
        num_new, num_replay = config_lib.batch_split(config)
        batch = learner.next_batch(source.queue, num_new, num_replay, buffer)
        update = phases.build_phases(config._replace(init_checkpoint=''), agent, batch)[-1].train
        queue_size = source.queue.size()
        with tf.Session(config=graph.session_config(deterministic=False)) as opened:
            _initialize(config, opened)

            def run_update() -> None:
                # The first batch of a buffer has new sequences only.
                filled = buffer.size >= num_replay
                num_needed = num_new if filled else num_new + num_replay
                while opened.run(queue_size) < num_needed:
                    opened.run(source.enqueue_ops[0])
                opened.run(update)

            yield buffer, run_update
        for env in source.envs:
            env.close()


def _initialize(config: Config, opened: tf.Session) -> None:
    """Sets initial weights, or those of --init_checkpoint."""
    opened.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
    if config.init_checkpoint:
        variables = tf.trainable_variables()
        path = checkpoints.find_initial(config.init_checkpoint)
        values = checkpoints.assignments_from(path, variables)
        for variable in variables:
            variable.load(values[variable.op.name], opened)


def _make_specs(config: Config) -> Tuple[Any, Any]:
    """Returns the observation spec and the action spec."""
    return config_lib.make_specs(config)


def _make_agent(config: Config) -> Tuple[Tuple[Any, Any], agents.Agent]:
    """Builds the agent in the default graph; returns observation and action spec, and the agent."""
    specs = _make_specs(config)
    return specs, graph.make_agent(config, *specs)


def _random_unroll(config: Config, env: envs.VectorEnvironment) -> Callable[[], float]:
    """Returns a function that plays T random steps and returns the seconds of the environment."""
    rng = np.random.RandomState(0)
    player = players.RandomPlayer(env.action_spec, rng)
    observation = env.reset()

    def unroll() -> float:
        nonlocal observation
        seconds = 0.0
        for _ in range(config.unroll_length):
            action = player.act(observation)
            if config.fixed_step_mul:
                step_mul = np.full([env.num_envs], config.step_mul, np.int32)
            else:
                step_mul = rng.randint(1, config.max_step_mul + 1, size=env.num_envs).astype(
                    np.int32
                )
            started = time.perf_counter()
            observation = env.step(action, step_mul).observation
            seconds += time.perf_counter() - started
        return seconds

    return unroll


def _constant_batch(config: Config, agent: agents.Agent, specs: Tuple[Any, Any]) -> learner.Batch:
    """Returns a random batch [T + 1, B], the same one in every run."""
    shape = [config.unroll_length + 1, config.batch_size]
    rng = np.random.RandomState(0)
    _, num_replay = config_lib.batch_split(config)
    return learner.Batch(
        agent_state=_variables_of(_evaluated(lambda: agent.initial_state(config.batch_size))),
        env_outputs=_variables_of(_env_output_arrays(specs[0], shape)),
        agent_outputs=_variables_of(_agent_output_arrays(agent, config, shape, rng)),
        is_replay=tf.constant(np.arange(config.batch_size) >= config.batch_size - num_replay),
    )


def _no_action(config: Config, agent: agents.Agent) -> Dict[str, tf.Tensor]:
    return {name: tf.zeros([config.num_envs], tf.int32) for name in agent.policy.heads}


def _variables_of(nest: Any) -> Any:
    """Reads variables with the values of a nest of arrays.

    Constants would let TensorFlow compute parts of the measured graph in advance.
    """

    def variable(array: np.ndarray) -> tf.Tensor:
        return tf.Variable(array, trainable=False, use_resource=True).read_value()

    return tf.nest.map_structure(variable, nest)


def _stored(tensor: tf.Tensor) -> tf.Operation:
    """Assigns a tensor to a variable, so that its computation is not optimised away."""
    return tf.Variable(
        tf.zeros(tensor.shape, tensor.dtype), trainable=False, use_resource=True
    ).assign(tensor)


def _evaluated(build: Callable[[], Any]) -> Any:
    """Builds a nest of tensors in a temporary graph; returns their values."""
    with tf.Graph().as_default(), tf.Session() as opened:
        nest = build()
        # The state of an agent without a recurrent core has no tensors to run.
        return opened.run(nest) if tf.nest.flatten(nest) else nest


def _env_output_arrays(observation_spec: Any, shape: Sequence[int]) -> structs.EnvOutput:
    rng = np.random.RandomState(0)
    zeros = np.zeros(shape, np.float32)
    counts = np.zeros(shape, np.int32)
    done = rng.uniform(size=shape) < 0.01
    observation = synthetic.random_observation(observation_spec, shape, rng)
    info = structs.EpisodeInfo(zeros, counts, counts, done & False)
    return structs.EnvOutput(zeros + 0.1, info, done, observation)


def _agent_output_arrays(
    agent: agents.Agent, config: Config, shape: List[int], rng: np.random.RandomState
) -> structs.AgentOutput:
    heads = agent.policy.heads
    num_step_muls = 1 if config.fixed_step_mul else config.max_step_mul
    return structs.AgentOutput(
        action={n: rng.randint(c, size=shape).astype(np.int32) for n, c in heads.items()},
        action_logits={n: rng.normal(size=shape + [c]).astype('f') for n, c in heads.items()},
        step_mul=np.full(shape, config.step_mul if config.fixed_step_mul else 1, np.int32),
        step_mul_logits=np.zeros(shape + [num_step_muls], np.float32),
        baseline=np.zeros(shape, np.float32),
    )
