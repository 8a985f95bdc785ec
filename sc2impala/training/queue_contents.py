"""The sequences that wait in a queue: taken out, put back, and as arrays for a file."""

from typing import Any, List, Mapping, Optional, Sequence

import numpy as np
import tensorflow.compat.v1 as tf

from sc2impala import saved_arrays
from sc2impala.actors import component_specs
from sc2impala.replay.codec import SequenceCodec

Sequences = List[np.ndarray]
"""For each component of a sequence an array [N, ...]."""


class QueueContents:
    """Reads and fills a queue outside of the graph.

    capacity: sequences that it holds.
    """

    def __init__(self, queue: Any):
        """Builds the operations.

        Args:
          queue: `actors.SequenceQueue`.
        """
        self.capacity = queue.capacity
        self._specs = component_specs(queue.spec)
        self._codec: Optional[SequenceCodec] = None
        with tf.device('/cpu'):
            self._size = queue.size()
            self._count = tf.placeholder(tf.int32, [])
            self._taken = queue.queue.dequeue_many(self._count)
            self._new = [tf.placeholder(dtype, [None, *shape]) for shape, dtype in self._specs]
            self._put = queue.queue.enqueue_many(self._new)

    def none(self) -> Sequences:
        """No sequences."""
        return [np.zeros((0, *shape), dtype) for shape, dtype in self._specs]

    def take(self, session: tf.Session) -> Sequences:
        """Takes out all sequences that wait."""
        count = session.run(self._size)
        if not count:
            return self.none()
        return list(session.run(self._taken, {self._count: count}))

    def put(self, session: tf.Session, sequences: Sequence[np.ndarray]) -> None:
        """Puts sequences into the queue; waits for room."""
        if len(sequences[0]):
            session.run(self._put, dict(zip(self._new, sequences)))

    def to_state(self, sequences: Sequence[np.ndarray]) -> saved_arrays.Arrays:
        """Compresses sequences."""
        codec = self._make_codec()
        rows = [
            np.frombuffer(codec.encode([array[row] for array in sequences]), np.uint8)
            for row in range(len(sequences[0]))
        ]
        return {
            'layout': np.array(codec.layout),
            'lengths': np.array([len(row) for row in rows], np.int64),
            'content': np.concatenate([np.zeros([0], np.uint8), *rows]),
        }

    def from_state(self, state: Mapping[str, np.ndarray]) -> Sequences:
        """Sequences of a state of `to_state`.

        Raises:
          DifferentState: if they have another structure.
          ValueError: if the state is damaged.
        """
        codec = self._make_codec()
        if set(state) != {'layout', 'lengths', 'content'}:
            raise saved_arrays.DifferentState('there is no list of sequences.')
        if state['layout'].tolist() != codec.layout:
            raise saved_arrays.DifferentState('the sequences have another structure.')
        lengths, content = state['lengths'], state['content']
        for name, array, dtype in (('lengths', lengths, np.int64), ('content', content, np.uint8)):
            if array.dtype != dtype or array.ndim != 1:
                raise ValueError(f'{name} is {array.dtype} {list(array.shape)}.')
        if (lengths < 1).any() or lengths.sum() != len(content):
            raise ValueError('the sequences are not as long as their content.')
        sequences = [np.empty((len(lengths), *shape), dtype) for shape, dtype in self._specs]
        ends = np.cumsum(lengths)
        for row, (start, end) in enumerate(zip(ends - lengths, ends)):
            codec.decode(
                np.array(content[start:end]), [array[row : row + 1] for array in sequences]
            )
        return sequences

    def _make_codec(self) -> SequenceCodec:
        # Made when it is needed: it takes the memory of a sequence.
        if self._codec is None:
            self._codec = SequenceCodec(self._specs)
        return self._codec


def joined(parts: Sequence[Sequences]) -> Sequences:
    """Sequences one after the other."""
    return [np.concatenate(arrays) for arrays in zip(*parts)]
