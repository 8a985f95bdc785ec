"""The watch over a training: when it says something, and which part waits for which."""

import os
import re
import threading
import traceback

import tensorflow.compat.v1 as tf

import sc2impala
from sc2impala.runtime.train_log import TrainLog
from sc2impala.training.components import watch as training_watch
from sc2impala.training.components.watch import Watch, WatchHook, describe_waiting
from tests.runtime.taped_phases import Tape, make_phases, train

PACKAGE = os.path.dirname(os.path.abspath(sc2impala.__file__))
LEARNER, OTHER = 1, 2
SESSION = '/lib/tensorflow/python/client/session.py'


def stack(*calls):
    """A stack of 'file function' inside the package, or of whole paths."""
    result = []
    for call in calls:
        name, function = call.split()
        path = name if name.startswith('/') else os.path.join(PACKAGE, *name.split('/'))
        result.append(traceback.FrameSummary(path, 1, function, lookup_line=False, line='text'))
    return result


UPDATE = stack('training/loop.py update', SESSION + ' run')
GAME = stack('actors/environment_ops.py step_arrays', 'envs/simulated.py step')


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
        (UPDATE, GAME, 3, 'the queue for the actors, and these for a game'),
        (UPDATE, [], 3, r'waits for the queue \(3 sequences, and a batch takes 8\), .* are gone'),
        (UPDATE, stack('replay/table.py sample'), 8, 'waits for the replay buffer'),
        (UPDATE, [], 8, 'the learner computes'),
        (UPDATE, [], None, 'does not answer'),
        (
            stack('runtime/checkpoints.py save', 'replay/storage.py save'),
            GAME,
            8,
            'the learner waits for the disk',
        ),
        (
            stack(
                'training/loop.py update',
                'training/components/start_policy.py finish',
                SESSION + ' run',
            ),
            GAME,
            8,
            'is busy in training.components.start_policy.py, finish',
        ),
        (
            stack(
                'training/loop.py update', 'runtime/evaluation.py play_episodes', SESSION + ' run'
            ),
            GAME,
            8,
            'waits for the games of an evaluation',
        ),
        (
            stack('training/loop.py update', '/home/user/own.py after_run'),
            GAME,
            8,
            'is busy in /home/user/own.py, after_run',
        ),
        (stack('training/local_actors.py fill', SESSION + ' run'), GAME, 0, 'for a game'),
    ]:
        found = describe_waiting({LEARNER: own, OTHER: other}, LEARNER, queued, batch_size=8)
        assert re.search(text, found), found


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
    assert 'nothing was trained for' in out and 'waits for the queue (0 sequences' in out
    assert 'training goes on after' in out
    # On a busy machine it may say so before the first phase as well, and again at any time.
    assert any(step == 0 and values[training_watch.TAG] > 0 for values, step in summaries)
    assert {training_watch.TAG: 0.0} in [values for values, _ in summaries]
    with open(log.path) as file:
        text = file.read()
    # Where the main thread waits, and the actor.
    assert 'thread MainThread:' in text and 'loop.py' in text and 'play_late' in text
