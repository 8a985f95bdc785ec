"""Measures the duration of a step of StarCraft II through PySC2, and the speed of K games.

The time of a step of one environment is split into parts, for several screen sizes in pixels:

* game: waiting for its three responses: to action, step and observation;
* protocol: serialising the requests, receiving and parsing the responses;
* PySC2: the rest of its environment, mostly converting responses to arrays;
* conversion: from these to the arrays of the observation spec, in shared memory;
* hop: between trainer and worker process, and the copy for the caller.

The last two are sc2impala's. Values are medians over steps of random players that observe all
layers and the default vectors; the time that the players need to choose actions is excluded.
Without SC2PATH the game is the stand-in of the package.

    python -m benchmarks.speed.pysc2_backend --map_name MoveToBeacon --steps 300

The last line of the output is JSON.
"""

import argparse
import contextlib
import json
import os
import tempfile
import time
from typing import Any, Dict, Iterator, List, Optional, Sequence

import numpy as np

from benchmarks.instrumented import game_worker
from sc2impala import envs
from sc2impala.envs import players
from sc2impala.envs.pysc2_backend import game_process

WARM_UP_STEPS = 20
PARTS = ('game', 'protocol', 'PySC2', 'conversion', 'hop')
OURS = ('conversion', 'hop')


def main(argv: Optional[Sequence[str]] = None) -> None:
    """Measures, and prints a table and the JSON.

    Args:
      argv: command-line arguments; None for those of the process.
    """
    arguments = _parse_arguments(argv)
    with _installed_game():
        result: Dict[str, Any] = {'map_name': arguments.map_name, 'step_mul': arguments.step_mul}
        result['ms_per_step'] = {
            str(side): _milliseconds(arguments, side) for side in arguments.screen
        }
        _print_parts(result['ms_per_step'])
        result['steps_per_second'] = {
            str(count): round(_steps_per_second(arguments, count), 1) for count in arguments.games
        }
    print()
    size = f'{arguments.screen[0]} x {arguments.screen[0]}'
    for count, rate in result['steps_per_second'].items():
        print(f'{count:>3} games at {size}{rate:10,.1f} steps/s')
    print(json.dumps(result))


def _parse_arguments(argv: Optional[Sequence[str]]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--map_name', default='MoveToBeacon')
    parser.add_argument('--step_mul', type=int, default=8, help='environment frames per step')
    parser.add_argument(
        '--screen', type=int, nargs='+', default=[64, 32, 84], help='sides of the screen in pixels'
    )
    parser.add_argument('--games', type=int, nargs='+', default=[1, 2, 4, 8])
    parser.add_argument('--steps', type=int, default=300, help='steps of every measurement')
    return parser.parse_args(argv)


@contextlib.contextmanager
def _installed_game() -> Iterator[None]:
    """Installs the stand-in for StarCraft II if SC2PATH is not set."""
    if os.environ.get('SC2PATH'):
        yield
        return
    from sc2impala.sim.api import install

    with tempfile.TemporaryDirectory() as folder:
        os.environ['SC2PATH'] = install.install(folder)
        try:
            yield
        finally:
            del os.environ['SC2PATH']


class _Play:
    """A random player in K games."""

    def __init__(self, arguments: argparse.Namespace, side: int, num_envs: int):
        specs = envs.make_specs(
            arguments.map_name,
            functions='all',
            screen_size=(side, side),
            minimap_size=(min(side, 64), min(side, 64)),
            screen_layers='all',
            minimap_layers='all',
        )
        self.env = envs.make_environment(
            'pysc2', arguments.map_name, range(num_envs), *specs, max_step_mul=arguments.step_mul
        )
        self._player = players.RandomPlayer(specs[1], np.random.RandomState(0))
        self._step_mul = np.full([num_envs], arguments.step_mul, np.int32)

    def steps(self, count: int) -> List[float]:
        """Takes WARM_UP_STEPS + count steps; returns the duration of each in seconds."""
        seconds = []
        observation = self.env.reset()
        for _ in range(WARM_UP_STEPS + count):
            action = self._player.act(observation)
            started = time.perf_counter()
            observation = self.env.step(action, self._step_mul).observation
            seconds.append(time.perf_counter() - started)
        return seconds


def _milliseconds(arguments: argparse.Namespace, side: int) -> Dict[str, float]:
    """Returns the medians of the parts of a step, the sum of those in `OURS`, and the step."""
    with tempfile.TemporaryDirectory() as folder, _timed_workers(os.path.join(folder, 'times')):
        play = _Play(arguments, side, 1)
        with play.env:
            seconds = play.steps(arguments.steps)
        with open(os.environ[game_worker.TIMES_VARIABLE]) as file:
            laps = json.load(file)
    of_parts = [
        {
            'game': lap['game'],
            'protocol': lap['controller'] - lap['game'],
            'PySC2': lap['env'] - lap['controller'],
            'conversion': lap['worker'] - lap['env'],
            'hop': total - lap['worker'],
        }
        for lap, total in list(zip(laps, seconds))[WARM_UP_STEPS:]
    ]
    result = {part: _median_ms([found[part] for found in of_parts]) for part in PARTS}
    result['ours'] = _median_ms([sum(found[part] for part in OURS) for found in of_parts])
    result['total'] = _median_ms(seconds[WARM_UP_STEPS:])
    return result


@contextlib.contextmanager
def _timed_workers(path: str) -> Iterator[None]:
    """Lets worker processes run `game_worker`, which writes its durations to `path`."""
    before = game_process.WORKER
    game_process.WORKER = game_worker.__name__
    os.environ[game_worker.TIMES_VARIABLE] = path
    try:
        yield
    finally:
        game_process.WORKER = before
        del os.environ[game_worker.TIMES_VARIABLE]


def _median_ms(seconds: Sequence[float]) -> float:
    return round(1000 * float(np.median(seconds)), 3)


def _print_parts(milliseconds: Dict[str, Dict[str, float]]) -> None:
    columns = PARTS + ('ours', 'total')
    print('ms per step' + ''.join(f'{name:>12}' for name in columns))
    for side, found in milliseconds.items():
        text = ''.join(f'{found[name]:12.2f}' for name in columns)
        print(f'{side} x {side}'.ljust(11) + text)


def _steps_per_second(arguments: argparse.Namespace, num_envs: int) -> float:
    play = _Play(arguments, arguments.screen[0], num_envs)
    with play.env:
        return num_envs * arguments.steps / sum(play.steps(arguments.steps)[WARM_UP_STEPS:])


if __name__ == '__main__':
    main()
