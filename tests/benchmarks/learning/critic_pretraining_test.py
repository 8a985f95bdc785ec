"""Whether pre-training the critic helps: what is compared, and how it is counted."""

import json
import os
import pathlib

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

from benchmarks.learning import critic_pretraining
from tests.runtime import tiny


def test_returns_are_those_of_the_quarters_after_the_phases_before(tmp_path):
    lines = ['start,global_step,episode_return,episode_frames,episode_steps']
    steps = [99, 100, 149, 150, 160, 299, 300, 301]
    lines += [f'0,{step},{number}.0,240,2' for number, step in enumerate(steps)]
    (tmp_path / 'episodes.csv').write_text('\n'.join(lines) + '\n')
    quarters = critic_pretraining.returns_by_quarter(str(tmp_path), 100, 200)
    np.testing.assert_array_equal(quarters, [1.5, 3.5, np.nan, 5.5])


def test_a_row_has_the_mean_over_runs_and_the_course():
    quarters = [[10.0, 20.0, 30.0, 40.0], [30.0, 40.0, 50.0, 60.0]]
    row = critic_pretraining.row('DefeatRoaches', 'cloned', quarters)
    error = np.std([25, 45], ddof=1) / np.sqrt(2)
    assert row == (
        f'| DefeatRoaches | cloned | 35.0 ± {error:.1f} (25.0, 45.0) | 20.0, 30.0, 40.0, 50.0 |'
    )


@pytest.mark.slow
def test_runs_start_with_the_policy_and_differ_in_the_critic(tmp_path, capsys):
    source = tmp_path / 'source'
    tiny.train(source, 2, '--value_normalisation=popart')
    arguments = ['--start', f'MoveToBeacon={source}', '--seeds', '5']
    arguments += ['--ways', 'untrained', 'pre-trained', '--folder', str(tmp_path / 'runs')]
    arguments += ['--frames=9000', '--pretrain_frames=2400', '--num_actors=1', '--num_envs=2']
    arguments += ['--batch_size=2', '--unroll_length=5', '--fixed_step_mul', '--step_mul=120']
    critic_pretraining.main(arguments)
    found = json.loads(capsys.readouterr().out.splitlines()[-1])
    ways = 'untrained', 'pre-trained'
    assert tuple(found['returns_by_quarter']['MoveToBeacon']) == ways
    outputs = {
        way: (tmp_path / 'runs' / f'MoveToBeacon-{way}-5' / 'output.txt').read_text()
        for way in ways
    }
    assert 'critic pre-training' in outputs['pre-trained']
    assert 'critic pre-training' not in outputs['untrained']
    policy = tf.train.load_checkpoint(str(tmp_path / 'runs' / 'MoveToBeacon-policy'))
    names = set(policy.get_variable_to_shape_map())
    original = tf.train.load_checkpoint(str(source))
    assert 'heads/function/w' in names
    assert not {name for name in names if 'baseline' in name or 'statistics' in name}
    np.testing.assert_array_equal(
        policy.get_tensor('heads/function/w'), original.get_tensor('heads/function/w')
    )


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
        critic_pretraining.main(['--start', 'BuildMarines=run', '--folder', str(tmp_path)])
    assert len(trained) == 1
    expected = 'no episode of BuildMarines ended within --frames=500000, expected more of them'
    assert expected in capsys.readouterr().err
