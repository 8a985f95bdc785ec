import json

import pytest

from benchmarks.speed import simulator as benchmark
from sc2impala import sim


@pytest.mark.long
def test_it_measures_every_map_with_every_player(capsys):
    sizes = ['--games=2', '--screen=16', '--minimap=16', '--step_mul=2']
    benchmark.main(sizes + ['--rounds=1', '--seconds=0.01', '--threads=2'])
    result = json.loads(capsys.readouterr().out.splitlines()[-1])
    rates = result.pop('steps_per_second')
    assert set(rates) == {
        f'{name}/{player}' for name in sim.MAP_NAMES for player in ('random', 'mover')
    }
    assert min(rates.values()) > 0
    bare = result.pop('steps_per_second_without_layers')
    assert set(bare) == set(rates) and min(bare.values()) > 0
    memory = result.pop('bytes_per_game')
    assert set(memory) == set(sim.MAP_NAMES)
    # All layers of a game alone are about 11 kB.
    assert min(memory.values()) > 10000
    speedups = result.pop('speedup_of_threads')
    assert set(speedups) == set(sim.MAP_NAMES) and min(speedups.values()) > 0
    assert result == {'games': 2, 'step_mul': 2, 'screen': 16, 'minimap': 16}
