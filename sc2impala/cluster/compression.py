"""Chooses whether to compress sequences before sending them: whichever is faster."""

import collections
from typing import Deque, Dict

from sc2impala.cluster.messages import NONE, ZSTD

AUTO = 'auto'

_FIRST = 4
"""Messages of each kind at the start."""

_AGAIN = 200
"""Number of messages after which the slower way is tried again."""

_WINDOW = 8
"""Messages of each kind that are compared: the fastest of them."""

_GAIN = 0.8
"""Compression takes a processor that games could use: it has to save a fifth of the time."""


class Choice:
    """Compares how long messages take, from arrays to the answer of the learner.

    That covers the processor of the actor and the network. The fastest of the last messages
    counts, since the others may have waited for room in the queue of the learner.
    """

    def __init__(self, setting: str):
        """Args: setting: AUTO, or the compression of all messages."""
        self._setting = setting
        self._secs: Dict[str, Deque[float]] = {
            kind: collections.deque(maxlen=_WINDOW) for kind in (NONE, ZSTD)
        }
        self._count = 0

    def next(self) -> str:
        """Compression of the next message."""
        if self._setting != AUTO:
            return self._setting
        if self._count < 2 * _FIRST:
            return (NONE, ZSTD)[self._count % 2]
        is_faster = min(self._secs[ZSTD]) < _GAIN * min(self._secs[NONE])
        best, other = (ZSTD, NONE) if is_faster else (NONE, ZSTD)
        return best if self._count % _AGAIN else other

    def observe(self, compression: str, secs: float, sequences: int) -> None:
        """Tells how long a message of some sequences took."""
        self._count += 1
        self._secs[compression].append(secs / sequences)
