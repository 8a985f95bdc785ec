"""From what actors send to the queue of the batches, in sessions of one server."""

import threading

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

from sc2impala import actors
from sc2impala.cluster import intake, messages
from sc2impala.cluster.accounts import Accounts
from sc2impala.cluster.messages import Choice
from sc2impala.cluster.outbox import Identity, Outbox, Queue
from tests.cluster import headers, sequences

CAPACITY = 3


class Learner:
    """The learner's queues, and a session with its server."""

    def __init__(self, server, **options):
        self.said = []
        self.accounts = Accounts(headers.RUN, say=self.said.append, **options)
        with tf.Graph().as_default() as graph:
            self.updates = tf.get_variable(
                'num_updates', shape=[], dtype=tf.int64, initializer=tf.zeros_initializer()
            )
            queue = intake.AccountedQueue(sequences.make_spec(), 16, self.accounts)
            self.ops = intake.build_intake(queue, CAPACITY, self.accounts, self.updates)
            self.dequeue_many = queue.dequeue_many(4)
            self.size = queue.size()
            self.count = self.updates.assign_add(1)
            config = tf.ConfigProto(operation_timeout_in_ms=60000)
            self.session = tf.Session(server.target, graph=graph, config=config)
            self.session.run(tf.global_variables_initializer())

    def take(self, count):
        """Takes in so many messages."""
        for _ in range(count):
            self.session.run(self.ops.enqueue)


class DirectLink:
    """A link that does not repeat anything."""

    def __init__(self, server, graph):
        self._session = tf.Session('grpc://' + server.address, graph=graph)

    def run(self, fetches, feed=None):
        return self._session.run(fetches, feed)


class Sender:
    """An actor's outbox, and messages of any kind."""

    def __init__(self, server, actor='a', compression='none', unsent=0):
        with tf.Graph().as_default() as graph:
            self.queue = Queue(CAPACITY)
            self.link = DirectLink(server, graph)
            identity = Identity(actor, -1, 'host')
            choice = Choice(compression)
            self.outbox = Outbox(
                self.link,
                self.queue,
                headers.RUN,
                identity,
                sequences.make_spec(),
                choice,
                unsent,
            )

    def send_bytes(self, header, content):
        feed = {self.queue.header: header, self.queue.content: content}
        self.link.run(self.queue.enqueue, feed)


@pytest.mark.parametrize('compression', ['none', 'zstd', 'auto'])
def test_sequences_arrive_as_they_were_played(server, compression):
    learner, sender = Learner(server), Sender(server, compression=compression)
    unrolls = [sequences.make_unroll(2, seed) for seed in (1, 2)]
    for unroll in unrolls:
        sender.outbox.send(unroll)
    learner.take(2)
    batch = learner.session.run(learner.dequeue_many)
    expected = tf.nest.map_structure(lambda a, b: np.concatenate([a, b]), *unrolls)
    tf.nest.map_structure(np.testing.assert_array_equal, batch, expected)
    amounts = learner.accounts.amounts()
    assert amounts.is_balanced()
    assert amounts.played == amounts.trained == 4 * sequences.FRAMES
    (actor,) = learner.accounts.present()
    assert actor.header.last_return == 2.0
    assert sender.outbox.tally.totals() == dict(
        played=amounts.played, sent=amounts.played, aborted=0
    )


def test_large_unrolls_are_split(server, monkeypatch):
    learner = Learner(server)
    specs = actors.component_specs(sequences.make_spec())
    monkeypatch.setattr(messages, 'MESSAGE_BYTES', 3 * messages.num_bytes(specs))
    sender = Sender(server)
    unroll = sequences.make_unroll(4, 1)
    threading.Thread(target=sender.outbox.send, args=(unroll,), daemon=True).start()
    learner.take(2)
    batch = learner.session.run(learner.dequeue_many)
    tf.nest.map_structure(np.testing.assert_array_equal, batch, unroll)
    assert learner.accounts.present()[0].header.number == 1


def test_a_message_that_is_sent_twice_is_trained_on_once(server):
    learner, sender = Learner(server), Sender(server)
    flat = tf.nest.flatten(sequences.make_unroll(2))
    content = messages.pack(flat, messages.NONE)
    frames = 2 * sequences.FRAMES
    header = headers.make(0, frames, sequences=2, played=frames).to_bytes()
    for _ in range(2):
        sender.send_bytes(header, content)
    learner.take(2)
    assert learner.session.run(learner.size) == 2
    assert learner.accounts.traffic().repeated == 1
    assert learner.accounts.amounts().queued == frames


def test_nonsense_does_not_stop_the_learner(server):
    learner, sender = Learner(server), Sender(server)
    good = headers.make(0, sequences.FRAMES)
    for header, content in (
        (b'', b''),
        (b'\x00\xff nonsense', b'more of it'),
        (good.to_bytes(), b'too short'),
        (good._replace(sequences=10**9).to_bytes(), b'x'),
        (good._replace(compression='zstd').to_bytes(), b'x'),
        (good._replace(run='other', sequences=0).to_bytes(), b''),
    ):
        sender.send_bytes(header, content)
        learner.take(1)
    assert learner.accounts.traffic().refused == 5
    assert learner.session.run(learner.size) == 0
    sender.outbox.send(sequences.make_unroll(1))
    learner.take(1)
    assert learner.session.run(learner.size) == 1


def test_old_weights_are_discarded(server):
    learner, sender = Learner(server, max_policy_lag=2), Sender(server)
    for _ in range(4):
        learner.session.run(learner.count)
    for updates in (1, 2):
        sender.outbox.send(sequences.make_unroll(1, updates=updates))
    learner.take(2)
    assert learner.session.run(learner.size) == 1
    assert learner.accounts.amounts().discarded == sequences.FRAMES


def test_the_last_report_says_what_was_dropped(server):
    learner, sender = Learner(server), Sender(server, unsent=50)
    sender.outbox.tally.abort()
    sender.outbox.send(sequences.make_unroll(1))
    sender.outbox.tally.play(100)
    sender.outbox.report(every_secs=1000.0)
    sender.link.run(sender.queue.enqueue, sender.outbox.goodbye())
    learner.take(2)
    amounts = learner.accounts.amounts()
    assert (amounts.aborted, amounts.unsent, amounts.lost) == (150, 0, 0)
    assert amounts.played == 150 + sequences.FRAMES and amounts.is_balanced()
    assert not learner.accounts.present()
    assert 'has left' in learner.said[-1]


def test_cancelling_ends_what_waits_on_both_sides(server):
    learner, sender = Learner(server), Sender(server)
    for _ in range(CAPACITY):
        sender.outbox.report(0.0)
    errors = []

    def expect_error(function, *arguments):
        try:
            function(*arguments)
        except tf.errors.OpError as error:
            errors.append(type(error))

    threads = [
        threading.Thread(target=expect_error, args=(sender.outbox.report, 0.0)),
        threading.Thread(target=expect_error, args=(learner.session.run, learner.dequeue_many)),
    ]
    for thread in threads:
        thread.start()
    threads[0].join(0.3)
    learner.session.run(learner.ops.cancel)
    for thread in threads:
        thread.join()
    assert sorted(errors, key=str) == [tf.errors.CancelledError, tf.errors.OutOfRangeError]
