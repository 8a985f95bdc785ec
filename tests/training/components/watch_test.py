"""The watch over a training: when it says something, and which part waits for which."""

import re
import threading

import tensorflow.compat.v1 as tf

from sc2impala import activity
from sc2impala.runtime.console import TrainLog
from sc2impala.training.components import watch as training_watch
from sc2impala.training.components.watch import Watch, WatchHook, describe_waiting
from tests.training.taped_phases import Tape, make_phases, train

LEARNER, OTHER = 1, 2


class TestWatch:
    def test_says_it_again_and_again_with_longer_pauses(self):
        watch = Watch(10, 100)
        said = [now for now in range(101, 300) if watch.look(now, 5) is not None]
        assert said == [110, 120, 140, 180, 260]
        assert watch.trained(300) == 200
        assert watch.trained(301) is None
        assert watch.look(305, 5) is None and watch.look(310, 5) is None
        assert watch.look(311, 5) == 10

    def test_a_process_that_was_stopped_did_not_wait(self):
        watch = Watch(10, 0)
        assert watch.look(4, 5) is None
        assert watch.look(1000, 5) is None and watch.look(1005, 5) is None
        assert watch.look(1006, 5) == 10


def test_describe_waiting():
    for own, other, queued, text in [
        (activity.UPDATE, activity.GAME, 3, 'and an actor waits for a game'),
        (activity.UPDATE, None, 3, r'queue \(3 of 8 sequences of a batch\), .* have ended'),
        (activity.UPDATE, activity.REPLAY, 8, 'waits for the replay buffer'),
        (activity.UPDATE, None, 8, 'the learner computes'),
        (None, None, 8, 'the learner computes'),
        (activity.UPDATE, None, None, 'does not answer'),
        (activity.SAVING, activity.GAME, 8, 'the learner waits for the disk'),
        (activity.EVALUATION, activity.GAME, 8, 'waits for the games of an evaluation'),
        ('is busy in OwnHook', activity.GAME, 8, 'the learner is busy in OwnHook'),
        (activity.FILL, activity.GAME, 0, 'for a game'),
    ]:
        doing = {LEARNER: own, OTHER: other}
        doing = {thread: what for thread, what in doing.items() if what}
        found = describe_waiting(doing, LEARNER, queued, batch_size=8)
        assert re.search(text, found), found


def test_the_hook_that_a_training_is_busy_in():
    """The watch looks at the marks of the calls of every hook, and of what they do inside."""
    learner, seen = threading.get_ident(), []

    class OwnHook(tf.train.SessionRunHook):
        def look(self):
            seen.append(describe_waiting(activity.by_thread(), learner, 8, 8))

        def begin(self):
            self.look()

        def after_create_session(self, session, coord):
            self.look()

        def before_run(self, run_context):
            self.look()

        def after_run(self, run_context, run_values):
            with activity.doing(activity.EVALUATION):
                self.look()
            self.look()

        def end(self, session):
            self.look()

    def see():
        seen.append(activity.by_thread()[learner])

    with tf.Graph().as_default():
        phases = make_phases(Tape(), num_frames=(10, 0))
        with tf.control_dependencies([tf.py_func(see, [], [])]):
            phases = [phase._replace(train=tf.identity(phase.train)) for phase in phases]
        train(phases, [OwnHook()])
    busy = 'the learner is busy in OwnHook'
    evaluates = 'the learner waits for the games of an evaluation'
    assert seen == [busy, busy, busy, activity.UPDATE, evaluates, busy, busy]
    assert learner not in activity.by_thread()


def test_a_training_that_waits_for_its_actors(tmp_path, monkeypatch, capsys):
    """Nothing fills the queue until the watch has said so."""
    monkeypatch.setattr(training_watch, '_POLL_SECS', 0.01)
    reported, reasons = threading.Event(), []

    def keep_reason(*args):
        reasons.append(describe_waiting(*args))
        return reasons[-1]

    monkeypatch.setattr(training_watch, 'describe_waiting', keep_reason)

    class Summaries(Tape):
        def add_scalars(self, values, step):
            self.append((dict(values), step))

        def flush(self):
            if 'waits for the queue' in reasons[-1]:
                reported.set()

    def play_late():
        reported.wait(300)
        return 1.0

    with tf.Graph().as_default():
        tape, summaries = Tape(), Summaries()
        queue = tf.FIFOQueue(1, [tf.float64], [[]])
        enqueue = queue.enqueue(tf.py_func(play_late, [], tf.float64))
        tf.train.add_queue_runner(tf.train.QueueRunner(queue, [enqueue]))
        phases = make_phases(tape)
        with tf.control_dependencies([queue.dequeue()]):
            phases = [phase._replace(train=tf.identity(phase.train)) for phase in phases]
        log = TrainLog(str(tmp_path))
        train(phases, [WatchHook(0.05, queue.size(), 1, summaries, log)])
    out = capsys.readouterr().out
    assert 'no update for' in out and 'waits for the queue (0 of 1 sequences' in out
    assert 'training continues after' in out
    # On a busy machine it may say so before the first phase as well, and again at any time.
    assert any(step == 0 and values[training_watch.TAG] > 0 for values, step in summaries)
    assert {training_watch.TAG: 0.0} in [values for values, _ in summaries]
    with open(log.path) as file:
        text = file.read()
    # Where the main thread waits, and the actor.
    assert 'thread MainThread:' in text and 'loop.py' in text and 'play_late' in text
