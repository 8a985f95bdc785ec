"""The process of the stand-in: it listens on loopback, serves one client and exits."""

import argparse
import os
import select
import signal
import socket
import sys
from typing import Any, Optional, Sequence

from sc2impala.sim.api.session import Session
from sc2impala.sim.api.websocket import Closed, Connection

LOOPBACK = '127.0.0.1'
POLL_SECONDS = 1.0
"""Interval at which the process checks that its parent is alive while no client is connected."""


def main(argv: Optional[Sequence[str]] = None) -> int:
    """Serves until the client quits or disconnects, the parent ends, or SIGTERM is received.

    Args:
      argv: the arguments of the game, such as `-listen 127.0.0.1 -port 5000`; unknown ones are
        ignored.

    Returns:
      The exit status: 0, or 1 if it cannot listen.
    """
    arguments, _ = _parser().parse_known_args(argv)
    parent = os.getppid()
    signal.signal(signal.SIGTERM, _leave)
    try:
        listener = listen(arguments.port)
    except (OSError, OverflowError) as error:
        print(f'-port is {arguments.port}: {error}; expected a free port.', file=sys.stderr)
        return 1
    with listener:
        while os.getppid() == parent:
            if not select.select([listener], [], [], POLL_SECONDS)[0]:
                continue
            client, _ = listener.accept()
            with client:
                if serve(client):
                    return 0
    return 0


def listen(port: int) -> socket.socket:
    """Returns a socket that listens on loopback only.

    Raises:
      OSError: if the port is in use.
    """
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((LOOPBACK, port))
        listener.listen(1)
    except BaseException:
        listener.close()
        raise
    return listener


def serve(client: socket.socket, session: Optional[Session] = None) -> bool:
    """Answers a client until it disconnects.

    Returns:
      Whether the client completed the handshake of the protocol.
    """
    session = Session() if session is None else session
    try:
        connection = Connection(client)
    except Closed:
        return False
    try:
        while not session.has_quit:
            request = connection.receive()
            if request is None:
                break
            connection.send(session.answer(request))
    except Closed:
        pass
    return True


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(add_help=False, prefix_chars='-', allow_abbrev=False)
    parser.add_argument('-port', type=int, default=5000)
    parser.add_argument('-listen', default=LOOPBACK)
    return parser


def _leave(number: int, frame: Any) -> None:
    # Not by an exception: a second signal may arrive while the first one is being handled.
    os._exit(0)
