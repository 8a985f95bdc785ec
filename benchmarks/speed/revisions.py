"""Compares the speed of training of two revisions of this package, by default on all maps.

    python -m benchmarks.speed.revisions v0.1
    python -m benchmarks.speed.revisions v0.1 HEAD --maps DefeatRoaches --rounds=5

The default command of each map is trained for --seconds after its first update, see
`benchmarks.speed.end_to_end`, by one revision and by the other in turn; every second round begins
with the other one. A round before the first one compiles the simulator and is not counted. Both
are checked out into a temporary folder, and run with the libraries that are installed; each has
its own cache of compiled code. The last line of the output is JSON.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from typing import Callable, Dict, List, Optional, Sequence, Tuple

from benchmarks.speed import end_to_end
from sc2impala.envs.maps import MAP_DEFAULTS

Rates = Dict[str, List[Tuple[float, float]]]
"""Agent steps per second before and after, of each round, by map."""

_ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def main(argv: Optional[Sequence[str]] = None) -> None:
    """Measures, and prints a table and the JSON.

    Args:
      argv: command-line arguments; None for those of the process.
    """
    parser = argparse.ArgumentParser(
        prog='python -m benchmarks.speed.revisions', description=__doc__.splitlines()[0]
    )
    parser.add_argument('before', help='a commit')
    parser.add_argument('after', nargs='?', default='HEAD', help='another one')
    parser.add_argument('--maps', nargs='+', default=list(MAP_DEFAULTS), choices=list(MAP_DEFAULTS))
    parser.add_argument('--rounds', type=int, default=5)
    parser.add_argument('--seconds', type=float, default=15)
    parser.add_argument('--warm_up', type=float, default=4)
    options = parser.parse_args(argv)
    if options.rounds < 1:
        parser.error(f'--rounds={options.rounds}, expected at least 1.')
    with tempfile.TemporaryDirectory() as folder:
        both = [check_out(name, folder) for name in (options.before, options.after)]

        def measure(map_name: str, sources: str) -> float:
            caches = os.path.join(folder, 'cache-' + os.path.basename(sources))
            found = end_to_end.measure(
                [f'--map_name={map_name}', '--from_scratch=False'],
                options.seconds,
                options.warm_up,
                sources,
                {'NUMBA_CACHE_DIR': caches},
            )
            return float(found['agent_steps_per_second'])

        rates = compare(measure, options.maps, both, options.rounds)
    print(table(rates))
    print(json.dumps(dict(vars(options), rates=rates, ratios=ratios(rates))))


def check_out(revision: str, folder: str) -> str:
    """Checks a revision out into a new folder, and returns the folder.

    Args:
      revision: a commit of this repository.
      folder: the parent.

    Raises:
      SystemExit: if there is none.
    """
    target = os.path.join(folder, str(len(os.listdir(folder))))
    os.mkdir(target)
    archive = subprocess.run(['git', '-C', _ROOT, 'archive', revision], capture_output=True)
    if archive.returncode:
        sys.exit(f'{revision} cannot be checked out: {archive.stderr.decode().strip()}')
    subprocess.run(['tar', '-x', '-C', target], input=archive.stdout, check=True)
    return target


def compare(
    measure: Callable[[str, str], float], maps: Sequence[str], both: Sequence[str], rounds: int
) -> Rates:
    """Measures two revisions alternately.

    Args:
      measure: returns agent steps per second on a map, of the sources in a folder.
      maps: names.
      both: folders of the sources before and after.
      rounds: number of those that count.

    Returns:
      Rates of all rounds.
    """
    before, after = both
    rates: Rates = {name: [] for name in maps}
    for index in range(-1, rounds):
        for name in maps:
            order = (after, before) if index % 2 else (before, after)
            found = {each: measure(name, each) for each in order}
            if index >= 0:
                rates[name].append((found[before], found[after]))
                print(
                    f'round {index}, {name}: {found[before]:,.0f}, {found[after]:,.0f}', flush=True
                )
    return rates


def ratios(rates: Rates) -> Dict[str, float]:
    """Returns the median over the rounds of the rate after, divided by that before, by map."""
    return {
        name: statistics.median(after / before for before, after in each)
        for name, each in rates.items()
    }


def table(rates: Rates) -> str:
    """Formats medians over the rounds and ratios, a map per row."""
    lines = [
        '| map | before, steps/s | after, steps/s | ratio | lowest to highest |',
        '| --- | ---: | ---: | ---: | ---: |',
    ]
    for name, each in rates.items():
        before, after = (statistics.median(column) for column in zip(*each))
        of_rounds = sorted(second / first for first, second in each)
        lines.append(
            f'| {name} | {before:,.0f} | {after:,.0f} | {ratios(rates)[name]:.2f} '
            f'| {of_rounds[0]:.2f} to {of_rounds[-1]:.2f} |'
        )
    return '\n'.join(lines)


if __name__ == '__main__':
    main()
