"""Where sequences come from: environments, actors and their queue; and where old ones are kept."""

import collections
import contextlib
from typing import Any, Optional, Tuple

import numpy as np
import tensorflow.compat.v1 as tf

from sc2impala import actors, learner, replay
from sc2impala.runtime import config as config_lib
from sc2impala.runtime import graph, memory, seeds
from sc2impala.runtime.errors import UserError

Experience = collections.namedtuple('Experience', ['queue', 'enqueue_ops', 'envs'])
"""queue: `SequenceQueue` of ActorOutputs; enqueue_ops: one per actor; envs: to be closed."""


def build_experience(
    config: config_lib.Config, agent: Any, specs: Tuple[Any, Any], start: int
) -> Experience:
    """Builds the actors and the queue that they fill.

    Args:
      config: the settings.
      agent: `agents.Agent`.
      specs: observation and action spec.
      start: how often the run had been started before; other games are played each time.

    Raises:
      UserError: if an environment cannot be made; those that were are closed.
    """
    envs, outputs = [], []
    with contextlib.ExitStack() as stack, tf.device('/cpu'):
        for actor in range(config.num_actors):
            env = graph.make_environment(config, specs, 'training', config.num_envs, start, actor)
            envs.append(env)
            stack.callback(env.close)
            outputs.append(actors.build_actor(agent, env, config.unroll_length))
        capacity = config.queue_capacity or config.batch_size + config.num_envs
        queue = actors.SequenceQueue(outputs[0], capacity)
        enqueue_ops = [queue.enqueue_many(output) for output in outputs]
        stack.pop_all()
    return Experience(queue, enqueue_ops, envs)


def run_in_background(experience: Experience) -> None:
    """Lets every actor play in a thread of its own as soon as the session starts."""
    tf.train.add_queue_runner(tf.train.QueueRunner(experience.queue.queue, experience.enqueue_ops))


def make_replay(config: config_lib.Config, queue: Any) -> Optional[Any]:
    """The replay memory for the elements of the queue, or None if nothing is replayed.

    Raises:
      UserError: if it does not fit the memory of the machine, as far as that can be told before
        there are sequences; see `replay_watch` for the rest.
    """
    _, num_replay = config_lib.batch_split(config)
    if not num_replay:
        return None
    compressed = config.replay_compression != 'none'
    needed = replay_bytes(config, queue)
    if compressed:
        needed = replay.least_compressed_bytes(queue.component_specs(), config.replay_buffer_size)
    available = memory.available_bytes()
    if needed > available:
        raise UserError(
            f'--replay_buffer_size={config.replay_buffer_size} takes '
            f'{"at least " if compressed else ""}{needed / memory.MIB:,.0f} MiB, but this machine '
            f'has {available / memory.MIB:,.0f} MiB left, expected at most '
            f'{int(config.replay_buffer_size * available / needed)} sequences.'
        )
    return replay.Replay(
        config.replay_buffer_size,
        queue.component_specs(),
        config.replay_eviction,
        np.random.RandomState(seeds.streams(config.seed, 'replay', 1)[0]),
        config.replay_compression,
    )


def replay_bytes(config: config_lib.Config, queue: Any) -> int:
    """What a full replay memory takes uncompressed."""
    return replay.memory_bytes(queue.component_specs(), config.replay_buffer_size)


def add_replay_summaries(memory_of_sequences: Any) -> None:
    """`replay/sequences`, how many there are, and `replay/mebibytes`, what they take.

    Args:
      memory_of_sequences: `replay.Replay`.
    """
    for name, value in (
        ('sequences', lambda: np.float32(memory_of_sequences.size)),
        ('mebibytes', lambda: np.float32(memory_of_sequences.num_bytes / memory.MIB)),
    ):
        tensor = tf.numpy_function(value, [], tf.float32, name='replay_' + name)
        tensor.set_shape([])
        tf.summary.scalar(
            'replay/' + name,
            tensor,
            collections=[tf.GraphKeys.SUMMARIES, learner.CRITIC_SUMMARIES],
        )
