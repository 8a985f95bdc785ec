"""Measures the environment steps per second of the simulator on one core, and its use of memory.

A step of a game carries out a function call, advances by `step_mul` environment frames, observes
all feature layers, and begins the next episode if one has ended. Time is processor time, which
depends less on other work on the machine; the time that the players need to choose their calls is
excluded. Every measurement is repeated in several rounds, and the fastest one counts. The players
are

* random: any available function, with random arguments;
* mover: selects its army, or everything if it has none, then moves it to a random point at every
  step.

A step without layers is one of a roll-out: the same players, compiled, play copies of the games in
`sc2impala.sim.rollouts`, without drawing, observations and new episodes. Here the time that the
players need is included. The copies begin at the states that a batch runs through, 40 steps each.

The memory of a game is that of the batch after some steps of the random player, divided by the
number of games. It includes what the games share, such as tables and the path cache, but not arrays
that live only within a step.

With --threads N the games are also stepped in N threads, each with its own batch, and the steps per
second of wall clock time are compared with those of one thread: compiled games run without
Python's global interpreter lock.

    python -m benchmarks.speed.simulator --games 64 --screen 32 --minimap 32 --threads 2

The last line of the output is JSON.
"""

import argparse
import gc
import json
import threading
import time
import tracemalloc
from typing import Callable, Dict, List, Mapping, Optional, Sequence, Tuple

import numpy as np

from benchmarks import compiled_players
from sc2impala import sim
from sc2impala.sim import functions, layers, rollouts

Call = Tuple[np.ndarray, Dict[str, np.ndarray]]
"""Function ids [K], and arguments by name, [K] or [K, 2] points."""

Player = Callable[[np.ndarray, np.random.RandomState, argparse.Namespace], Call]
"""Chooses a call from bool `available_actions` [K, F]."""

_SCALARS = {
    'queued': 2,
    'control_group_act': 5,
    'control_group_id': 10,
    'select_point_act': 4,
    'select_add': 2,
    'select_unit_act': 4,
    'select_unit_id': 8,
    'select_worker': 4,
    'build_queue_id': 5,
    'unload_id': 1,
}
"""Scalar arguments of the random player, with the number of values of each."""

_STEPS_BEFORE_MEASURING_MEMORY = 20
_STEPS_OF_ROLLOUT = 40
_STEPS_BETWEEN_ROLLOUTS = 20


def main(argv: Optional[Sequence[str]] = None) -> None:
    """Measures every map with both players, and prints a line for each and the JSON.

    Args:
      argv: command-line arguments; None for those of the process.
    """
    arguments = _parse_arguments(argv)
    rates: Dict[Tuple[str, str], List[float]] = {}
    bare: Dict[Tuple[str, str], List[float]] = {}
    for _ in range(arguments.rounds):
        for map_name in arguments.maps:
            for player, call in _PLAYERS.items():
                rate = _steps_per_second(map_name, call, arguments)
                rates.setdefault((map_name, player), []).append(rate)
                rate = _steps_per_second_without_layers(map_name, player, arguments)
                bare.setdefault((map_name, player), []).append(rate)
    for (map_name, player), found in rates.items():
        print(f'{map_name:28}{player:8}{max(found):12,.0f} environment steps/s')
    for (map_name, player), found in bare.items():
        ratio = max(found) / max(rates[map_name, player])
        print(
            f'{map_name:28}{player:8}{max(found):12,.0f} environment steps/s without layers: '
            f'{ratio:.2f} times as many'
        )
    speedups = {}
    if arguments.threads > 1:
        for map_name in arguments.maps:
            speedups[map_name] = _speedup(map_name, arguments)
            print(f'{map_name:28}{speedups[map_name]:20.2f} times as fast in threads')
    # After the measurements of speed: modules that are imported during them do not count.
    memory = {map_name: _bytes_per_game(map_name, arguments) for map_name in arguments.maps}
    for map_name, size in memory.items():
        print(f'{map_name:28}{size:20,.0f} bytes per game')
    result = {name: getattr(arguments, name) for name in ('games', 'step_mul', 'screen', 'minimap')}
    result['steps_per_second'] = {
        f'{map_name}/{player}': round(max(found)) for (map_name, player), found in rates.items()
    }
    result['steps_per_second_without_layers'] = {
        f'{map_name}/{player}': round(max(found)) for (map_name, player), found in bare.items()
    }
    result['speedup_of_threads'] = speedups
    result['bytes_per_game'] = {map_name: round(size) for map_name, size in memory.items()}
    print(json.dumps(result))


def _parse_arguments(argv: Optional[Sequence[str]]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--games', type=int, default=64, help='games in the batch')
    parser.add_argument('--step_mul', type=int, default=8, help='environment frames per step')
    parser.add_argument('--screen', type=int, default=32, help='side of the screen in pixels')
    parser.add_argument('--minimap', type=int, default=32, help='side of the minimap in pixels')
    parser.add_argument('--seconds', type=float, default=1.0, help='time per measurement')
    parser.add_argument('--rounds', type=int, default=3, help='measurements, the fastest counts')
    parser.add_argument('--threads', type=int, default=1, help='threads to compare with one')
    parser.add_argument(
        '--maps', nargs='+', choices=sim.MAP_NAMES, default=sim.MAP_NAMES, metavar='MAP'
    )
    return parser.parse_args(argv)


class _Play:
    """A batch of games of one map, and a player.

    game: the batch. seconds: processor time of all steps so far, without the player's.
    available: bool [K, F], the functions that can be called.
    """

    def __init__(
        self,
        map_name: str,
        num_games: int,
        call: Player,
        arguments: argparse.Namespace,
        draws: bool = True,
    ):
        self.game = sim.make(
            map_name,
            range(num_games),
            screen_size=(arguments.screen, arguments.screen),
            minimap_size=(arguments.minimap, arguments.minimap),
            screen_layers=tuple(layers.SCREEN_SCALES) if draws else (),
            minimap_layers=tuple(layers.MINIMAP_SCALES) if draws else (),
        )
        self._call = call
        self._random = np.random.RandomState(0)
        self._arguments = arguments
        self._frames = np.full([num_games], arguments.step_mul)
        self.game.reset()
        self.available = self.game.observe()['available_actions']
        self.seconds = 0.0

    def step(self) -> None:
        """Chooses calls and carries them out, measuring the latter."""
        call = self._call(self.available, self._random, self._arguments)
        started = time.process_time()
        self.carry_out(call)
        self.seconds += time.process_time() - started

    def carry_out(self, call: Call) -> None:
        """Steps all games."""
        game = self.game
        game.act(*call)
        game.advance(self._frames)
        if game.ended.any():
            game.reset(game.ended)
        self.available = game.observe()['available_actions']


def _steps_per_second(map_name: str, call: Player, arguments: argparse.Namespace) -> float:
    play = _Play(map_name, arguments.games, call, arguments)
    steps = 0
    while play.seconds < arguments.seconds:
        play.step()
        steps += 1
    return steps * arguments.games / play.seconds


def _steps_per_second_without_layers(
    map_name: str, player: str, arguments: argparse.Namespace
) -> float:
    """Returns steps per second of roll-outs, from states that are spread over an episode."""
    num_games = arguments.games
    play = _Play(map_name, num_games, _PLAYERS[player], arguments, draws=False)
    copies = rollouts.Rollouts(play.game, compiled_players.POLICIES[player], num_games)
    copies.copy(np.arange(num_games), np.arange(num_games))
    copies.run(1, arguments.step_mul)  # Compiles.
    steps, seconds, round_number = 0, 0.0, 0
    while seconds < arguments.seconds:
        for _ in range(_STEPS_BETWEEN_ROLLOUTS):
            play.step()
        started = time.process_time()
        copies.copy(np.arange(num_games), round_number * num_games + np.arange(num_games))
        steps += int(copies.run(_STEPS_OF_ROLLOUT, arguments.step_mul).sum())
        seconds += time.process_time() - started
        round_number += 1
    return steps / seconds


def _speedup(map_name: str, arguments: argparse.Namespace) -> float:
    """Returns steps per second of several threads, divided by those of one: the best of rounds."""
    rates = []
    for _ in range(arguments.rounds):
        one = _steps_in_threads(map_name, 1, arguments)
        rates.append(_steps_in_threads(map_name, arguments.threads, arguments) / one)
    return round(max(rates), 2)


def _steps_in_threads(map_name: str, num_threads: int, arguments: argparse.Namespace) -> float:
    """Returns steps per second of wall clock time; the calls are chosen before."""
    plays = [_Play(map_name, arguments.games, _move_call, arguments) for _ in range(num_threads)]
    counts = [0] * num_threads
    started = time.perf_counter()

    def run(index: int) -> None:
        call = _move_call(plays[index].available, np.random.RandomState(index), arguments)
        while not counts[index] or time.perf_counter() < started + arguments.seconds:
            plays[index].carry_out(call)
            counts[index] += 1

    threads = [threading.Thread(target=run, args=[index]) for index in range(num_threads)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sum(counts) * arguments.games / (time.perf_counter() - started)


def _bytes_per_game(map_name: str, arguments: argparse.Namespace) -> float:
    """Returns the allocated bytes of a batch, divided by its games.

    NumPy reports its arrays to tracemalloc.
    """
    tracemalloc.start()
    play = _Play(map_name, arguments.games, _random_call, arguments)
    for _ in range(_STEPS_BEFORE_MEASURING_MEMORY):
        play.step()
    gc.collect()
    allocated, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return allocated / arguments.games


def _random_call(
    available: np.ndarray, random: np.random.RandomState, arguments: argparse.Namespace
) -> Call:
    num_games = len(available)
    # Draws a rank among the available functions, then finds the function of that rank.
    rank = available.cumsum(1, dtype=np.int16)
    chosen = random.randint(rank[:, -1]) + 1
    function = (rank < chosen[:, None]).sum(1)
    values = {name: random.randint(size, size=num_games) for name, size in _SCALARS.items()}
    for name in ('screen', 'screen2'):
        values[name] = random.randint(arguments.screen, size=[num_games, 2])
    values['minimap'] = random.randint(arguments.minimap, size=[num_games, 2])
    return function, values


def _move_call(
    available: np.ndarray, random: np.random.RandomState, arguments: argparse.Namespace
) -> Call:
    num_games = len(available)
    moves = available[:, functions.MOVE_SCREEN]
    has_army = available[:, functions.SELECT_ARMY]
    selects = np.where(has_army, functions.SELECT_ARMY, functions.SELECT_RECT)
    point = random.randint(arguments.screen, size=[num_games, 2])
    # A selected rectangle is the whole screen.
    values = {
        'screen': np.where(moves[:, None], point, 0),
        'screen2': np.full([num_games, 2], arguments.screen - 1),
    }
    return np.where(moves, functions.MOVE_SCREEN, selects), values


_PLAYERS: Mapping[str, Player] = {'random': _random_call, 'mover': _move_call}


if __name__ == '__main__':
    main()
