"""The server process: its start and its end."""

import os
import signal
import socket
import subprocess
import sys
import time

import pytest
from s2clientprotocol import sc2api_pb2

from sc2impala.sim.api import install, server
from tests.sim.api import websocket_test

LIMIT = 20  # Seconds after which a process counts as hung.


def free_port():
    with socket.socket() as sock:
        sock.bind(('127.0.0.1', 0))
        return sock.getsockname()[1]


@pytest.fixture(scope='module')
def binary(tmp_path_factory):
    return os.path.join(install.install(str(tmp_path_factory.mktemp('standin'))), install.BINARY)


@pytest.fixture
def start(binary):
    started = []

    def start_on(port, *more):
        command = [binary, '-listen', '127.0.0.1', '-port', str(port), '-dataDir', '/x/', *more]
        process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        started.append(process)
        return process

    yield start_on
    for process in started:
        process.kill()
        process.wait()
        process.stderr.close()


def connect(port):
    """A socket of a client that is connected, once the server listens."""
    for _ in range(LIMIT * 20):
        try:
            return socket.create_connection(('127.0.0.1', port), timeout=LIMIT)
        except ConnectionRefusedError:
            time.sleep(0.05)
    raise AssertionError('nobody listens')


def upgraded(port):
    client = connect(port)
    client.sendall(websocket_test.HANDSHAKE)
    assert client.recv(4096).startswith(b'HTTP/1.1 101')
    return client


def ask(client, **request):
    message = sc2api_pb2.Request()
    for name in request:
        getattr(message, name).SetInParent()
    client.sendall(websocket_test.frame(websocket_test.TEXT, message.SerializeToString()))
    head = client.recv(2)
    response = sc2api_pb2.Response()
    response.ParseFromString(client.recv(head[1]))
    return response


def test_it_ends_at_a_quit_request(start):
    port = free_port()
    process = start(port, '-tempDir', '/tmp/', '-verbose', '-eglpath', 'x', '-dataVersion', 'ABC')
    with upgraded(port) as client:
        assert ask(client, ping=1).ping.base_build == 75689
        assert ask(client, quit=1).status == sc2api_pb2.quit
    assert process.wait(LIMIT) == 0


def test_it_ends_when_its_client_disconnects(start):
    port = free_port()
    process = start(port)
    upgraded(port).close()
    assert process.wait(LIMIT) == 0


def test_it_ends_at_sigterm_also_at_many(start):
    port = free_port()
    process = start(port)
    with upgraded(port):
        for _ in range(5):
            process.send_signal(signal.SIGTERM)
        assert process.wait(LIMIT) == 0


@pytest.mark.long
def test_it_ends_when_its_parent_ends(binary, tmp_path):
    port = free_port()
    script = (
        'import subprocess, sys, time\n'
        f'game = subprocess.Popen([{binary!r}, "-port", "{port}"])\n'
        'print(game.pid, flush=True)\n'
        'time.sleep(100)\n'
    )
    parent = subprocess.Popen([sys.executable, '-c', script], stdout=subprocess.PIPE, text=True)
    with parent.stdout:
        game = int(parent.stdout.readline())
        connect(port).close()
        parent.kill()
        parent.wait()
    deadline = time.time() + LIMIT
    while is_running(game) and time.time() < deadline:
        time.sleep(0.05)
    assert not is_running(game)


def is_running(pid):
    """Returns whether a process exists and is not a zombie."""
    try:
        with open(f'/proc/{pid}/stat') as file:
            return file.read().rpartition(')')[2].split()[0] != 'Z'
    except FileNotFoundError:
        return False


def test_a_rejected_client_does_not_end_it(start):
    port = free_port()
    process = start(port)
    with connect(port) as stranger:
        stranger.sendall(b'GET / HTTP/1.1\r\n\r\n')
        assert b'404' in stranger.recv(100)
    connect(port).close()
    with upgraded(port) as client:
        assert ask(client, ping=1).ping.game_version
    assert process.wait(LIMIT) == 0


def test_a_port_that_is_taken_is_named(start):
    with server.listen(0) as taken:
        port = taken.getsockname()[1]
        process = start(port)
        assert process.wait(LIMIT) == 1
        assert f'-port is {port}' in process.stderr.read()


def test_it_listens_on_loopback_alone():
    with server.listen(0) as listener:
        assert listener.getsockname()[0] == '127.0.0.1'


def test_it_loads_no_tensorflow():
    code = (
        'import sys\n'
        'from sc2impala.sim.api import install, server\n'
        'assert not [name for name in sys.modules if name.split(".")[0] in '
        '("tensorflow", "sonnet", "pysc2", "pysc2_evolved", "pygame")]\n'
    )
    subprocess.run([sys.executable, '-c', code], check=True, cwd=os.getcwd())
