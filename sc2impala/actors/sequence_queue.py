"""A first-in-first-out queue of sequences that takes and gives nests."""

from typing import Any, List, Tuple

import tensorflow.compat.v1 as tf


class SequenceQueue:
    """Carries sequences of one structure from the actors to the learner.

    An element is one column of an actor's batch. Putting more elements in than there is room for
    blocks, which is what keeps actors from running ahead of the learner.
    """

    def __init__(self, example: Any, capacity: int, name: str = 'sequence_queue'):
        """Args:
        example: nest of tensors [K, ...] with static shapes, as an actor returns them.
        capacity: number of sequences.
        """
        self._example = example
        flat = tf.nest.flatten(example)
        self.queue = tf.FIFOQueue(
            capacity, [t.dtype for t in flat], [t.shape[1:] for t in flat], name=name
        )

    def component_specs(self) -> List[Tuple[Tuple[int, ...], Any]]:
        """Shape and NumPy dtype of every component of one sequence, flattened."""
        flat = tf.nest.flatten(self._example)
        return [(tuple(t.shape.as_list()[1:]), t.dtype.as_numpy_dtype) for t in flat]

    def enqueue_many(self, batch: Any) -> tf.Operation:
        """Puts in every column of a nest of [K, ...].

        Raises:
          ValueError: if the structure is not that of the example.
        """
        tf.nest.assert_same_structure(self._example, batch)
        return self.queue.enqueue_many(tf.nest.flatten(batch))

    def dequeue_many(self, count: int) -> Any:
        """Takes out a nest of [count, ...], as soon as there are that many."""
        return self.pack(self.queue.dequeue_many(count))

    def pack(self, flat: Any) -> Any:
        """Arranges a flat list of components in the structure of the elements."""
        return tf.nest.pack_sequence_as(self._example, flat)

    def size(self) -> tf.Tensor:
        """Sequences waiting, int32 []."""
        return self.queue.size()
