"""Whether pre-training the critic helps: what is compared, and how it is counted."""

import json
import os
import pathlib

import numpy as np
import pytest

from benchmarks.learning import critic_pretraining
from sc2impala.checkpoints import choice, variables


def test_returns_are_those_of_the_quarters_after_the_phases_before(tmp_path):
    lines = ['start,global_step,episode_return,episode_frames,episode_steps']
    steps = [99, 100, 149, 150, 160, 299, 300, 301]
    lines += [f'0,{step},{number}.0,240,2' for number, step in enumerate(steps)]
    (tmp_path / 'episodes.csv').write_text('\n'.join(lines) + '\n')
    quarters = critic_pretraining.returns_by_quarter(str(tmp_path), 100, 200)
    np.testing.assert_array_equal(quarters, [1.5, 3.5, np.nan, 5.5])


def test_a_row_has_the_mean_over_runs_and_the_course():
    quarters = [[10.0, 20.0, 30.0, 40.0], [30.0, 40.0, 50.0, 60.0]]
    row = critic_pretraining.row(quarters)
    assert row == '35.0 (25.0 to 45.0; 25.0, 45.0) | 20.0, 30.0, 40.0, 50.0'
    # The interquartile mean of five runs leaves out the lowest and the highest one.
    assert critic_pretraining.row([[run] * 4 for run in (1.0, 5.0, 6.0, 10.0, 90.0)]).startswith(
        '7.0 ('
    )


@pytest.mark.slow
def test_runs_start_with_the_policy_and_differ_in_the_critic(tmp_path, capsys):
    arguments = ['--map_names', 'MoveToBeacon', '--seeds', '5', '--replay', '0.5', '--networks']
    arguments += ['one', 'two', '--ways', 'new', 'pre-trained', '--folder', str(tmp_path / 'runs')]
    arguments += ['--frames=9000', '--pretrain_frames=2400', '--cloning_frames=2400']
    arguments += ['--num_actors=1', '--num_envs=2', '--batch_size=2', '--unroll_length=5']
    arguments += ['--cloning_batch_size=2', '--demonstrator=PySC2', '--demonstration_step_mul=120']
    arguments += ['--fixed_step_mul', '--step_mul=120', '--phase_evaluations=0']
    critic_pretraining.main(arguments)
    found = json.loads(capsys.readouterr().out.splitlines()[-1])['returns_by_quarter']
    names = [
        f'MoveToBeacon-{n}-0.5-{way}' for n in ('one', 'two') for way in ('new', 'pre-trained')
    ]
    assert list(found) == names
    for name in names:
        output = (tmp_path / 'runs' / f'{name}-5' / 'output.txt').read_text()
        assert ('critic pre-training' in output) == name.endswith('pre-trained')
        assert '1 new, 1 replayed' in output
    for network in ('one', 'two'):
        start = tmp_path / 'runs' / f'MoveToBeacon-{network}'
        original, policy = (
            variables.read(choice.find(str(folder))) for folder in (start, f'{start}-policy')
        )
        assert 'heads/function/w' in policy
        assert any(name.startswith('critic/') for name in original) == (network == 'two')
        parts = 'baseline', 'statistics', 'critic/'
        assert not {name for name in policy if any(part in name for part in parts)}
        np.testing.assert_array_equal(policy['heads/function/w'], original['heads/function/w'])


def test_runs_in_which_no_episode_ends_are_refused(monkeypatch, tmp_path, capsys):
    trained = []

    def train(logdir, *unused_flags):
        trained.append(logdir)
        os.makedirs(logdir)
        header = 'start,global_step,episode_return,episode_frames,episode_steps\n'
        pathlib.Path(logdir, 'episodes.csv').write_text(header)

    monkeypatch.setattr(critic_pretraining, '_train', train)
    monkeypatch.setattr(critic_pretraining, 'save_policy', lambda source, folder: None)
    with pytest.raises(SystemExit):
        critic_pretraining.main(['--map_names', 'BuildMarines', '--folder', str(tmp_path)])
    assert len(trained) == 2
    expected = 'no episode of BuildMarines ended within --frames=500000, expected more of them'
    assert expected in capsys.readouterr().err
