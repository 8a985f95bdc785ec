"""The course of an episode out of a recording."""

import json

import numpy as np
import pytest

from benchmarks.learning import recorded_play
from sc2impala import experiment
from sc2impala.demonstrations import recording


def record(logdir, *flags):
    assert experiment.main(['--mode=record', f'--logdir={logdir}', *flags]) == 0


@pytest.fixture(scope='module')
def folder(tmp_path_factory):
    """A recording of a script that acts every 16 frames, two episodes of 6,720 frames."""
    logdir = str(tmp_path_factory.mktemp('play'))
    record(
        logdir,
        '--policy=LH',
        '--map_name=CollectMineralsAndGas',
        '--num_episodes=2',
        '--demonstration_step_mul=16',
        '--screen_size=8',
    )
    return logdir


def test_rows_are_means_over_the_steps_that_begin_in_a_part(folder):
    (found,) = recording.find(folder)
    recorded = recording.Recording(found)
    counted = ('food_workers', 'minerals')
    rows = recorded_play.course(recorded, 1000, counted)
    place = [component.name for component in recorded.components]
    arrays = recorded.empty_chunk()
    by_part = [[] for _ in range(7)]
    for chunks in recorded.episodes:
        frames = total = 0
        for chunk in chunks:
            recorded.read(chunk, arrays)
            step = dict(zip(place, arrays))
            for t in range(chunk.steps):
                player = step['observation/player'][t]
                call = recorded.manifest['functions'][step['action/function'][t]]
                of_step = (total, player[6], player[1], step['step_mul'][t])
                by_part[frames // 1000].append((of_step, call))
                frames, total = frames + step['step_mul'][t], total + step['reward'][t]
    assert [row['from_frame'] for row in rows] == [0, 1000, 2000, 3000, 4000, 5000, 6000]
    for row, steps in zip(rows, by_part):
        assert row['steps'] == len(steps) / 2
        means = np.mean([of_step for of_step, _ in steps], axis=0)
        names = ('return', *counted, 'step_mul')
        np.testing.assert_allclose([row[name] for name in names], means, rtol=1e-5)
        calls = [call for _, call in steps]
        assert row['calls'] == {
            name: pytest.approx(calls.count(name) / len(calls))
            for name in recorded.manifest['functions']
        }
    assert rows[0]['return'] < rows[-1]['return']


def test_a_table_of_every_recording(folder, capsys):
    found = recorded_play.main(['--recording', folder, '--frames=6720', '--counts', 'minerals'])
    output = capsys.readouterr().out.splitlines()
    assert output[0].startswith('LH on CollectMineralsAndGas, 2 episodes, mean return ')
    assert output[2].startswith('| from_frame | steps | return | minerals | step_mul | no_op |')
    assert json.loads(output[-1]) == found
    ((row,),) = found.values()
    assert row['steps'] == 420 and row['step_mul'] == 16


def test_a_vector_that_was_not_observed(tmp_path, capsys):
    record(tmp_path, '--policy=random', '--num_episodes=1', '--vectors=none')
    with pytest.raises(SystemExit):
        recorded_play.main(['--recording', str(tmp_path)])
    expected = 'has no observation/player, expected a player that observes it.'
    assert expected in capsys.readouterr().err


def test_parts_have_a_length(folder, capsys):
    with pytest.raises(SystemExit):
        recorded_play.main(['--recording', folder, '--frames=0'])
    assert '--frames=0 is too small, expected at least 1' in capsys.readouterr().err
