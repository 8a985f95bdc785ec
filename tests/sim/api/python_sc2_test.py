"""Bots of python-sc2, another client of the game, on the stand-in."""

import importlib.util
import os
import subprocess
import sys

import pytest

from tests.sim.api import client

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(__file__))))

IS_INSTALLED = importlib.util.find_spec('sc2') is not None
IS_NEW = IS_INSTALLED and importlib.util.find_spec('sc2.bot_ai_internal') is not None


def play(folder, bot, *arguments):
    """The last two lines of a bot's output."""
    with client.standin(folder):
        result = subprocess.run(
            [sys.executable, '-m', f'tests.sim.api.{bot}', *map(str, arguments)],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env=dict(os.environ, PYTHONPATH=ROOT),
            text=True,
        )
    # An exception in a bot ends its game, not the program.
    assert result.returncode == 0 and 'Traceback' not in result.stdout, result.stdout
    return result.stdout.splitlines()[-2:]


@pytest.mark.skipif(not IS_NEW, reason='burnysc2 is not installed')
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
    losses, score = play(tmp_path / 'game', 'python_sc2_bots', map_name, seconds)
    assert int(losses) >= least_losses and int(score) >= least_score


@pytest.mark.skipif(not IS_INSTALLED or IS_NEW, reason='sc2 0.11 is not installed')
@pytest.mark.parametrize(
    'seconds, least_score', [(150, 1), pytest.param(0, 80, marks=pytest.mark.slow)]
)
def test_a_bot_of_the_first_python_sc2_plays_well(tmp_path, seconds, least_score):
    score = play(tmp_path / 'game', 'old_python_sc2_bot', seconds)[-1]
    assert int(score) >= least_score
