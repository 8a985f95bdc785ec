"""Sends malformed, truncated and out-of-order requests to the stand-in for StarCraft II.

Every request must be answered within a time limit, either by an error that does not change the
state of the game, or by a response after which the status is one that the protocol allows. Most
requests are passed to the session directly, the others over a socket, where WebSocket frames may be
malformed as well.

    python -m benchmarks.checks.fuzz_api --requests 100000

The last line of the output is JSON. The exit code is 0 if all responses were correct.
"""

import argparse
import collections
import json
import signal
import socket
import struct
import sys
import threading
from typing import Any, Counter, List, Optional, Sequence, Tuple

import numpy as np
from s2clientprotocol import common_pb2, sc2api_pb2

from sc2impala import sim
from sc2impala.sim.api.match import map_path
from sc2impala.sim.api.server import serve
from sc2impala.sim.api.session import Session

REQUESTS = (
    'create_game',
    'join_game',
    'restart_game',
    'leave_game',
    'game_info',
    'observation',
    'action',
    'step',
    'data',
    'query',
    'save_replay',
    'available_maps',
    'ping',
    'debug',
    'start_replay',
)
"""All requests but quit, which ends the session."""

LIMIT_SECONDS = 30
HANDSHAKE = (
    b'GET /sc2api HTTP/1.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n'
    b'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n\r\n'
)
_NEXT = {
    'create_game': {sc2api_pb2.init_game},
    'join_game': {sc2api_pb2.in_game},
    'restart_game': {sc2api_pb2.in_game},
    'leave_game': {sc2api_pb2.launched},
    'step': {sc2api_pb2.in_game, sc2api_pb2.ended},
    'action': {sc2api_pb2.in_game, sc2api_pb2.ended},
}
"""Statuses that may follow a response without an error; after other requests it is unchanged."""
_NUMBERS = (0, 1, 2, 3, 8, 100, 255, 4096, 2**31 - 1, 2**31, 2**32 - 1)


Random = np.random.RandomState


class WrongAnswer(Exception):
    """The response to a request, or the lack of one, violates the protocol."""


def main(argv: Optional[Sequence[str]] = None) -> int:
    """Sends the requests, and prints their numbers by category and outcome, and the JSON.

    Args:
      argv: command-line arguments; None for those of the process.

    Returns:
      The exit code.
    """
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--requests', type=int, default=100000, help='number of requests')
    parser.add_argument('--seed', type=int, default=0, help='of the random requests')
    arguments = parser.parse_args(argv)
    random = np.random.RandomState(arguments.seed)
    counts: Counter[str] = collections.Counter()
    try:
        # A tenth of the requests is sent over a socket.
        _fuzz_session(random, arguments.requests - arguments.requests // 10, counts)
        _fuzz_sockets(random, arguments.requests // 10, counts)
    except WrongAnswer as error:
        print(error)
        return 1
    for name, count in sorted(counts.items()):
        print(f'{name:24}{count:10,}')
    print(json.dumps({'requests': arguments.requests, 'wrong': 0, **counts}))
    return 0


def _fuzz_session(random: Random, num_requests: int, counts: Counter[str]) -> None:
    """Passes requests to a session."""
    session = Session()
    for _ in range(num_requests):
        category, message = _message(random)
        before, state = session.status, _state(session)
        with _Deadline(message):
            answer = session.answer(message)
        response = sc2api_pb2.Response()
        response.ParseFromString(answer)
        outcome = _check(message, response, before, state, session)
        counts[f'{category}, {outcome}'] += 1
        if session.has_quit:
            session = Session()


def _check(message: bytes, response: Any, before: Any, state: Any, session: Session) -> str:
    """Checks the response to a request.

    Args:
      message: the serialised request.
      response: the `Response`.
      before: status of the session before the request.
      state: `_state` of the session before the request.
      session: after the request.

    Returns:
      'refused' or 'answered'.

    Raises:
      WrongAnswer: if the protocol does not allow the response.
    """

    def wrong(what: str) -> WrongAnswer:
        return WrongAnswer(f'{what} after {message!r}: {response}')

    if not response.HasField('status') or response.status != session.status:
        raise wrong('no or another status')
    name = response.WhichOneof('response')
    failed = bool(response.error) or bool(
        name in ('create_game', 'join_game') and getattr(response, name).error_details
    )
    if failed:
        if session.status != before or _state(session) != state:
            raise wrong('a refused request changed the game')
        return 'refused'
    if name != 'quit' and session.status not in _NEXT.get(name, {before}):
        raise wrong(f'status {session.status}')
    return 'answered'


def _state(session: Session) -> Optional[Tuple[int, int, bool]]:
    """Returns the identity of the match, its game_loop, and whether it has ended."""
    match = session._match
    return None if match is None else (id(match), match.game_loop, match.ended)


def _fuzz_sockets(random: Random, num_requests: int, counts: Counter[str]) -> None:
    """Sends requests over sockets, up to 19 per connection."""
    sent = 0
    while sent < num_requests:
        data, parts = _handshake(random), 1
        while parts < 20 and random.rand() < 0.9:
            data, parts = data + _frame(random, _message(random)[1]), parts + 1
        sent += parts
        counts['over a socket, ' + _talk(data)] += parts


def _talk(data: bytes) -> str:
    """Sends bytes to a server in a thread, and reads until it closes the connection.

    Returns:
      'ended'.

    Raises:
      WrongAnswer: if the server fails or does not end in time.
    """
    server, client = socket.socketpair()
    with server, client:
        failures: List[Exception] = []
        thread = threading.Thread(target=_serve, args=[server, failures], daemon=True)
        thread.start()
        client.settimeout(LIMIT_SECONDS)
        reader = threading.Thread(target=_drain, args=[client], daemon=True)
        reader.start()
        try:
            client.sendall(data)
            client.shutdown(socket.SHUT_WR)
        except OSError:
            pass  # The server has closed the connection already.
        thread.join(LIMIT_SECONDS)
        if thread.is_alive():
            raise WrongAnswer(f'no end after {data!r}')
        if failures:
            raise WrongAnswer(f'{failures[0]!r} after {data!r}')
        server.close()
        reader.join(LIMIT_SECONDS)
    return 'ended'


def _serve(server: socket.socket, failures: List[Exception]) -> None:
    try:
        serve(server)
    except Exception as error:
        failures.append(error)


def _drain(client: socket.socket) -> None:
    try:
        while client.recv(1 << 16):
            pass
    except OSError:
        pass


def _handshake(random: Random) -> bytes:
    if random.rand() < 0.9:
        return HANDSHAKE
    return _damaged(random, HANDSHAKE)


def _frame(random: Random, payload: bytes) -> bytes:
    """Returns a WebSocket frame, possibly malformed."""
    first, mask = 0x82, random.bytes(4)
    if random.rand() < 0.2:
        first = random.randint(256)
    length = len(payload)
    if length < 126:
        head = bytes([first, 0x80 | length])
    else:
        head = struct.pack('>BBQ', first, 0x80 | 127, length)
    keys = np.resize(np.frombuffer(mask, np.uint8), length)
    frame = head + mask + (np.frombuffer(payload, np.uint8) ^ keys).tobytes()
    return frame if random.rand() < 0.9 else _damaged(random, frame)


def _message(random: Random) -> Tuple[str, bytes]:
    """Returns the category of a random request, and its serialised form."""
    if random.rand() < 0.02:
        return 'noise', random.bytes(random.randint(200))
    request = _request(random)
    message = request.SerializeToString()
    if random.rand() < 0.25:
        return 'damaged', _damaged(random, message)
    return 'out of order', message


def _damaged(random: Random, data: bytes) -> bytes:
    """Returns the data truncated, or with some bits flipped."""
    if not data:
        return b'\x00'
    if random.rand() < 0.5:
        return data[: random.randint(len(data))]
    damaged = bytearray(data)
    for _ in range(random.randint(1, 4)):
        damaged[random.randint(len(damaged))] ^= 1 << random.randint(8)
    return bytes(damaged)


def _request(random: Random) -> Any:
    """Returns a well-formed `Request`, which may be out of order."""
    name = REQUESTS[random.randint(len(REQUESTS))]
    if random.rand() < 0.4:
        name = ('observation', 'action', 'step', 'create_game', 'join_game')[random.randint(5)]
    request = sc2api_pb2.Request()
    content = getattr(request, name)
    content.SetInParent()
    if random.rand() < 0.5:
        request.id = _number(random)
    if name == 'create_game':
        _fill_create(random, content)
    elif name == 'join_game':
        _fill_join(random, content)
    elif name == 'step':
        content.count = random.randint(20) if random.rand() < 0.98 else _number(random)
    elif name == 'action':
        for _ in range(random.randint(4)):
            _fill(random, content.actions.add())
    elif name in ('data', 'query'):
        _fill(random, content)
    return request


def _fill_create(random: Random, content: Any) -> None:
    name = sim.MAP_NAMES[random.randint(len(sim.MAP_NAMES))]
    if random.rand() < 0.9:
        content.local_map.map_path = map_path(name if random.rand() < 0.9 else name[1:])
    for _ in range(1 if random.rand() < 0.9 else random.randint(3)):
        content.player_setup.add(type=sc2api_pb2.Participant)
    content.random_seed = _number(random)


def _fill_join(random: Random, content: Any) -> None:
    if random.rand() < 0.95:
        content.race = common_pb2.Terran
    if random.rand() < 0.95:
        content.options.raw = random.rand() < 0.5
        if random.rand() < 0.8:
            layer = content.options.feature_layer
            layer.width = 24 if random.rand() < 0.9 else random.randn()
            for size in (layer.resolution, layer.minimap_resolution):
                size.x, size.y = (random.randint(1, 20, size=2)).tolist()
                if random.rand() < 0.05:
                    size.x = random.randint(-(2**31), 2**31)


def _fill(random: Random, message: Any, depth: int = 0) -> None:
    """Sets some fields of a message to random values of their types."""
    for field in message.DESCRIPTOR.fields:
        if random.rand() > 0.5 or depth > 4:
            continue
        repeated = isinstance(getattr(message, field.name), collections.abc.Iterable) and not (
            isinstance(getattr(message, field.name), (str, bytes))
        )
        if field.message_type is not None:
            target = getattr(message, field.name)
            inner = target.add() if repeated else target
            inner.SetInParent()
            _fill(random, inner, depth + 1)
            continue
        value = _value(random, field)
        if repeated:
            getattr(message, field.name).append(value)
        else:
            setattr(message, field.name, value)


def _value(random: Random, field: Any) -> Any:
    """Returns a random value for a field that is not a message."""
    if field.enum_type is not None:
        return field.enum_type.values[random.randint(len(field.enum_type.values))].number
    value_type = field.cpp_type
    if value_type in (field.CPPTYPE_INT32, field.CPPTYPE_INT64):
        return random.randint(-(2**31), 2**31)
    if value_type in (field.CPPTYPE_UINT32, field.CPPTYPE_UINT64):
        return _number(random)
    if value_type in (field.CPPTYPE_FLOAT, field.CPPTYPE_DOUBLE):
        return float(random.choice([0.0, -1.0, 30.0, 1e30, np.inf, np.nan]))
    if value_type == field.CPPTYPE_BOOL:
        return bool(random.randint(2))
    return 'text'


def _number(random: Random) -> int:
    return int(_NUMBERS[random.randint(len(_NUMBERS))])


class _Deadline:
    """Raises `WrongAnswer` if its block takes more than `LIMIT_SECONDS` of processor time."""

    def __init__(self, message: bytes):
        self._message = message

    def __enter__(self) -> None:
        # Processor time: a session never waits, and other processes may slow the machine down.
        signal.signal(signal.SIGVTALRM, self._late)
        signal.setitimer(signal.ITIMER_VIRTUAL, LIMIT_SECONDS)

    def __exit__(self, *exc_info: Any) -> None:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)

    def _late(self, number: int, frame: Any) -> None:
        raise WrongAnswer(f'no answer to {self._message!r} in {LIMIT_SECONDS} s')


if __name__ == '__main__':
    sys.exit(main())
