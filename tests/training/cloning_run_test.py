"""Runs with all phases through the real `main`: what each of them does to weights and games."""

import functools
import signal

import numpy as np
import pytest

from sc2impala.factories import environments
from sc2impala.training.components import start_policy
from tests.learner.labels import LabelledEnvironment, labelled_spec
from tests.runtime import tiny

UPDATE = tiny.FRAMES_PER_UPDATE
NUM_CLONING = 24
"""Updates of the cloning phase where it has to learn something."""

NUM_SHORT_CLONING = 6
"""And where it has to happen only."""


def flags_of(num_cloning):
    """All phases, of which cloning has this many updates, and three evaluations."""
    return (
        f'--num_cloning_frames={num_cloning * UPDATE}',
        '--cloning_learning_rate=0.01',
        '--phase_evaluations=3',
        '--phase_evaluation_episodes=4',
        '--teacher_cost=0.5',
        '--teacher_decay=0.5',
        '--deterministic',
    )


FLAGS = flags_of(NUM_CLONING)
SHORT_FLAGS = flags_of(NUM_SHORT_CLONING)


def rule(action_spec, observation):
    """Sends the marine to the beacon, once it is selected."""
    layer = observation['screen']['player_relative']
    function_names = list(action_spec.function_names)
    is_selected = observation['available_actions'][:, function_names.index('Move_screen')]
    beacon = (layer == 3).reshape(len(layer), -1).argmax(axis=1)
    function = np.where(
        is_selected,
        function_names.index('Move_screen'),
        function_names.index('select_army'),
    )
    action = {head: np.zeros(len(layer)) for head in action_spec.heads}
    return dict(action, function=function, screen=beacon), np.full(len(layer), tiny.STEP_MUL)


def install(setattr_in_factory):
    """Labels the games of MoveToBeacon; returns the list of the environments that are made."""
    made = []
    make_specs, make_environment = environments.make_specs, environments.make_environment

    def labelled_specs(environment):
        observation_spec, action_spec = make_specs(environment)
        return labelled_spec(observation_spec, action_spec.heads), action_spec

    def labelled_environment(environment, starcraft, specs, seeds, *more):
        env = make_environment(environment, starcraft, specs, seeds, *more)
        made.append(LabelledEnvironment(env, functools.partial(rule, specs[1])))
        return made[-1]

    setattr_in_factory('make_specs', labelled_specs)
    setattr_in_factory('make_environment', labelled_environment)
    return made


@pytest.fixture
def demonstrated(monkeypatch):
    """Games with labels; the environments that were made, in order."""
    return install(functools.partial(monkeypatch.setattr, environments))


def play(flags, output):
    """What a process of its own does, see `tiny.play`."""
    install(functools.partial(setattr, environments))
    tiny.play(flags, output)


def weights(variables, scope=''):
    """{name: array} of the weights of the agent, or of the teacher."""
    return {
        name[len(scope) :]: value
        for name, value in variables.items()
        if name.startswith(scope)
        and name.startswith('teacher') == bool(scope)
        and tiny.is_weight(name)
        and not name.startswith(('cloning_', 'beta'))
        and name != 'teacher_is_frozen'
    }


class TestAllPhases:
    @pytest.fixture
    def run(self, demonstrated, tmp_path, capsys):
        """The folder of a run with cloning, critic pre-training and training; and its output."""
        flags = FLAGS + (f'--num_critic_pretrain_frames={2 * UPDATE}', '--save_checkpoint_secs=0')
        tiny.train(tmp_path, 4, '--keep_checkpoints=0', *flags)
        return tmp_path, capsys.readouterr().out

    @pytest.mark.long
    def test_what_they_leave_behind(self, run, demonstrated):
        logdir, output = run
        assert output.index('cloning: ') < output.index('critic pre-training: ')
        assert output.index('critic pre-training: ') < output.index('training: 2,400')
        tags = tiny.summaries(logdir)
        losses = [value for _, value in tags['cloning/loss']]
        assert len(losses) == NUM_CLONING
        assert np.mean(losses[-5:]) < 0.7 * np.mean(losses[:5])
        self.check_evaluations(tags, output)
        self.check_teacher(logdir, tags)
        (env,) = demonstrated
        switched = [entry for entry in env.tape if entry[0] == 'enable']
        assert switched == [('enable', True)] * 2 + [('enable', False)] * 2

    @staticmethod
    def check_evaluations(tags, output):
        evaluations = tags['cloning/evaluation_return']
        assert [step for step, _ in evaluations] == [8 * UPDATE, 16 * UPDATE, 24 * UPDATE]
        best = [value for _, value in tags['cloning/best_return']]
        assert best == [max(v for _, v in evaluations[: n + 1]) for n in range(3)]
        assert output.count('evaluation 3 of 3') == 1

    @staticmethod
    def check_teacher(logdir, tags):
        frames = [(NUM_CLONING + n) * UPDATE for n in range(7)]
        variables = [tiny.variables(logdir, f) for f in frames]
        evaluations = [value for _, value in tags['cloning/evaluation_return']]
        first_best = (evaluations.index(max(evaluations)) + 1) * 8 * UPDATE
        best = weights(tiny.variables(logdir, first_best))
        # The first update after cloning starts from the best model; the critic's layers move.
        policy = [name for name in best if 'baseline' not in name]
        after_critic = weights(variables[2])
        assert policy and all(np.array_equal(best[n], after_critic[n]) for n in policy)
        # The teacher is this model, once and unchanged.
        for checkpoint in variables[1:]:
            assert checkpoint['teacher_is_frozen']
            assert tiny.same_arrays(weights(checkpoint, 'teacher/'), best)
        assert not tiny.same_arrays(weights(variables[-1]), after_critic)
        assert not [name for name in variables[-1] if 'adam' in name.lower() and 'teacher' in name]
        costs = [value for _, value in tags['teacher_cost']]
        np.testing.assert_allclose(costs, [0.5, 0.25, 0.0, 0.0])
        losses = [value for _, value in tags['loss/teacher']]
        assert losses[1] > 0.0 and losses[2:] == [0.0, 0.0]


@pytest.mark.slow
def test_a_run_that_is_stopped_in_cloning_goes_on(demonstrated, tmp_path, monkeypatch):
    """The same as one that was not: evaluations, teacher and frames.

    What was played in cloning is not replayed, before and after.
    """
    crashed = []
    evaluate_if_due = start_policy.Selection.evaluate_if_due

    def crash(self, session, frames):
        if frames == 4 * UPDATE and not crashed:
            crashed.append(frames)
            raise KeyboardInterrupt()
        return evaluate_if_due(self, session, frames)

    monkeypatch.setattr(start_policy.Selection, 'evaluate_if_due', crash)
    flags = SHORT_FLAGS + ('--save_checkpoint_secs=0',)
    flags += ('--replay_proportion=0.25', '--replay_buffer_size=50')
    total = f'--total_environment_frames={2 * UPDATE}'
    assert tiny.main(tmp_path, total, *flags) == 130
    # A checkpoint comes after all else that happens to an update, and so the fourth one has none.
    assert tiny.checkpoint_frames(tmp_path)[-1] == 3 * UPDATE
    tiny.train(tmp_path, 2, *flags)
    steps = [step for step, _ in tiny.summaries(tmp_path)['cloning/evaluation_return']]
    assert steps[0] == 2 * UPDATE and steps[-1] == 6 * UPDATE and len(steps) == 3
    variables = tiny.variables(tmp_path, tiny.checkpoint_frames(tmp_path)[-1])
    assert variables['teacher_is_frozen'] and variables['cloning_evaluations'] == 3
    assert 2 * UPDATE <= variables['global_step'] < 4 * UPDATE
    teacher = weights(variables, 'teacher/')

    # It goes on once more, in the training: the teacher stays, and the demonstrator is silent.
    tiny.train(tmp_path, 4, *flags)
    again = tiny.variables(tmp_path, tiny.checkpoint_frames(tmp_path)[-1])
    assert again['global_step'] == 4 * UPDATE
    assert tiny.same_arrays(weights(again, 'teacher/'), teacher)
    assert set(demonstrated[-1].tape) == {('enable', False)}
    check_replay(tiny.summaries(tmp_path))


def check_replay(tags):
    """Checks what five updates with replay inserted, of which the fourth begins a start."""
    # Three new sequences and one replayed one in an update, but the first has nothing to replay.
    sizes = [number for _, number in tags['replay/sequences']]
    assert sizes == [4, 7, 10, 13, 16]
    assert tags['replay/sequences'][0][0] > NUM_SHORT_CLONING * UPDATE
    assert all(np.isfinite(loss) for _, loss in tags['loss/policy_cloning'])


@pytest.mark.slow
def test_a_run_that_is_killed_anywhere_in_cloning_goes_on(processes, tmp_path):
    logdir = tmp_path / 'logs'
    total = f'--total_environment_frames={UPDATE}'
    flags = [*tiny.FLAGS, *FLAGS, f'--logdir={logdir}', '--save_checkpoint_secs=0', total]

    def start():
        process = processes.Process(target=play, args=(flags, str(tmp_path / 'output')))
        process.start()
        return process

    for frames in (6 * UPDATE, 15 * UPDATE):
        process = start()
        while process.is_alive() and frames not in reached(logdir):
            process.join(0.02)
        process.kill()
        process.join()
        assert process.exitcode == -signal.SIGKILL
    process = start()
    process.join()
    assert process.exitcode == 0, (tmp_path / 'output').read_text()
    variables = tiny.variables(logdir, (NUM_CLONING + 1) * UPDATE)
    assert variables['teacher_is_frozen'] and variables['cloning_evaluations'] == 3
    returns = dict(tiny.summaries(logdir)['cloning/evaluation_return'])
    assert sorted(returns) == [8 * UPDATE, 16 * UPDATE, 24 * UPDATE]
    np.testing.assert_allclose(variables['cloning_best_return'], max(returns.values()))


def reached(logdir):
    """The frames of the checkpoints of a run that may not have begun."""
    return tiny.checkpoint_frames(logdir) if logdir.exists() else []


@pytest.mark.long
def test_the_teacher_is_the_policy_that_was_loaded(finished_run, tmp_path, capsys):
    """Without cloning and without a demonstrator, also when the folder that was loaded is gone."""
    flags = (f'--init_checkpoint={finished_run}', '--teacher_cost=0.5', '--teacher_decay=1')
    flags += ('--deterministic',)
    tiny.train(tmp_path, 3, *flags)
    loaded = tiny.variables(finished_run, tiny.checkpoint_frames(finished_run)[-1])
    expected = {name: loaded[name] for name in loaded if tiny.is_weight(name)}
    variables = tiny.variables(tmp_path, 3 * UPDATE)
    assert tiny.same_arrays(weights(variables, 'teacher/'), expected)
    assert not tiny.same_arrays(weights(variables), expected)
    tags = tiny.summaries(tmp_path)
    assert [value > 0 for _, value in tags['loss/teacher']] == [False, True, True]
    # A parameter that the teacher has as well is counted once.
    number = sum(weight.size for weight in expected.values())
    assert f', {number:,} parameters, ' in capsys.readouterr().out


@pytest.mark.parametrize(
    'flags, expected',
    [
        (('--teacher_cost=0.5',), '--num_cloning_frames or --init_checkpoint'),
        (('--num_cloning_frames=100',), '--num_cloning_frames=100 needs something to imitate'),
        (('--demonstration_cost=0.5',), '--demonstration_cost=0.5 needs something to imitate'),
        (
            ('--num_cloning_frames=100', '--map_name=Frames', '--backend=synthetic'),
            '--phase_evaluations=10 run on the simulator',
        ),
    ],
)
def test_what_does_not_fit_together_is_refused(flags, expected, tmp_path, capsys):
    assert tiny.main(tmp_path, *flags) == 1
    assert expected in tiny.error_line(capsys)
