import pytest

from benchmarks.speed import cluster
from tests.benchmarks import scripts


@pytest.mark.slow
def test_it_measures_intake_and_weights(capsys):
    cluster.main(['--seconds=0.2', '--clients=1', '--compressions=zstd'] + list(scripts.TINY))
    result = scripts.last_json(capsys)
    assert result['flags'] == list(scripts.TINY)
    sends, reads = result['rows']
    assert (sends['what'], sends['clients'], sends['compression']) == ('send', 1, 'zstd')
    assert sends['sequences_per_second'] > 0 and sends['mb_per_second'] > 0
    assert (reads['what'], reads['clients']) == ('read', 1)
    expected = reads['reads_per_second'] * result['weight_bytes'] / 1e6
    assert reads['mb_per_second'] == expected > 0
