"""The loop, by a tape of what happens between two updates; and how it is asked to stop."""

import os
import signal

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

from sc2impala import learner
from sc2impala.runtime import loop
from sc2impala.runtime.errors import UserError
from sc2impala.runtime.phases import Phase


class Tape(list):
    """Session, checkpoint writer, list of episodes and summaries in one: all write here."""

    aborted = 0

    def __init__(self, frames=(0, 0), summary_due=True):
        super().__init__()
        self._frames = dict(zip(('first', 'second'), frames))
        self._summary_due = summary_due

    def run(self, fetches):
        if fetches == 'stage':
            return self.append('stage')
        if isinstance(fetches, str):
            return self._frames[fetches]
        name = fetches['frames']
        self._frames[name] += 10
        self.append(name + ('+stage' if 'stage' in fetches else ''))
        return dict(fetches, frames=np.int64(self._frames[name]))

    def save(self, session, frames):
        self.append(f'save {frames}')

    def save_if_due(self, session, frames):
        self.append(f'save_if_due {frames}')

    def due(self):
        return self._summary_due

    def add(self, *args):
        """Of `EpisodeLog` with three arguments, of `SummaryLog` with two."""
        self.append(('episodes ' if len(args) == 3 else 'summary ') + str(args[-1]))
        return {'episode_return': 2.0} if len(args) == 3 else None

    def add_scalars(self, values, step):
        self.append('{} {}'.format(','.join(values), step))

    def flush(self):
        self.append('flush')

    def last_count(self):
        return 0


def phase(name, num_frames):
    return Phase(name, name, num_frames, 'done', 'infos', 3, name, 'merged')


def run(tape, stop=None, progress_secs=1000, **kwargs):
    stop = stop or loop.StopRequest()
    looped = loop.Loop('Map', tape, stop, tape, tape, tape, progress_secs, **kwargs)
    looped.run([phase('first', 10), phase('second', 20)])
    return list(tape)


def test_phases_in_turn_and_frames_of_all():
    assert run(Tape()) == [
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
        'save 30',
    ]


def test_goes_on_where_the_phases_stand():
    tape = run(Tape(frames=(10, 10), summary_due=False))
    assert tape[:2] == ['save 20', 'second']
    assert tape[-1] == 'save 30'
    assert not [entry for entry in tape if entry.startswith('summary')]


def test_nothing_is_left_to_do():
    assert run(Tape(frames=(10, 20))) == ['save 30', 'save 30']


def test_the_next_batch_is_staged_ahead():
    tape = Tape()
    run(tape, stage='stage', before_update=[lambda: tape.append('play')])
    order = [entry for entry in tape if entry in ('stage', 'play') or '+stage' in entry]
    assert order[:6] == ['play', 'stage', 'play', 'first+stage', 'play', 'second+stage']


def test_a_line_of_progress_comes_with_its_speed(capsys):
    tape = run(Tape(), progress_secs=0)
    assert 'frames_per_second,agent_steps_per_second 10' in tape and 'flush' in tape
    assert 'first: 10 of 10 frames' in capsys.readouterr().out


def test_stops_after_the_update_and_saves(capsys):
    tape, stop = Tape(), loop.StopRequest()
    run(tape, stop, before_update=[lambda: setattr(stop, 'requested', True)])
    assert [entry for entry in tape if entry in ('first', 'second')] == ['first']
    assert tape[-1] == 'save 10'
    # No line of progress of a phase that did not begin.
    assert 'second' not in capsys.readouterr().out


@pytest.mark.parametrize('number', [signal.SIGINT, signal.SIGTERM])
def test_the_first_signal_asks_and_the_second_has_its_usual_effect(number, capfd):
    stop, usual = loop.StopRequest(), []
    before = signal.signal(number, lambda *args: usual.append(args[0]))
    try:
        with stop.installed():
            assert not stop.requested
            os.kill(os.getpid(), number)
            assert stop.requested and not usual
            os.kill(os.getpid(), number)
            assert usual == [number]
        assert 'stopping after this update' in capfd.readouterr().err
        os.kill(os.getpid(), number)
        assert usual == [number] * 2
    finally:
        signal.signal(number, before)


@pytest.mark.parametrize(
    'message, expected', [(learner.NOT_FINITE, UserError), ('other', tf.errors.OpError)]
)
def test_a_gradient_that_is_not_finite_ends_the_run_with_one_sentence(message, expected):
    class Diverged(Tape):
        def run(self, fetches):
            if isinstance(fetches, dict):
                raise tf.errors.InvalidArgumentError(None, None, message)
            return super().run(fetches)

    tape = Diverged()
    with pytest.raises(expected, match='learning rate' if expected is UserError else message):
        run(tape)
    assert tape == ['save 0']
