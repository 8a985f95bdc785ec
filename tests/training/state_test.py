"""The groups of what a training resumes from."""

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

from sc2impala import saved_arrays
from sc2impala.learner import batch as batch_lib
from sc2impala.learner.sources import Batches, Source
from sc2impala.training import state as state_lib
from sc2impala.training.components.staging import StagedBatches
from tests.learner import numbered


class Numbered(Source):
    """One more in each batch, from 1 on."""

    def __init__(self, name):
        self._name = name

    def next_batch(self):
        count = tf.get_variable(self._name, [], tf.int32, tf.zeros_initializer(), use_resource=True)
        with tf.control_dependencies([count.assign_add(1)]):
            number = tf.identity(count.read_value())
        one = numbered.tensors(1, 1)
        scaled = tf.nest.map_structure(
            lambda t: tf.cast(tf.cast(t, tf.int32) * number, t.dtype), one
        )
        return batch_lib.make_batch(scaled)


class Staged:
    """Two sources whose batches are staged, in a session of their own."""

    def __init__(self, session, devices=('/cpu:0',)):
        self.session = session
        self.batches = Batches(devices)
        pairs = [self.batches.of(Numbered(name)) for name in ('first', 'second')]
        self.states = [batch.agent_state[0] for batch, _ in pairs]
        self.restored = []
        self.group = StagedBatches(self.batches, lambda: self.restored.append(True))
        session.run(tf.global_variables_initializer())

    def put(self, index):
        staging = self.batches.stagings[index]
        self.session.run(staging.put)
        self.batches.staged.add(staging.put)

    def take(self, index):
        return self.session.run(self.states[index]).ravel().tolist()


@pytest.fixture
def staged():
    """Makes `Staged` in graphs of their own."""
    sessions = []

    def make(*arguments):
        with tf.Graph().as_default() as graph:
            sessions.append(tf.Session(graph=graph))
            return Staged(sessions[-1], *arguments)

    yield make
    for session in sessions:
        session.close()


def test_batches_that_wait_are_saved_and_stay_where_they_are(staged):
    before, after = staged(), staged()
    before.put(1)
    before.take(1)
    before.put(1)
    state = before.group.get_state(before.session)
    after.group.set_state(after.session, state)
    assert after.batches.staged == {after.batches.stagings[1].put}
    assert after.restored == [True]
    # The second batch of the second source, in both.
    assert before.take(1) == after.take(1) == [2]


def test_nothing_waits(staged):
    one = staged()
    state = one.group.get_state(one.session)
    assert not state
    one.group.set_state(one.session, state)
    assert not one.batches.staged and not one.restored


def test_what_does_not_fit_is_refused_before_anything_changes(staged):
    one = staged()
    one.put(0)
    state = dict(one.group.get_state(one.session))
    name = sorted(state)[0]
    state[name] = np.zeros(np.shape(state[name]) + (7,))
    other = staged()
    with pytest.raises(saved_arrays.DifferentState):
        other.group.set_state(other.session, state)
    assert not other.batches.staged and not other.restored


class TestLearner:
    @staticmethod
    def make(session, batch_size):
        """The group of a run that clones recordings in batches of a size."""
        local = [tf.GraphKeys.LOCAL_VARIABLES]
        variables = [
            tf.get_variable(name, shape, initializer=tf.zeros_initializer(), collections=local)
            for name, shape in (('stream_state', [batch_size, 3]), ('version', []))
        ]
        session.run(tf.variables_initializer(variables))
        return state_lib.LearnerState(variables)

    def states(self, state, batch_size):
        """The state that a learner with a batch size has after it is restored."""
        with tf.Graph().as_default(), tf.Session() as session:
            group = self.make(session, batch_size)
            group.set_state(session, state)
            return group.get_state(session)

    def test_updates_are_still_counted_with_another_batch_size(self):
        state = {'stream_state': np.ones([4, 3], np.float32), 'version': np.float32(7)}
        assert (self.states(state, 4)['stream_state'] == 1).all()
        restored = self.states(state, 2)
        assert restored['version'] == 7
        assert restored['stream_state'].shape == (2, 3) and not restored['stream_state'].any()

    def test_the_state_of_other_variables_is_refused(self):
        with pytest.raises(saved_arrays.DifferentState):
            self.states({'version': np.float32(7)}, 4)
