"""The table of evaluations."""

import pytest

from sc2impala.envs.scores import HUMAN_SCORES
from sc2impala.errors import UserError
from sc2impala.evaluation.log import COLUMNS, EvaluatedPolicy, EvaluationLog

NUMBERS = dict(
    seed=2, num_episodes=3, std_return=0.5, min_return=0.0, max_return=4.0, environment_frames=50
)
SAMPLED, GREEDY = EvaluatedPolicy('sampled', 1.0, 0), EvaluatedPolicy('greedy', None, 0)
SHARDS = 'CollectMineralShards'
"""A return of 97 is half way from random play to a human."""


def result(
    frames, policy='sampled', mean=97.0, of_humans=(0.5, 0.5, 0.5), temperature=None, limit=None
):
    values = dict(NUMBERS, global_step=frames, policy=policy, mean_return=mean, map_name=SHARDS)
    values.update(temperature=temperature, eval_max_step_mul=limit)
    return dict(values, **dict(zip(HUMAN_SCORES, of_humans)))


def frames_of(log):
    return [row['global_step'] for row in log.rows]


@pytest.fixture
def path(tmp_path):
    return str(tmp_path / 'evaluations.csv')


def test_rows_are_found_again(path):
    first = result(100, temperature=0.3, limit=2)
    EvaluationLog(path, SHARDS).add(first)
    log = EvaluationLog(path, SHARDS)
    assert log.rows == [{name: first[name] for name in COLUMNS}]
    log.add(result(100, 'greedy', 337.0, (2.0, 1.0, 0.0)))
    log.add(result(300))
    again = EvaluationLog(path, SHARDS)
    assert log.rows == again.rows and len(log.rows) == 3
    row = again.find(100, GREEDY)
    assert row == {name: result(100, 'greedy', 337.0, (2.0, 1.0, 0.0))[name] for name in COLUMNS}
    assert log.find(300, GREEDY) is None and log.find(200, SAMPLED) is None
    sharper = EvaluatedPolicy('sampled', 0.3, 2)
    assert [log.last_frames(policy) for policy in (SAMPLED, GREEDY, sharper)] == [300, 100, 100]
    assert log.last_frames(sharper._replace(eval_max_step_mul=3)) is None


def test_a_map_without_a_published_score(path):
    found = dict(result(100, of_humans=(None, None, None)), map_name='Simple64')
    EvaluationLog(path, 'Simple64').add(found)
    with open(path) as file:
        assert file.read().splitlines()[1].endswith(',50,,,,,,Simple64')
    assert EvaluationLog(path, 'Simple64').rows[0]['human_gap'] is None


@pytest.mark.parametrize('lacking', [1, 2, 3, 6])
def test_a_table_of_an_older_version_gets_the_columns_that_it_lacks(path, lacking):
    log = EvaluationLog(path, SHARDS)
    log.add(result(100))
    log.add(result(200, mean=177.0, of_humans=(1.0, 1.0, 0.0)))
    with open(path) as file:
        new = file.read()
    old = '\n'.join(','.join(line.split(',')[:-lacking]) for line in new.splitlines()) + '\n'
    with open(path, 'w') as file:
        file.write(old)
    again = EvaluationLog(path, SHARDS)
    assert again.rows == log.rows
    again.add(result(300))
    with open(path) as file:
        assert file.read().splitlines()[:3] == new.splitlines()
    assert frames_of(EvaluationLog(path, SHARDS)) == [100, 200, 300]


def test_rows_of_several_maps(path):
    log = EvaluationLog(path, 'A,B')
    log.add(dict(result(100), map_name=SHARDS))
    log.add(dict(result(100, mean=7.0, of_humans=(None, None, None)), map_name='B'))
    again = EvaluationLog(path, 'A,B')
    assert again.rows == log.rows
    assert again.find(100, SAMPLED, 'B')['mean_return'] == 7.0
    assert again.find(100, SAMPLED, SHARDS)['human_normalised_score'] == 0.5
    assert [len(again.rows_of(SAMPLED, name)) for name in (None, SHARDS, 'C')] == [2, 1, 0]


def test_rows_after_a_checkpoint_are_removed(path):
    log = EvaluationLog(path, SHARDS)
    for frames in (0, 100, 200, 300):
        log.add(result(frames))
    assert log.undo(200) == 1 and log.undo(200) == 0
    log.add(result(210))
    assert frames_of(log) == frames_of(EvaluationLog(path, SHARDS)) == [0, 100, 200, 210]
    assert log.undo(None) == 4
    assert EvaluationLog(path, SHARDS).rows == []


def test_a_line_that_a_kill_has_cut_off(path):
    EvaluationLog(path, SHARDS).add(result(100))
    with open(path) as file:
        content = file.read()
    with open(path, 'w') as file:
        file.write(content + content.splitlines()[1][:5])
    assert frames_of(EvaluationLog(path, SHARDS)) == [100]


@pytest.mark.parametrize('content', ['a,b\n1,2\n', 'a,b\n', ','.join(COLUMNS) + '\nx,y\n'])
def test_another_table_is_refused(path, content):
    with open(path, 'w') as file:
        file.write(content)
    with pytest.raises(UserError, match='evaluations.csv cannot be continued .*expected a table'):
        EvaluationLog(path, SHARDS)
    with open(path) as file:
        assert file.read() == content


def test_a_row_that_cannot_be_written_is_kept_until_it_can(tmp_path):
    folder = tmp_path / 'run'
    folder.mkdir()
    log = EvaluationLog(str(folder / 'evaluations.csv'), SHARDS)
    away = tmp_path / 'away'
    folder.rename(away)
    with pytest.raises(UserError, match='cannot be written to .No such file'):
        log.add(result(1))
    with pytest.raises(UserError, match='cannot be written to'):
        log.flush()
    assert log.last_frames(SAMPLED) == 1
    away.rename(folder)
    log.add(result(2))
    assert frames_of(EvaluationLog(str(folder / 'evaluations.csv'), SHARDS)) == [1, 2]


@pytest.mark.parametrize(
    'values, name, flags',
    [
        ({'policy': 'greedy'}, 'greedy', '--policy=greedy'),
        # A row of a version that had no temperature.
        ({'policy': 'sampled'}, 'sampled', '--policy=sampled --temperature=1'),
        (
            {'policy': 'sampled', 'temperature': 0.5, 'eval_max_step_mul': 2},
            'sampled-temperature-0.5-max-step-mul-2',
            '--policy=sampled --temperature=0.5 --eval_max_step_mul=2',
        ),
    ],
)
def test_the_policy_of_a_result(values, name, flags):
    policy = EvaluatedPolicy.of(values)
    assert (policy.name, policy.flags) == (name, flags)
