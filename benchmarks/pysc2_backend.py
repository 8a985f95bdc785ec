"""Measures what a step of StarCraft II through PySC2 takes, and how many steps K games do a second.

Where the time of a step of one environment goes, by the side of the screen in pixels:

* game: waiting until it answers, three times: action, step, observation;
* protocol: writing the requests, reading and parsing the answers;
* PySC2: what its environment does besides, mostly turning answers into arrays;
* conversion: from these to the arrays of the observation spec, in shared memory;
* hop: from the trainer to the worker and back, and the copy that the caller gets.

The last two are ours. Numbers are medians over steps of random players that observe all layers and
the default vectors; what the players need to choose is left out. Without SC2PATH the game is the
stand-in of the package.

    python benchmarks/pysc2_backend.py --map_name MoveToBeacon --steps 300

The last line of the output is JSON.
"""

import argparse
import contextlib
import json
import os
import sys
import tempfile
import time

import numpy as np

from sc2impala import envs
from sc2impala.envs import players
from sc2impala.envs.pysc2_backend import game_process

WARM_UP_STEPS = 20
PARTS = ('game', 'protocol', 'PySC2', 'conversion', 'hop')
OURS = ('conversion', 'hop')


def main(argv=None):
    """Measures, and prints a table and the JSON.

    Args:
      argv: the arguments of the command line; None stands for those of the process.
    """
    arguments = _parse_arguments(argv)
    with _a_game():
        result = {'map_name': arguments.map_name, 'step_mul': arguments.step_mul}
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


def _parse_arguments(argv):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--map_name', default='MoveToBeacon')
    parser.add_argument('--step_mul', type=int, default=8, help='game loops per step')
    parser.add_argument(
        '--screen', type=int, nargs='+', default=[64, 32, 84], help='sides of the screen in pixels'
    )
    parser.add_argument('--games', type=int, nargs='+', default=[1, 2, 4, 8])
    parser.add_argument('--steps', type=int, default=300, help='steps of every measurement')
    return parser.parse_args(argv)


@contextlib.contextmanager
def _a_game():
    """Installs the stand-in if there is no game."""
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
    """Random play in K games; gives the seconds that every step took."""

    def __init__(self, arguments, side, num_envs):
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

    def steps(self, count):
        """Plays so many steps, and those that come before they count: seconds of all, a list."""
        seconds = []
        observation = self.env.reset()
        for _ in range(WARM_UP_STEPS + count):
            action = self._player.act(observation)
            started = time.perf_counter()
            observation = self.env.step(action, self._step_mul).observation
            seconds.append(time.perf_counter() - started)
        return seconds


def _milliseconds(arguments, side):
    """Medians by part of a step, of the sum and of what is ours."""
    with tempfile.TemporaryDirectory() as folder, _timed_workers(os.path.join(folder, 'times')):
        play = _Play(arguments, side, 1)
        with play.env:
            seconds = play.steps(arguments.steps)
        with open(os.environ['SC2IMPALA_TIMES']) as file:
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
def _timed_workers(path):
    before = game_process.WORKER
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    game_process.WORKER, os.environ['SC2IMPALA_TIMES'] = 'timed_worker', path
    try:
        yield
    finally:
        game_process.WORKER = before
        del os.environ['SC2IMPALA_TIMES'], sys.path[0]


def _median_ms(seconds):
    return round(1000 * float(np.median(seconds)), 3)


def _print_parts(milliseconds):
    columns = PARTS + ('ours', 'total')
    print('ms per step' + ''.join(f'{name:>12}' for name in columns))
    for side, found in milliseconds.items():
        text = ''.join(f'{found[name]:12.2f}' for name in columns)
        print(f'{side} x {side}'.ljust(11) + text)


def _steps_per_second(arguments, num_envs):
    play = _Play(arguments, arguments.screen[0], num_envs)
    with play.env:
        return num_envs * arguments.steps / sum(play.steps(arguments.steps)[WARM_UP_STEPS:])


if __name__ == '__main__':
    main()
