"""The replay buffer of a run, and its summaries."""

from typing import Callable, Dict, Optional

import numpy as np
import tensorflow.compat.v1 as tf

from sc2impala import actors as actors_lib
from sc2impala import replay as replay_lib
from sc2impala.errors import UserError
from sc2impala.learner import sources
from sc2impala.learner.batch import Batch
from sc2impala.runtime import memory
from sc2impala.settings.groups import ReplaySettings
from sc2impala.structs import ActorOutput


def make_replay_table(
    settings: ReplaySettings, spec: ActorOutput, seed: int
) -> replay_lib.ReplayTable:
    """The replay table for sequences of a spec.

    Args:
      settings: size, sampler, remover and compression.
      spec: `ActorOutput` of `tf.TensorSpec`s of one sequence.
      seed: seed of its random numbers.

    Raises:
      UserError: if it does not fit into the memory of the machine, as far as that is known before
        there are sequences; see `components.replay_limit` for the rest.
    """
    specs = actors_lib.component_specs(spec)
    compressed = settings.replay_compression != 'none'
    needed = raw_bytes(settings, spec)
    if compressed:
        needed = replay_lib.min_compressed_bytes(specs, settings.replay_buffer_size)
    available = memory.available_bytes()
    if needed > available:
        raise UserError(
            f'--replay_buffer_size={settings.replay_buffer_size} takes '
            f'{"at least " if compressed else ""}{memory.text(needed)}, but this machine '
            f'has {memory.text(available)} left, expected at most '
            f'{int(settings.replay_buffer_size * available / needed)} sequences.'
        )
    return replay_lib.ReplayTable(
        settings.replay_buffer_size,
        specs,
        _make_sampler(settings),
        replay_lib.REMOVERS[settings.replay_eviction](),
        np.random.RandomState(seed),
        settings.replay_compression,
        defaults=_defaults_of_older_versions(spec, len(specs)),
    )


def _make_sampler(settings: ReplaySettings) -> replay_lib.Sampler:
    if settings.replay_sampler == replay_lib.Prioritised.name:
        return replay_lib.Prioritised(settings.priority_exponent)
    return replay_lib.SAMPLERS[settings.replay_sampler]()


def raw_bytes(settings: ReplaySettings, spec: ActorOutput) -> int:
    """The size of a full replay table without compression, in bytes."""
    specs = actors_lib.component_specs(spec)
    return replay_lib.uncompressed_bytes(specs, settings.replay_buffer_size)


def replay_metrics(table: replay_lib.ReplayTable, batch: Batch) -> Dict[str, tf.Tensor]:
    """`replay/sequences`, the number of them, and `replay/mebibytes`, their size: float32 [].

    Args:
      table: the replay table.
      batch: `learner.batch.Batch`; the values are read after its sequences were inserted.
    """
    metrics = {}
    for name, value in (
        ('sequences', lambda: np.float32(table.size)),
        ('mebibytes', lambda: np.float32(table.num_bytes / memory.MIB)),
    ):
        with tf.control_dependencies([batch.keys]):
            tensor = tf.numpy_function(value, [], tf.float32, name='replay_' + name)
        tensor.set_shape([])
        metrics['replay/' + name] = tensor
    return metrics


def priority_updates(table: Optional[replay_lib.ReplayTable]) -> Optional[Callable]:
    """(keys, priorities) -> operation that sets priorities in the table, or None.

    None without a table, or if its sampler has no priorities.
    """
    if table is None or not table.has_priorities:
        return None
    return lambda keys, priorities: sources.update_priorities(table, keys, priorities)


def _defaults_of_older_versions(spec: ActorOutput, num_components: int) -> Dict[int, int]:
    """Values for `SequenceInfo`, the last component, which older versions did not save.

    Returns nothing with a teacher, which those versions did not have.
    """
    if spec.teacher_logits:
        return {}
    num_info = len(tf.nest.flatten(spec.sequence_info))
    return dict.fromkeys(range(num_components - num_info, num_components), 0)
