"""Bots of python-sc2, another client of the game, on the stand-in."""

import importlib.util
import os
import subprocess
import sys

import pytest

from tests.sim.api import client

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(__file__))))

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec('sc2') is None, reason='burnysc2 is not installed'
)


def play(folder, map_name, seconds):
    """Lost units and score of the map's bot; of a whole episode if `seconds` is 0."""
    with client.standin(folder):
        result = subprocess.run(
            [sys.executable, '-m', 'tests.sim.api.python_sc2_bots', map_name, str(seconds)],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env=dict(os.environ, PYTHONPATH=ROOT),
            text=True,
        )
    # An exception in a bot ends its game, not the program.
    assert result.returncode == 0 and 'Traceback' not in result.stdout, result.stdout
    losses, score = result.stdout.splitlines()[-2:]
    return int(losses), int(score)


@pytest.mark.parametrize(
    'map_name, seconds, least_losses, least_score',
    [
        ('MoveToBeacon', 0, 0, 20),
        ('DefeatRoaches', 0, 9, 20),
        ('BuildMarines', 150, 0, 3),
        pytest.param('BuildMarines', 0, 0, 110, marks=pytest.mark.slow),
    ],
)
def test_a_bot_plays_well(tmp_path, map_name, seconds, least_losses, least_score):
    losses, score = play(tmp_path / 'game', map_name, seconds)
    assert losses >= least_losses and score >= least_score
