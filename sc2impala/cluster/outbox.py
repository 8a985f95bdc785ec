"""Sends sequences in numbered messages, and reports, to the learner."""

import math
import threading
import time
from typing import Dict, List, NamedTuple, Sequence

import numpy as np
import tensorflow.compat.v1 as tf

from sc2impala import actors
from sc2impala import frames as frames_lib
from sc2impala.cluster import intake, messages
from sc2impala.cluster import run_info as run_info
from sc2impala.cluster.link import Link
from sc2impala.cluster.messages import Choice
from sc2impala.structs import ActorOutput, EnvOutput


class Identity(NamedTuple):
    """The sender: random id of the actor, its number or -1, and its host and process."""

    actor: str
    task: int
    host: str


class Tally:
    """Environment frames of an actor for one run: generated, sent and aborted. Thread-safe."""

    def __init__(self, unsent: int = 0):
        """Args: unsent: dropped frames of an earlier run."""
        self._lock = threading.Lock()
        self._played = self._aborted = unsent
        self._sent = 0

    def play(self, frames: int) -> None:
        """Counts an unroll."""
        with self._lock:
            self._played += frames

    def send(self, frames: int) -> None:
        """Counts frames that the learner has received."""
        with self._lock:
            self._sent += frames

    def abort(self) -> None:
        """Counts unsent frames as aborted."""
        with self._lock:
            self._aborted = self._played - self._sent

    @property
    def unsent(self) -> int:
        """Frames that are neither sent nor aborted."""
        with self._lock:
            return self._played - self._sent - self._aborted

    def totals(self) -> Dict[str, int]:
        """Returns the amounts 'played', 'sent' and 'aborted'."""
        with self._lock:
            return {'played': self._played, 'sent': self._sent, 'aborted': self._aborted}


class Queue:
    """The operation in a client's graph that enqueues a message at the learner."""

    def __init__(self, capacity: int):
        """Args: capacity: capacity of the queue, as in its run metadata."""
        with tf.device(run_info.DEVICE + '/device:CPU:0'):
            self.header = tf.placeholder(tf.string, [])
            self.content = tf.placeholder(tf.string, [])
            self.enqueue = intake.message_queue(capacity).enqueue([self.header, self.content])


class Outbox:
    """Sends sequences of several threads, one message at a time."""

    def __init__(
        self,
        link: Link,
        queue: Queue,
        run: str,
        identity: Identity,
        spec: ActorOutput,
        choice: Choice,
        unsent: int = 0,
    ):
        """Args:
        link: link to the learner.
        queue: queue of the learner.
        run: id of the run.
        identity: identity of the sender.
        spec: `ActorOutput` of `tf.TensorSpec`s of one sequence.
        choice: choice of the compression.
        unsent: dropped frames of an earlier run.
        """
        self.tally = Tally(unsent)
        self._weights_time = time.monotonic()
        self._received_bytes = 0
        self._link = link
        self._queue = queue
        self._run = run
        self._identity = identity
        self._most = messages.sequences_per_message(actors.component_specs(spec))
        self._choice = choice
        self._lock = threading.Lock()
        self._number = 0
        self._waited = 0.0
        self._last_return = math.nan
        self._last_time = time.monotonic()

    def send(self, played: ActorOutput) -> None:
        """Sends an unroll; returns when the learner has all of it.

        Args:
          played: `ActorOutput` of arrays, [K, ...].

        Raises:
          RunEnded, Stopped: see `Link.run`.
        """
        counts = frames_lib.count(played.env_outputs, played.agent_outputs.step_mul).sum(axis=1)
        self.tally.play(int(counts.sum()))
        self._note_returns(played.env_outputs)
        flat = tf.nest.flatten(played)
        for start in range(0, len(counts), self._most):
            part = slice(start, start + self._most)
            frames = int(counts[part].sum())
            updates = int(played.sequence_info.policy_updates[0])
            with self._lock:
                self._send([array[part] for array in flat], frames, updates)
                self.tally.send(frames)

    def note_weights(self, num_bytes: int) -> None:
        """Records that weights have been received, for the reports."""
        self._weights_time = time.monotonic()
        self._received_bytes += num_bytes

    def report(self, every_secs: float) -> None:
        """Sends a message without sequences if nothing was sent for a while."""
        if time.monotonic() - self._last_time < every_secs:
            return
        if self._lock.acquire(blocking=False):
            try:
                self._send([], 0, 0)
            finally:
                self._lock.release()

    def goodbye(self) -> Dict[tf.Tensor, bytes]:
        """Returns the last report, for `Queue.enqueue`; unsent sequences are dropped."""
        with self._lock:
            self.tally.abort()
            header = self._header([], 0, 0, messages.NONE)._replace(ending=True)
            return {self._queue.header: header.to_bytes(), self._queue.content: b''}

    def _send(self, arrays: Sequence[np.ndarray], frames: int, updates: int) -> None:
        """Repeats a message until the learner has it; the caller has the lock."""
        started = time.monotonic()
        compression = self._choice.next() if arrays else messages.NONE
        content = messages.pack(arrays, compression)
        packed = time.monotonic()
        header = self._header(arrays, frames, updates, compression)
        feed = {self._queue.header: header.to_bytes(), self._queue.content: content}
        self._link.run(self._queue.enqueue, feed)
        self._number += 1
        self._last_time = time.monotonic()
        self._waited += self._last_time - packed
        if arrays:
            self._choice.observe(compression, self._last_time - started, len(arrays[0]))

    def _header(
        self, arrays: Sequence[np.ndarray], frames: int, updates: int, compression: str
    ) -> messages.Header:
        totals = self.tally.totals()
        return messages.Header(
            run=self._run,
            actor=self._identity.actor,
            task=self._identity.task,
            host=self._identity.host,
            number=self._number,
            sequences=len(arrays[0]) if arrays else 0,
            frames=frames,
            policy_updates=updates,
            played=totals['played'],
            aborted=totals['aborted'],
            last_return=self._last_return,
            weights_secs=round(time.monotonic() - self._weights_time, 3),
            waited_secs=round(self._waited, 3),
            received_bytes=self._received_bytes,
            compression=compression,
        )

    def _note_returns(self, env_outputs: EnvOutput) -> None:
        """Remembers the return of an episode that has ended."""
        done = env_outputs.done[:, 1:] & ~env_outputs.info.aborted[:, 1:]
        returns: List[float] = env_outputs.info.episode_return[:, 1:][done].tolist()
        if returns:
            self._last_return = returns[-1]
