import os
import socket
import struct
import threading

import numpy as np
import pytest

from sc2impala.sim.api import websocket

HANDSHAKE = (
    b'GET /sc2api HTTP/1.1\r\nHost: x\r\nUpgrade: WebSocket\r\nConnection: Upgrade\r\n'
    b'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n'
)
TEXT, BINARY, CLOSE, PING, PONG = 1, 2, 8, 9, 10


def frame(kind, payload, is_last=True, mask=b'\x01\x80\x7f\xfe'):
    length = len(payload)
    head = bytes([kind | (0x80 if is_last else 0)])
    if length < 126:
        head += bytes([0x80 | length])
    elif length < 1 << 16:
        head += struct.pack('>BH', 0x80 | 126, length)
    else:
        head += struct.pack('>BQ', 0x80 | 127, length)
    return head + mask + bytes(byte ^ mask[i % 4] for i, byte in enumerate(payload))


@pytest.fixture
def pair():
    server, client = socket.socketpair()
    client.settimeout(10)
    server.settimeout(10)
    with server, client:
        yield server, client


def upgraded(pair):
    server, client = pair
    client.sendall(HANDSHAKE)
    connection = websocket.Connection(server)
    answer = client.recv(4096)
    assert answer.startswith(b'HTTP/1.1 101 ')
    return connection, client, answer


def received(client, count):
    data = b''
    while len(data) < count:
        data += client.recv(count - len(data))
    return data


def test_the_handshake_is_that_of_the_standard(pair):
    _, _, answer = upgraded(pair)
    # The example of RFC 6455, section 1.3.
    assert b'Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n' in answer


@pytest.mark.parametrize(
    'request_bytes, status',
    [
        (HANDSHAKE.replace(b'/sc2api', b'/other'), b'404'),
        (HANDSHAKE.replace(b'GET', b'POST'), b'400'),
        (HANDSHAKE.replace(b'WebSocket\r\n', b'h2c\r\n'), b'400'),
        (HANDSHAKE.replace(b'Version: 13', b'Version: 8'), b'426'),
        (b'\x16\x03\x01\x02\r\n\r\n', b'400'),
        (b'x' * (websocket.MAX_HEADER_BYTES + 1), b'431'),
    ],
)
def test_other_requests_are_rejected(pair, request_bytes, status):
    server, client = pair
    client.sendall(request_bytes)
    with pytest.raises(websocket.Closed):
        websocket.Connection(server)
    assert client.recv(4096).startswith(b'HTTP/1.1 ' + status)


@pytest.mark.parametrize('kind', [TEXT, BINARY])
@pytest.mark.parametrize('length', [0, 1, 125, 126, 65535, 65536, 300000])
def test_messages_of_any_length_go_both_ways(pair, kind, length):
    connection, client, _ = upgraded(pair)
    # Not UTF-8, also where the frame says that it is text.
    message = np.random.RandomState(0).bytes(length)
    sender = threading.Thread(target=client.sendall, args=[frame(kind, message)])
    sender.start()
    assert connection.receive() == message
    sender.join()
    sender = threading.Thread(target=connection.send, args=[message])
    sender.start()
    head = received(client, 2)
    assert head[0] == 0x80 | BINARY
    size = head[1]
    if size == 126:
        (size,) = struct.unpack('>H', received(client, 2))
    elif size == 127:
        (size,) = struct.unpack('>Q', received(client, 8))
    assert received(client, size) == message
    sender.join()


def test_messages_in_parts_with_a_ping_in_between(pair):
    connection, client, _ = upgraded(pair)
    client.sendall(
        frame(BINARY, b'one ', is_last=False)
        + frame(PING, b'there?')
        + frame(0, b'two ', is_last=False)
        + frame(0, b'three')
    )
    assert connection.receive() == b'one two three'
    assert received(client, 8) == bytes([0x80 | PONG, 6]) + b'there?'


def test_frames_that_arrive_byte_by_byte(pair):
    connection, client, _ = upgraded(pair)

    def send():
        for byte in frame(BINARY, b'slowly'):
            client.sendall(bytes([byte]))

    sender = threading.Thread(target=send)
    sender.start()
    assert connection.receive() == b'slowly'
    sender.join()


def test_closing_is_answered(pair):
    connection, client, _ = upgraded(pair)
    client.sendall(frame(CLOSE, struct.pack('>H', 1000) + b'bye'))
    assert connection.receive() is None
    assert received(client, 4) == bytes([0x80 | CLOSE, 2]) + struct.pack('>H', 1000)


@pytest.mark.parametrize(
    'data, code',
    [
        (b'\x82\x01x', websocket.PROTOCOL_ERROR),  # Not masked.
        (b'\xc2\x81\0\0\0\0x', websocket.PROTOCOL_ERROR),  # A reserved bit.
        (frame(3, b'x'), websocket.PROTOCOL_ERROR),
        (frame(0, b'goes on'), websocket.PROTOCOL_ERROR),
        (frame(BINARY, b'a', is_last=False) + frame(BINARY, b'b'), websocket.PROTOCOL_ERROR),
        (frame(PING, b'x', is_last=False), websocket.PROTOCOL_ERROR),
        (frame(PING, b'x' * 126), websocket.PROTOCOL_ERROR),
        (b'\x82\xff' + struct.pack('>Q', 1 << 62), websocket.TOO_BIG),
    ],
)
def test_a_client_that_violates_the_protocol_is_disconnected(pair, data, code):
    connection, client, _ = upgraded(pair)
    client.sendall(data)
    with pytest.raises(websocket.Closed):
        connection.receive()
    assert received(client, 4) == bytes([0x80 | CLOSE, 2]) + struct.pack('>H', code)


@pytest.mark.parametrize('data', [b'', b'\x82', frame(BINARY, b'cut off')[:-3]])
def test_the_end_of_the_connection_is_noticed(pair, data):
    connection, client, _ = upgraded(pair)
    client.sendall(data)
    client.shutdown(socket.SHUT_WR)
    with pytest.raises(websocket.Closed):
        connection.receive()


def test_memory_is_bounded_over_all_parts(pair, monkeypatch):
    monkeypatch.setattr(websocket, 'MAX_MESSAGE_BYTES', 1000)
    connection, client, _ = upgraded(pair)
    part = os.urandom(600)
    client.sendall(frame(BINARY, part, is_last=False) + frame(0, part))
    with pytest.raises(websocket.Closed):
        connection.receive()
