"""Actors that are halted between two unrolls lose nothing, and repeat nothing."""

import threading

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

from sc2impala import actors
from sc2impala.training.actor_threads import ActorThreads, QueueContents

K = 3


class Played:
    """Actors that number what they play: actor a enqueues 1000 a + 0, 1, 2, ... in threes."""

    def __init__(self, num_actors=1, capacity=4, pause=lambda actor: None):
        self.queue = actors.SequenceQueue(
            {'number': tf.TensorSpec([], tf.int64), 'x': tf.TensorSpec([2], tf.float32)}, capacity
        )
        self.played = [0] * num_actors
        self._pause = pause
        ops = [self._unroll(actor) for actor in range(num_actors)]
        self.contents = QueueContents(self.queue)
        self.threads = ActorThreads(ops, K, self.queue, self.contents)
        self.coord = tf.train.Coordinator()

    def _unroll(self, actor):
        def play():
            self._pause(actor)
            first, self.played[actor] = self.played[actor], self.played[actor] + K
            return np.arange(first, first + K, dtype=np.int64) + 1000 * actor

        number = tf.numpy_function(play, [], tf.int64)
        number.set_shape([K])
        x = tf.cast(tf.stack([number, -number], axis=1), tf.float32)
        return self.queue.enqueue_many({'number': number, 'x': x})

    def __enter__(self):
        self.session = tf.Session()
        self._taken = self.queue.dequeue_many(1)
        self.threads.after_create_session(self.session, self.coord)
        return self

    def __exit__(self, *unused):
        self.coord.request_stop()
        self.coord.join(stop_grace_period_secs=20)
        self.session.close()

    def take(self, count):
        return [int(self.session.run(self._taken)['number'][0]) for _ in range(count)]

    def all_played(self):
        return [1000 * actor + n for actor, count in enumerate(self.played) for n in range(count)]

    def halt(self, wait=True):
        sequences = self.threads.halt(self.session, wait)
        numbers = sequences[0].tolist()
        np.testing.assert_array_equal(sequences[1], np.stack([numbers, -np.array(numbers)], 1))
        return numbers, sequences


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default():
        yield


@pytest.mark.parametrize('num_actors', [1, 3])
@pytest.mark.parametrize('wait', [True, False])
def test_what_waits_goes_on_in_its_order(num_actors, wait):
    """Actors always wait for room here: more is taken out than the queue can hold."""
    with Played(num_actors) as run:
        taken = []
        for _ in range(10):
            taken += run.take(5)
            waiting, sequences = run.halt(wait)
            if wait:
                # All that was played was taken, or is there: nothing is in between.
                assert sorted(taken + waiting) == run.all_played()
                assert run.threads.halt(run.session, True)[0].size == 0
            run.threads.resume(run.session, sequences)
            taken_next = run.take(min(5, len(waiting)))
            returned = [number for number in taken_next if number in waiting]
            assert returned == waiting[: len(returned)]
            if wait:
                # Otherwise an unroll that was being played may come before what is put back.
                assert returned == taken_next
            taken += taken_next
        assert sorted(taken + run.halt()[0]) == run.all_played()


def test_a_game_that_hangs_is_not_waited_for():
    may_play = threading.Event()
    with Played(2, pause=lambda actor: actor == 1 and may_play.wait(60)) as run:
        taken = run.take(4)
        waiting, sequences = run.halt(wait=False)
        assert not run.played[1]
        run.threads.resume(run.session, sequences)
        may_play.set()
        taken += run.take(20)
        assert sorted(taken + run.halt()[0]) == run.all_played()


def test_nothing_plays_before_what_was_restored_has_room():
    numbers = np.arange(500, 511)
    sequences = [numbers, np.stack([numbers, -numbers], 1).astype(np.float32)]
    run = Played()
    with tf.Session() as session:
        run.threads.resume(session, sequences)
        run.session, run._taken = session, run.queue.dequeue_many(1)
        run.threads.after_create_session(session, run.coord)
        assert run.take(14) == [*range(500, 511), 0, 1, 2]
        run.coord.request_stop()
        run.coord.join(stop_grace_period_secs=20)


def test_an_error_of_an_actor_ends_the_training():
    def fail(actor):
        if actor:
            raise ValueError('the game is over')

    run = Played(2, pause=fail)
    with pytest.raises(tf.errors.OpError, match='the game is over'), run:
        with pytest.raises((tf.errors.OutOfRangeError, tf.errors.CancelledError)):
            run.take(1000)
        assert run.coord.should_stop()
    # What is saved after it does not wait for anybody.


def test_contents_become_arrays_and_return():
    run = Played(capacity=20)
    numbers = np.array([3, 1, 2])
    sequences = [numbers, np.stack([numbers, -numbers], 1).astype(np.float32)]
    state = run.contents.to_state(sequences)
    for array, original in zip(run.contents.from_state(state), sequences):
        np.testing.assert_array_equal(array, original)
    none = run.contents.from_state(run.contents.to_state(run.contents.none()))
    assert [array.shape for array in none] == [(0,), (0, 2)]
    for name, value, reason in (
        ('lengths', state['lengths'] + 1, 'not as long'),
        ('lengths', -state['lengths'], 'not as long'),
        ('content', state['content'][::-1].copy(), 'decompressed'),
        ('layout', np.array(['other']), 'another structure'),
    ):
        with pytest.raises(ValueError, match=reason):
            run.contents.from_state(dict(state, **{name: value}))
