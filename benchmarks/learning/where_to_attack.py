"""What a map pays for before anything is learned: scores of simple rules for where to attack.

Every rule calls Attack_screen for all marines at each step; the rules differ in the pixel. Between
pointing anywhere and the best rule there should be a way on which the score does not fall: a policy
gradient follows it. Shares mix a rule with random pixels. With --units one every second step
selects one of the marines instead, so that the others continue with what they do.

    python -m benchmarks.learning.where_to_attack --map_name DefeatRoaches --step_mul 8
    python -m benchmarks.learning.where_to_attack --map_name DefeatZerglingsAndBanelings --units one

The last line of the output is JSON: by rule the mean return and its standard error.
"""

import argparse
import json
from typing import Any, Callable, Dict, Optional, Sequence

import numpy as np

from sc2impala import envs
from sc2impala.envs.players import sight

Rule = Callable[[np.ndarray, np.random.Generator], np.ndarray]


def any_pixel(relations: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Any pixel.

    Args:
      relations: [K, H, W], the layer player_relative.
      rng: what is drawn from.

    Returns:
      Indices of pixels, int64 [K].
    """
    return rng.integers(relations[0].size, size=len(relations))


def any_own_unit(relations: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Any pixel that shows an own unit; arguments and result as of `any_pixel`, pixel 0 if none."""
    return _any_of(relations == sight.SELF, rng)


def any_enemy(relations: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Any pixel that shows an enemy; arguments and result as of `any_pixel`, pixel 0 if none."""
    return _any_of(relations == sight.ENEMY, rng)


def topmost_enemy(relations: np.ndarray, unused_rng: np.random.Generator) -> np.ndarray:
    """The first pixel with an enemy in the order of rows, as of `any_pixel`."""
    return _flat(relations == sight.ENEMY).argmax(axis=1)


def nearest_enemy(relations: np.ndarray, unused_rng: np.random.Generator) -> np.ndarray:
    """The pixel with an enemy nearest to the middle of the own units, as of `any_pixel`."""
    own = sight.centre(relations == sight.SELF)
    return _index(relations, sight.nearest_pixel(relations == sight.ENEMY, own))


def middle_of_enemies(relations: np.ndarray, unused_rng: np.random.Generator) -> np.ndarray:
    """The middle of all pixels with enemies, as of `any_pixel`."""
    return _index(relations, sight.centre(relations == sight.ENEMY))


RULES: Dict[str, Rule] = {
    'any_pixel': any_pixel,
    'any_enemy': any_enemy,
    'topmost_enemy': topmost_enemy,
    'nearest_enemy': nearest_enemy,
    'middle_of_enemies': middle_of_enemies,
}

UNITS = {'all': 'select_army', 'one': 'select_point'}
"""The function that selects, by the units that an order is for."""


def play(
    map_name: str, rule: Rule, share: float, step_mul: int, episodes: int, units: str
) -> np.ndarray:
    """Runs one episode of each game in parallel.

    Args:
      map_name: a map with an army; the pixels are those of its defaults.
      rule: where to attack.
      share: the part of the steps in which the rule decides; in the others any pixel does.
      step_mul: environment frames per step.
      episodes: number of games, of seeds 0, 1, ...
      units: out of `UNITS`; 'one' selects any own unit in every second step, beginning with the
        first.

    Returns:
      Returns, float64 [episodes].
    """
    functions = ('no_op', UNITS[units], 'Attack_screen')
    specs = envs.make_specs(map_name, functions=functions)
    env = envs.make_environment(
        'simulator', map_name, range(episodes), *specs, max_step_mul=step_mul
    )
    no_op, select, attack = map(specs[1].function_names.index, functions)
    rng = np.random.default_rng(0)
    observation = env.reset()
    returns, total, step = np.full(episodes, np.nan), np.zeros(episodes), 0
    while np.isnan(returns).any():
        relations = observation['screen']['player_relative']
        decides = rng.random(episodes) < share
        pixel = np.where(decides, rule(relations, rng), any_pixel(relations, rng))
        action = {head: np.zeros(episodes, np.int32) for head in specs[1].heads}
        available = observation['available_actions']
        selects = ~available[:, attack] | (units == 'one' and step % 2 == 0)
        chosen = np.where(selects, select, attack)
        can = np.take_along_axis(available, chosen[:, np.newaxis], axis=1)[:, 0]
        action['function'][:] = np.where(can, chosen, no_op)
        if units == 'one':
            pixel = np.where(selects, any_own_unit(relations, rng), pixel)
        action['screen'][:] = pixel
        output = env.step(action, np.full(episodes, step_mul, np.int32))
        observation, total, step = output.observation, total + output.reward, step + 1
        ended = output.done & np.isnan(returns)
        returns[ended] = total[ended]
    env.close()
    return returns


def main(argv: Optional[Sequence[str]] = None) -> Dict[str, Any]:
    """Runs all rules; prints a table and the JSON.

    Args:
      argv: command-line arguments; None for those of the process.

    Returns:
      By rule its mean return and standard error.
    """
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--map_name', default='DefeatRoaches')
    parser.add_argument('--step_mul', type=int, default=8)
    parser.add_argument('--episodes', type=int, default=200)
    parser.add_argument(
        '--units', choices=list(UNITS), default='all', help='that each order is for'
    )
    parser.add_argument('--shares', type=float, nargs='+', default=[1.0, 0.6, 0.3, 0.1])
    options = parser.parse_args(argv)
    found = {}
    for name, rule in RULES.items():
        for share in options.shares if rule is not any_pixel else [1.0]:
            games = options.step_mul, options.episodes, options.units
            returns = play(options.map_name, rule, share, *games)
            error = returns.std() / np.sqrt(len(returns))
            label = name if share == 1 else f'{name}, {share:.0%} of the steps'
            found[label] = {'mean_return': float(returns.mean()), 'standard_error': float(error)}
            print(f'{label:40s} {returns.mean():8.1f} ± {error:.1f}', flush=True)
    about = {'map_name': options.map_name, 'step_mul': options.step_mul, 'units': options.units}
    print(json.dumps(dict(about, rules=found)))
    return found


def _any_of(marked: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    marked = _flat(marked)
    return (rng.random(marked.shape) * marked).argmax(axis=1)


def _flat(layers: np.ndarray) -> np.ndarray:
    return layers.reshape(len(layers), -1)


def _index(relations: np.ndarray, pixel: np.ndarray) -> np.ndarray:
    """The indices of pixels (x, y), [K, 2]."""
    return pixel[:, 1].astype(np.int64) * relations.shape[2] + pixel[:, 0]


if __name__ == '__main__':
    main()
