"""Quick ones of the facts of the real game; `benchmarks.checks.validate_simulator` has all."""

import numpy as np
import pytest

from benchmarks.checks.facts import data, economy, shards
from tests.sim.battle import DUMMY, ENEMY, ROACH, SELF, Battle


@pytest.mark.long
def test_the_intervals_between_hits_of_a_roach():
    battle = Battle((ROACH, ENEMY, 30, 28), (DUMMY, SELF, 33, 28))
    intervals = []
    for _ in range(10):
        battle.g.health[1] = 1000
        hits = battle.hits(660, slot=1)
        intervals += np.diff(hits).tolist()
    assert len(intervals) > 150
    assert 32.3 <= np.mean(intervals) <= 32.9
    assert min(intervals) >= 31 and max(intervals) <= 35


def test_shards_are_removed_after_3_to_10_loops_in_reach():
    loops = np.concatenate(shards.shard_loops(4))
    counts = np.bincount(loops, minlength=12)
    assert counts[:3].sum() < 0.02 * len(loops)  # Those that the marine has left.
    assert counts[3:11].sum() > 0.9 * len(loops)
    assert counts[3:11].min() > 0.08 * len(loops)


@pytest.mark.parametrize('building', sorted(data.FACTS['build_loops']))
def test_build_times(building):
    real = data.FACTS['build_loops'][building]
    assert abs(economy.build_time(building)[0] - real) <= 1


def test_the_minerals_of_12_workers():
    real = {int(k): v for k, v in data.FACTS['minerals_of_12_workers'].items() if int(k) > 320}
    here = economy.mined(8, sorted(real)).mean(axis=0)
    np.testing.assert_allclose(here, [real[loop] for loop in sorted(real)], rtol=0.05)
