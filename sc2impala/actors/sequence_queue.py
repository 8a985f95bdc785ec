"""A first-in-first-out queue of nests of tensors."""

from typing import Any, Sequence

import tensorflow.compat.v1 as tf


class SequenceQueue:
    """Carries sequences of one structure from the actors to the learner.

    An element is one column of an actor's batch. Enqueueing blocks while there is no room, which
    keeps actors from running ahead of the learner.
    """

    def __init__(self, spec: Any, capacity: int, shared_name: str = 'sequences'):
        """Args:
        spec: nest of `tf.TensorSpec`s of one sequence, see `actors.sequence_spec`.
        capacity: number of sequences.
        shared_name: sessions of one server that use this name share the queue.
        """
        self.spec = spec
        self.capacity = capacity
        flat = tf.nest.flatten(spec)
        self.queue = tf.FIFOQueue(
            capacity,
            [s.dtype for s in flat],
            [s.shape for s in flat],
            shared_name=shared_name,
            name=shared_name,
        )

    def enqueue_many(self, batch: Any) -> tf.Operation:
        """Enqueues every column of a nest of [K, ...].

        Raises:
          ValueError: if the structure is not that of the spec.
        """
        tf.nest.assert_same_structure(self.spec, batch)
        return self.queue.enqueue_many(tf.nest.flatten(batch))

    def dequeue_many(self, count: int) -> Any:
        """Dequeues a nest of [count, ...], as soon as there are that many."""
        return self.pack(self.queue.dequeue_many(count))

    def pack(self, flat: Sequence[tf.Tensor]) -> Any:
        """Arranges a flat list of components in the structure of the elements."""
        return tf.nest.pack_sequence_as(self.spec, flat)

    def size(self) -> tf.Tensor:
        """Sequences waiting, int32 []."""
        return self.queue.size()
