import json

import pytest

from benchmarks.speed import gym as benchmark


def test_it_measures_every_interface(capsys):
    pytest.importorskip('gymnasium')
    maps = ['MoveToBeacon', 'BuildMarines']
    benchmark.main(['--games=2', '--rounds=1', '--seconds=0.01', '--maps'] + maps)
    result = json.loads(capsys.readouterr().out.splitlines()[-1])
    rates = result.pop('steps_per_second')
    interfaces = ('simulator', 'environment', 'make_vec', 'sync_vector_env')
    assert set(rates) == {f'{name}/{interface}' for name in maps for interface in interfaces}
    assert min(rates.values()) > 0
    assert result == {'games': 2, 'step_mul': 8}
