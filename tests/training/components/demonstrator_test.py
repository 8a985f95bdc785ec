"""When the demonstrator is switched on and off, by a tape."""

import pytest
import tensorflow.compat.v1 as tf

from sc2impala.training.components.demonstrator import DemonstratorHook, first_share
from tests.training import taped_phases


class Environment:
    """Writes what it is told to a tape."""

    def __init__(self, tape):
        self._tape = tape

    def enable(self, enabled):
        self._tape.append(f'enable {enabled}')

    def set_share(self, share):
        self._tape.append(f'share {share}')


@pytest.fixture(autouse=True)
def fresh_graph():
    with tf.Graph().as_default():
        yield


def falling(frames):
    return 1.0 - frames / 20


def never(frames):
    return None


def test_is_on_while_a_phase_has_use_for_it():
    tape = taped_phases.Tape()
    hook = DemonstratorHook([Environment(tape)], {'first': falling, 'second': never}, first=1.0)
    taped_phases.train(taped_phases.make_phases(tape, num_frames=(20, 10)), [hook])
    assert tape == [
        'share 1.0',
        'enable True',
        # The first phase begins.
        'share 1.0',
        'enable True',
        'first',
        'share 0.5',
        'first',
        'share 0.0',
        'enable False',
        'second',
    ]


def test_is_off_from_the_start_where_the_run_goes_on_without_it():
    tape = taped_phases.Tape()
    hook = DemonstratorHook([Environment(tape)], {'first': falling, 'second': never}, first=None)
    taped_phases.train(taped_phases.make_phases(tape, start=(10, 10)), [hook])
    assert tape == ['enable False', 'enable False', 'second']


@pytest.mark.parametrize(
    'frames, expected', [((0, 0), 1.0), ((10, 0), 0.5), ((20, 0), None), ((20, 10), None)]
)
def test_the_share_when_the_session_starts(frames, expected):
    assert first_share(frames, (20, 10), (falling, never)) == expected
