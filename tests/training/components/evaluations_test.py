"""When a training is evaluated, and how that ends."""

import collections

import pytest

from sc2impala.errors import UserError
from sc2impala.runtime.stop_request import StopRequest
from sc2impala.training.components.evaluations import RunEvaluationHook

Context = collections.namedtuple('Context', 'session')
Values = collections.namedtuple('Values', 'results')


class Log:
    """Frames of the evaluations."""

    def __init__(self, frames=()):
        self.frames = list(frames)
        self.flushed = 0

    def last_frames(self, policy):
        assert policy == 'greedy'
        return max(self.frames, default=None)

    def flush(self):
        self.flushed += 1


class Record:
    """Stands for `EvaluationRecord`; every model is the best."""

    def __init__(self, frames=()):
        self.log = Log(frames)
        self.best = self
        self.error = None

    def hold_new(self, frames, save):
        save(f'best/{frames}')

    def add(self, result, hold):
        self.log.frames.append(result['global_step'])
        hold()
        if self.error is not None:
            raise self.error


class Session:
    def __init__(self, frames):
        self.frames = frames
        self.saved = []

    def run(self, unused_fetches):
        return self.frames


class Coordinator:
    stopped = False

    def request_stop(self):
        self.stopped = True


class Case:
    """A hook that evaluates every 100 frames, and what it uses."""

    def __init__(self, frames=0, before=()):
        self.session, self.coord = Session(frames), Coordinator()
        self.record, self.stop = Record(before), StopRequest()
        self.hook = RunEvaluationHook(
            100,
            self.evaluate,
            [self.record],
            'greedy',
            lambda session, path: session.saved.append(path),
            'frames',
            self.stop,
        )
        self.hook.after_create_session(self.session, self.coord)

    def evaluate(self, session, should_stop):
        assert session is self.session
        return None if should_stop() else [{'mean_return': 1.0}]

    def begin(self):
        self.hook.begin_phase('phase', 0)
        return self.record.log.frames

    def update(self, frames):
        self.hook.after_run(Context(self.session), Values(frames))
        return self.record.log.frames


def test_before_the_first_update_and_where_a_multiple_is_passed():
    case = Case()
    assert case.begin() == [0]
    for frames in (60, 99, 120, 180, 200, 450, 480, 501):
        case.update(frames)
    assert case.record.log.frames == [0, 120, 200, 450, 501]
    assert case.session.saved == ['best/0', 'best/120', 'best/200', 'best/450', 'best/501']
    assert not case.coord.stopped


@pytest.mark.parametrize(
    'frames, before, expected',
    [
        (180, [0, 120], [0, 120]),
        # The evaluation was stopped.
        (200, [0, 120], [0, 120, 200]),
        # It was made, and the checkpoint saved later.
        (260, [0, 120, 200], [0, 120, 200]),
        # Without evaluations so far.
        (60, [], [60]),
    ],
)
def test_a_run_that_goes_on(frames, before, expected):
    case = Case(frames, before)
    assert case.begin() == expected
    # Another phase begins.
    assert case.begin() == expected


def test_a_stop_ends_it_before_the_next_update():
    case = Case()
    case.stop.requested = True
    assert case.begin() == [] and case.coord.stopped
    later = Case(0, [0])
    later.begin()
    assert not later.coord.stopped
    later.stop.requested = True
    assert later.update(130) == [0] and later.coord.stopped and not later.session.saved


def test_the_training_does_not_depend_on_the_disk(capsys):
    case = Case()
    case.record.error = UserError('there is no space left.')
    assert case.begin() == [0]
    assert 'an evaluation cannot be written (there is no space left.)' in capsys.readouterr().out
    assert case.update(60) == [0]
    case.hook.end(case.session)
    case.hook.fail(ValueError())
    assert case.record.log.flushed == 2


def test_an_error_of_a_game_ends_the_training():
    case = Case()

    def fail(unused_session, unused_should_stop):
        raise UserError('the game does not run.')

    case.hook._evaluate = fail
    with pytest.raises(UserError, match='the game does not run'):
        case.begin()
