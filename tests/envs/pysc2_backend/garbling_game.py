"""A stand-in that returns invalid data after a signal, inside or outside of websocket frames."""

import signal
import sys

from sc2impala.sim.api import server

NONSENSE = bytes([0xFF]) * 1000


class GarblingConnection(server.Connection):
    """Returns invalid data after a signal."""

    mode = None

    def send(self, message):
        if GarblingConnection.mode == signal.SIGUSR2:
            self._send(NONSENSE)
        else:
            super().send(NONSENSE if GarblingConnection.mode else message)


def garble(number, unused_frame):
    """Starts to return invalid data."""
    GarblingConnection.mode = number


if __name__ == '__main__':
    server.Connection = GarblingConnection
    for signal_number in (signal.SIGUSR1, signal.SIGUSR2):
        signal.signal(signal_number, garble)
    sys.exit(server.main(sys.argv[1:]))
