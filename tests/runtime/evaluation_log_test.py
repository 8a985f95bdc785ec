"""The table of evaluated checkpoints."""

import pytest

from sc2impala.errors import UserError
from sc2impala.runtime.evaluation_log import COLUMNS, EvaluationLog


def result(frames, policy='sampled', mean=1.5):
    values = dict.fromkeys(COLUMNS, 2)
    return dict(values, global_step=frames, policy=policy, mean_return=mean, map_name='unused')


def test_rows_are_found_again(tmp_path):
    path = str(tmp_path / 'evaluations.csv')
    EvaluationLog(path).add(result(100))
    log = EvaluationLog(path)
    log.add(result(100, 'greedy', 2.5))
    log.add(result(300))
    assert log.rows == EvaluationLog(path).rows and len(log.rows) == 3
    row = EvaluationLog(path).find(100, 'greedy')
    assert row == {name: result(100, 'greedy', 2.5)[name] for name in COLUMNS}
    assert log.find(300, 'greedy') is None and log.find(200, 'sampled') is None


def test_a_line_that_a_kill_has_cut_off(tmp_path):
    path = tmp_path / 'evaluations.csv'
    EvaluationLog(str(path)).add(result(100))
    content = path.read_text()
    path.write_text(content + content.splitlines()[1][:5])
    assert [row['global_step'] for row in EvaluationLog(str(path)).rows] == [100]


@pytest.mark.parametrize('content', ['a,b\n1,2\n', 'global_step,policy\nx,y\n'])
def test_another_table_is_refused(tmp_path, content):
    path = tmp_path / 'evaluations.csv'
    path.write_text(content)
    with pytest.raises(UserError, match='evaluations.csv cannot be continued .*expected a table'):
        EvaluationLog(str(path))


def test_a_folder_that_is_gone(tmp_path):
    folder = tmp_path / 'run'
    folder.mkdir()
    log = EvaluationLog(str(folder / 'evaluations.csv'))
    (folder / 'evaluations.csv').unlink()
    folder.rmdir()
    with pytest.raises(UserError, match='cannot be written to .No such file'):
        log.add(result(1))
    assert not log.rows
