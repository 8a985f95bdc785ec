"""Networks of several machines on one: what is sent arrives, unless a machine is cut off."""

import contextlib
import multiprocessing
import socket
import subprocess
import sys
import threading

import pytest

from benchmarks import networks

CLIENT = """
import socket, sys
host, port = sys.argv[1].split(':')
try:
    with socket.create_connection((host, int(port)), float(sys.argv[2])) as server:
        server.sendall(b'hello')
        print(server.recv(100).decode())
except OSError as error:
    print(type(error).__name__)
"""


def serve(prepare, ports):
    """Answers every connection with what it sends, in capitals."""
    prepare()
    with socket.socket() as listener:
        listener.bind(('', 0))
        listener.listen(5)
        ports.put(listener.getsockname()[1])
        while True:
            client, _ = listener.accept()
            with client:
                client.sendall(client.recv(100).upper())


@contextlib.contextmanager
def server(prepare):
    """A server in a process of its own; its port."""
    context = multiprocessing.get_context('fork')
    ports = context.Queue()
    process = context.Process(target=serve, args=(prepare, ports), daemon=True)
    process.start()
    try:
        yield ports.get()
    finally:
        process.kill()
        process.join()


@pytest.mark.skipif(bool(networks.missing()), reason='no network namespaces here')
def test_a_machine_that_is_cut_off_and_joined_again():
    with contextlib.ExitStack() as stack:
        machines = networks.Namespaces(3, stack)
        port = stack.enter_context(server(machines.enter(0)))

        def call(machine, secs):
            command = [sys.executable, '-c', CLIENT, machines.address(machine, port), str(secs)]
            command = [*machines.command(machine), *command]
            return subprocess.check_output(command, universal_newlines=True).strip()

        assert call(1, 60) == call(2, 60) == 'HELLO'
        machines.cut(2)
        assert call(2, 0.5) in ('timeout', 'TimeoutError', 'OSError')
        assert call(1, 60) == 'HELLO'
        machines.mend(2)
        assert call(2, 60) == 'HELLO'


@pytest.mark.parametrize('shape', [networks.Shape(), networks.Shape(0.01, 1e6)])
def test_relays(shape):
    with contextlib.ExitStack() as stack:
        machines = networks.Relays(2, stack, shape)
        listener = stack.enter_context(socket.socket())
        listener.bind(('localhost', 0))
        listener.listen(1)
        host, port = machines.address(1, listener.getsockname()[1]).split(':')
        client = stack.enter_context(socket.create_connection((host, int(port))))
        at_server, _ = listener.accept()
        stack.enter_context(at_server)
        content = bytes(range(256)) * 100
        for sender, receiver in ((client, at_server), (at_server, client)):
            threading.Thread(target=sender.sendall, args=(content,)).start()
            assert receive(receiver, len(content)) == content
        machines.cut(1)
        client.sendall(b'held back')
        at_server.settimeout(0.3)
        with pytest.raises(socket.timeout):
            at_server.recv(1)
        at_server.settimeout(None)
        machines.mend(1)
        assert receive(at_server, 9) == b'held back'
        client.close()
        assert at_server.recv(1) == b''


def receive(receiver, count):
    content = b''
    while len(content) < count:
        content += receiver.recv(count - len(content))
    return content


def test_what_is_missing_is_named(monkeypatch, tmp_path):
    monkeypatch.setenv('PATH', str(tmp_path))
    assert networks.missing() == 'unshare: No such file or directory'
    assert networks.missing_for_shapes() == networks.missing()
