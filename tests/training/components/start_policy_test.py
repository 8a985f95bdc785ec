"""The choice among the models of cloning, and the moment when the teacher becomes final."""

import pytest
import tensorflow.compat.v1 as tf

from sc2impala.training.components import start_policy as start_policy_lib
from tests.training import taped_phases
from tests.training.taped_phases import FRAMES


class FakeTeacher:
    """A teacher with one weight; the student's grows by one with every update of `first`."""

    def __init__(self, student):
        self.weight = tf.Variable(0.0, trainable=False, use_resource=True, name='teacher_weight')
        self.is_frozen = tf.Variable(False, trainable=False, use_resource=True, name='frozen')
        self.keep = self.weight.assign(student).op
        self.give = student.assign(self.weight.read_value()).op
        self.freeze = self.is_frozen.assign(True).op


class Run:
    """Two phases of which the first one, cloning, trains a student of one weight."""

    def __init__(self, returns, num_updates=6, num_evaluations=3, start=(0, 0)):
        """Args:
        returns: mean return by the number of updates of the student.
        """
        self.tape = taped_phases.Tape()
        self.student = tf.Variable(0.0, trainable=False, use_resource=True, name='student')
        self.teacher = FakeTeacher(self.student)
        first, second = taped_phases.make_phases(
            self.tape, (num_updates * FRAMES, 2 * FRAMES), start
        )
        with tf.control_dependencies([first.train]):
            grown = self.student.assign_add(1.0).op
        with tf.control_dependencies([grown]):
            first = first._replace(train=tf.identity(first.train))
        self.phases = [first, second]
        self.returns = returns
        selection = None
        if num_evaluations:
            selection = start_policy_lib.Selection(
                self.evaluate, self.teacher, num_updates * FRAMES, num_evaluations
            )
        self.policy = start_policy_lib.StartPolicy(self.teacher, selection)
        self.load_student = self.student.assign(7.0).op
        self.load_teacher = self.teacher.weight.assign(4.0).op
        self.saver = tf.train.Saver()
        self.seen = {}

    def evaluate(self, session):
        updates = int(session.run(self.student))
        self.tape.append(f'evaluate {updates}')
        return self.returns[updates]

    def hook(self, cloning=True):
        return start_policy_lib.StartPolicyHook(
            self.policy,
            self.phases[0].frames if cloning else None,
            taped_phases.total_frames(self.phases),
            self.tape,
        )

    def train(self, *more_hooks, **kwargs):
        look = Look(self)
        taped_phases.train(self.phases, [*more_hooks, self.hook(), look], **kwargs)
        return self.seen


class Look(tf.train.SessionRunHook):
    """Remembers the variables at the end."""

    def __init__(self, run):
        self._run = run

    def end(self, session):
        run = self._run
        names = ('student', 'weight', 'frozen')
        fetches = (run.student, run.teacher.weight, run.teacher.is_frozen)
        run.seen = dict(zip(names, session.run(fetches)))


@pytest.fixture(autouse=True)
def fresh_graph():
    with tf.Graph().as_default():
        yield


@pytest.mark.parametrize(
    'returns, best', [([0, 0, 5, 0, 7, 0, 6], 4), ([9, 9, 3, 9, 2, 9, 1], 2), ([0] * 6 + [1], 6)]
)
def test_the_best_of_those_that_were_evaluated_goes_on(returns, best, capsys):
    run = Run(returns)
    seen = run.train()
    assert [entry for entry in run.tape if entry.startswith('evaluate')] == [
        'evaluate 2',
        'evaluate 4',
        'evaluate 6',
    ]
    assert seen == {'student': best, 'weight': best, 'frozen': True}
    assert run.tape.index('evaluate 6') < run.tape.index('second')
    scalars = [entry for entry in run.tape if entry.startswith('cloning/evaluation_return')]
    tags = 'cloning/evaluation_return,cloning/best_return'
    assert scalars == [f'{tags} {step}' for step in (20, 40, 60)]
    assert f'evaluation 3 of 3: mean return {returns[6]:.2f}' in capsys.readouterr().out


def test_the_last_one_goes_on_without_evaluations():
    assert Run([], num_evaluations=0).train() == {'student': 6, 'weight': 6, 'frozen': True}


def test_more_evaluations_than_updates_are_one_for_each():
    run = Run([0, 3, 9, 1], num_updates=3, num_evaluations=100)
    assert run.train()['student'] == 2
    assert len([entry for entry in run.tape if entry.startswith('evaluate')]) == 3


def test_without_cloning_the_teacher_is_what_was_loaded():
    run = Run([], num_evaluations=0, start=(60, 0))
    taped_phases.train(
        run.phases,
        [run.hook(cloning=False), Look(run)],
        initialize=lambda session: session.run(run.load_student),
    )
    assert run.seen == {'student': 7, 'weight': 7, 'frozen': True}


def test_the_teacher_stays_what_it_is_when_the_run_goes_on():
    run = Run([], num_evaluations=0, start=(60, 10))

    def restored(session):
        session.run([run.load_student, run.load_teacher, run.teacher.freeze])

    assert run.train(initialize=restored) == {'student': 7, 'weight': 4, 'frozen': True}


class Killed(Exception):
    """Ends a run as a kill does: nothing that it did after the last checkpoint remains."""


class SaveAndDie(tf.train.SessionRunHook):
    """Saves after every update, as the first of the hooks, and kills the run after one of them."""

    def __init__(self, run, path, at_update):
        self._run = run
        self._path = path
        self._at_update = at_update

    def before_run(self, run_context):
        return tf.train.SessionRunArgs(self._run.phases[0].frames)

    def after_run(self, run_context, run_values):
        self._run.saver.save(run_context.session, self._path)
        updates = int(run_context.session.run(self._run.phases[0].frames)) // FRAMES
        if updates == self._at_update:
            raise Killed()


@pytest.mark.parametrize('at_update', [1, 2, 3, 4, 6])
def test_a_killed_run_goes_on_with_what_it_knew(at_update, tmp_path):
    """Also one that is killed before the last evaluation: nothing is left out, nothing is lost."""
    path = str(tmp_path / 'model')
    returns = [0, 0, 5, 0, 7, 0, 6]
    run = Run(returns)
    with pytest.raises(Killed):
        run.train(SaveAndDie(run, path, at_update))
    before = [entry for entry in run.tape if entry.startswith('evaluate')]
    with tf.Graph().as_default():
        again = Run(returns)
        seen = again.train(initialize=lambda session: again.saver.restore(session, path))
    after = [entry for entry in again.tape if entry.startswith('evaluate')]
    assert before + after == ['evaluate 2', 'evaluate 4', 'evaluate 6']
    assert seen == {'student': 4, 'weight': 4, 'frozen': True}
