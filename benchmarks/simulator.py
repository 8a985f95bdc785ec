"""Measures how many environment steps the simulator takes per second of one core.

One step of a game is: carry out a function call, advance by `step_mul` game loops, observe with all
feature layers, and begin the next episode where one has ended. Time is processor time, which other
work on the machine disturbs less. What the players do is prepared in advance:

* random: any function that a marine or the camera has, with random arguments;
* mover: selects the army once, then sends it to a random point at every step.

    python benchmarks/simulator.py --games 64 --screen 32 --minimap 32

The last line of the output is JSON.
"""

import argparse
import json
import time

import numpy as np

from sc2impala import sim
from sc2impala.sim import functions, layers

_PREPARED_STEPS = 64


def main():
    """Measures every map with both players, and prints a line for each and the JSON."""
    arguments = _parse_arguments()
    result = {'games': arguments.games, 'step_mul': arguments.step_mul}
    result.update(screen=arguments.screen, minimap=arguments.minimap, steps_per_second={})
    for map_name in sim.MAP_NAMES:
        for player, prepare in (('random', _random_calls), ('mover', _move_calls)):
            rate = _steps_per_second(map_name, prepare, arguments)
            result['steps_per_second'][f'{map_name}/{player}'] = round(rate)
            print(f'{map_name:24}{player:8}{rate:12,.0f} environment steps/s')
    print(json.dumps(result))


def _parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--games', type=int, default=64, help='games in the batch')
    parser.add_argument('--step_mul', type=int, default=8, help='game loops per step')
    parser.add_argument('--screen', type=int, default=32, help='side of the screen in pixels')
    parser.add_argument('--minimap', type=int, default=32, help='side of the minimap in pixels')
    parser.add_argument('--seconds', type=float, default=3.0, help='time per measurement')
    return parser.parse_args()


def _steps_per_second(map_name, prepare, arguments):
    game = sim.make(
        map_name,
        range(arguments.games),
        screen_size=(arguments.screen, arguments.screen),
        minimap_size=(arguments.minimap, arguments.minimap),
        screen_layers=tuple(layers.SCREEN_SCALES),
        minimap_layers=tuple(layers.MINIMAP_SCALES),
    )
    calls = prepare(np.random.RandomState(0), arguments)
    loops = np.full([arguments.games], arguments.step_mul)
    game.reset()
    select_army = np.full([arguments.games], functions.SELECT_ARMY)
    game.act(select_army, {})

    steps = 0
    started = time.process_time()
    while time.process_time() - started < arguments.seconds:
        game.act(*calls[steps % len(calls)])
        game.advance(loops)
        if game.ended.any():
            game.reset(game.ended)
            game.act(select_army, {})
        game.observe()
        steps += 1
    return steps * arguments.games / (time.process_time() - started)


def _random_calls(random, arguments):
    functions_of_marine = functions.ALWAYS_AVAILABLE + functions.MARINE_CARD
    choices = functions_of_marine + (functions.SELECT_UNIT, functions.SELECT_ARMY)
    scalars = {
        'queued': 2,
        'control_group_act': 5,
        'control_group_id': 10,
        'select_point_act': 4,
        'select_add': 2,
        'select_unit_act': 4,
        'select_unit_id': 2,
    }
    sides = {
        'screen': arguments.screen,
        'screen2': arguments.screen,
        'minimap': arguments.minimap,
    }

    def call():
        chosen = {
            name: random.randint(size, size=arguments.games) for name, size in scalars.items()
        }
        for name, side in sides.items():
            chosen[name] = random.randint(side, size=[arguments.games, 2])
        return random.choice(choices, size=arguments.games), chosen

    return [call() for _ in range(_PREPARED_STEPS)]


def _move_calls(random, arguments):
    moves = np.full([arguments.games], functions.MOVE_SCREEN)
    points = random.randint(arguments.screen, size=[_PREPARED_STEPS, arguments.games, 2])
    return [(moves, {'screen': point}) for point in points]


if __name__ == '__main__':
    main()
