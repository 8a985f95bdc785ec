"""PySC2's viewer, which draws every layer and every unit, in PySC2's own command."""

import importlib.util
import os
import subprocess
import sys

import pytest

from sc2impala import sim
from sc2impala.envs.pysc2_api import find_client_package
from tests.sim.api import client

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec('pygame') is None, reason='PySC2 draws with pygame'
)
CLIENT = find_client_package()
MAP_FLAG = '--map' if CLIENT == 'pysc2' else '--map_name'


def watch(folder, map_name, num_steps):
    """What the command prints while it draws a random agent without a display."""
    with client.standin(folder):
        command = [sys.executable, '-m', f'{CLIENT}.bin.agent', MAP_FLAG, map_name]
        command += [f'--max_agent_steps={num_steps}', '--max_episodes=1']
        return subprocess.run(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            cwd=str(folder),  # Where it saves a replay.
            env=dict(os.environ, SDL_VIDEODRIVER='dummy'),
            text=True,
        )


@pytest.mark.long
@pytest.mark.parametrize(
    'map_name, num_steps',
    [('MoveToBeacon', 40)]
    + [pytest.param(name, 400, marks=pytest.mark.slow) for name in sim.MAP_NAMES],
)
def test_the_viewer_draws_the_game(tmp_path, map_name, num_steps):
    result = watch(tmp_path / 'game', map_name, num_steps)
    assert result.returncode == 0 and 'Took' in result.stdout, result.stdout
    # The viewer draws in a thread, whose errors do not end the program.
    assert 'Traceback' not in result.stdout, result.stdout
