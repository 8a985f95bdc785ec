import pytest

from benchmarks.speed import central_inference
from tests.benchmarks import scripts


@pytest.mark.slow
def test_it_measures_both_kinds_in_turns(monkeypatch, capsys):
    monkeypatch.setenv('PYTHONPATH', scripts.ROOT)
    own = ['--seconds=4', '--warm_up=0', '--rounds=1', '--agents=fully_conv_lstm', '--actors=1']
    central_inference.main(own + list(scripts.TINY))
    result = scripts.last_json(capsys)
    (row,) = result['rows']
    assert (row['agent'], row['actors'], result['seconds']) == ('fully_conv_lstm', 1, 4)
    assert row['rounds'] == {'local': [row['local']], 'central': [row['central']]}
    assert row['quotient'] == row['central'] / row['local'] > 0
