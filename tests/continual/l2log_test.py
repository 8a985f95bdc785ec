"""The logs have the folders, columns and order of l2logger."""

import json

import pytest

from sc2impala.continual import l2log, runs
from sc2impala.errors import UserError
from tests.continual import example_runs
from tests.continual.example_runs import MAPS


def read(folder):
    """Returns the rows of each block: {'0-test': [{column: value}]}."""
    found = {}
    for path in sorted((folder / 'worker-default').glob('*/data-log.tsv')):
        header, *rows = [line.split('\t') for line in path.read_text().splitlines()]
        assert tuple(header) == l2log.COLUMNS
        found[path.parent.name] = [dict(zip(header, row)) for row in rows]
    return found


def write(tmp_path, run):
    l2log.write(run, runs.read_episodes(run), str(tmp_path / 'logs'))
    return read(tmp_path / 'logs')


def test_blocks_alternate(tmp_path):
    """Evaluations within a block are left out."""
    evaluations = [[i, 10 * i] for i in range(5)]
    folder = example_runs.write_run(
        tmp_path / 'run', evaluations, [[5.0, 6.5], [7.0]], MAPS[:2], per_task=2
    )
    found = write(tmp_path, runs.read_sequential(folder))
    assert sorted(found) == ['0-test', '1-train', '2-test', '3-train', '4-test']
    rows = [row for name in sorted(found) for row in found[name]]
    first, second = 'FindAndDefeatZerglings_default', 'DefeatRoaches_default'
    assert [(int(r['exp_num']), r['task_name'], float(r['reward'])) for r in rows] == [
        (0, first, 0),
        (1, second, 0),
        (2, first, 5),
        (3, first, 6.5),
        (4, first, 2),
        (5, second, 20),
        (6, second, 7),
        (7, first, 4),
        (8, second, 40),
    ]
    for name, of_block in found.items():
        for row in of_block:
            assert f'{row["block_num"]}-{row["block_type"]}' == name
            assert (row['block_subtype'], row['exp_status']) == ('wake', 'complete')
            assert row['worker_id'] == 'worker-default' and json.loads(row['task_params']) == {}
    info = json.loads((tmp_path / 'logs' / 'logger_info.json').read_text())
    assert info == {'metrics_columns': ['reward'], 'log_format_version': '1.1'}
    scenario = json.loads((tmp_path / 'logs' / 'scenario_info.json').read_text())
    assert scenario['scenario_type'] == 'condensed'


def test_experts_have_one_block(tmp_path):
    folder = example_runs.write_expert(tmp_path / 'run', MAPS[1], [1, 2], [3.0, 4.0])
    found = write(tmp_path, runs.read_expert(folder))
    assert [row['reward'] for row in found.pop('0-train')] == ['3.0', '4.0'] and not found
    scenario = json.loads((tmp_path / 'logs' / 'scenario_info.json').read_text())
    assert scenario['scenario_type'] == 'ste'


def test_several_cycles(tmp_path):
    run = runs.read_sequential(example_runs.write_run(tmp_path / 'run', cycles=2))
    assert len(write(tmp_path, run)) == 13
    scenario = json.loads((tmp_path / 'logs' / 'scenario_info.json').read_text())
    assert scenario['scenario_type'] == 'dispersed'


def test_names_of_tasks_are_letters_and_digits():
    assert l2log.task_name('My own-Map 2') == 'MyownMap2_default'


def test_a_folder_that_cannot_be_written_is_named(tmp_path):
    run = runs.read_sequential(example_runs.write_run(tmp_path / 'run'))
    (tmp_path / 'file').write_text('')
    with pytest.raises(UserError, match='--l2logs: .*file/logs cannot be written to'):
        l2log.write(run, runs.read_episodes(run), str(tmp_path / 'file' / 'logs'))


def test_a_block_without_episodes_is_named(tmp_path):
    folder = example_runs.write_run(tmp_path / 'run', episodes=[[1.0], [], [2.0]])
    run = runs.read_sequential(folder)
    with pytest.raises(UserError, match='--l2logs: .*has no finished episode of block 1, expected'):
        l2log.write(run, runs.read_episodes(run), str(tmp_path / 'logs'))
