import pytest

from benchmarks.speed import cluster_training
from tests.benchmarks import scripts


def rates(steps, **more):
    return dict(more, agent_steps_per_second=steps)


def test_ratios_are_of_the_same_round():
    one, two = cluster_training.summary(
        {
            ('one',): [rates(10.0), rates(20.0), rates(40.0)],
            ('slow', '--a=1'): [rates(5.0, lag=3.0), rates(20.0, lag=1.0), rates(30.0, lag=2.0)],
        }
    )
    assert one == dict(row='one', steps_per_second=20.0, ratio=1.0, ratios=[1.0] * 3, means={})
    assert (two['row'], two['steps_per_second']) == ('slow --a=1', 20.0)
    assert two['ratios'] == [0.5, 1.0, 0.75] and two['ratio'] == 0.75
    assert two['means'] == {'lag': 2.0}


def test_an_unknown_row():
    with pytest.raises(SystemExit, match='the row two is unknown, expected one, cluster'):
        cluster_training.main(['--rows=two', *scripts.TINY])


@pytest.mark.slow
def test_it_measures_all_rows(capsys):
    rows = ['one', 'cluster', 'network', 'slow --weights_secs=1']
    own = ['--actors=2', '--rounds=1', '--seconds=2', '--warm_up=0', '--rows=' + ';'.join(rows)]
    cluster_training.main([*own, *scripts.TINY])
    result = scripts.last_json(capsys)
    assert [row['row'] for row in result['rows']] == rows
    assert all(row['steps_per_second'] > 0 for row in result['rows'])
    assert all('cluster/bytes_in_per_second' in row['means'] for row in result['rows'][1:])
