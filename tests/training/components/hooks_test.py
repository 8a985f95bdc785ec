"""The hooks of the command, by a tape of what happens between two updates."""

import pytest
import tensorflow.compat.v1 as tf

from sc2impala.errors import UnsoundState, UserError
from sc2impala.runtime.stop_request import StopRequest
from sc2impala.training.components.checkpoints import SavingHook
from sc2impala.training.components.episodes import EpisodeHook
from sc2impala.training.components.progress import ProgressHook
from sc2impala.training.components.replay_limit import CheckHook
from sc2impala.training.components.staging import StagingHook
from sc2impala.training.components.stop import StopHook
from sc2impala.training.components.summaries import SummaryHook
from sc2impala.training.local_actors import AlternationHook
from tests.training import taped_phases
from tests.training.taped_phases import Tape, make_phases


@pytest.fixture(autouse=True)
def fresh_graph():
    with tf.Graph().as_default():
        yield


def run(tape, stop=None, restored=False, progress_secs=1000, more=list, **phases):
    """Trains two phases with the hooks of the command; `more` makes those before each update."""
    phases = make_phases(tape, **phases)
    frames = taped_phases.total_frames(phases)
    hooks = [
        StopHook(stop or StopRequest()),
        SummaryHook(tape, frames),
        EpisodeHook(tape, tape),
        SavingHook(tape, frames, restored),
        ProgressHook(tape, tape, progress_secs),
    ]
    taped_phases.train(phases, hooks + more())
    return list(tape)


class Call(tf.train.SessionRunHook):
    """Calls a function before every update."""

    def __init__(self, function):
        self._function = function

    def before_run(self, run_context):
        self._function()


def test_what_happens_between_two_updates():
    assert run(Tape()) == [
        'start 0',
        'save 0',
        'first',
        'summary 10',
        'episodes 10',
        'Map/episode_return 10',
        'save_if_due 10',
        'second',
        'summary 20',
        'episodes 20',
        'Map/episode_return 20',
        'save_if_due 20',
        'second',
        'summary 30',
        'episodes 30',
        'Map/episode_return 30',
        'save_if_due 30',
        'flush',
        'save 30',
    ]


def test_goes_on_where_the_phases_stand():
    """And says from which checkpoint, so that it is not saved again."""
    tape = Tape()
    tape.summary_due = False
    run(tape, start=(10, 10), restored=True)
    assert tape[:4] == ['start 20', 'start_from 20', 'save 20', 'second']
    assert tape[-2:] == ['flush', 'save 30']
    assert not [entry for entry in tape if entry.startswith('summary')]


def test_nothing_is_left_to_do(capsys):
    assert run(Tape(), start=(10, 20)) == ['start 30', 'save 30', 'flush', 'save 30']
    assert capsys.readouterr().out == ''


def test_no_tags_without_episodes():
    tape = Tape()
    tape.add = lambda *args: {}
    run(tape)
    assert not [entry for entry in tape if 'episode_return' in entry or entry.startswith('Map')]


def test_a_line_of_progress_comes_with_its_speed(capsys):
    tape = run(Tape(), progress_secs=0)
    assert 'frames_per_second,agent_steps_per_second 10' in tape
    # Frames of all phases.
    assert 'frames_per_second,agent_steps_per_second 30' in tape
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith('first: 10 of 10 frames')
    assert [line.split(' of')[0] for line in lines if 'in this launch' in line] == [
        'first: 10',
        'second: 20',
    ]


def test_progress_counts_from_where_the_phase_stands(capsys):
    run(Tape(), start=(10, 10))
    assert capsys.readouterr().out.startswith('second: 20 of 20 frames')


def test_stops_after_the_update_and_saves(capsys):
    tape, stop = Tape(), StopRequest()
    run(tape, stop, more=lambda: [Call(lambda: setattr(stop, 'requested', True))])
    assert tape.updates() == ['first']
    assert tape[-2:] == ['flush', 'save 10']
    # No line of progress of a phase that did not begin.
    assert 'second' not in capsys.readouterr().out


def test_stops_before_the_first_update_and_has_saved(capsys):
    tape, stop = Tape(), StopRequest()
    stop.requested = True
    assert run(tape, stop) == ['start 0', 'save 0', 'flush', 'save 0']
    assert capsys.readouterr().out == ''


def test_what_was_trained_before_an_error_is_saved():
    tape = Tape()

    def fail():
        if 'first' in tape:
            raise UserError('the replay buffer is too large')

    with pytest.raises(UserError, match='too large'):
        run(tape, more=lambda: [CheckHook(fail)])
    assert tape.updates() == ['first'] and tape.count('save 0') == 1
    assert tape[-2:] == ['flush', 'save 10']


class TestSavingAfterAnError:
    """The error of the training is the one that is reported, unless it has diverged."""

    @staticmethod
    def run(prepare):
        tape = Tape()
        phases = make_phases(tape)

        def fail():
            if 'first' in tape:
                raise UserError('the cause')

        def prepare_after(session):
            if 'first' in tape:
                prepare()

        saving = SavingHook(tape, taped_phases.total_frames(phases), False, prepare_after)
        tape.is_due = lambda frames: False
        with pytest.raises(UserError) as caught:
            taped_phases.train(phases, [saving, CheckHook(fail)])
        assert [entry for entry in tape if 'save' in entry] == ['save 0']
        return str(caught.value)

    def test_that_fails_as_well(self, capsys):
        def prepare():
            raise OSError('the disk is full')

        assert self.run(prepare) == 'the cause'
        assert 'cannot be saved: the disk is full' in capsys.readouterr().out

    def test_of_a_state_that_is_not_sound(self):
        def prepare():
            raise UnsoundState('diverged')

        assert self.run(prepare) == 'diverged'


def test_checks_come_before_every_update():
    tape = Tape()
    run(tape, more=lambda: [CheckHook(lambda: tape.append('check'))])
    assert tape.updates('check') == ['check', 'first', 'check', 'second', 'check', 'second']


def test_the_next_batch_is_staged_with_the_update():
    """And before the first one its own; the actor plays before each."""
    tape = Tape()
    stage = tape.operation('stage')

    def more():
        play = lambda session=None: tape.append('play')  # noqa: E731
        return [StagingHook(play), Call(play)]

    run(tape, stage=stage, more=more)
    entries = tape.updates('play', 'stage')
    assert entries[:3] == ['play', 'stage', 'play']
    # Update and staging run at the same time, in any order.
    assert [set(entries[i : i + 2]) for i in (3, 6, 9)] == [{t, 'stage'} for t in tape.updates()]
    assert entries[5::3] == ['play', 'play'] and len(entries) == 11


def test_each_staging_operation_is_started_once():
    tape = Tape()
    first, second = make_phases(tape)
    first = first._replace(stage=tape.operation('a'))
    second = second._replace(stage=tape.operation('b'))
    taped_phases.train([first, second], [StagingHook()])
    assert tape.count('a') == 2 and tape.count('b') == 3
    assert tape[0] == 'a' and tape.index('b') > tape.index('first')


def test_nothing_is_staged_without_a_device():
    tape = Tape()
    run(tape, more=lambda: [StagingHook(lambda session: tape.append('play'))])
    assert 'play' not in tape


def test_actor_and_learner_alternate():
    """The actor plays three sequences at a time; an update dequeues two."""
    tape = Tape()
    queue = tf.FIFOQueue(10, [tf.int32], [[]])
    with tf.control_dependencies([tape.operation('play')]):
        enqueue = queue.enqueue_many(tf.zeros([3], tf.int32))
    phases = make_phases(tape, num_frames=(20, 30))
    with tf.control_dependencies([queue.dequeue_many(2)]):
        phases = [phase._replace(train=tf.identity(phase.train)) for phase in phases]
    hook = AlternationHook(enqueue, queue.size(), batch_size=2)
    taped_phases.train(phases, [hook])
    assert tape.updates('play') == [
        'play',
        'first',
        'play',
        'first',
        'second',
        'play',
        'second',
        'play',
        'second',
    ]
