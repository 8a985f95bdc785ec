"""Scores of the scripts that agents imitate, through the agents' pixels and functions.

    python -m benchmarks.learning.imitated_scripts                              # all maps
    python -m benchmarks.learning.imitated_scripts --map_name DefeatRoaches --episodes 400 \
        --units_size 0 96 --step_mul 4 2

A script that reads units may see them in finer pixels than the agent; --units_size gives the sizes
of the screen in which it sees them, and --step_mul the frames of a step, 0 for those of the default
command. --rules gives constants of the simulator's rules that differ from their defaults, as
facing=1,marine.damage_point=2. All of them run on the same seeds. The last line of the output is
JSON: by map, size and frames the mean return and its standard error.
"""

import argparse
import dataclasses
import itertools
import json
from typing import Any, Dict, Mapping, Optional, Sequence

import numpy as np

from benchmarks.episodes import first_returns
from sc2impala import envs, tf_setup
from sc2impala.envs import demonstrator
from sc2impala.envs.maps import MAP_DEFAULTS
from sc2impala.settings import resolve, value_types
from sc2impala.settings.settings import Settings

IMITATED = [name for name, of_map in MAP_DEFAULTS.items() if of_map.demonstrated]


def play(
    map_name: str,
    units_size: int,
    step_mul: int,
    episodes: int,
    seed: int,
    rules: Optional[Mapping[str, float]] = None,
    name: str = '',
) -> np.ndarray:
    """Runs one episode of each game in parallel, with the script that agents imitate.

    Args:
      map_name: out of `IMITATED`.
      units_size: width and height of the screen in whose pixels the script sees units; 0 for what
        it sees in the default command.
      step_mul: environment frames of a step; 0 for those of the default command.
      episodes: number of games, of seeds `seed`, `seed + 1`, ...
      seed: of the first game.
      rules: see `envs.SimulatedEnvironment`.
      name: of the script; empty for that of the default command.

    Returns:
      Returns, float64 [episodes].

    Raises:
      ValueError: if `units_size` is not a multiple of the agent's screen, or the script does not
        read units; if the agent cannot choose so long steps; if the map has no such script; or if
        a constant of the rules is unknown or out of range.
    """
    tf_setup.enable()
    from sc2impala.factories import environments

    name = name or MAP_DEFAULTS[map_name].demonstrated['demonstrator']
    values = resolve.complete({'map_name': map_name, 'demonstrator': name})
    settings = Settings.from_values(values)
    of_agent, action_spec = environments.make_specs(settings.environment)
    script = environments.find_script(map_name, name)
    if script is None:
        names = ', '.join(sorted(environments.script_names(map_name)))
        raise ValueError(f'script is {name}, expected one of: {names}')
    seen = demonstrator.with_needs(of_agent, script, fine=True)
    if units_size:
        if 'feature_units' not in script.vectors or units_size % of_agent.screen_size[0]:
            raise ValueError(
                f"units_size is {units_size}, expected a multiple of the agent's screen, "
                f'{of_agent.screen_size[0]}, and a script that reads units'
            )
        seen = dataclasses.replace(seen, units_size=(units_size, units_size))
    longest = settings.environment.max_step_mul
    if not 0 <= step_mul <= longest:
        raise ValueError(f'step_mul is {step_mul}, expected at most {longest}, and 0 or more')
    step_mul = step_mul or settings.demonstrations.demonstration_step_mul
    seeds = range(seed, seed + episodes)
    with envs.make_environment(
        'simulator', map_name, seeds, seen, action_spec, longest, rules=rules
    ) as env:
        player = script(seen, action_spec)
        player.join(env, step_mul)
        return first_returns(env, player, step_mul)


def main(argv: Optional[Sequence[str]] = None) -> Dict[str, Any]:
    """Runs the scripts; prints a table and the JSON.

    Args:
      argv: command-line arguments; None for those of the process.

    Returns:
      By map, and by 'units_size, step_mul', the mean return and its standard error.
    """
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--map_name', nargs='+', default=IMITATED, choices=IMITATED)
    parser.add_argument('--episodes', type=int, default=64)
    parser.add_argument('--seed', type=int, default=7000, help='of the first game')
    parser.add_argument(
        '--units_size', type=int, nargs='+', default=[0], help='0 for that of the default command'
    )
    parser.add_argument(
        '--step_mul', type=int, nargs='+', default=[0], help='0 for that of the default command'
    )
    parser.add_argument(
        '--script', default='', help='its name, empty for that of the default command'
    )
    parser.add_argument(
        '--rules', type=value_types.WEIGHTS.parse, default=(), help='as facing=1,turn_rate=999'
    )
    options = parser.parse_args(argv)
    found: Dict[str, Any] = {}
    for map_name in options.map_name:
        found[map_name] = {}
        for size, step_mul in itertools.product(options.units_size, options.step_mul):
            try:
                returns = play(
                    map_name,
                    size,
                    step_mul,
                    options.episodes,
                    options.seed,
                    dict(options.rules),
                    options.script,
                )
            except ValueError as invalid:
                parser.error(f'--{invalid}')
            error = returns.std() / np.sqrt(len(returns))
            result = dict(mean_return=returns.mean(), standard_error=error)
            found[map_name][f'{size}, {step_mul}'] = result
            pixels, frames = size or 'default', step_mul or 'default'
            print(f'{map_name:30s} {pixels:>8} {frames:>8} {returns.mean():8.1f} ± {error:.1f}')
    print(json.dumps(dict(episodes=options.episodes, seed=options.seed, maps=found)))
    return found


if __name__ == '__main__':
    main()
