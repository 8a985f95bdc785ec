"""Sequences of an agent, and runs whose actor and learner alternate."""

import contextlib
import dataclasses
from typing import Any, Callable, Iterator, Mapping, Sequence, Tuple

import numpy as np
import tensorflow.compat.v1 as tf

from benchmarks.workload.flags import batch_split
from benchmarks.workload.graphs import make_agent
from sc2impala import actors as actors_lib
from sc2impala import replay, structs
from sc2impala.agents.agent import Agent
from sc2impala.checkpoints import variables
from sc2impala.learner.sources import Batches
from sc2impala.runtime import seeds, sessions
from sc2impala.settings.settings import Settings
from sc2impala.training import phases, replay_buffer
from sc2impala.training.local_actors import LocalActors


def played_sequences(settings: Settings, num_unrolls: int, every: int) -> structs.ActorOutput:
    """Steps K environments with the initial weights, or those of --init_checkpoint.

    Args:
      settings: of the training.
      num_unrolls: the number of unrolls.
      every: every `every`th unroll is returned, beginning with the `every`th.

    Returns:
      A nest of arrays [N, ...], N = K * (num_unrolls // every), as the replay buffer stores them.
    """
    with contextlib.ExitStack() as stack:
        stack.enter_context(tf.Graph().as_default())
        agent, played = _build_actors(settings, stack)
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
      The combined buffer, and a function that runs an update: it steps the environments
      until the queue has the new sequences of a batch, then trains on the batch.
    """
    with contextlib.ExitStack() as stack:
        stack.enter_context(tf.Graph().as_default())
        agent, played = _build_actors(settings, stack)
        buffer = combine({name: _make_buffer(settings, name, played) for name in compressions})
        batches = Batches(devices=())
        built = phases.make_phases(settings, agent, played.queue, buffer, batches)
        update = built[-1].train
        num_new, num_replay = batch_split(settings)
        queue_size = played.queue.size()
        opened = stack.enter_context(
            tf.Session(config=sessions.session_config(deterministic=False))
        )
        _initialize(settings, agent, opened)

        def run_update() -> None:
            # The first batch of a buffer has new sequences only.
            filled = buffer.size >= num_replay
            num_needed = num_new if filled else num_new + num_replay
            while opened.run(queue_size) < num_needed:
                opened.run(played.enqueue_ops[0])
            opened.run(update)

        yield buffer, run_update


def _build_actors(settings: Settings, stack: contextlib.ExitStack) -> Tuple[Agent, LocalActors]:
    """Builds the agent, with the initial weights of a training with this seed, actors and queue.

    Args:
      settings: of the training.
      stack: closes the environments.
    """
    tf.set_random_seed(seeds.streams(settings.run.seed, 'graph', 1, 0)[0])
    specs, agent = make_agent(settings)
    played = LocalActors(settings, stack)
    spec = actors_lib.sequence_spec(agent, specs[0], settings.actors.unroll_length)
    played.build(agent, specs, spec, 0, None)
    return agent, played


def _make_buffer(settings: Settings, compression: str, played: LocalActors) -> replay.ReplayTable:
    """Returns the replay buffer of a training, with another compression."""
    changed = dataclasses.replace(settings.replay, replay_compression=compression)
    seed = seeds.streams(settings.run.seed, 'replay', 1)[0]
    return replay_buffer.make_replay_table(changed, played.queue.spec, seed)


def _initialize(settings: Settings, agent: Agent, opened: tf.Session) -> None:
    """Sets initial weights, or those of --init_checkpoint."""
    opened.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
    if settings.start.init_checkpoint:
        variables.weights_loader(settings.start.init_checkpoint, agent.weights)(opened)
