"""Arithmetic of the common work of the league, and its reference."""

import pytest

from benchmarks.league import probe
from benchmarks.league.peers.sc2impala import SPEED_FLAGS


@pytest.mark.long
def test_operations_per_step():
    """103 MFLOP forward to act, about four times as much with learning."""
    assert probe.flops_per_step(SPEED_FLAGS) == pytest.approx(427e6, rel=0.01)
