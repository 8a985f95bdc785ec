"""Sources of batches: the queue of the actors, a replay table, or both.

N is the number of new sequences in a batch, R of replayed ones, B = N + R.
"""

import abc
from typing import TYPE_CHECKING, Callable, Dict, List, Optional, Sequence, Set, Tuple

import numpy as np
import tensorflow.compat.v1 as tf

from sc2impala import activity
from sc2impala.learner.batch import Batch, Staging, make_batch, split, stage
from sc2impala.replay import ReplayTable
from sc2impala.structs import ActorOutput, Nest

if TYPE_CHECKING:
    from sc2impala.actors import SequenceQueue


class Source(abc.ABC):
    """Source of the batches of a phase.

    recorded: True if all new columns come from recordings, and so were not generated in this run.
    variables: local variables that an exact resume restores; set by `next_batch`.
    """

    recorded = False
    variables: Sequence[tf.Variable] = ()

    @abc.abstractmethod
    def next_batch(self) -> Batch:
        """Builds the operations that take the next batch; call it once per graph."""


class QueueSource(Source):
    """New sequences only."""

    def __init__(self, queue: 'SequenceQueue', num_sequences: int):
        """Args:
        queue: `actors.SequenceQueue` of `ActorOutput`s.
        num_sequences: B.
        """
        self._queue = queue
        self._num_sequences = num_sequences

    def next_batch(self) -> Batch:
        """Takes B sequences from the queue."""
        return make_batch(self._queue.dequeue_many(self._num_sequences))


class ReplaySource(Source):
    """Sequences of a replay table only; another component fills it."""

    def __init__(self, table: ReplayTable, spec: Nest, num_sequences: int):
        """Args:
        table: `replay.ReplayTable`. Only this process uses it.
        spec: `ActorOutput` of `tf.TensorSpec`s, see `actors.sequence_spec`.
        num_sequences: B.
        """
        self._table = table
        self._spec = spec
        self._num_sequences = num_sequences

    def next_batch(self) -> Batch:
        """Samples B sequences; fails with an InvalidArgumentError while the table has fewer."""
        sequences, keys, probabilities = sample_table(self._table, self._spec, self._num_sequences)
        is_replay = tf.ones([self._num_sequences], tf.bool)
        return make_batch(sequences, is_replay, keys, probabilities, self._num_sequences)


class MixedSource(Source):
    """N new sequences from the queue and R from replay; new ones are inserted into the table.

    Until the table has R sequences, or more if set, a batch has N + R new ones, so
    training starts with the first sequences, and the shape of a batch never changes.
    """

    def __init__(
        self,
        queue: 'SequenceQueue',
        table: ReplayTable,
        num_new: int,
        num_replay: int,
        min_size: int = 0,
        priorities: Optional[Callable[[ActorOutput], tf.Tensor]] = None,
    ):
        """Args:
        queue: `actors.SequenceQueue` of `ActorOutput`s.
        table: `replay.ReplayTable`. Only this process uses it.
        num_new: N.
        num_replay: R.
        min_size: minimum size of the table for sampling, if more than R.
        priorities: `ActorOutput` of new sequences, [N, ...] -> float32 [N], their priorities in the
            table; None leaves them to its sampler.
        """
        self._queue = queue
        self._table = table
        self._num_new = num_new
        self._num_replay = num_replay
        self._min_size = max(num_replay, min_size)
        self._priorities = priorities

    def next_batch(self) -> Batch:
        """Takes N sequences from the queue and samples R; one of the two ways runs each time."""
        size = self._num_new + self._num_replay
        ready = tf.numpy_function(self._is_ready, [], tf.bool, name='replay_ready')
        ready.set_shape([])
        *components, keys, probabilities = tf.cond(ready, self._new_and_replayed, self._only_new)
        is_replay = tf.logical_and(ready, tf.range(size) >= self._num_new)
        sequences = self._queue.pack(components)
        return make_batch(sequences, is_replay, keys, probabilities, self._num_replay)

    def _is_ready(self) -> np.bool_:
        return np.bool_(self._table.size >= self._min_size)

    def _only_new(self) -> List[tf.Tensor]:
        """Components of B new sequences, their keys and probabilities."""
        size = self._num_new + self._num_replay
        new = self._queue.dequeue_many(size)
        keys = self._insert(new, size)
        with tf.control_dependencies([keys]):
            flat = tf.nest.flatten(tf.nest.map_structure(tf.identity, new))
        return flat + [keys, tf.ones([size])]

    def _new_and_replayed(self) -> List[tf.Tensor]:
        """Components of N new and R replayed sequences, their keys and probabilities."""
        new = self._queue.dequeue_many(self._num_new)
        # Sampled first: new sequences are not replayed in the same batch.
        old, old_keys, probabilities = sample_table(self._table, self._queue.spec, self._num_replay)
        with tf.control_dependencies([old_keys]):
            new_keys = self._insert(new, self._num_new)
        with tf.control_dependencies([new_keys]):
            both = tf.nest.map_structure(lambda a, b: tf.concat([a, b], axis=0), new, old)
        return tf.nest.flatten(both) + [
            tf.concat([new_keys, old_keys], axis=0),
            tf.concat([tf.ones([self._num_new]), probabilities], axis=0),
        ]

    def _insert(self, new: Nest, count: int) -> tf.Tensor:
        priorities = None if self._priorities is None else self._priorities(new)
        return insert_into_table(self._table, new, count, priorities)


def sample_table(
    table: ReplayTable, spec: Nest, count: int
) -> Tuple[ActorOutput, tf.Tensor, tf.Tensor]:
    """Samples a replay table in the graph.

    Args:
      table: `replay.ReplayTable`.
      spec: nest of `tf.TensorSpec`s of one sequence.
      count: R.

    Returns:
      Nest of [R, ...], keys int64 [R], probabilities float32 [R].
    """

    def sample_arrays() -> List[np.ndarray]:
        with activity.doing(activity.REPLAY):
            sample = table.sample(count)
        return list(sample.components) + [sample.keys, sample.probabilities.astype(np.float32)]

    flat = tf.nest.flatten(spec)
    *components, keys, probabilities = tf.numpy_function(
        sample_arrays, [], [s.dtype for s in flat] + [tf.int64, tf.float32], name='replay_sample'
    )
    for tensor, tensor_spec in zip(components, flat):
        tensor.set_shape([count] + tensor_spec.shape.as_list())
    keys.set_shape([count])
    probabilities.set_shape([count])
    return tf.nest.pack_sequence_as(spec, components), keys, probabilities


def insert_into_table(
    table: ReplayTable, sequences: Nest, count: int, priorities: Optional[tf.Tensor] = None
) -> tf.Tensor:
    """Inserts sequences in the graph.

    Args:
      table: `replay.ReplayTable`.
      sequences: nest of [count, ...].
      count: N.
      priorities: float32 [count]; None leaves them to the sampler of the table.

    Returns:
      Keys of the sequences, int64 [count].
    """

    def insert_arrays(*arrays: np.ndarray) -> np.ndarray:
        with activity.doing(activity.REPLAY):
            if priorities is None:
                return table.insert(arrays)
            return table.insert(arrays[:-1], arrays[-1])

    inputs = tf.nest.flatten(sequences) + ([] if priorities is None else [priorities])
    keys = tf.numpy_function(insert_arrays, inputs, tf.int64, name='replay_insert')
    keys.set_shape([count])
    return keys


def update_priorities(table: ReplayTable, keys: tf.Tensor, priorities: tf.Tensor) -> tf.Tensor:
    """Updates priorities, float32 [B], in a `replay.ReplayTable`; keys of -1 are ignored."""

    def update_arrays(keys: np.ndarray, priorities: np.ndarray) -> np.int64:
        with activity.doing(activity.REPLAY):
            table.update_priorities(keys, priorities)
        return np.int64(len(keys))

    return tf.numpy_function(
        update_arrays, [keys, priorities], tf.int64, name='replay_update_priorities'
    )


class Batches:
    """Builds the batch of each source once; with a GPU, stages it ahead of its use.

    device: first device of the learner; None for the CPU.
    stagings: stages of all sources, in the order of construction; empty for the CPU.
    staged: operations of the stages with a staged batch.
    variables: local variables of all sources that an exact resume restores.
    """

    def __init__(self, devices: Sequence[str]):
        """Args: devices: devices of the learner that share a batch; empty for the CPU."""
        self.device = devices[0] if devices else None
        self.stagings: List[Staging] = []
        self.staged: Set[tf.Operation] = set()
        self._devices = list(devices)
        self._by_source: Dict[Source, Tuple[Batch, Optional[tf.Operation]]] = {}

    @property
    def variables(self) -> List[tf.Variable]:
        """See above."""
        return [variable for source in self._by_source for variable in source.variables]

    def of(self, source: Source) -> Tuple[Batch, Optional[tf.Operation]]:
        """Returns the next batch of a source.

        Returns:
          The batch; and the operation that stages the batch after it, or None.
        """
        if source not in self._by_source:
            put = None
            with tf.device('/cpu'):
                batch = split(source.next_batch(), self._devices)
            if self.device is not None:
                name = f'staged_batch_{len(self._by_source)}'
                batch, staging = stage(batch, self.device, name)
                self.stagings.append(staging)
                put = staging.put
            self._by_source[source] = batch, put
        return self._by_source[source]
