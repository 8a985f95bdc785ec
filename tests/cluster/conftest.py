"""A server of this process, for learner and clients."""

import pytest
import tensorflow.compat.v1 as tf


class Server:
    """address: for clients; target: for sessions of the learner."""

    def __init__(self):
        self.server = tf.train.Server({'learner': ['localhost:0']}, 'learner', 0)
        self.target = self.server.target
        self.address = 'localhost:' + self.target.rpartition(':')[2]


@pytest.fixture(scope='session')
def shared_server():
    return Server()


@pytest.fixture
def server(shared_server):
    """The server, without anything that another test has left there."""
    yield shared_server
    tf.Session.reset(shared_server.target)
