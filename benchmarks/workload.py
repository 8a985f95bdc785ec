"""Builds trainings and parts of them from command-line flags, for all benchmarks.

This is the only module of the benchmarks that uses the parts of the trainer (`runtime`, `learner`,
`actors`, `settings`, `experiment`): the benchmarks pass `Settings` on to the functions here without
looking into them, and read the numbers they need from `sizes`.

K is the number of environments of an actor, T the unroll length, B the batch size, replayed
sequences included.
"""

import argparse
import contextlib
import dataclasses
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
from sc2impala import actors, agents, envs, experiment, learner, replay, structs, tf_setup
from sc2impala.agents.agent import Agent
from sc2impala.envs import players, synthetic
from sc2impala.learner import phases, sources
from sc2impala.runtime import (
    checkpoints,
    experience,
    graph,
    seeds,
    trainer,
    training_experience,
    training_phases,
)
from sc2impala.runtime.batches import Batches
from sc2impala.settings import validation
from sc2impala.settings.settings import Settings

tf_setup.enable()

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

STARTUP_MODULES = tuple(agents.AGENTS.values()) + (
    'sc2impala.learner.targets',
    'sc2impala.runtime.training',
)
"""Modules that functions of a training import when they are called. Imported before, they count as
imports and not as the part of the start-up in which the function runs."""

STARTUP_FUNCTIONS = (
    (experiment, 'train', 'graph'),
    (graph, 'make_specs', 'specs and environments'),
    (graph, 'make_environment', 'specs and environments'),
    (trainer, 'open_session', 'session and initialisation'),
    (checkpoints.CheckpointWriter, 'save', 'first checkpoint'),
    (trainer, 'update', 'first update'),
)
"""Module or class, name of its function, and the part of the start-up in which it runs; see
`benchmarks.instrumented.training_start`. What `train` does besides the others builds the graph."""

UPDATE_FUNCTION = (trainer, 'update')
"""The module and the name of the function that runs one update."""


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


def make_settings(flags: Sequence[str]) -> Settings:
    """Returns the settings of a training with these flags.

    Raises:
      sc2impala.errors.UserError: if a flag is unknown or its value invalid.
    """
    # The speed of a phase of imitation is that of the script as well.
    flags = ['--logdir=no-such-folder', '--from_scratch', *flags]
    settings = experiment.read_settings(flags)
    validation.check(settings)
    return settings


def sizes(settings: Settings) -> Sizes:
    """Returns the numbers of environments, actors, steps and sequences of a training."""
    return Sizes(
        num_envs=settings.actors.num_envs,
        num_actors=settings.actors.num_actors,
        unroll_length=settings.actors.unroll_length,
        batch_size=settings.training.batch_size,
        num_replay=_batch_split(settings)[1],
    )


def train(flags: Sequence[str]) -> int:
    """Runs the training command in this process; returns its exit code."""
    return experiment.main(list(flags))


def make_environment(settings: Settings) -> envs.VectorEnvironment:
    """Returns K training environments."""
    return _make_environment(settings, graph.make_specs(settings.environment))


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
    session_config = graph.session_config(deterministic=False, in_bfloat16=in_bfloat16)
    if one_operation_at_a_time:
        session_config.inter_op_parallelism_threads = 1
        # Otherwise the session shares the threads of the first session of the process.
        session_config.use_per_session_threads = True
    with tf.Session(config=session_config) as opened:
        opened.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
        yield opened


def build_acting_loop(settings: Settings) -> tf.Operation:
    """Builds the agent acting T steps on K constant observations, without an environment."""
    specs, agent = _make_agent(settings)
    env_output = _variables_of(_env_output_arrays(specs[0], [settings.actors.num_envs]))
    action = _no_action(settings, agent)
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
    return tf.group(*[_stored(t) for t in tf.nest.flatten((last_action, last_state))])


def build_actor(settings: Settings) -> Tuple[tf.Operation, envs.VectorEnvironment]:
    """Builds an actor without a queue.

    Returns:
      The operation that unrolls K environments over T steps, and the environments, to be closed.
    """
    specs, agent = _make_agent(settings)
    env = _make_environment(settings, specs)
    output = actors.build_actor(
        agent, env, settings.actors.unroll_length, policy_version=phases.policy_version()
    )
    return tf.group(*tf.nest.flatten(output)), env


def build_update(settings: Settings) -> tf.Operation:
    """Builds the learner on a constant batch; returns the operation that runs an update."""
    specs, agent = _make_agent(settings)
    source = _ConstantSource(_constant_batch(settings, agent, specs))
    name = settings.training.algorithm
    plan = phases.Plan(
        learner.load(name)(settings.algorithms[name]),
        source,
        settings.environment.map_name,
        settings.training.total_environment_frames,
        tf.train.get_or_create_global_step(),
    )
    batches = Batches(devices=())
    (phase,) = phases.build_phases([plan], agent, batches.of, phases.policy_version())
    return phase.train.op


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
        specs, agent = _make_agent(settings)
        if computation == 'act':
            env_output = _variables_of(_env_output_arrays(specs[0], [settings.actors.num_envs]))
            inputs = _no_action(settings, agent), env_output
            output = agent.act(inputs, agent.initial_state(settings.actors.num_envs))
        else:
            batch = _constant_batch(settings, agent, specs)
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


def played_sequences(settings: Settings, num_unrolls: int, every: int) -> structs.ActorOutput:
    """Plays K environments with the initial weights, or with those of --init_checkpoint.

    Args:
      settings: of the training.
      num_unrolls: the number of unrolls that are played.
      every: every `every`th unroll is returned, beginning with the `every`th.

    Returns:
      A nest of arrays [N, ...], N = K * (num_unrolls // every), as the replay buffer stores them.
    """
    with contextlib.ExitStack() as stack:
        stack.enter_context(tf.Graph().as_default())
        agent, played = _build_experience(settings, stack)
        sequences = played.queue.dequeue_many(settings.actors.num_envs)
        opened = stack.enter_context(tf.Session())
        _initialize(settings, agent, opened)
        kept = []
        for index in range(num_unrolls):
            opened.run(played.enqueue_ops[0])
            unrolled = opened.run(sequences)
            # Not the first, which starts from the zero state of a recurrent agent.
            if index % every == every - 1:
                kept.append(unrolled)
        return tf.nest.map_structure(lambda *arrays: np.concatenate(arrays), *kept)


@contextlib.contextmanager
def synchronous_training(
    settings: Settings,
    compressions: Sequence[str],
    combine: Callable[[Mapping[str, Any]], Any],
) -> Iterator[Tuple[Any, Callable[[], None]]]:
    """Builds a training with replay in which actor and learner run alternately.

    Args:
      settings: of the training; they must ask for replay.
      compressions: values of --replay_compression, each for a replay buffer of its own.
      combine: receives these buffers (`replay.ReplayTable`) by compression, and returns the one
        that the training uses. Of the attributes of a `ReplayTable` it needs `size`, `insert` and
        `sample`.

    Yields:
      The combined buffer, and a function that runs an update: it plays until the queue holds the
      new sequences of a batch, then learns from the batch.
    """
    with contextlib.ExitStack() as stack:
        stack.enter_context(tf.Graph().as_default())
        agent, played = _build_experience(settings, stack)
        buffer = combine({name: _make_buffer(settings, name, played) for name in compressions})
        batches = Batches(devices=())
        built = training_phases.make_phases(settings, agent, played, buffer, batches)
        update = built[-1].train
        num_new, num_replay = _batch_split(settings)
        queue_size = played.queue.size()
        opened = stack.enter_context(tf.Session(config=graph.session_config(deterministic=False)))
        _initialize(settings, agent, opened)

        def run_update() -> None:
            # The first batch of a buffer has new sequences only.
            filled = buffer.size >= num_replay
            num_needed = num_new if filled else num_new + num_replay
            while opened.run(queue_size) < num_needed:
                opened.run(played.enqueue_ops[0])
            opened.run(update)

        yield buffer, run_update


def build_weights(settings: Settings) -> Tuple[List[tf.Variable], int]:
    """Builds the agent in the default graph; returns its variables, and their size in bytes."""
    _make_agent(settings)
    variables = tf.global_variables()
    return variables, sum(v.shape.num_elements() * v.dtype.size for v in variables)


def _build_experience(
    settings: Settings, stack: contextlib.ExitStack
) -> Tuple[Agent, experience.Experience]:
    """Builds the agent, with the initial weights of a training with this seed, actors and queue.

    Args:
      settings: of the training.
      stack: closes the environments.
    """
    tf.set_random_seed(seeds.streams(settings.run.seed, 'graph', 1, 0)[0])
    specs, agent = _make_agent(settings)
    played, _ = training_experience.make_experience(settings, agent, specs, 0, stack)
    return agent, played


def _make_buffer(
    settings: Settings, compression: str, played: experience.Experience
) -> replay.ReplayTable:
    """Returns the replay buffer of a training, with another compression."""
    changed = dataclasses.replace(settings.replay, replay_compression=compression)
    seed = seeds.streams(settings.run.seed, 'replay', 1)[0]
    return experience.make_replay_table(changed, played.queue.spec, seed)


def _initialize(settings: Settings, agent: Agent, opened: tf.Session) -> None:
    """Sets initial weights, or those of --init_checkpoint."""
    opened.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
    if settings.start.init_checkpoint:
        checkpoints.weights_loader(settings.start.init_checkpoint, agent.weights)(opened)


def _batch_split(settings: Settings) -> Tuple[int, int]:
    """Returns the numbers of new and of replayed sequences in a batch."""
    return validation.batch_split(settings.training, settings.replay)


def _make_environment(settings: Settings, specs: Tuple[Any, Any]) -> envs.VectorEnvironment:
    """Returns K training environments with these observation and action specs."""
    env_seeds = seeds.streams(settings.run.seed, 'training', settings.actors.num_envs)
    return graph.make_environment(settings.environment, settings.starcraft, specs, env_seeds)


def _make_agent(settings: Settings) -> Tuple[Tuple[Any, Any], Agent]:
    """Builds the agent in the default graph; returns observation and action spec, and the agent."""
    environment = settings.environment
    specs = graph.make_specs(environment)
    agent = graph.make_agent(
        settings.agent, specs, environment.max_step_mul, environment.agent_step_mul
    )
    return specs, agent


def _random_unroll(settings: Settings, env: envs.VectorEnvironment) -> Callable[[], float]:
    """Returns a function that plays T random steps and returns the seconds of the environment."""
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


class _ConstantSource(sources.Source):
    """A source whose batches are all the same one."""

    def __init__(self, batch: learner.Batch):
        self._batch = batch

    def next_batch(self) -> learner.Batch:
        """See Source."""
        return self._batch


def _constant_batch(settings: Settings, agent: Agent, specs: Tuple[Any, Any]) -> learner.Batch:
    """Returns a random batch [T + 1, B], the same one in every run."""
    size = settings.training.batch_size
    shape = [settings.actors.unroll_length + 1, size]
    rng = np.random.RandomState(0)
    num_new, num_replay = _batch_split(settings)
    # Played by the initial weights of the first actor.
    info = structs.SequenceInfo(
        task=np.zeros([size], np.int32),
        actor=np.zeros([size], np.int32),
        policy_frames=np.zeros([size], np.int64),
        policy_updates=np.zeros([size], np.int64),
    )
    return learner.Batch(
        agent_state=_variables_of(_evaluated(lambda: agent.initial_state(size))),
        env_outputs=_variables_of(_env_output_arrays(specs[0], shape)),
        agent_outputs=_variables_of(_agent_output_arrays(agent, settings, shape, rng)),
        sequence_info=_variables_of(info),
        is_replay=tf.constant(np.arange(size) >= num_new),
        keys=tf.constant(np.full([size], -1, np.int64)),
        probabilities=tf.constant(np.ones([size], np.float32)),
        num_replay=num_replay,
    )


def _no_action(settings: Settings, agent: Agent) -> Dict[str, tf.Tensor]:
    return {name: tf.zeros([settings.actors.num_envs], tf.int32) for name in agent.policy.heads}


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
    # No step follows another one: what it took is its multiplier.
    info = structs.EpisodeInfo(zeros, counts + 10**6, counts + 2, done & False)
    return structs.EnvOutput(zeros + 0.1, info, done, observation)


def _agent_output_arrays(
    agent: Agent, settings: Settings, shape: List[int], rng: np.random.RandomState
) -> structs.AgentOutput:
    heads = agent.policy.heads
    fixed = settings.environment.agent_step_mul
    num_step_muls = settings.environment.max_step_mul if fixed is None else 1
    return structs.AgentOutput(
        action={n: rng.randint(c, size=shape).astype(np.int32) for n, c in heads.items()},
        action_logits={n: rng.normal(size=shape + [c]).astype('f') for n, c in heads.items()},
        step_mul=np.full(shape, 1 if fixed is None else fixed, np.int32),
        step_mul_logits=np.zeros(shape + [num_step_muls], np.float32),
        baseline=np.zeros(shape, np.float32),
    )
