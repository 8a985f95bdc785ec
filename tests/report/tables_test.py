import json

import numpy as np
import pytest

from sc2impala.report import tables
from tests.report import folders

ROW = '100,sampled,0,25,12.5,5.0,2.0,20.0,48000,0.4,0.4,0.6,{},{}'


def test_episodes_without_those_that_a_later_start_replaced(tmp_path):
    rows = ['0,100,1.0,80,10', '0,300,2.0,80,10', '1,200,3.0,80,10']
    folders.write(tmp_path, 'episodes.csv', folders.EPISODES, *rows)
    found = tables.read_episodes(str(tmp_path))
    assert found.steps.tolist() == [100, 200] and found.returns.tolist() == [1.0, 3.0]
    assert not found.fault


@pytest.mark.parametrize(
    'lines, expected',
    [
        (['0,100,1.0,80,10', '0,2'], '1 damaged line was skipped in episodes.csv.'),
        (['0,100,1.0,80,10', '0,x,1,2,3', '0,9,nan,2,3'], '2 damaged lines were skipped'),
        (['0,100,1.0,80,10', '\0' * 40], '1 damaged line was skipped in episodes.csv.'),
        (['0,100,1.0,80,10', '"' + 'x' * 200000], 'episodes.csv cannot be read (field larger'),
    ],
)
def test_damaged_lines_of_episodes_are_skipped(tmp_path, lines, expected):
    folders.write(tmp_path, 'episodes.csv', folders.EPISODES, *lines)
    found = tables.read_episodes(str(tmp_path))
    assert expected in found.fault
    assert found.steps.tolist() == ([] if 'cannot' in expected else [100])


@pytest.mark.parametrize(
    'lines, expected',
    [
        (None, 'There is no episodes.csv.'),
        ([], 'episodes.csv has no column start, global_step, episode_return.'),
        (['start,global_step', '0,1'], 'episodes.csv has no column episode_return.'),
        ([folders.EPISODES], 'No episode has finished yet.'),
    ],
)
def test_without_episodes(tmp_path, lines, expected):
    if lines is not None:
        folders.write(tmp_path, 'episodes.csv', *lines)
    found = tables.read_episodes(str(tmp_path))
    assert found.fault == expected
    assert found.steps.shape == found.returns.shape == (0,)


def test_evaluations_and_their_intervals(tmp_path):
    rows = [ROW.format('1.0', '0'), ROW.format('0.5', '2'), ROW.format('', '')]
    folders.write(tmp_path, 'evaluations.csv', folders.EVALUATIONS, *rows)
    found = tables.read_evaluations(str(tmp_path))
    names = ['sampled', 'sampled-temperature-0.5-max-step-mul-2', 'sampled']
    assert [row.policy for row in found.rows] == names
    (row, *_) = found.rows
    assert (row.frames, row.num_episodes, row.mean, row.low, row.high) == (100, 25, 12.5, 2.0, 20.0)
    np.testing.assert_allclose(row.margin, 1.96 * 5.0 / 5)
    assert not found.fault and not found.single


def test_damaged_lines_of_evaluations_are_skipped(tmp_path):
    rows = [ROW.format('1.0', '0'), ROW.format('1.0', '0').replace('25', '0'), ',' * 13, '7,gree']
    folders.write(tmp_path, 'evaluations.csv', folders.EVALUATIONS, *rows)
    found = tables.read_evaluations(str(tmp_path))
    assert len(found.rows) == 1
    assert found.fault.startswith('1 damaged line was skipped')
    assert '2 damaged lines were skipped in evaluations.csv.' in found.fault


def test_single_evaluations(tmp_path):
    content = dict(zip(folders.EVALUATIONS.split(','), ROW.format('1.0', '0').split(',')))
    content.update(checkpoint_frames=2400, num_episodes=25, mean_return=12.5, temperature=1.0)
    for name, frames in (('evaluation.json', 2400), ('evaluation-7.json', None)):
        (tmp_path / name).write_text(json.dumps(dict(content, checkpoint_frames=frames)))
    found = tables.read_evaluations(str(tmp_path))
    assert [(each.source, each.frames) for each in found.single] == [
        ('evaluation.json', 2400),
        ('evaluation-7.json', None),
    ]
    assert not found.fault


@pytest.mark.parametrize('content', [b'', b'{"mean_return": 1', b'[]', b'{}', b'\xff', b'[' * 9999])
def test_a_damaged_evaluation_is_reported(tmp_path, content):
    (tmp_path / 'evaluation.json').write_bytes(content)
    found = tables.read_evaluations(str(tmp_path))
    assert found.fault == 'evaluation.json cannot be read.' and not found.single


def test_without_evaluations(tmp_path):
    assert tables.read_evaluations(str(tmp_path)).fault == 'There is no evaluation of this run.'
    folders.write(tmp_path, 'evaluations.csv', 'policy', 'sampled')
    fault = tables.read_evaluations(str(tmp_path)).fault
    assert fault == 'evaluations.csv has no column global_step, mean_return.'


def test_normalised_text():
    assert tables.normalised_text('DefeatRoaches', 108.0) == '50 %'
    assert tables.normalised_text('Simple64', 108.0) == ''
