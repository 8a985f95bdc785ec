"""TensorBoard's file of a run."""

import contextlib
import itertools
import os
import socket
import time
from typing import Any, Callable, List, Mapping

import tensorflow.compat.v1 as tf

from sc2impala.runtime import disk

_VERSION = 'brain.Event:2'
_SPARE_BYTES = 2**20
_MAX_WAITING = 10000
"""Maximum number of pending events while the disk is full; the oldest ones are dropped."""


class SummaryLog:
    """Writes summaries, at most every N seconds.

    A full disk or missing folder does not end the training: summaries are kept
    until they can be written, to a new file.

    listeners: functions of ({tag: scalar}, step) that also receive all scalars.
    """

    def __init__(self, logdir: str, every_secs: float):
        """Args:
        logdir: the folder of the run; created if missing.
        every_secs: seconds between two summaries of updates; 0 for every update.
        """
        os.makedirs(logdir, exist_ok=True)
        self.listeners: List[Callable[[Mapping[str, float], int], None]] = []
        self._logdir = logdir
        self._folder = disk.Folder(logdir)
        self._trouble = disk.Trouble()
        self._every_secs = every_secs
        self._last_time = -float('inf')
        self._file: Any = None
        self._path = ''
        self._written_bytes = 0
        self._waiting: List[bytes] = []
        graph = tf.get_default_graph().as_graph_def(add_shapes=True)
        self._add(tf.Event(graph_def=graph.SerializeToString()))

    def start(self, step: int) -> None:
        """Marks the beginning of this start: TensorBoard drops later events of a killed start."""
        self._add(tf.Event(session_log=tf.SessionLog(status=tf.SessionLog.START), step=step))

    def due(self) -> bool:
        """Returns whether to summarise the next update; calling it restarts the clock."""
        if time.monotonic() - self._last_time < self._every_secs:
            return False
        self._last_time = time.monotonic()
        return True

    def add(self, summary: bytes, step: int) -> None:
        """Writes the result of a merged summary operation."""
        found = tf.Summary.FromString(summary)
        self._add(tf.Event(summary=found, step=step))
        scalars = {v.tag: v.simple_value for v in found.value if v.HasField('simple_value')}
        self._tell(scalars, step)

    def add_scalars(self, values: Mapping[str, float], step: int) -> None:
        """Writes numbers from outside of the graph, {tag: value}."""
        summary = tf.Summary(
            value=[tf.Summary.Value(tag=tag, simple_value=v) for tag, v in values.items()]
        )
        self._add(tf.Event(summary=summary, step=step))
        self._tell(values, step)

    def flush(self) -> None:
        """Writes pending events to the file now; keeps them if that fails."""
        try:
            self._folder.check(_SPARE_BYTES + sum(map(len, self._waiting)))
            self._open()
            for event in self._waiting:
                self._file.write(event)
            self._file.flush()
            self._written_bytes = os.path.getsize(self._path)
        except (OSError, tf.errors.OpError) as error:
            self._give_up_file()
            self._trouble.report(
                f"TensorBoard's file in {self._logdir}", error, 'training continues'
            )
            return
        self._waiting.clear()
        self._trouble.over(f'summaries are written again in {self._logdir}')

    def close(self) -> None:
        """Writes pending events."""
        self.flush()
        self._close_file()

    def _tell(self, values: Mapping[str, float], step: int) -> None:
        for listener in self.listeners:
            listener(values, step)

    def _add(self, event: tf.Event) -> None:
        event.wall_time = time.time()
        self._waiting.append(event.SerializeToString())
        del self._waiting[:-_MAX_WAITING]
        self.flush()

    def _open(self) -> None:
        """Opens a file if none is open, or the open one was removed."""
        if self._file is not None and os.path.exists(self._path):
            return
        self._close_file()
        self._path = self._new_path()
        self._written_bytes = 0
        self._file = tf.io.TFRecordWriter(self._path)
        version = tf.Event(wall_time=time.time(), file_version=_VERSION)
        self._file.write(version.SerializeToString())

    def _new_path(self) -> str:
        """Returns a new path: another log may have begun in the same second."""
        name = f'events.out.tfevents.{int(time.time()):010d}.{socket.gethostname()}.{os.getpid()}'
        paths = (os.path.join(self._logdir, f'{name}.{number}') for number in itertools.count())
        return next(path for path in paths if not os.path.exists(path))

    def _give_up_file(self) -> None:
        """Removes a partial record: readers stop there."""
        had_file = self._file is not None
        self._close_file()
        if had_file:
            with contextlib.suppress(OSError):
                os.truncate(self._path, self._written_bytes)
                if not self._written_bytes:
                    os.remove(self._path)

    def _close_file(self) -> None:
        if self._file is not None:
            with contextlib.suppress(tf.errors.OpError):
                self._file.close()
        self._file = None
