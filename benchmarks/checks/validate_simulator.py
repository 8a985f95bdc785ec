"""Validates the simulator against StarCraft II: players of published scores, and facts of replays.

Every player acts every 8 environment frames, as in published results; scores with another
--step_mul are printed without bands. Screens have 84 x 84 pixels, minimaps 64 x 64; the random
player calls all 573 functions. Episode i is the first episode of the game with seed i, for any
number of processes. The scripted players follow the published rules as far as these are known. The
facts are those of `facts`; a sample of a fact is an episode, a game or an event.

One half of the rows may choose constants of the simulator, the other half is held out: it only
judges. The rows with a band are numbered in the order of ROWS, which is that of the maps and, for
a map, of the sources; rows with an odd number choose.

    python -m benchmarks.checks.validate_simulator
    python -m benchmarks.checks.validate_simulator --maps=DefeatRoaches --players=LH,random \
        --episodes=100 --json=roaches.json
    python -m benchmarks.checks.validate_simulator --kinds=facts

It prints a Markdown table, a row as soon as a player is done. A mean outside of its band is not an
error.
"""

import argparse
import collections
import functools
import itertools
import json
import multiprocessing
import os
from typing import Any, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple

import numpy as np

from benchmarks import episodes
from benchmarks.checks import facts
from sc2impala import envs, sim
from sc2impala.envs import players
from sc2impala.envs.players.calls import Calls

STEP_MUL = 8
SCREEN_SIZE = (84, 84)
MINIMAP_SIZE = (64, 64)
GAMES_IN_BATCH = 50
EPISODES = 300
EPISODES_OF_MAP = {'CollectMineralsAndGas': 60, 'BuildMarines': 60}
"""Fewer for maps with long episodes, the scores of which vary little."""

FACT_GAMES = 64
"""Games per recorded episode, and of every other fact."""

CHOOSES, HELD_OUT = 'chosen by', 'held out'
"""Halves: the row may choose constants of the simulator, or it only judges them."""
KINDS = ('players', 'facts')

Row = collections.namedtuple('Row', ['map_name', 'player', 'published', 'band', 'half'])
"""A player and its published score, or a fact.

player: its name in `players.RULES`, or 'random', or 'idle', or in `facts.MEASURES`. published:
mean and, in brackets, the maximum return of an episode; for random players, the range of several
published means; for facts, the measurement of the game. band: minimum and maximum of the means that
count as agreement, or None if too little is published. half: CHOOSES, HELD_OUT, or '' without a
band.
"""

Job = Tuple[Row, Sequence[int]]
"""A row of the table, and the seeds of its games."""

_ROWS = (
    ('MoveToBeacon', 'PySC2', '26.3 (32)', (25.8, 26.8)),
    ('MoveToBeacon', 'random', '1 (6)', (0.5, 1.5)),
    ('CollectMineralShards', 'PySC2', '110.5 to 113 (126)', (106.5, 117)),
    ('CollectMineralShards', 'PySC2 group', '', None),
    ('CollectMineralShards', 'random', '17 to 18.5 (35)', (14, 21.5)),
    ('FindAndDefeatZerglings', 'explorer', '', None),
    ('FindAndDefeatZerglings', 'circle', '', None),
    ('FindAndDefeatZerglings', 'stutter_step', '', None),
    ('FindAndDefeatZerglings', 'LH', '46.7 (52)', (41.7, 51.7)),
    ('FindAndDefeatZerglings', 'random', '4 to 5 (19)', (2, 7)),
    ('DefeatRoaches', 'LH', '100.4 (355)', (70, 130)),
    ('DefeatRoaches', 'LZ', '25 (91)', (10, 40)),
    ('DefeatRoaches', 'PySC2', '', None),
    ('DefeatRoaches', 'pull_back', '', None),
    ('DefeatRoaches', 'random', '-4 to 1.8 (46)', (-4, 2)),
    ('DefeatZerglingsAndBanelings', 'LH', '114.5 (220)', (79, 149)),
    ('DefeatZerglingsAndBanelings', 'LZ', '108 (220)', (73, 143)),
    ('DefeatZerglingsAndBanelings', 'advance', '', None),
    ('DefeatZerglingsAndBanelings', 'kite', '', None),
    ('DefeatZerglingsAndBanelings', 'random', '18 to 23 (118)', (10, 31)),
    ('CollectMineralsAndGas', 'LH', '4839.5 (5045)', (4590, 5090)),
    ('CollectMineralsAndGas', 'LZ', '4802 (5010)', (4552, 5052)),
    ('CollectMineralsAndGas', 'build_order', '', None),
    ('CollectMineralsAndGas', 'random', '12 (750)', None),
    ('CollectMineralsAndGas', 'idle', '', (0, 0)),
    ('BuildMarines', 'LH', '133 (139)', (125, 141)),
    ('BuildMarines', 'LZ', '127 (132)', (117, 137)),
    ('BuildMarines', 'build_order', '', None),
    ('BuildMarines', 'random', 'less than 1 (5)', (0, 1)),
)


def _divide(rows: Sequence[Tuple[str, str, str, Any]]) -> Tuple[Row, ...]:
    """Returns rows with their halves, see above."""
    halves = itertools.cycle((CHOOSES, HELD_OUT))
    return tuple(Row(*row, next(halves) if row[-1] is not None else '') for row in rows)


ROWS = _divide(_ROWS + facts.ROWS)


class IdlePlayer(players.ScriptedPlayer):
    """Calls no_op at every step."""

    def decide(self, observation: Mapping[str, Any], calls: Calls) -> None:
        """Chooses nothing: no_op is the default."""


def main(arguments: Optional[Sequence[str]] = None) -> List[Dict[str, Any]]:
    """Runs all episodes, prints a table and the number of means in their bands, and writes JSON.

    Args:
      arguments: command-line arguments; None for those of the process.

    Returns:
      The entries of the JSON, one per row.
    """
    options = _parse(arguments)
    rows = [
        row
        for row in ROWS
        if row.map_name in options.maps
        and row.player in options.players
        and ('facts' if row.player in facts.MEASURES else 'players') in options.kinds
    ]
    print(
        '| map | player or fact | published | band | half '
        '| here: mean +- error (sd) [min, max] | inside |'
    )
    print('| --- | --- | --- | --- | --- | --- | --- |')
    results = []
    for row, returns in _play_all(rows, options):
        if row.player not in facts.MEASURES and options.step_mul != STEP_MUL:
            row = row._replace(published='', band=None, half='')
        results.append(_result(row, returns))
        print(_line(results[-1]), flush=True)
    print('\n' + _summary(results))
    if options.json:
        with open(options.json, 'w') as file:
            json.dump(results, file, indent=2)
            file.write('\n')
    return results


def _parse(arguments: Optional[Sequence[str]]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0], allow_abbrev=False)
    known = {
        'maps': [name for name in _distinct('map_name') if name in sim.MAP_NAMES],
        'players': _distinct('player'),
        'kinds': list(KINDS),
    }
    for flag, names in known.items():
        parser.add_argument('--' + flag, help='separated by commas: {}'.format(', '.join(names)))
    parser.add_argument(
        '--episodes',
        type=int,
        help=f'per player; {EPISODES} by default, fewer where they are long; '
        f'games per fact or recorded episode, {FACT_GAMES} by default',
    )
    parser.add_argument('--step_mul', type=int, default=STEP_MUL, help='frames per step of players')
    parser.add_argument('--processes', type=int, default=os.cpu_count(), help='number of processes')
    parser.add_argument(
        '--json', type=os.path.expanduser, metavar='FILE', help='to write the results to'
    )
    options = parser.parse_args(arguments)
    for flag, names in known.items():
        text = getattr(options, flag)
        chosen = names if text is None else [name.strip() for name in text.split(',')]
        for name in chosen:
            if name not in names:
                parser.error(f'--{flag}={name} is unknown, expected some of: {names}')
        setattr(options, flag, chosen)
    for flag in ('episodes', 'step_mul', 'processes'):
        if getattr(options, flag) is not None and getattr(options, flag) < 1:
            parser.error(f'--{flag}={getattr(options, flag)} is too small, expected at least 1')
    return options


def _distinct(field: str) -> List[str]:
    """Returns the different values of a field of all rows, in their order."""
    return list(collections.OrderedDict.fromkeys(getattr(row, field) for row in ROWS))


def _play_all(rows: Sequence[Row], options: argparse.Namespace) -> Iterator[Tuple[Row, np.ndarray]]:
    """Yields every row with the returns of its episodes [N], in the order of the rows."""
    jobs: List[Job] = []
    for row in rows:
        number = options.episodes or EPISODES_OF_MAP.get(row.map_name, EPISODES)
        if row.player in facts.MEASURES:
            jobs.append((row, range(options.episodes or FACT_GAMES)))
            continue
        starts = range(0, number, GAMES_IN_BATCH)
        jobs += [(row, range(s, min(s + GAMES_IN_BATCH, number))) for s in starts]
    with multiprocessing.Pool(options.processes) as pool:
        played = zip(jobs, pool.imap(functools.partial(_play, options.step_mul), jobs))
        for row, parts in itertools.groupby(played, key=lambda part: part[0][0]):
            yield row, np.concatenate([returns for _, returns in parts])


def _play(step_mul: int, job: Job) -> np.ndarray:
    """Runs the first episode of every seed; returns the returns, [K].

    For a fact it returns the samples of the fact.
    """
    row, seeds = job
    if row.player in facts.MEASURES:
        return facts.MEASURES[row.player](len(seeds))
    player, specs = make_player(row.map_name, row.player, seeds)
    with envs.SimulatedEnvironment(row.map_name, seeds, *specs, max_step_mul=step_mul) as env:
        return episodes.first_returns(env, player, step_mul)


def make_player(map_name: str, name: str, seeds: Sequence[int]) -> Tuple[Any, Tuple[Any, Any]]:
    """Makes a player for a batch of games.

    Args:
      map_name: of the games.
      name: of the player, see `Row`.
      seeds: of the games; the first one is that of a random player.

    Returns:
      the player, and the observation and action spec that it needs.
    """
    if name == 'random':
        specs = _specs(map_name, functions='all', screen_layers=(), minimap_layers=(), vectors=())
        return players.RandomPlayer(specs[1], np.random.RandomState(seeds[0])), specs
    rules: Any = players.RULES
    script = IdlePlayer if name == 'idle' else rules[map_name][name]
    specs = _specs(
        map_name,
        functions=script.functions,
        screen_layers=script.screen_layers,
        minimap_layers=script.minimap_layers,
        vectors=script.vectors,
    )
    return script(*specs), specs


def _specs(map_name: str, **choices: Any) -> Tuple[Any, Any]:
    return envs.make_specs(
        map_name,
        screen_size=SCREEN_SIZE,
        minimap_size=MINIMAP_SIZE,
        fixed_arguments={},
        **choices,
    )


def _result(row: Row, returns: np.ndarray) -> Dict[str, Any]:
    inside = None if row.band is None else bool(row.band[0] <= returns.mean() <= row.band[1])
    return dict(
        row._asdict(),
        episodes=len(returns),
        mean=float(returns.mean()),
        standard_error=float(returns.std() / len(returns) ** 0.5),
        standard_deviation=float(returns.std()),
        min=float(returns.min()),
        max=float(returns.max()),
        inside=inside,
    )


def _summary(results: Sequence[Mapping[str, Any]]) -> str:
    """Returns a sentence with the numbers of means inside their bands, of both halves."""
    counts = []
    for half in (CHOOSES, HELD_OUT, ''):
        judged = [
            result['inside']
            for result in results
            if result['inside'] is not None and half in ('', result['half'])
        ]
        counts.append(f'{sum(judged)} of {len(judged)}')
    return (
        f'{counts[2]} means are inside their bands: '
        f'{counts[0]} that may choose constants, {counts[1]} that are held out.'
    )


def _line(result: Dict[str, Any]) -> str:
    band = result['band']
    cells = (
        result['map_name'],
        result['player'],
        result['published'],
        '{:g} to {:g}'.format(*band) if band else '',
        result['half'],
        '{mean:.2f} +- {standard_error:.2f} ({standard_deviation:.2f}) '
        '[{min:.0f}, {max:.0f}]'.format(**result),
        {True: 'yes', False: 'no', None: ''}[result['inside']],
    )
    return '| ' + ' | '.join(cells) + ' |'


if __name__ == '__main__':
    main()
