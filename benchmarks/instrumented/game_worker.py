"""A worker process of the PySC2 backend that also measures the parts of every step.

`benchmarks.speed.pysc2_backend` lets it run instead of `sc2impala.envs.pysc2_backend.worker`. At
the end it writes the durations to the file named by the environment variable SC2IMPALA_TIMES: a
JSON list with one object {part: seconds} per step.
"""

import json
import os
import select
import time
from typing import Any, Callable, Dict, List

from sc2impala.envs.pysc2_backend import worker
from sc2impala.envs.pysc2_backend.game import Game, make_sc2_env

TIMES_VARIABLE = 'SC2IMPALA_TIMES'
"""Environment variable with the path of the output."""


class Clock:
    """Sums up seconds by part for each step.

    laps: {part: seconds} of all completed steps.
    """

    def __init__(self) -> None:
        self.laps: List[Dict[str, float]] = []
        self._current: Dict[str, float] = {}

    def timed(self, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        """Returns `function` with its duration added to the part `name`."""

        def run(*args: Any, **kwargs: Any) -> Any:
            started = time.perf_counter()
            try:
                return function(*args, **kwargs)
            finally:
                seconds = time.perf_counter() - started
                self._current[name] = self._current.get(name, 0.0) + seconds

        return run

    def lap(self) -> None:
        """Completes a step."""
        self.laps.append(self._current)
        self._current = {}


CLOCK = Clock()


def make_timed_env(*args: Any) -> Any:
    """Returns PySC2's environment with timed calls of the game.

    Parts: 'env', its steps; 'controller', the requests in them; 'game', waiting for responses.

    Args:
      *args: see `make_sc2_env`.
    """
    env = make_sc2_env(*args)
    env.step = CLOCK.timed('env', env.step)
    (controller,) = env._controllers
    for name in ('actions', 'step', 'observe'):
        setattr(controller, name, CLOCK.timed('controller', getattr(controller, name)))
    websocket = controller._client._sock
    wait = CLOCK.timed('game', lambda: select.select([websocket.sock], [], []))
    receive = websocket.recv

    def receive_after_waiting() -> Any:
        wait()
        return receive()

    websocket.recv = receive_after_waiting
    return env


class TimedGame(Game):
    """A game with timed steps, which writes the durations to the output when it is closed."""

    def step(self) -> bool:
        """See Game."""
        ended = CLOCK.timed('worker', super().step)()
        CLOCK.lap()
        return ended

    def close(self) -> None:
        """See Game."""
        with open(os.environ[TIMES_VARIABLE], 'w') as file:
            json.dump(CLOCK.laps, file)
        super().close()


def main(arguments: List[str]) -> None:
    """Runs the worker, see `worker.main`."""
    vars(worker)['Game'] = TimedGame
    worker.main(arguments, make_timed_env)
