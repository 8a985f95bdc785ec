"""Measures how much the scores of players depend on the constants of the simulator.

Every constant of the rules that matters on a map is changed by 5% down and up, and whole numbers by
at least 1. All players run the same seeds with and without the change; the standard error is that
of the paired differences. Named variants, such as units that turn before they fire, are run with
steps of 2, 4 and 8 frames.

    python -m benchmarks.checks.sensitivity --maps=DefeatRoaches --episodes=64 --json=roaches.json
    python -m benchmarks.checks.sensitivity --variants --players=kite,pull_back,stutter_step

It prints progress to the standard error, then Markdown tables and, as the last line, JSON.
"""

import argparse
import json
import multiprocessing
import os
import sys
from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Sequence, Tuple

import numpy as np

from benchmarks import episodes
from benchmarks.checks import validate_simulator
from sc2impala import envs
from sc2impala.envs import players
from sc2impala.sim import unit_types, variants
from sc2impala.sim.games import GAMES

GAMES_IN_BATCH = 32
EPISODES = 64
EPISODES_OF_MAP = {'CollectMineralsAndGas': 4, 'BuildMarines': 4}
"""Fewer for maps with long episodes, the scores of which vary little."""

STEP_MUL = 8
VARIANT_STEPS = (2, 4, 8)

Rules = Mapping[str, float]

_MARINE = ('marine.speed', 'marine.weapon_period', 'marine.weapon_range', 'marine.health')
_COMBAT = ('pursuit_range', 'reaction_loops')
_ECONOMY = ('scv.speed', 'scv.build_loops', 'mineral_loops', 'return_loops', 'handover_loops')
CONSTANTS: Dict[str, Tuple[str, ...]] = {
    'MoveToBeacon': ('marine.speed',),
    'CollectMineralShards': ('marine.speed', 'shard_reach', 'shard_period', 'shard_delay'),
    'FindAndDefeatZerglings': _MARINE
    + ('marine.sight', 'zergling.speed', 'zergling.weapon_period', 'zergling.health')
    + _COMBAT,
    'DefeatRoaches': _MARINE
    + ('roach.speed', 'roach.weapon_period', 'roach.weapon_range', 'roach.missile_speed')
    + ('roach.health', 'roach.regeneration')
    + _COMBAT,
    'DefeatZerglingsAndBanelings': _MARINE
    + ('zergling.speed', 'zergling.weapon_period', 'zergling.backswing', 'zergling.health')
    + ('baneling.speed', 'baneling.splash_radius', 'baneling.weapon_range', 'baneling.health')
    + _COMBAT,
    'CollectMineralsAndGas': _ECONOMY + ('gas_loops', 'command_center.build_loops'),
    'BuildMarines': _ECONOMY + ('barracks.build_loops', 'marine.build_loops'),
}
"""The constants of each map that matter on it."""

VARIANTS: Dict[str, Rules] = {
    'the rules as they are': {},
    'units turn before they fire': {'facing': 1},
    'damage point of marines: 2 loops': {'marine.damage_point': 2},
    'splash from the edge: a reach of 2.95': {'splash_from_edge': 1},
}
"""Named variants of the rules; the first one changes nothing.

Attacks hit in whole frames: the damage point of marines, 0.8 frames, is one.
"""

FIGHTS = ('FindAndDefeatZerglings', 'DefeatRoaches', 'DefeatZerglingsAndBanelings')


class Run(NamedTuple):
    """Episodes of one player with one change of the rules.

    map_name, player: see `validate_simulator.Row`.
    step_mul: frames per step.
    name: of the change; '' if there is none.
    rules: the constants that differ.
    """

    map_name: str
    player: str
    step_mul: int
    name: str
    rules: Rules


def main(arguments: Optional[Sequence[str]] = None) -> List[Dict[str, Any]]:
    """Runs all episodes; prints the tables and the JSON.

    Args:
      arguments: command-line arguments; None for those of the process.

    Returns:
      The entries of the JSON, one per run.
    """
    options = _parse(arguments)
    runs: List[Run] = []
    for map_name in options.maps:
        names = [name for name in _names_of_players(map_name) if name in options.players]
        runs += _runs_of_variants(map_name, names) if options.variants else []
        if not options.variants:
            runs += _runs_of_constants(map_name, names, options)
    jobs = [
        (run, range(start, min(start + GAMES_IN_BATCH, number)))
        for run in runs
        for number in (options.episodes or EPISODES_OF_MAP.get(run.map_name, EPISODES),)
        for start in range(0, number, GAMES_IN_BATCH)
    ]
    returns: Dict[int, List[np.ndarray]] = {}
    with multiprocessing.Pool(options.processes) as pool:
        for (run, seeds), played in zip(jobs, pool.imap(_play, jobs)):
            returns.setdefault(runs.index(run), []).append(played)
            text = f'{run.map_name}, {run.player}, {run.step_mul} frames, {dict(run.rules)}'
            print(f'{text}, games {seeds}: {played.mean():.2f}', file=sys.stderr, flush=True)
    results = _compare(runs, [np.concatenate(returns[i]) for i in range(len(runs))])
    print((_table_of_variants if options.variants else _tables_of_constants)(results))
    text = json.dumps(results)
    if options.json:
        with open(options.json, 'w') as file:
            file.write(text + '\n')
    print(text)
    return results


def _names_of_players(map_name: str) -> List[str]:
    return [*players.RULES[map_name], 'random']


def _parse(arguments: Optional[Sequence[str]]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0], allow_abbrev=False)
    every_player = {name: None for map_name in CONSTANTS for name in _names_of_players(map_name)}
    every_constant = {name: None for names in CONSTANTS.values() for name in names}
    known = {
        'maps': list(CONSTANTS),
        'players': list(every_player),
        'constants': list(every_constant),
    }
    for flag, names in known.items():
        parser.add_argument('--' + flag, help='separated by commas: {}'.format(', '.join(names)))
    parser.add_argument('--variants', action='store_true', help='named variants, on the fights')
    parser.add_argument('--step_mul', type=int, default=STEP_MUL, help='frames per step')
    parser.add_argument('--change', type=float, default=0.05, help='as a part of the constant')
    parser.add_argument(
        '--episodes', type=int, help=f'per run; {EPISODES} by default, fewer where they are long'
    )
    parser.add_argument('--processes', type=int, default=os.cpu_count(), help='number of processes')
    parser.add_argument('--json', metavar='FILE', help='to write the results to')
    options = parser.parse_args(arguments)
    for flag, names in known.items():
        text = getattr(options, flag)
        chosen = names if text is None else [name.strip() for name in text.split(',')]
        for name in chosen:
            if name not in names:
                parser.error(f'--{flag}={name} is unknown, expected some of: {names}')
        setattr(options, flag, chosen)
    if options.variants:
        options.maps = [name for name in options.maps if name in FIGHTS]
    for flag in ('episodes', 'processes', 'step_mul'):
        if getattr(options, flag) is not None and getattr(options, flag) < 1:
            parser.error(f'--{flag}={getattr(options, flag)} is too small, expected at least 1')
    if not 0 < options.change < 1:
        parser.error(f'--change={options.change:g} is out of range, expected more than 0, below 1')
    return options


def _runs_of_variants(map_name: str, names: Sequence[str]) -> List[Run]:
    explodes = any(unit_type.splash_radius for unit_type in GAMES[map_name].unit_types)
    return [
        Run(map_name, name, step_mul, variant, rules)
        for name in names
        for step_mul in VARIANT_STEPS
        for variant, rules in VARIANTS.items()
        if explodes or 'splash_from_edge' not in rules
    ]


def _runs_of_constants(
    map_name: str, names: Sequence[str], options: argparse.Namespace
) -> List[Run]:
    runs = []
    for name in names:
        runs.append(Run(map_name, name, options.step_mul, '', {}))
        for constant in CONSTANTS[map_name]:
            if constant in options.constants:
                for value in changed(map_name, constant, options.change):
                    rules = {constant: value}
                    runs.append(Run(map_name, name, options.step_mul, constant, rules))
    return runs


def changed(map_name: str, constant: str, change: float) -> Tuple[float, float]:
    """Returns the values of a constant that is changed down and up, by a part of its default."""
    unit, _, column = constant.rpartition('.')
    declared = variants.COLUMNS[column] if unit else variants.CONSTANTS[constant]
    default = declared.default
    if unit:
        number = getattr(unit_types, unit.upper()).unit_type
        types = {unit_type.unit_type: unit_type for unit_type in GAMES[map_name].unit_types}
        default = float(getattr(types[number], column))
    step = abs(default) * change
    if np.issubdtype(declared.dtype, np.integer):
        step = max(1, round(step))
        return int(default - step), int(default + step)
    return default - step, default + step


def _play(job: Tuple[Run, Sequence[int]]) -> np.ndarray:
    """Runs the first episode of every seed; returns the returns, [K]."""
    run, seeds = job
    player, specs = validate_simulator.make_player(run.map_name, run.player, seeds)
    with envs.SimulatedEnvironment(
        run.map_name, seeds, *specs, max_step_mul=run.step_mul, rules=run.rules
    ) as env:
        return episodes.first_returns(env, player, run.step_mul)


def _compare(runs: Sequence[Run], returns: Sequence[np.ndarray]) -> List[Dict[str, Any]]:
    """Returns means, and differences from the run of the same player without a change."""
    results = []
    base = returns[0]
    for run, played in zip(runs, returns):
        if not run.rules:
            base = played
        difference = played - base
        results.append(
            dict(
                run._asdict(),
                episodes=len(played),
                mean=float(played.mean()),
                standard_error=float(played.std() / len(played) ** 0.5),
                difference=float(difference.mean()),
                difference_error=float(difference.std() / len(played) ** 0.5),
            )
        )
    return results


def _tables_of_constants(results: Sequence[Mapping[str, Any]]) -> str:
    """Returns a table per map: constants in rows, players in columns."""
    lines: List[str] = []
    for map_name in dict.fromkeys(result['map_name'] for result in results):
        of_map = [result for result in results if result['map_name'] == map_name]
        names = list(dict.fromkeys(result['player'] for result in of_map))
        cells: Dict[Tuple[str, str], List[str]] = {}
        values: Dict[str, List[str]] = {}
        for result in of_map:
            key = result['name'], result['player']
            text = '{mean:.1f} +- {standard_error:.1f}'.format(**result)
            if result['name']:
                text = '{difference:+.1f} +- {difference_error:.1f}'.format(**result)
                for value in result['rules'].values():
                    if f'{value:.4g}' not in values.setdefault(result['name'], []):
                        values[result['name']].append(f'{value:.4g}')
            cells.setdefault(key, []).append(text)
        lines += ['', '| {} | {} |'.format(map_name, ' | '.join(names))]
        lines += ['| --- |' + ' ---: |' * len(names)]
        for constant in dict.fromkeys(result['name'] for result in of_map):
            title = f'`{constant}` {" / ".join(values[constant])}' if constant else 'mean return'
            row = [' / '.join(cells[constant, name]) for name in names]
            lines.append('| {} | {} |'.format(title, ' | '.join(row)))
    return '\n'.join(lines)


def _table_of_variants(results: Sequence[Mapping[str, Any]]) -> str:
    """Returns a table of players and variants in rows, and the frames per step in columns."""
    steps = list(dict.fromkeys(result['step_mul'] for result in results))
    cells: Dict[Tuple[str, str, str], List[str]] = {}
    for result in results:
        key = result['map_name'], result['player'], result['name']
        text = '{mean:.1f} +- {standard_error:.1f}'.format(**result)
        cells.setdefault(key, []).append(text)
    lines = ['| map | player | variant | {} |'.format(' | '.join(f'{s} frames' for s in steps))]
    lines.append('| --- | --- | --- |' + ' ---: |' * len(steps))
    for (map_name, player, variant), texts in cells.items():
        lines.append('| {} | {} | {} | {} |'.format(map_name, player, variant, ' | '.join(texts)))
    return '\n'.join(lines)


if __name__ == '__main__':
    main()
