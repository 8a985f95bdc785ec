"""A worker with a fake game: one that a test can predict, and make fail.

The real machinery around it: processes, commands, shared arrays. It is told what to do by the
control group that an action selects, and how to start by the version of the game.
"""

import collections
import contextlib
import os
import signal
import subprocess
import sys
import tempfile
import time

import numpy as np

from sc2impala.envs.actions import NUM_FUNCTIONS
from sc2impala.envs.pysc2_api import features
from sc2impala.envs.pysc2_backend import protocol, worker

SELECT_CONTROL_GROUP = 4
DIE, RAISE, HANG, STOP, NONSENSE, MEET, SILENCE, LOSE_GAME = range(1, 9)
"""Failures of the worker by the control group that an action selects."""

TimeStep = collections.namedtuple('TimeStep', ['reward', 'observation', 'is_last', 'discount'])
TimeStep.last = lambda self: self.is_last


class FakeSC2Env:
    """Its reward is seed + function id; its episode k lasts 20 + 10 * (k mod 3) frames.

    `max_episode_frames` truncates an episode as PySC2 does, with a discount of 1.

    Every number that is observed is the game loop. Functions 0 to 4 are available, and all others
    in odd game loops. The game is a process that sleeps, and has a temporary folder.
    """

    def __init__(self, map_name, seed, observation_spec, settings):
        self._settings = settings
        self._seed = seed
        self._sizes = observation_spec.screen_size, observation_spec.minimap_size
        self._episode = -1
        self._loop = 0
        with self._alone() if settings.replay_dir else contextlib.nullcontext():
            if settings.version == 'raises':
                print('the game is broken', flush=True)
                raise ValueError('no such map')
            if settings.version == 'hangs':
                time.sleep(1000)
            if settings.version == 'exits':
                self._game = subprocess.Popen(['/bin/sh', '-c', 'echo no such library; exit 3'])
                time.sleep(1000)
            self._game = subprocess.Popen(['/bin/sleep', '1000'])
            tempfile.mkdtemp(prefix='sc-')

    @contextlib.contextmanager
    def _alone(self):
        """Fails if another game is being launched at the same time."""
        os.mkdir(os.path.join(self._settings.replay_dir, 'launching'))
        time.sleep(0.05)
        yield
        os.rmdir(os.path.join(self._settings.replay_dir, 'launching'))

    def reset(self):
        self._episode += 1
        self._loop = 0
        return (TimeStep(0.0, self._observe(), False, 0.0),)

    def step(self, calls, step_mul):
        (call,) = calls
        if call.function == SELECT_CONTROL_GROUP:
            self._misbehave(call.arguments[1][0])
        length = 20 + 10 * (self._episode % 3)
        self._loop = min(self._loop + step_mul, length)
        over = self._loop == length
        last = over or self._loop >= (self._settings.max_episode_frames or length)
        discount = 0.0 if over else 1.0
        return (TimeStep(self._seed + call.function, self._observe(), last, discount),)

    def close(self):
        self._game.terminate()
        self._game.wait()

    def _misbehave(self, how):
        if how == DIE:
            os.kill(os.getpid(), signal.SIGKILL)
        elif how == RAISE:
            raise ValueError('no such\n  thing')
        elif how == HANG:
            time.sleep(1000)
        elif how == STOP:
            os.kill(os.getpid(), signal.SIGSTOP)
        elif how == NONSENSE:
            protocol.OK = b'nonsense'
        elif how == MEET:
            self._meet()
        elif how == SILENCE:
            os.closerange(3, 100)
        elif how == LOSE_GAME:
            self._game.kill()
            self._game.wait()
            raise ConnectionError('Is it up?')

    def _meet(self):
        """Waits until two games have reached this point at the same time."""
        open(os.path.join(self._settings.replay_dir, str(self._seed)), 'w').close()
        while len(os.listdir(self._settings.replay_dir)) < 2:
            time.sleep(0.01)

    def _observe(self):
        def layers(table, size):
            scales = np.array([layer.scale for layer in table])[:, np.newaxis, np.newaxis]
            return np.tile(self._loop % scales, [1, size[1], size[0]]).astype(np.int32)

        functions = NUM_FUNCTIONS if self._loop % 2 else 5
        vectors = {
            'player': 11,
            'score_cumulative': 13,
            'game_loop': 1,
            'action_result': 0,
        }
        observation = {name: np.full([n], self._loop, np.int32) for name, n in vectors.items()}
        observation['available_actions'] = np.arange(functions, dtype=np.int32)
        observation['feature_screen'] = layers(features.SCREEN_FEATURES, self._sizes[0])
        observation['feature_minimap'] = layers(features.MINIMAP_FEATURES, self._sizes[1])
        return observation


def main(arguments):
    """Runs the worker with a fake game."""
    if os.environ.get('FAKE_WORKER') == 'dies':
        print('cannot even begin', file=sys.stderr)
        sys.exit(4)
    worker.main(arguments, FakeSC2Env)
