"""Calls that fail are repeated until they work, the run has ended, or the process."""

import socket
import threading
import time

import pytest
import tensorflow.compat.v1 as tf

from sc2impala.cluster import link as link_lib
from sc2impala.cluster import run_info as run_info
from sc2impala.cluster.link import Link, RunEnded, Stopped
from sc2impala.errors import UserError
from tests.cluster.run_info_test import make_run_info


@pytest.fixture(autouse=True)
def impatient(monkeypatch):
    monkeypatch.setattr(link_lib, '_FIRST_WAIT_SECS', 0.05)
    monkeypatch.setattr(link_lib, '_REPORT_SECS', 0.1)


class Learner:
    """RunInfo, status and a queue on the server."""

    def __init__(self, server, info):
        with tf.Graph().as_default() as graph:
            _, status = run_info.local_variables(info)
            queue = make_queue()
            self.dequeue, self.size = queue.dequeue(), queue.size()
            self.close = queue.close(cancel_pending_enqueues=True)
            self.finish = status.assign([run_info.FINISHED, 0.0]).op
            initialize = tf.local_variables_initializer()
            self.session = tf.Session(server.target, graph=graph)
            self.session.run(initialize)


@pytest.mark.parametrize('answer', [b'', b'SSH-2.0-OpenSSH_9.0\r\n'])
def test_a_port_of_another_program(answer, monkeypatch):
    monkeypatch.setattr(link_lib, '_SHORT_CALL_SECS', 0.5)
    stop, said, opened = threading.Event(), [], []

    def say(text):
        said.append(text)
        stop.set()

    with socket.socket() as other:
        other.bind(('127.0.0.1', 0))
        other.listen(5)

        def serve():
            while not stop.is_set():
                opened.append(other.accept()[0])
                opened[-1].sendall(answer)

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        address = f'127.0.0.1:{other.getsockname()[1]}'
        with pytest.raises(Stopped):
            link_lib.wait_for_run_info(address, stop, say)
        socket.create_connection(other.getsockname()).close()
        thread.join()
    for connection in opened:
        connection.close()
    assert 'no learner answers: it is busy, or the port is of another program)' in said[0]


def test_the_line_of_an_error_is_its_reason():
    for message in ('Graph execution error:\n\nno such queue\nat x', 'no such queue'):
        error = tf.errors.NotFoundError(None, None, message)
        assert link_lib.one_line(error) == 'NotFoundError: no such queue'


def make_queue():
    return tf.FIFOQueue(1, [tf.int32], [[]], shared_name='numbers', name='numbers')


class Client:
    """A link, and an operation that fills the queue."""

    def __init__(self, server, info, timeout_secs=30.0):
        self.stop, self.said = threading.Event(), []
        with tf.Graph().as_default() as graph:
            with tf.device(run_info.DEVICE + '/cpu:0'):
                self.enqueue = make_queue().enqueue(tf.constant(7))
            self.unknown = run_info.remote_variable('nobody', tf.float32, [], '/device:CPU:0')
            self.link = Link(server.address, graph, info, timeout_secs, self.stop, self.said.append)

    def in_thread(self, fetches):
        """Runs, and returns the thread and the list that its result will be in."""
        results = []

        def run():
            try:
                results.append(self.link.run(fetches))
            except (RunEnded, Stopped) as error:
                results.append(error)

        thread = threading.Thread(target=run)
        thread.start()
        return thread, results


def free_port():
    with socket.socket() as found:
        found.bind(('localhost', 0))
        return found.getsockname()[1]


def test_nobody_listens(monkeypatch):
    stop, said = threading.Event(), []
    address = f'localhost:{free_port()}'
    assert 'refused' in link_lib.unreachable(address)
    assert link_lib.unreachable('no.such.host.invalid:1')
    thread = threading.Timer(1.0, stop.set)
    thread.start()
    with pytest.raises(Stopped):
        link_lib.wait_for_run_info(address, stop, said.append)
    assert said[0].startswith(f'waiting for the learner at {address}, ')
    assert 'refused' in said[0]


def test_a_board_is_waited_for(server):
    stop, said = threading.Event(), []
    info = make_run_info()
    timer = threading.Timer(0.5, Learner, (server, info))
    timer.start()
    found = link_lib.wait_for_run_info(server.address, stop, said.append)
    timer.join()
    assert found == info._replace(versions=found.versions)
    assert any('it is starting' in text for text in said)


def test_a_learner_of_another_version_is_not_waited_for(server):
    Learner(server, make_run_info(versions={'sc2impala': '0.0.1', 'tensorflow': '3.0'}))
    with pytest.raises(UserError, match='the learner has sc2impala 0.0.1'):
        link_lib.wait_for_run_info(server.address, threading.Event(), print)


def test_a_call_that_takes_too_long_is_repeated_in_the_same_run(server):
    info = make_run_info()
    learner, client = Learner(server, info), Client(server, info, timeout_secs=0.5)
    client.link.run(client.enqueue)
    thread, results = client.in_thread(client.enqueue)
    time.sleep(1.2)
    assert not results, 'there is no room yet'
    learner.session.run(learner.dequeue)
    thread.join()
    assert results == [None]
    assert learner.session.run(learner.dequeue) == 7


def test_another_run_ends_the_play(server):
    info = make_run_info('one')
    learner, client = Learner(server, info), Client(server, info)
    client.link.run(client.enqueue)
    thread, results = client.in_thread(client.enqueue)
    Learner(server, make_run_info('two'))
    learner.session.run(learner.close)
    thread.join()
    assert results[0].info.run == 'two'


def test_the_end_of_the_training_ends_the_play(server):
    info = make_run_info()
    learner, client = Learner(server, info), Client(server, info)
    client.link.run(client.enqueue)
    thread, results = client.in_thread(client.enqueue)
    learner.session.run(learner.finish)
    learner.session.run(learner.close)
    thread.join()
    assert isinstance(results[0], RunEnded) and results[0].info is None


def test_closing_ends_a_call_that_waits(server):
    info = make_run_info()
    _, client = Learner(server, info), Client(server, info)
    client.link.run(client.enqueue)
    thread, results = client.in_thread(client.enqueue)
    thread.join(0.3)
    client.stop.set()
    client.link.close()
    thread.join()
    assert isinstance(results[0], Stopped)


def test_a_variable_that_does_not_exist_yet_is_waited_for(server):
    info = make_run_info()
    _, client = Learner(server, info), Client(server, info)
    thread, results = client.in_thread(client.unknown)
    time.sleep(0.5)
    assert not results
    with tf.Graph().as_default():
        tf.get_variable('nobody', [], tf.float32, tf.ones_initializer())
        with tf.Session(server.target) as session:
            session.run(tf.global_variables_initializer())
    thread.join()
    assert results == [1.0]
