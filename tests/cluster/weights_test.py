"""The variables of an actor become those of the learner, by name."""

import pytest
import tensorflow.compat.v1 as tf

from sc2impala.cluster import run_info as run_info
from sc2impala.cluster.weights import State, Weights
from sc2impala.errors import UserError


def variable(name, shape, value, dtype=tf.float32):
    return tf.get_variable(name, shape, dtype, tf.constant_initializer(value))


def make_variables(scale, count=2):
    """The number of updates, and variables whose values are multiples of `scale`."""
    updates = variable('num_updates', [], 10 * scale, tf.int64)
    return updates, [variable(f'w{i}', [2], scale * (i + 1)) for i in range(count)]


@pytest.fixture
def learner(server):
    """Variables of the learner, as in its run metadata."""
    with tf.Graph().as_default():
        updates, variables = make_variables(3, count=3)
        status = tf.get_variable(run_info.STATUS, initializer=tf.constant([1.0, 0.5], tf.float64))
        del status
        with tf.Session(server.target) as session:
            session.run(tf.global_variables_initializer())
        return run_info.describe_variables([*variables, updates])


def test_are_read_and_assigned(server, learner):
    client = tf.Graph()
    with tf.Graph().as_default(), tf.Session() as session:
        updates, variables = make_variables(1)
        weights = Weights(variables, updates)
        with client.as_default():
            weights.build_remote(learner)
        session.run(tf.global_variables_initializer())
        with tf.Session('grpc://' + server.address, graph=client) as remote:
            assert weights.read_state(remote.run) == State(1, 0.5, 30)
            weights.assign(session, weights.read(remote.run))
        assert session.run(updates) == 30
        assert [v.tolist() for v in session.run(variables)] == [[3, 3], [6, 6]]


def test_what_the_learner_lacks_is_named(learner):
    with tf.Graph().as_default():
        updates, variables = make_variables(1)
        other = variable('other', [2], 0)
        wide = variable('w2', [7], 0)
        for wrong, expected in ((other, 'None as other'), (wide, r"'float32', \[2\]\] as w2")):
            with pytest.raises(UserError, match=expected):
                Weights([*variables, wrong], updates).build_remote(learner)
