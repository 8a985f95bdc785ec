"""The worker of a game, which also notes where the time of every step goes.

`pysc2_backend.py` runs it in the place of the worker itself; the file for its notes, one JSON
object of lists, is named by the variable SC2IMPALA_TIMES.
"""

import json
import os
import select
import time

from sc2impala.envs.pysc2_backend import worker
from sc2impala.envs.pysc2_backend.game import Game, make_sc2_env


class Clock:
    """Adds up seconds by name; `lap` begins the next step."""

    def __init__(self):
        self.laps = []
        self._now = {}

    def timed(self, name, function):
        """The function, with its time noted."""

        def run(*args, **kwargs):
            started = time.perf_counter()
            try:
                return function(*args, **kwargs)
            finally:
                self._now[name] = self._now.get(name, 0.0) + time.perf_counter() - started

        return run

    def lap(self):
        """Ends a step."""
        self.laps.append(self._now)
        self._now = {}


CLOCK = Clock()


def make_timed_env(*args):
    """PySC2's environment with its calls of the game timed, and the waiting in them."""
    env = make_sc2_env(*args)
    env.step = CLOCK.timed('env', env.step)
    (controller,) = env._controllers
    for name in ('actions', 'step', 'observe'):
        setattr(controller, name, CLOCK.timed('controller', getattr(controller, name)))
    websocket = controller._client._sock
    wait = CLOCK.timed('game', lambda: select.select([websocket.sock], [], []))
    receive = websocket.recv

    def receive_after_waiting():
        wait()
        return receive()

    websocket.recv = receive_after_waiting
    return env


class TimedGame(Game):
    """A game whose steps are timed; at the end it writes down what they took."""

    def step(self):
        """See Game."""
        ended = CLOCK.timed('worker', super().step)()
        CLOCK.lap()
        return ended

    def close(self):
        """See Game."""
        with open(os.environ['SC2IMPALA_TIMES'], 'w') as file:
            json.dump(CLOCK.laps, file)
        super().close()


def main(arguments):
    """See `worker.main`."""
    worker.Game = TimedGame
    worker.main(arguments, make_timed_env)
