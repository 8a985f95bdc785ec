"""Holds the simulator against the game: scores of players whose scores on the game are published.

Every player acts every 8 game loops, on a screen of 84 x 84 and a minimap of 64 x 64 pixels; the
random one calls all 573 functions. Episode i is the first one of the game with seed i, whatever
the number of processes. The scripted players follow the published rules as far as these are known.

    python benchmarks/validate_simulator.py
    python benchmarks/validate_simulator.py --maps=DefeatRoaches --players=LH,random \
        --episodes=100 --json=roaches.json

prints a Markdown table, a line whenever a player is done. A mean that is outside of its band is no
error.
"""

import argparse
import collections
import itertools
import json
import multiprocessing
import os

import numpy as np

from sc2impala import envs, sim
from sc2impala.envs import players

STEP_MUL = 8
SCREEN_SIZE = (84, 84)
MINIMAP_SIZE = (64, 64)
GAMES_IN_BATCH = 50
EPISODES = 300
EPISODES_OF_MAP = {'CollectMineralsAndGas': 60, 'BuildMarines': 60}
"""Those are long, and their scores vary little."""

Row = collections.namedtuple('Row', ['map_name', 'player', 'published', 'band'])
"""A player and what is published of it.

player: its name in `players.RULES`, or 'random', or 'idle'. published: mean and, in brackets, the
greatest return of one episode; of random players, least and greatest of several published figures.
band: least and greatest mean that count as agreement, or None where there is too little to go by.
"""

ROWS = (
    Row('MoveToBeacon', 'PySC2', '26.3 (32)', (25.8, 26.8)),
    Row('MoveToBeacon', 'random', '1 (6)', (0.5, 1.5)),
    Row('CollectMineralShards', 'PySC2', '110.5 to 113 (126)', (106.5, 117)),
    Row('CollectMineralShards', 'PySC2 group', '', None),
    Row('CollectMineralShards', 'random', '17 to 18.5 (35)', (14, 21.5)),
    Row('FindAndDefeatZerglings', 'search', '', None),
    Row('FindAndDefeatZerglings', 'LH', '46.7 (52)', (41.7, 51.7)),
    Row('FindAndDefeatZerglings', 'random', '4 to 5 (19)', (2, 7)),
    Row('DefeatRoaches', 'LH', '100.4 (355)', (70, 130)),
    Row('DefeatRoaches', 'LZ', '25 (91)', (10, 40)),
    Row('DefeatRoaches', 'PySC2', '', None),
    Row('DefeatRoaches', 'random', '-4 to 1.8 (46)', (-4, 2)),
    Row('DefeatZerglingsAndBanelings', 'LH', '114.5 (220)', (79, 149)),
    Row('DefeatZerglingsAndBanelings', 'LZ', '108 (220)', (73, 143)),
    Row('DefeatZerglingsAndBanelings', 'advance', '', None),
    Row('DefeatZerglingsAndBanelings', 'random', '18 to 23 (118)', (10, 31)),
    Row('CollectMineralsAndGas', 'LH', '4839.5 (5045)', (4590, 5090)),
    Row('CollectMineralsAndGas', 'LZ', '4802 (5010)', (4552, 5052)),
    Row('CollectMineralsAndGas', 'random', '12 (750)', None),
    Row('CollectMineralsAndGas', 'idle', '', (0, 0)),
    Row('BuildMarines', 'LH', '133 (139)', (125, 141)),
    Row('BuildMarines', 'LZ', '127 (132)', (117, 137)),
    Row('BuildMarines', 'random', 'less than 1 (5)', (0, 1)),
)


class IdlePlayer(players.ScriptedPlayer):
    """Never does anything."""

    def decide(self, observation, calls):
        """Decides nothing."""


def main(arguments=None):
    """Plays, prints the table and how many rows are inside their bands, and writes the JSON."""
    options = _parse(arguments)
    rows = [row for row in ROWS if row.map_name in options.maps and row.player in options.players]
    print('| map | player | published | band | here: mean +- error (sd) [min, max] | inside |')
    print('| --- | --- | --- | --- | --- | --- |')
    results = []
    for row, returns in _play_all(rows, options):
        results.append(_result(row, returns))
        print(_line(results[-1]), flush=True)
    judged = [result['inside'] for result in results if result['inside'] is not None]
    print(f'\n{sum(judged)} of {len(judged)} means are inside their bands.')
    if options.json:
        with open(options.json, 'w') as file:
            json.dump(results, file, indent=2)
            file.write('\n')
    return results


def _parse(arguments):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0], allow_abbrev=False)
    known = {
        'maps': [name for name in _without_repetition('map_name') if name in sim.MAP_NAMES],
        'players': _without_repetition('player'),
    }
    for flag, names in known.items():
        parser.add_argument('--' + flag, help='separated by commas: {}'.format(', '.join(names)))
    parser.add_argument(
        '--episodes', type=int, help=f'of each player; {EPISODES} or a few long ones'
    )
    parser.add_argument('--processes', type=int, default=os.cpu_count(), help='that play at once')
    parser.add_argument('--json', metavar='FILE', help='to write the same figures to')
    options = parser.parse_args(arguments)
    for flag, names in known.items():
        text = getattr(options, flag)
        chosen = names if text is None else [name.strip() for name in text.split(',')]
        for name in chosen:
            if name not in names:
                parser.error(f'--{flag}={name} is unknown, expected some of: {names}')
        setattr(options, flag, chosen)
    for flag in ('episodes', 'processes'):
        if getattr(options, flag) is not None and getattr(options, flag) < 1:
            parser.error(f'--{flag}={getattr(options, flag)} is too small, expected at least 1')
    return options


def _without_repetition(field):
    return list(collections.OrderedDict.fromkeys(getattr(row, field) for row in ROWS))


def _play_all(rows, options):
    """Yields every row with the returns of its episodes, in the order of the rows."""
    jobs = []
    for row in rows:
        episodes = options.episodes or EPISODES_OF_MAP.get(row.map_name, EPISODES)
        starts = range(0, episodes, GAMES_IN_BATCH)
        jobs += [(row, range(s, min(s + GAMES_IN_BATCH, episodes))) for s in starts]
    with multiprocessing.Pool(options.processes) as pool:
        played = zip(jobs, pool.imap(_play, jobs))
        for row, parts in itertools.groupby(played, key=lambda part: part[0][0]):
            yield row, np.concatenate([returns for _, returns in parts])


def _play(job):
    """The returns of one episode of every seed, played to its end."""
    row, seeds = job
    player, specs = _make_player(row, seeds)
    everyone = np.ones([len(seeds)], bool)
    with envs.SimulatedEnvironment(row.map_name, seeds, *specs, max_step_mul=STEP_MUL) as env:
        observation, done, left = env.reset(), everyone, everyone.copy()
        returns = np.zeros([len(seeds)])
        while left.any():
            action = player.act(observation, done)
            output = env.step(action, np.full([len(seeds)], STEP_MUL, np.int32))
            observation, done = output.observation, output.done
            returns = np.where(left & done, output.info.episode_return, returns)
            left &= ~done
    return returns


def _make_player(row, seeds):
    if row.player == 'random':
        specs = _specs(row, functions='all', screen_layers=(), minimap_layers=(), vectors=())
        return players.RandomPlayer(specs[1], np.random.RandomState(seeds[0])), specs
    script = IdlePlayer if row.player == 'idle' else players.RULES[row.map_name][row.player]
    specs = _specs(
        row,
        functions=script.functions,
        screen_layers=script.screen_layers,
        minimap_layers=script.minimap_layers,
        vectors=script.vectors,
    )
    return script(*specs), specs


def _specs(row, **choices):
    return envs.make_specs(
        row.map_name,
        screen_size=SCREEN_SIZE,
        minimap_size=MINIMAP_SIZE,
        fixed_arguments={},
        **choices,
    )


def _result(row, returns):
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


def _line(result):
    band = result['band']
    cells = (
        result['map_name'],
        result['player'],
        result['published'],
        '{:g} to {:g}'.format(*band) if band else '',
        '{mean:.2f} +- {standard_error:.2f} ({standard_deviation:.2f}) '
        '[{min:.0f}, {max:.0f}]'.format(**result),
        {True: 'yes', False: 'no', None: ''}[result['inside']],
    )
    return '| ' + ' | '.join(cells) + ' |'


if __name__ == '__main__':
    main()
