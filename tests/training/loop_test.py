"""The trainer, by a tape of what happens: phases in turn, hooks, and how it stops."""

import os

import pytest
import tensorflow.compat.v1 as tf

from sc2impala.errors import UserError
from sc2impala.learner import optimization
from sc2impala.runtime.stop_request import StopRequest
from sc2impala.training.component import Component
from sc2impala.training.components.stop import StopHook
from tests.runtime.tiny import make_settings
from tests.training.taped_phases import Tape, make_phases, train


@pytest.fixture(autouse=True)
def fresh_graph():
    with tf.Graph().as_default():
        yield


class Recorder(Component):
    """Writes every call to the tape."""

    def __init__(self, tape):
        self._tape = tape

    def begin(self):
        self._tape.append('begin')

    def after_create_session(self, session, coord):
        self._tape.append('after_create_session')

    def begin_phase(self, phase, frames):
        super().begin_phase(phase, frames)
        self._tape.append(f'begin_phase {phase.title} {frames}')

    def before_run(self, run_context):
        self._tape.append('before_run ' + self.phase.title)
        return tf.train.SessionRunArgs(self.phase.step)

    def after_run(self, run_context, run_values):
        self._tape.append(f'after_run {run_values.results}')

    def end_phase(self, frames):
        self._tape.append(f'end_phase {frames}')

    def end(self, session):
        self._tape.append('end')

    def fail(self, error):
        self._tape.append('fail ' + type(error).__name__)


def test_phases_in_turn_and_frames_of_all():
    tape = Tape()
    train(make_phases(tape), [Recorder(tape)])
    assert tape == [
        'begin',
        'after_create_session',
        'begin_phase first 0',
        'before_run first',
        'first',
        'after_run 10',
        'end_phase 10',
        'begin_phase second 0',
        'before_run second',
        'second',
        'after_run 20',
        'before_run second',
        'second',
        'after_run 30',
        'end_phase 20',
        'end',
    ]


def test_goes_on_where_the_phases_stand():
    tape = Tape()
    train(make_phases(tape, start=(10, 10)), [Recorder(tape)])
    assert tape.updates() == ['second']
    assert 'begin_phase second 10' in tape and 'end_phase 20' in tape
    assert not [entry for entry in tape if 'first' in entry]


def test_nothing_is_left_to_do():
    tape = Tape()
    train(make_phases(tape, start=(10, 20)), [Recorder(tape)])
    assert tape == ['begin', 'after_create_session', 'end']


def test_a_hook_of_tensorflow_is_called_once_per_update():
    """It knows nothing of phases: every run of the session that it sees is an update."""
    calls = []

    class Plain(tf.train.SessionRunHook):
        def before_run(self, run_context):
            calls.append('before')
            return tf.train.SessionRunArgs([phase.frames for phase in phases])

        def after_run(self, run_context, run_values):
            calls.append('after')
            assert len(run_values.results) == 2

    tape = Tape()
    phases = make_phases(tape)
    train(phases, [Plain()])
    assert calls == ['before', 'after'] * 3
    assert tape.updates() == ['first', 'second', 'second']


def test_a_hook_of_tensorflow_may_end_the_training():
    tape = Tape()
    phases = make_phases(tape, num_frames=(10, 1000))
    tf.train.get_or_create_global_step()

    class StopAfterTwo(tf.train.SessionRunHook):
        def after_run(self, run_context, run_values):
            if len(tape.updates()) == 2:
                run_context.request_stop()

    train(phases, [Recorder(tape), StopAfterTwo()])
    assert tape.updates() == ['first', 'second']
    # The hooks end as they always do.
    assert tape[-2:] == ['end_phase 10', 'end']


def test_stops_after_the_update():
    tape, stop = Tape(), StopRequest()

    class Request(tf.train.SessionRunHook):
        def before_run(self, run_context):
            stop.requested = True

    train(make_phases(tape), [Recorder(tape), StopHook(stop), Request()])
    assert tape.updates() == ['first']
    assert tape[-2:] == ['end_phase 10', 'end']
    assert not [entry for entry in tape if 'second' in entry]


def test_stops_before_the_first_update():
    tape, stop = Tape(), StopRequest()
    stop.requested = True
    train(make_phases(tape), [Recorder(tape), StopHook(stop)])
    assert tape == ['begin', 'after_create_session', 'end']


def failing_step():
    """A step of the optimizer down a gradient that is not finite."""
    weight = tf.get_variable('weight', initializer=1.0, use_resource=True)
    step, _ = optimization.adam_step(
        weight * float('nan'), [weight], 0.1, make_settings().algorithms['impala'], 'adam'
    )
    return step


def failing_loop():
    """The same within a loop of the graph."""
    weight = tf.get_variable('weight', initializer=1.0, use_resource=True)
    settings = make_settings().algorithms['impala']

    def one_round(index):
        step, _ = optimization.adam_step(weight * float('nan'), [weight], 0.1, settings, 'adam')
        with tf.control_dependencies([step]):
            return index + 1

    return tf.while_loop(lambda index: index < 2, one_round, [tf.constant(0)], back_prop=False)


def failing_check():
    """Another check, with the same words."""
    return tf.check_numerics(tf.constant(float('nan')), 'the gradient is not finite')


@pytest.mark.parametrize(
    'make_failing, expected',
    [
        (failing_step, UserError),
        (failing_loop, UserError),
        (failing_check, tf.errors.InvalidArgumentError),
    ],
)
def test_a_gradient_that_is_not_finite_ends_the_run_with_one_sentence(make_failing, expected):
    tape = Tape()
    first, second = make_phases(tape)
    with tf.control_dependencies([make_failing()]):
        second = second._replace(
            train=tf.identity(second.train), gradient_is_finite=optimization.gradient_is_finite()
        )
    text = 'NaN or infinite in second; .*learning rate'
    message = 'gradient is not finite'
    with pytest.raises(expected, match=text if expected is UserError else message) as caught:
        train([first, second], [Recorder(tape)])
    # The hooks do not end as after a training that was completed.
    assert 'end' not in tape and 'end_phase 10' in tape
    assert tape[-1] == 'fail ' + caught.type.__name__


def test_not_enough_memory_ends_the_run_with_one_sentence():
    def insert():
        raise MemoryError('for 3 GiB')

    tape = Tape()
    first, second = make_phases(tape)
    with tf.control_dependencies([tf.py_func(insert, [], [])]):
        first = first._replace(train=tf.identity(first.train))
    with pytest.raises(UserError, match='not enough memory in first .*--replay_buffer_size'):
        train([first, second], [Recorder(tape)])
    assert tape[-1] == 'fail UserError'


def test_an_error_of_a_hook_ends_the_training():
    class Failing(tf.train.SessionRunHook):
        def before_run(self, run_context):
            raise UserError('full')

    tape = Tape()
    with pytest.raises(UserError, match='full'):
        train(make_phases(tape), [Failing(), Recorder(tape)])
    assert tape == ['begin', 'after_create_session', 'begin_phase first 0', 'fail UserError']


def test_initialized_after_variables_have_their_values(tmp_path):
    tape = Tape()
    phases = make_phases(tape)

    def initialize(session):
        tape.append(f'initialize {session.run(phases[1].frames)}')
        phases[0].frames.load(10, session)

    train(phases, [Recorder(tape)], initialize=initialize)
    assert tape[:3] == ['begin', 'initialize 0', 'after_create_session']
    assert tape.updates() == ['second', 'second']

    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        phases[1].frames.load(10, session)
        path = tf.train.Saver().save(session, os.path.join(str(tmp_path), 'model.ckpt'))
    tape.clear()
    train(phases, [Recorder(tape)], checkpoint=path, initialize=initialize)
    assert tape[:2] == ['begin', 'initialize 10']
    assert tape.updates() == ['second']


def test_actors_play_while_the_session_is_open():
    """Queue runners start with the session; their error ends the training."""
    tape = Tape()
    phases = make_phases(tape)
    queue = tf.FIFOQueue(1, [tf.float32], [[]])

    def play():
        tape.append('play')
        if tape.count('play') > 2:
            raise ValueError('the game is lost')
        return tape.count('play')

    enqueue = queue.enqueue(tf.cast(tf.py_func(play, [], tf.int64), tf.float32))
    tf.train.add_queue_runner(tf.train.QueueRunner(queue, [enqueue]))
    with tf.control_dependencies([queue.dequeue()]):
        phases = [phase._replace(train=tf.identity(phase.train)) for phase in phases]
    with pytest.raises(tf.errors.OpError, match='the game is lost|closed'):
        train(phases, [])
    assert tape.count('play') == 3
