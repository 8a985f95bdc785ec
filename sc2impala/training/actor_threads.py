"""Threads of actors, which can be halted between two unrolls, and the contents of their queue."""

import contextlib
import threading
from typing import Iterator, List, Mapping, Optional, Sequence, Tuple

import numpy as np
import tensorflow.compat.v1 as tf

from sc2impala import saved_arrays
from sc2impala.actors import SequenceQueue, component_specs
from sc2impala.replay.codec import SequenceCodec

Sequences = List[np.ndarray]
"""An array [N, ...] for each component of a sequence."""


class QueueContents:
    """Reads and fills a queue outside of the graph.

    capacity: capacity of the queue.
    """

    def __init__(self, queue: SequenceQueue):
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
        """Dequeues all sequences."""
        count = session.run(self._size)
        if not count:
            return self.none()
        return list(session.run(self._taken, {self._count: count}))

    def put(self, session: tf.Session, sequences: Sequence[np.ndarray]) -> None:
        """Enqueues sequences; blocks while the queue is full."""
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
        """Returns the sequences in a state of `to_state`.

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
        sequences: Sequences = [
            np.empty((len(lengths), *shape), dtype) for shape, dtype in self._specs
        ]
        ends = np.cumsum(lengths)
        for row, (start, end) in enumerate(zip(ends - lengths, ends)):
            codec.decode(
                np.array(content[start:end]), [array[row : row + 1] for array in sequences]
            )
        return sequences

    def _make_codec(self) -> SequenceCodec:
        # Created on first use: it takes the memory of a sequence.
        if self._codec is None:
            self._codec = SequenceCodec(self._specs)
        return self._codec


def joined(parts: Sequence[Sequences]) -> Sequences:
    """Sequences one after the other."""
    return [np.concatenate(arrays) for arrays in zip(*parts)]


_DRAIN_SECS = 0.01


class ActorThreads(tf.train.SessionRunHook):
    """Runs every actor in a separate thread as soon as the session starts.

    The first error of an actor ends the training, whose session raises it.
    """

    def __init__(
        self,
        enqueue_ops: Sequence[tf.Operation],
        num_envs: int,
        queue: SequenceQueue,
        contents: QueueContents,
    ):
        """Args:
        enqueue_ops: one per actor; each generates an unroll and enqueues it.
        num_envs: environments of an actor.
        queue: `actors.SequenceQueue`.
        contents: contents of the queue.
        """
        self._enqueue_ops = list(enqueue_ops)
        self._num_envs = num_envs
        self._contents = contents
        self._close = queue.queue.close(cancel_pending_enqueues=True)
        self._changed = threading.Condition()
        self._num_acting = 0
        self._reserved = 0
        self._is_halted = False
        self._is_putting_back = False
        self._over = False
        self._waiting: Optional[Sequences] = None

    def after_create_session(self, session: tf.Session, coord: tf.train.Coordinator) -> None:
        """Starts the threads."""
        threads = [
            threading.Thread(target=self._play, args=(session, coord, op), daemon=True)
            for op in self._enqueue_ops
        ]
        threads.append(threading.Thread(target=self._wait, args=(session, coord), daemon=True))
        for thread in threads:
            coord.register_thread(thread)
            thread.start()

    def halt(self, session: tf.Session, wait: bool) -> Sequences:
        """Halts all actors and dequeues all sequences; `resume` must follow.

        Args:
          session: session of the training.
          wait: for the end of the current unrolls. Without it they continue, and an
            unroll that ends meanwhile is not returned; it may be enqueued before `resume` puts back
            the dequeued sequences.

        Returns:
          All sequences in the order in which they were enqueued.
        """
        with self._changed:
            self._is_halted = True
            parts = [] if self._waiting is None else [self._waiting]
            self._waiting = None
        # An actor may wait for room in the queue.
        queued = [self._contents.take(session)]
        while wait and not self._is_idle():
            queued.append(self._contents.take(session))
        with self._changed:
            # Actors within an unroll will need room, and no update makes any before `resume`.
            self._reserved = self._num_acting * self._num_envs
        queued.append(self._contents.take(session))
        return joined(queued + parts)

    def resume(self, session: tf.Session, sequences: Sequences) -> None:
        """Puts sequences back into the queue, and resumes the actors.

        An actor enqueues those that do not fit now before it acts.
        """
        with self._changed:
            num_now = max(0, self._contents.capacity - self._reserved)
            with contextlib.suppress(tf.errors.CancelledError):  # The training has ended.
                self._contents.put(session, [array[:num_now] for array in sequences])
            if len(sequences[0]) > num_now:
                self._waiting = [array[num_now:] for array in sequences]
            self._is_halted = False
            self._changed.notify_all()

    def _is_idle(self) -> bool:
        with self._changed:
            if self._num_acting:
                self._changed.wait(_DRAIN_SECS)
            return not self._num_acting

    def _play(self, session: tf.Session, coord: tf.train.Coordinator, op: tf.Operation) -> None:
        """Generates one unroll after the other."""
        try:
            while True:
                with self._turn() as (may_play, waiting):
                    if not may_play:
                        return
                    if waiting is None:
                        session.run(op)
                    else:
                        self._contents.put(session, waiting)
        except (tf.errors.OutOfRangeError, tf.errors.CancelledError) as error:
            # The queue is closed when the training ends; anything else is a failure.
            if not coord.should_stop():
                coord.request_stop(error)
        except Exception as error:
            coord.request_stop(error)

    @contextlib.contextmanager
    def _turn(self) -> Iterator[Tuple[bool, Optional[Sequences]]]:
        """Context of an unroll; entering blocks while the actors are halted.

        Yields:
          False once the training ends; and sequences to enqueue instead of acting, or None.
        """
        with self._changed:
            # Sequences from before the halt are enqueued before new ones.
            self._changed.wait_for(
                lambda: self._over or not (self._is_halted or self._is_putting_back)
            )
            self._num_acting += 1
            waiting, self._waiting = self._waiting, None
            self._is_putting_back = waiting is not None
        try:
            yield not self._over, waiting
        finally:
            with self._changed:
                self._num_acting -= 1
                if waiting is not None:
                    self._is_putting_back = False
                self._changed.notify_all()

    def _wait(self, session: tf.Session, coord: tf.train.Coordinator) -> None:
        """Ends the actors, and all threads blocked on them, when the training ends."""
        coord.wait_for_stop()
        with self._changed:
            self._over = True
            self._changed.notify_all()
        with contextlib.suppress(tf.errors.OpError, RuntimeError):
            session.run(self._close)
