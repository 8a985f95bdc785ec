"""Sees to it that a compressed replay memory will fit, long before it does not.

How much its sequences will take cannot be told before some are there, and changes while the agent
learns. So it is measured from the first sequences on, and again whenever the memory has grown by a
part; a run that cannot keep all the sequences asked for ends while it is young, and with a message,
rather than in the third day and by the system's hand.
"""

from typing import Any

from sc2impala.runtime import memory
from sc2impala.runtime.errors import UserError

FIRST_SIZE = 100
"""Sequences from which the first estimate is made."""

GROWTH = 1 / 16
"""The part by which the memory grows between two looks at it. As much must be left at each, also
when all the sequences are there: later ones may compress less."""

NARROW = 1.25
"""A warning is given where what is missing, times this, is more than there is."""


class ReplayWatch:
    """To be called between updates; it costs next to nothing unless there is something to do."""

    def __init__(self, replay: Any, raw_bytes: int):
        """Args:
        replay: `replay.Replay` that is compressed.
        raw_bytes: what all its sequences would take uncompressed.
        """
        self._replay = replay
        self._raw_bytes = raw_bytes
        self._next_bytes = 0.0
        self._next_size_told = min(FIRST_SIZE, replay.capacity)
        self._warned = False

    def __call__(self) -> None:
        """Looks whether all will fit, and prints how much that is at every doubling of the size.

        Raises:
          UserError: if it will not.
        """
        size, num_bytes = self._replay.size, self._replay.num_bytes
        early = size < min(FIRST_SIZE, self._replay.capacity)
        if early or (num_bytes < self._next_bytes and size < self._next_size_told):
            return
        self._next_bytes = num_bytes * (1 + GROWTH)
        expected = num_bytes / size * self._replay.capacity
        available = memory.available_bytes()
        missing = max(expected - num_bytes, num_bytes * GROWTH)
        if missing > available:
            raise UserError(self._complaint(size, num_bytes, expected, available))
        if size >= self._next_size_told:
            self._next_size_told = _next_told(size, self._replay.capacity)
            print(self._account(size, num_bytes, expected), flush=True)
        if missing * NARROW > available and not self._warned:
            self._warned = True
            print(
                f'replay: of the {_mib(available)} that are left it will take {_mib(missing)}; '
                'should later sequences compress less, the run ends with an error',
                flush=True,
            )

    def _account(self, size, num_bytes, expected):
        capacity = self._replay.capacity
        ratio = self._raw_bytes / expected
        text = (
            f'replay: {size:,} sequences take {_mib(num_bytes)}, {ratio:.1f} times less than '
            'uncompressed'
        )
        if size < capacity:
            text += f'; all {capacity:,} will take about {_mib(expected)}'
        return text

    def _complaint(self, size, num_bytes, expected, available):
        # Some are kept back for the growth that is looked for.
        fits = int((num_bytes + available) / (1 + GROWTH) / (num_bytes / size))
        return (
            f'--replay_buffer_size={self._replay.capacity} will take about {_mib(expected)} '
            f'({size:,} sequences take {_mib(num_bytes)}), but only {_mib(available)} are left, '
            f'expected at most {fits} sequences. What was saved is still there: go on where there '
            'is more memory, or in a new --logdir with --init_checkpoint and fewer sequences.'
        )


def _next_told(size, capacity):
    """The next size of which to tell; none after the last."""
    if size >= capacity:
        return float('inf')
    return min(2 * size, capacity)


def _mib(num_bytes):
    return f'{num_bytes / memory.MIB:,.0f} MiB'
