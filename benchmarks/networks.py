"""Networks of several machines on one, for tests and benchmarks of clusters.

`Namespaces` is a bridge with one network namespace for each machine, where the system permits it
(Linux, with unprivileged user namespaces); `Relays` forwards connections in threads of this
process, and needs nothing. In both, machine 0 is that of the learner, traffic can be made slower,
and a machine can be cut off, so that what is sent to it vanishes without an answer.
"""

import contextlib
import ctypes
import queue
import socket
import subprocess
import threading
import time
from typing import Any, Callable, List, NamedTuple, Optional, Sequence

_NEW_USER, _NEW_NET = 0x10000000, 0x40000000
_UNSHARE = ('unshare', '--user', '--map-root-user', '--net')
_CHUNK_BYTES = 1 << 16
_QUEUED_CHUNKS = 64


class Shape(NamedTuple):
    """What slows down the traffic of a machine, in each direction.

    delay_secs: of every packet.
    bits_per_second: at most; 0 for no limit.
    """

    delay_secs: float = 0.0
    bits_per_second: float = 0.0


def missing() -> str:
    """What `Namespaces` lacks here, as the system says it; empty if it works."""
    return _try(
        *_UNSHARE, 'ip', 'link', 'add', 'end0', 'type', 'veth', 'peer', 'name', 'end1'
    ) or _try(*_UNSHARE, 'ip', 'link', 'add', 'hub', 'type', 'bridge')


def missing_for_shapes() -> str:
    """What `Namespaces` lacks to slow traffic down; empty if it works."""
    netem = ('tc', 'qdisc', 'add', 'dev', 'lo', 'root', 'netem', 'delay', '1ms', 'rate', '1mbit')
    return missing() or _try(*_UNSHARE, *netem)


class Namespaces:
    """A bridge that joins network namespaces; they vanish with this process."""

    def __init__(self, machines: int, stack: contextlib.ExitStack, shape: Optional[Shape] = None):
        """Args:
        machines: how many namespaces.
        stack: ends them.
        shape: of the traffic that leaves each of them.

        Raises:
          subprocess.CalledProcessError: if the system does not permit it.
        """
        self._stack = stack
        self._hub = self._hold(_UNSHARE)
        self._in_hub('ip', 'link', 'add', 'bridge', 'type', 'bridge')
        self._in_hub('ip', 'link', 'set', 'bridge', 'up')
        self._machines = [
            self._hold((*_enter(self._hub), 'unshare', '--net')) for _ in range(machines)
        ]
        for index, pid in enumerate(self._machines):
            port = f'port{index}'
            peer = ('peer', 'name', 'eth0', 'netns', str(pid))
            self._in_hub('ip', 'link', 'add', port, 'type', 'veth', *peer)
            self._in_hub('ip', 'link', 'set', port, 'master', 'bridge', 'up')
            _check((*_enter(pid), 'ip', 'addr', 'add', _host(index) + '/24', 'dev', 'eth0'))
            for device in ('lo', 'eth0'):
                _check((*_enter(pid), 'ip', 'link', 'set', device, 'up'))
            if shape is not None:
                limit = [f'rate {shape.bits_per_second:.0f}bit'] if shape.bits_per_second else []
                netem = [f'netem delay {1000 * shape.delay_secs:.3f}ms', *limit]
                words = ' '.join(netem).split()
                _check((*_enter(pid), 'tc', 'qdisc', 'add', 'dev', 'eth0', 'root', *words))

    def address(self, machine: int, port: int) -> str:
        """Where the learner is, seen from a machine, if it listens on the port."""
        return f'{_host(0)}:{port}'

    def command(self, machine: int) -> List[str]:
        """What a command starts with that is to run on a machine."""
        return list(_enter(self._machines[machine]))

    def enter(self, machine: int) -> Callable[[], None]:
        """What moves a new process, which has one thread, to a machine."""
        return _Entry(self._machines[machine])

    def cut(self, machine: int) -> None:
        """Cuts a machine off."""
        self._in_hub('ip', 'link', 'set', f'port{machine}', 'down')

    def mend(self, machine: int) -> None:
        """Joins it again."""
        self._in_hub('ip', 'link', 'set', f'port{machine}', 'up')

    def _hold(self, prefix: Sequence[str]) -> int:
        """Starts a process that keeps a namespace alive."""
        command = [*prefix, 'sh', '-c', 'echo ready; exec cat']
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self._stack.callback(process.wait)
        self._stack.callback(process.kill)
        assert process.stdout is not None
        if not process.stdout.readline():
            raise subprocess.CalledProcessError(process.wait(), command)
        return process.pid

    def _in_hub(self, *command: str) -> None:
        _check((*_enter(self._hub), *command))


class _Entry:
    """Moves the calling process into the namespaces of another one; can be pickled."""

    def __init__(self, pid: int):
        self._pid = pid

    def __call__(self) -> None:
        setns = ctypes.CDLL(None, use_errno=True).setns
        for name, kind in (('user', _NEW_USER), ('net', _NEW_NET)):
            with open(f'/proc/{self._pid}/ns/{name}') as namespace:
                if setns(namespace.fileno(), kind):
                    raise OSError(ctypes.get_errno(), f'setns {name}')


class Relays:
    """Connections to one server through a relay for each machine."""

    def __init__(self, machines: int, stack: contextlib.ExitStack, shape: Optional[Shape] = None):
        """As `Namespaces`, but that the server may be anywhere; see `address`."""
        self._relays = [Relay(shape or Shape()) for _ in range(machines)]
        for relay in self._relays:
            stack.callback(relay.close)

    def address(self, machine: int, port: int) -> str:
        """Where the learner is, seen from a machine, if it listens on the port of this host."""
        if not machine:
            return f'localhost:{port}'
        self._relays[machine].target = ('localhost', port)
        return f'localhost:{self._relays[machine].port}'

    def command(self, machine: int) -> List[str]:
        """Nothing: all machines are this one."""
        return []

    def enter(self, machine: int) -> Callable[[], None]:
        """Nothing that a process has to do."""
        return _nothing

    def cut(self, machine: int) -> None:
        """Stops forwarding."""
        self._relays[machine].is_open.clear()

    def mend(self, machine: int) -> None:
        """Forwards again, also what was held back."""
        self._relays[machine].is_open.set()


def _nothing() -> None:
    """What a process has to do that is where it should be."""


class Relay:
    """Forwards connections to a target, slowly, or not at all.

    port: where it listens.
    target: host and port to which it forwards.
    is_open: cleared while nothing is forwarded.
    """

    def __init__(self, shape: Shape):
        self.target = ('localhost', 0)
        self.is_open = threading.Event()
        self.is_open.set()
        self._shape = shape
        self._rates = [_Rate(shape.bits_per_second) for _ in range(2)]
        self._listener = socket.socket()
        self._listener.bind(('localhost', 0))
        self._listener.listen(64)
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        """Takes no more connections."""
        # Wakes the thread that accepts them.
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                self.is_open.wait()
                try:
                    server = socket.create_connection(self.target)
                except OSError:
                    client.close()
                    continue
                for ends, rate in zip(((client, server), (server, client)), self._rates):
                    chunks: Any = queue.Queue(_QUEUED_CHUNKS)
                    threading.Thread(target=self._read, args=(ends[0], chunks), daemon=True).start()
                    arguments = (*ends, chunks, rate)
                    threading.Thread(target=self._write, args=arguments, daemon=True).start()

    def _read(self, source: socket.socket, chunks: Any) -> None:
        content = b'.'
        while content:
            self.is_open.wait()
            try:
                content = source.recv(_CHUNK_BYTES)
            except OSError:
                content = b''
            chunks.put((time.monotonic() + self._shape.delay_secs, content))

    def _write(self, source: socket.socket, sink: socket.socket, chunks: Any, rate: Any) -> None:
        with contextlib.suppress(OSError):
            while True:
                due, content = chunks.get()
                time.sleep(max(0.0, due - time.monotonic()))
                self.is_open.wait()
                if not content:
                    break
                rate.take(len(content))
                sink.sendall(content)
        for end in (source, sink):
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)


class _Rate:
    """Delays what exceeds a rate; for several threads."""

    def __init__(self, bits_per_second: float):
        self._bits_per_second = bits_per_second
        self._lock = threading.Lock()
        self._free_at = 0.0

    def take(self, num_bytes: int) -> None:
        if not self._bits_per_second:
            return
        with self._lock:
            self._free_at = max(self._free_at, time.monotonic())
            self._free_at += 8 * num_bytes / self._bits_per_second
            wait = self._free_at - time.monotonic()
        time.sleep(max(0.0, wait))


def _host(machine: int) -> str:
    return f'10.77.0.{machine + 1}'


def _enter(pid: int) -> Sequence[str]:
    return ('nsenter', '--target', str(pid), '--user', '--net', '--preserve-credentials')


def _check(command: Sequence[str]) -> None:
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def _try(*command: str) -> str:
    """Runs a command; the first line of its error, empty if there is none."""
    try:
        done = subprocess.run(command, capture_output=True, text=True)
    except OSError as error:
        return f'{command[0]}: {error.strerror}'
    lines = done.stderr.strip().splitlines() or [f'exit code {done.returncode}']
    return f'{" ".join(command)}: {lines[0]}' if done.returncode else ''
