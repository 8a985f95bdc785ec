"""The server's side of a websocket (RFC 6455) for one client, without extensions."""

import base64
import hashlib
import socket
import struct
from typing import Dict, List, NoReturn, Optional, Tuple

import numpy as np

PATH = '/sc2api'
MAX_MESSAGE_BYTES = 1 << 26
MAX_HEADER_BYTES = 1 << 14

NORMAL, PROTOCOL_ERROR, TOO_BIG = 1000, 1002, 1009
"""Status codes of the close frame."""

_GUID = b'258EAFA5-E914-47DA-95CA-C5AB0DC85B11'
_CONTINUATION, _TEXT, _BINARY, _CLOSE, _PING, _PONG = 0, 1, 2, 8, 9, 10
_MAX_CONTROL_BYTES = 125


class Closed(Exception):
    """The client has disconnected, or violated the protocol and was disconnected."""


class Connection:
    """A connection to a client after the websocket handshake."""

    def __init__(self, sock: socket.socket):
        """Performs the handshake.

        Raises:
          Closed: if the client does not request a websocket at PATH; an error status is sent.
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
        """Returns the next message, text or binary; None if the client has closed the connection.

        Raises:
          Closed: if the connection is lost or the client violates the protocol.
        """
        message: List[bytes] = []
        first = None
        while True:
            is_last, opcode, payload = self._read_frame()
            if opcode == _CLOSE:
                self._send_frame(_CLOSE, payload[:2])
                return None
            if opcode == _PING:
                self._send_frame(_PONG, payload)
            elif opcode in (_TEXT, _BINARY, _CONTINUATION):
                if (opcode == _CONTINUATION) != (first is not None):
                    self._give_up(PROTOCOL_ERROR)
                first = opcode if first is None else first
                message.append(payload)
                if sum(map(len, message)) > MAX_MESSAGE_BYTES:
                    self._give_up(TOO_BIG)
                if is_last:
                    return b''.join(message)
            elif opcode != _PONG:
                self._give_up(PROTOCOL_ERROR)

    def send(self, message: bytes) -> None:
        """Sends a binary message.

        Raises:
          Closed: if the connection is lost.
        """
        self._send_frame(_BINARY, message)

    def _read_headers(self) -> Dict[str, str]:
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

    def _refuse(self, status: str) -> NoReturn:
        self._send(f'HTTP/1.1 {status}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n'.encode())
        raise Closed(status)

    def _read_frame(self) -> Tuple[bool, int, bytes]:
        """Returns whether the frame is the last one of a message, its opcode and its payload."""
        first, second = self._read(2)
        opcode, length = first & 0x0F, second & 0x7F
        is_control = opcode >= _CLOSE
        # The reserved bits are for extensions; clients must mask their frames.
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
        return bool(first & 0x80), opcode, _unmask(self._read(length), mask)

    def _send_frame(self, opcode: int, payload: bytes) -> None:
        length = len(payload)
        if length < 126:
            head = struct.pack('>BB', 0x80 | opcode, length)
        elif length < 1 << 16:
            head = struct.pack('>BBH', 0x80 | opcode, 126, length)
        else:
            head = struct.pack('>BBQ', 0x80 | opcode, 127, length)
        self._send(head + payload)

    def _give_up(self, reason: int) -> NoReturn:
        self._send_frame(_CLOSE, struct.pack('>H', reason))
        raise Closed(f'closed with code {reason}')

    def _read(self, count: int) -> bytes:
        while len(self._received) < count:
            self._receive_more(count - len(self._received))
        data, self._received = self._received[:count], self._received[count:]
        return data

    def _receive_more(self, count: int = 0) -> None:
        try:
            data = self._socket.recv(max(count, 1 << 16))
        except OSError as error:
            raise Closed(str(error)) from error
        if not data:
            raise Closed('end of file')
        self._received += data

    def _send(self, data: bytes) -> None:
        try:
            self._socket.sendall(data)
        except OSError as error:
            raise Closed(str(error)) from error


def _accept(key: str) -> bytes:
    """Returns the value of the header Sec-WebSocket-Accept."""
    return base64.b64encode(hashlib.sha1(key.encode('latin-1') + _GUID).digest())


def _unmask(payload: bytes, mask: bytes) -> bytes:
    if not payload:
        return b''
    data = np.frombuffer(payload, np.uint8)
    keys = np.resize(np.frombuffer(mask, np.uint8), len(data))
    return (data ^ keys).tobytes()
