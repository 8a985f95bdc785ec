"""Sends malformed, truncated and out-of-order requests to the stand-in game, and watches it.

Every request must be answered, in time, by an error that changes nothing or by an answer that
leads to a state that the protocol allows. Some go straight to the session, others over a socket,
with frames that are broken as well.

    python benchmarks/fuzz_api.py --requests 100000

The last line of the output is JSON; the exit status is 0 if nothing went wrong.
"""

import argparse
import collections
import json
import signal
import socket
import struct
import sys
import threading

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
"""All but quit, after which there is nothing left to ask."""

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
"""Where an answer without an error may lead; all others stay where they are."""
_PROBABLY_SMALL = (0, 1, 2, 3, 8, 100, 255, 4096, 2**31 - 1, 2**31, 2**32 - 1)


class WrongAnswer(Exception):
    """The game did what it must not do."""


def main(argv=None) -> int:
    """Fuzzes; returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--requests', type=int, default=100000, help='how many to send')
    parser.add_argument('--seed', type=int, default=0, help='of what is sent')
    arguments = parser.parse_args(argv)
    random = np.random.RandomState(arguments.seed)
    counts = collections.Counter()
    try:
        # Every tenth goes over a socket.
        _fuzz_session(random, arguments.requests - arguments.requests // 10, counts)
        _fuzz_sockets(random, arguments.requests // 10, counts)
    except WrongAnswer as error:
        print(error)
        return 1
    for name, count in sorted(counts.items()):
        print(f'{name:24}{count:10,}')
    print(json.dumps({'requests': arguments.requests, 'wrong': 0, **counts}))
    return 0


def _fuzz_session(random, num_requests, counts):
    session = Session()
    for _ in range(num_requests):
        kind, message = _message(random)
        before, state = session.status, _state(session)
        with _Deadline(message):
            answer = session.answer(message)
        response = sc2api_pb2.Response()
        response.ParseFromString(answer)
        outcome = _check(message, response, before, state, session)
        counts[f'{kind}, {outcome}'] += 1
        if session.has_quit:
            session = Session()


def _check(message, response, before, state, session):
    """What became of a request: 'refused' or 'answered'."""

    def wrong(what):
        return WrongAnswer(f'{what} after {message!r}: {response}')

    if not response.HasField('status') or response.status != session.status:
        raise wrong('no or another status')
    kind = response.WhichOneof('response')
    failed = bool(response.error) or bool(
        kind in ('create_game', 'join_game') and getattr(response, kind).error_details
    )
    if failed:
        if session.status != before or _state(session) != state:
            raise wrong('a refused request changed the game')
        return 'refused'
    if kind != 'quit' and session.status not in _NEXT.get(kind, {before}):
        raise wrong(f'status {session.status}')
    return 'answered'


def _state(session):
    """Where the game stands, in few numbers."""
    match = session._match
    return None if match is None else (id(match), match.game_loop, match.ended)


def _fuzz_sockets(random, num_requests, counts):
    """Clients that speak badly; each is served until it is turned away or goes."""
    sent = 0
    while sent < num_requests:
        data, parts = _handshake(random), 1
        while parts < 20 and random.rand() < 0.9:
            data, parts = data + _frame(random, _message(random)[1]), parts + 1
        sent += parts
        counts['over a socket, ' + _talk(data)] += parts


def _talk(data):
    """Sends bytes to a server in a thread, and reads until the end: how it ended."""
    server, client = socket.socketpair()
    with server, client:
        failures = []
        thread = threading.Thread(target=_serve, args=[server, failures], daemon=True)
        thread.start()
        client.settimeout(LIMIT_SECONDS)
        reader = threading.Thread(target=_drain, args=[client], daemon=True)
        reader.start()
        try:
            client.sendall(data)
            client.shutdown(socket.SHUT_WR)
        except OSError:
            pass  # Turned away before everything was said.
        thread.join(LIMIT_SECONDS)
        if thread.is_alive():
            raise WrongAnswer(f'no end after {data!r}')
        if failures:
            raise WrongAnswer(f'{failures[0]!r} after {data!r}')
        server.close()
        reader.join(LIMIT_SECONDS)
    return 'ended'


def _serve(server, failures):
    try:
        serve(server)
    except Exception as error:
        failures.append(error)


def _drain(client):
    try:
        while client.recv(1 << 16):
            pass
    except OSError:
        pass


def _handshake(random):
    if random.rand() < 0.9:
        return HANDSHAKE
    return _damaged(random, HANDSHAKE)


def _frame(random, payload):
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


def _message(random):
    """Its kind, and the bytes of a request."""
    if random.rand() < 0.02:
        return 'noise', random.bytes(random.randint(200))
    request = _request(random)
    message = request.SerializeToString()
    if random.rand() < 0.25:
        return 'damaged', _damaged(random, message)
    return 'out of order', message


def _damaged(random, data):
    """Cut off, or with some bits turned over."""
    if not data:
        return b'\x00'
    if random.rand() < 0.5:
        return data[: random.randint(len(data))]
    damaged = bytearray(data)
    for _ in range(random.randint(1, 4)):
        damaged[random.randint(len(damaged))] ^= 1 << random.randint(8)
    return bytes(damaged)


def _request(random):
    kind = REQUESTS[random.randint(len(REQUESTS))]
    if random.rand() < 0.4:
        kind = ('observation', 'action', 'step', 'create_game', 'join_game')[random.randint(5)]
    request = sc2api_pb2.Request()
    content = getattr(request, kind)
    content.SetInParent()
    if random.rand() < 0.5:
        request.id = _number(random)
    if kind == 'create_game':
        _fill_create(random, content)
    elif kind == 'join_game':
        _fill_join(random, content)
    elif kind == 'step':
        content.count = random.randint(20) if random.rand() < 0.98 else _number(random)
    elif kind == 'action':
        for _ in range(random.randint(4)):
            _fill(random, content.actions.add())
    elif kind == 'data':
        _fill(random, content)
    return request


def _fill_create(random, content):
    name = sim.MAP_NAMES[random.randint(len(sim.MAP_NAMES))]
    if random.rand() < 0.9:
        content.local_map.map_path = map_path(name if random.rand() < 0.9 else name[1:])
    for _ in range(1 if random.rand() < 0.9 else random.randint(3)):
        content.player_setup.add(type=sc2api_pb2.Participant)
    content.random_seed = _number(random)


def _fill_join(random, content):
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


def _fill(random, message, depth=0):
    """Sets some fields of a message, whatever they mean, to values of their types."""
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


def _value(random, field):
    if field.enum_type is not None:
        return field.enum_type.values[random.randint(len(field.enum_type.values))].number
    kind = field.cpp_type
    if kind in (field.CPPTYPE_INT32, field.CPPTYPE_INT64):
        return random.randint(-(2**31), 2**31)
    if kind in (field.CPPTYPE_UINT32, field.CPPTYPE_UINT64):
        return _number(random)
    if kind in (field.CPPTYPE_FLOAT, field.CPPTYPE_DOUBLE):
        return float(random.choice([0.0, -1.0, 30.0, 1e30, np.inf, np.nan]))
    if kind == field.CPPTYPE_BOOL:
        return bool(random.randint(2))
    return 'text'


def _number(random):
    return int(_PROBABLY_SMALL[random.randint(len(_PROBABLY_SMALL))])


class _Deadline:
    """Ends the process's patience with a request."""

    def __init__(self, message):
        self._message = message

    def __enter__(self):
        # Processor time: a session waits for nothing, and others may use the machine as well.
        signal.signal(signal.SIGVTALRM, self._late)
        signal.setitimer(signal.ITIMER_VIRTUAL, LIMIT_SECONDS)

    def __exit__(self, *exc_info):
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)

    def _late(self, number, frame):
        raise WrongAnswer(f'no answer to {self._message!r} in {LIMIT_SECONDS} s')


if __name__ == '__main__':
    sys.exit(main())
