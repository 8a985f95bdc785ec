"""Games played by Python alone equal those of the compiled functions."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest

from tests.sim import recorded_games
from tests.sim.curious import ALL_LAYERS, CuriousPlayer, a_game

PROGRAM = """
import json, sys
from tests.sim import without_compiler_test
print(json.dumps(without_compiler_test.play(sys.argv[1])))
"""


def play(map_name, steps=8):
    """Plays a few steps; returns the digests of what can be seen."""
    game = a_game(map_name, [4], screen=16, minimap=16, **ALL_LAYERS)
    player = CuriousPlayer(3, screen=16, minimap=16)
    digests = []
    for _ in range(steps):
        game.act(*player(game))
        game.advance(np.array([6]))
        digests.append(recorded_games.digest_of(game))
    return digests


@pytest.mark.long
@pytest.mark.parametrize('map_name', ['FindAndDefeatZerglings', 'CollectMineralsAndGas'])
def test_without_the_compiler_a_game_is_the_same(map_name):
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    done = subprocess.run(
        [sys.executable, '-W', 'ignore', '-c', PROGRAM, map_name],
        env=dict(os.environ, NUMBA_DISABLE_JIT='1', PYTHONPATH=root),
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    played = play(map_name)
    assert json.loads(done.stdout) == played
    assert len(set(played)) > 4
