import json
import os
import sys

import pytest

from benchmarks.speed import pysc2_backend as benchmark
from tests.envs.pysc2_backend import leftovers


@pytest.mark.long
def test_it_says_where_the_time_goes(capsys, monkeypatch, tmp_path):
    monkeypatch.delenv('SC2PATH', raising=False)
    leftovers.use(tmp_path, monkeypatch)
    paths, environment = list(sys.path), dict(os.environ)
    benchmark.main(['--steps=5', '--screen', '16', '--games', '1'])
    lines = capsys.readouterr().out.splitlines()
    result = json.loads(lines[-1])
    assert result['map_name'] == 'MoveToBeacon' and result['step_mul'] == 8
    parts = result['ms_per_step']['16']
    assert set(parts) == set(benchmark.PARTS) | {'ours', 'total'}
    assert min(parts.values()) > 0
    assert max(parts.values()) == parts['total']
    assert result['steps_per_second']['1'] > 0
    assert lines[0].split()[3:] == list(parts)
    assert lines[1].startswith('16 x 16')
    assert (sys.path, dict(os.environ)) == (paths, environment)
    assert os.listdir(str(tmp_path)) == []
