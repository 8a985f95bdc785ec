"""The server's side of a websocket (RFC 6455): one client, whole messages, nothing optional."""

import base64
import hashlib
import socket
import struct
from typing import Optional

import numpy as np

PATH = '/sc2api'
MAX_MESSAGE_BYTES = 1 << 26
MAX_HEADER_BYTES = 1 << 14

NORMAL, PROTOCOL_ERROR, TOO_BIG = 1000, 1002, 1009
"""Reasons to close."""

_GUID = b'258EAFA5-E914-47DA-95CA-C5AB0DC85B11'
_CONTINUATION, _TEXT, _BINARY, _CLOSE, _PING, _PONG = 0, 1, 2, 8, 9, 10
_MAX_CONTROL_BYTES = 125


class Closed(Exception):
    """The client is gone, or has broken the protocol and was turned away."""


class Connection:
    """A client that was upgraded to a websocket."""

    def __init__(self, sock: socket.socket):
        """Shakes hands.

        Raises:
          Closed: if this is no request for a websocket at PATH; it has been answered then.
        """
        self._socket = sock
        self._received = b''
        if sock.family in (socket.AF_INET, socket.AF_INET6):
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        headers = self._read_headers()
        lines = [
            b'HTTP/1.1 101 Switching Protocols',
            b'Upgrade: websocket',
            b'Connection: Upgrade',
            b'Sec-WebSocket-Accept: ' + _accept(headers['sec-websocket-key']),
        ]
        self._send(b'\r\n'.join(lines) + b'\r\n\r\n')

    def receive(self) -> Optional[bytes]:
        """The next message, of text or bytes; None when the client has closed.

        Raises:
          Closed: if the client broke off or broke the protocol.
        """
        message, first = [], None
        while True:
            is_last, kind, payload = self._read_frame()
            if kind == _CLOSE:
                self._send_frame(_CLOSE, payload[:2])
                return None
            if kind == _PING:
                self._send_frame(_PONG, payload)
            elif kind in (_TEXT, _BINARY, _CONTINUATION):
                if (kind == _CONTINUATION) != (first is not None):
                    self._give_up(PROTOCOL_ERROR)
                first = kind if first is None else first
                message.append(payload)
                if sum(map(len, message)) > MAX_MESSAGE_BYTES:
                    self._give_up(TOO_BIG)
                if is_last:
                    return b''.join(message)
            elif kind != _PONG:
                self._give_up(PROTOCOL_ERROR)

    def send(self, message: bytes) -> None:
        """Sends a message as bytes.

        Raises:
          Closed: if the client is gone.
        """
        self._send_frame(_BINARY, message)

    def _read_headers(self):
        while b'\r\n\r\n' not in self._received:
            if len(self._received) > MAX_HEADER_BYTES:
                self._refuse('431 Request Header Fields Too Large')
            self._receive_more()
        head, self._received = self._received.split(b'\r\n\r\n', 1)
        lines = head.decode('latin-1').split('\r\n')
        pairs = (line.partition(':') for line in lines[1:])
        headers = {name.strip().lower(): value.strip() for name, _, value in pairs}
        words = lines[0].split(' ')
        if len(words) != 3 or words[0] != 'GET':
            self._refuse('400 Bad Request')
        if words[1] != PATH:
            self._refuse('404 Not Found')
        if headers.get('upgrade', '').lower() != 'websocket' or not headers.get(
            'sec-websocket-key'
        ):
            self._refuse('400 Bad Request')
        if headers.get('sec-websocket-version') != '13':
            self._refuse('426 Upgrade Required')
        return headers

    def _refuse(self, status):
        self._send(f'HTTP/1.1 {status}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n'.encode())
        raise Closed(status)

    def _read_frame(self):
        first, second = self._read(2)
        kind, length = first & 0x0F, second & 0x7F
        is_control = kind >= _CLOSE
        # Reserved bits belong to extensions, of which there are none; clients must mask.
        if first & 0x70 or not second & 0x80:
            self._give_up(PROTOCOL_ERROR)
        if is_control and (length > _MAX_CONTROL_BYTES or not first & 0x80):
            self._give_up(PROTOCOL_ERROR)
        if length == 126:
            (length,) = struct.unpack('>H', self._read(2))
        elif length == 127:
            (length,) = struct.unpack('>Q', self._read(8))
        if length > MAX_MESSAGE_BYTES:
            self._give_up(TOO_BIG)
        mask = self._read(4)
        return bool(first & 0x80), kind, _unmask(self._read(length), mask)

    def _send_frame(self, kind, payload):
        length = len(payload)
        if length < 126:
            head = struct.pack('>BB', 0x80 | kind, length)
        elif length < 1 << 16:
            head = struct.pack('>BBH', 0x80 | kind, 126, length)
        else:
            head = struct.pack('>BBQ', 0x80 | kind, 127, length)
        self._send(head + payload)

    def _give_up(self, reason):
        self._send_frame(_CLOSE, struct.pack('>H', reason))
        raise Closed(f'closed with code {reason}')

    def _read(self, count):
        while len(self._received) < count:
            self._receive_more(count - len(self._received))
        data, self._received = self._received[:count], self._received[count:]
        return data

    def _receive_more(self, count=0):
        try:
            data = self._socket.recv(max(count, 1 << 16))
        except OSError as error:
            raise Closed(str(error)) from error
        if not data:
            raise Closed('end of file')
        self._received += data

    def _send(self, data):
        try:
            self._socket.sendall(data)
        except OSError as error:
            raise Closed(str(error)) from error


def _accept(key):
    return base64.b64encode(hashlib.sha1(key.encode('latin-1') + _GUID).digest())


def _unmask(payload, mask):
    if not payload:
        return b''
    data = np.frombuffer(payload, np.uint8)
    keys = np.resize(np.frombuffer(mask, np.uint8), len(data))
    return (data ^ keys).tobytes()
