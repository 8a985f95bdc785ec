"""Compiled functions never read or write outside of arrays."""

import os
import subprocess
import sys

import pytest

pytestmark = pytest.mark.slow

CONTROL = """
from sc2impala.sim.compiler import compiled, kernel
from sc2impala.sim.games.game import SMALL

@compiled
def put(g, i):
    g.goal_x[i] = 1.0

@kernel('bounds_test.control')
def loop(games, i):
    put(games[0], i)

games = SMALL.blank()
loop(games, len(games[0].goal_x) - 1)
print('inside')
loop(games, len(games[0].goal_x))
"""


def run(*arguments):
    environment = dict(os.environ, NUMBA_BOUNDSCHECK='1')
    return subprocess.run(
        [sys.executable, *arguments],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )


def test_bounds_are_checked_in_functions_below_a_kernel():
    done = run('-c', CONTROL)
    assert 'inside' in done.stdout and 'IndexError' in done.stdout and done.returncode


def test_whole_episodes_of_any_arguments_stay_within_bounds():
    """Plays properties_test's episodes, on every map."""
    path = os.path.join(os.path.dirname(__file__), 'properties_test.py')
    done = run('-m', 'pytest', '-q', '-m', 'slow or not slow', '-k', 'any_arguments', path)
    assert done.returncode == 0, done.stdout
    assert '7 passed' in done.stdout
