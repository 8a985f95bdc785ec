"""The threads in which actors play, which can be halted between two unrolls."""

import contextlib
import threading
from typing import Any, Iterator, Optional, Sequence, Tuple

import tensorflow.compat.v1 as tf

from sc2impala.training.queue_contents import QueueContents, Sequences, joined

_DRAIN_SECS = 0.01


class ActorThreads(tf.train.SessionRunHook):
    """Lets every actor play in a thread of its own as soon as the session starts.

    The first error of an actor ends the training, whose session raises it.
    """

    def __init__(
        self,
        enqueue_ops: Sequence[tf.Operation],
        num_envs: int,
        queue: Any,
        contents: QueueContents,
    ):
        """Args:
        enqueue_ops: one per actor; each plays an unroll and puts it into the queue.
        num_envs: environments of an actor.
        queue: `actors.SequenceQueue`.
        contents: of the queue.
        """
        self._enqueue_ops = list(enqueue_ops)
        self._num_envs = num_envs
        self._contents = contents
        self._close = queue.queue.close(cancel_pending_enqueues=True)
        self._changed = threading.Condition()
        self._num_playing = 0
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
        """Halts all actors, and takes out what waits in the queue; to be followed by `resume`.

        Args:
          session: of the training.
          wait: for the end of the unrolls that are being played. Without it they go on, and what
            is played meanwhile is not returned; it may be enqueued before `resume` puts back
            what was taken out.

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
            # Those that still play will need room, and none is made before the next update.
            self._reserved = self._num_playing * self._num_envs
        queued.append(self._contents.take(session))
        return joined(queued + parts)

    def resume(self, session: tf.Session, sequences: Sequences) -> None:
        """Puts sequences back into the queue, and lets the actors play on.

        Those for which there is no room now are enqueued by an actor before it plays.
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
            if self._num_playing:
                self._changed.wait(_DRAIN_SECS)
            return not self._num_playing

    def _play(self, session: tf.Session, coord: tf.train.Coordinator, op: tf.Operation) -> None:
        """Plays one unroll after the other."""
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
        """An unroll, which begins when the actors are not halted.

        Yields:
          False at the end of all; and what has to be enqueued instead of playing, or None.
        """
        with self._changed:
            # What was there before the actors were halted comes before what they play now.
            self._changed.wait_for(
                lambda: self._over or not (self._is_halted or self._is_putting_back)
            )
            self._num_playing += 1
            waiting, self._waiting = self._waiting, None
            self._is_putting_back = waiting is not None
        try:
            yield not self._over, waiting
        finally:
            with self._changed:
                self._num_playing -= 1
                if waiting is not None:
                    self._is_putting_back = False
                self._changed.notify_all()

    def _wait(self, session: tf.Session, coord: tf.train.Coordinator) -> None:
        """Ends the actors, and whoever waits for them, when the training ends."""
        coord.wait_for_stop()
        with self._changed:
            self._over = True
            self._changed.notify_all()
        with contextlib.suppress(tf.errors.OpError, RuntimeError):
            session.run(self._close)
