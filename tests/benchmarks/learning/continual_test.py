"""The experiment of continual learning: flags of its arms, a tiny one to its end, and the probe."""

import json
import os
import shlex

import numpy as np
import pytest

from benchmarks.learning import continual, continual_arms, continual_probe, continual_report
from sc2impala import experiment
from sc2impala.continual import runs
from sc2impala.errors import UserError
from sc2impala.settings import validation
from tests.continual.example_runs import write_run

MAPS = ('MoveToBeacon', 'CollectMineralShards')
TASK = continual_arms.Experiment(
    maps=MAPS,
    cycles=2,
    frames_per_task=80000,
    evaluations_per_task=2,
    num_episodes=3,
    unroll_length=20,
    frames_per_step=8.0,
)


@pytest.mark.parametrize('name', continual_arms.ARMS)
def test_flags_of_arms(name):
    commands = continual_arms.commands(continual_arms.find(name), TASK, 3)
    assert len(commands) == (2 if name == 'experts' else 1)
    for flags in commands.values():
        settings = experiment.read_settings(['--from_scratch', *flags])
        validation.check(settings)
        assert settings.run.seed == 3
        wanted = 160000 if name == 'experts' else 320000
        assert settings.training.total_environment_frames == wanted
        assert set(settings.environment.map_names) == set(MAPS)


def test_size_of_a_buffer():
    # 320,000 frames are 2,000 sequences of 160 frames.
    flags = continual_arms.commands(continual_arms.find('buffer_5'), TASK, 0)['seed-0']
    assert '--replay_buffer_size=100' in flags
    assert TASK.sequences(1e-9) == 1


def test_an_arm_of_another_module(tmp_path, monkeypatch):
    (tmp_path / 'my_methods.py').write_text(
        'from benchmarks.learning.continual_arms import Arm\n'
        "SLOW = Arm('fine-tuning', ('--learning_rate=1e-4',))\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    assert continual_arms.find('my_methods:SLOW').flags == ('--learning_rate=1e-4',)
    for wrong in ('my_methods:FAST', 'nowhere:SLOW', 'unknown'):
        with pytest.raises(UserError, match='--arms: '):
            continual_arms.find(wrong)


@pytest.mark.parametrize(
    'flags, message',
    [
        (['--maps', 'MoveToBeacon'], 'expected at least two different maps'),
        (['--cycles', '0'], '--cycles=0, expected a positive number'),
        (['--probe_map', 'BuildMarines'], '--probe_map=BuildMarines, expected one of'),
    ],
)
def test_errors(tmp_path, flags, message):
    with pytest.raises(SystemExit) as error:
        continual.main([*flags, '--folder', str(tmp_path)])
    assert message in str(error.value)


def test_the_list_has_all_arms(capsys):
    continual.main(['--list'])
    out = capsys.readouterr().out
    assert all(name in out for name in continual_arms.ARMS)


def test_a_training_that_fails_and_one_that_is_finished(tmp_path, monkeypatch):
    calls = []

    def call(line, output):
        calls.append(line)
        output.write('error: something\n')
        return len(calls) % 2

    monkeypatch.setattr(continual, '_call', call)
    folder = str(tmp_path / 'run')
    with pytest.raises(UserError, match='exit code 1, expected 0: error: something'):
        continual.train(folder, ['--own=1'], [])
    continual.train(folder, ['--own=1'], ['--demonstrator=PySC2'])
    continual.train(folder, ['--own=1'], [])
    assert len(calls) == 2
    assert '--from_scratch' in calls[0] and '--from_scratch' not in calls[1]


def test_another_task_in_the_same_folder(tmp_path):
    continual._check_same(str(tmp_path), TASK, [])
    continual._check_same(str(tmp_path), TASK, [])
    with pytest.raises(UserError, match='--cycles is 3, and 2 in .*experiment.json'):
        continual._check_same(str(tmp_path), TASK._replace(cycles=3), [])


def test_table_of_the_probe():
    from sc2impala.continual import summary

    probe = continual_probe.Probe('MoveToBeacon', 20.0, 10)
    frames = {'clear': np.array([1000.0, np.nan]), 'experts': np.array([2000.0, 2000.0])}
    text = continual_probe.table(probe, frames, summary.Bootstrap())
    assert '| clear | 1,000 [1,000, 1,000] | 0.50 | 1 of 2 |' in text
    assert '| from scratch | 2,000 [2,000, 2,000] | 1.00 | 2 of 2 |' in text


@pytest.mark.parametrize('name', continual.PRESETS)
def test_arms_of_a_preset_have_the_same_rates(name):
    preset = continual.PRESETS[name]
    task = TASK._replace(**{key: preset[key] for key in ('maps', 'cycles', 'frames_per_task')})
    rates = set()
    for arm in ('clear', 'simultaneous', 'experts'):
        for own in continual_arms.commands(continual_arms.ARMS[arm], task, 0).values():
            flags = shlex.split(preset['flags'])
            start = [] if any('demonstrator' in flag for flag in flags) else ['--from_scratch']
            settings = experiment.read_settings([*start, *own, *flags])
            validation.check(settings)
            algorithm = settings.algorithms[settings.training.algorithm]
            assert algorithm.learning_rate == algorithm.final_learning_rate
            assert algorithm.entropy_cost == algorithm.entropy_cost_at_end
            rates.add((algorithm.learning_rate, algorithm.entropy_cost))
    assert len(rates) == 1


def test_untrained_returns_are_those_before_the_first_block(tmp_path):
    first = write_run(tmp_path / 'a', np.arange(12.0).reshape(4, 3), seed=0)
    second = write_run(tmp_path / 'b', np.arange(12.0).reshape(4, 3) + 4, seed=1)
    arms = [[runs.read_sequential(str(folder))] for folder in (first, second)]
    np.testing.assert_array_equal(continual_report._untrained(arms), [2.0, 3.0, 4.0])
    assert continual_report._untrained([]) is None


@pytest.mark.slow
def test_an_experiment(tmp_path, capsys):
    flags = [
        '--num_actors=1',
        '--num_envs=4',
        '--batch_size=4',
        '--screen_size=8',
        '--num_eval_envs=2',
        '--agent=fully_conv',
        '--nospread_games',
        '--max_episode_frames=400',
    ]
    arguments = ['--maps', *MAPS, '--cycles=1', '--frames_per_task=8000', '--seeds', '0']
    arguments += ['--arms', 'fine_tuning', 'clear', 'simultaneous', 'experts', '--num_episodes=2']
    arguments += ['--probe_episodes=2', f'--folder={tmp_path}', f'--flags={" ".join(flags)}']
    continual.main(arguments)
    first = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert set(first['arms']) == {'fine_tuning', 'clear', 'simultaneous'}
    assert all(len(finals) == 1 for finals in first['experts'].values())
    assert set(first['untrained']) == set(MAPS)
    assert first['buffers']['clear']['sequences'] == 10
    for name in ('arms.md', 'arms.png', 'arms.json', 'clear'):
        assert os.path.exists(str(tmp_path / 'report' / name))
    # All runs are finished: only the report is written again.
    continual.main([*arguments, '--report'])
    assert json.loads(capsys.readouterr().out.splitlines()[-1]) == first
