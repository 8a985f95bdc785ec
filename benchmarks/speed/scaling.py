"""Measures agent steps per second of a training against K, the number of actors, T and B.

K (--num_envs), the number of actors (--num_actors), T (--unroll_length) and B (--batch_size) are
multiplied by --factors, one at a time; all other settings are those of the flags. Every point is a
separate training. All points are measured once in every round, and medians over the rounds count.
At each point the actor is also measured alone, without queue and learner, and so is the network,
acting and learning, for the bound by the network, 1 / (1 / acting + 1 / learning): the throughput
if nothing else took time.

The knee of an axis is its smallest value with which training reaches the share KNEE of its best.

    python -m benchmarks.speed.scaling --workload=beacon16 --plots=docs/performance

The last line of the output is JSON.
"""

import argparse
import json
import os
import statistics
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple

from matplotlib import ticker
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from benchmarks import workload
from benchmarks.speed import end_to_end

AXES = ('num_envs', 'num_actors', 'unroll_length', 'batch_size')
LABELS = {
    'num_envs': 'environments of an actor, K',
    'num_actors': 'actors',
    'unroll_length': 'unroll length, T',
    'batch_size': 'batch size, B',
}
KNEE = 0.95
"""Share of the fastest training from which on a training counts as equally fast."""

FACTORS = (0.25, 0.5, 1, 2, 4)

Point = Tuple[int, int, int, int]
"""Values on the AXES, in their order."""


def main(argv: Optional[Sequence[str]] = None) -> None:
    """Measures, and prints a table of each axis and the JSON.

    Args:
      argv: command-line arguments; None for those of the process.
    """
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0], allow_abbrev=False)
    parser.add_argument('--axes', nargs='+', choices=AXES, default=AXES)
    parser.add_argument('--factors', nargs='+', type=float, default=FACTORS)
    parser.add_argument('--seconds', type=float, default=8, help='of every training')
    parser.add_argument('--warm_up', type=float, default=2, help='seconds before each measurement')
    parser.add_argument('--rounds', type=int, default=3, help='trainings at each point')
    parser.add_argument('--alone_seconds', type=float, default=2, help='of each part of it alone')
    parser.add_argument('--plots', type=os.path.expanduser, help='folder for a PNG of each axis')
    arguments, flags = workload.parse(parser, argv)
    result = measure(flags, arguments)
    _print_tables(result)
    if arguments.plots:
        save_plots(result, arguments.plots)
    print(json.dumps(result))


def axis_values(default: int, factors: Sequence[float]) -> List[int]:
    """Returns the values of an axis: the default, and its product with each factor.

    Products are rounded to integers of at least 1.
    """
    return sorted({max(1, int(round(default * factor))) for factor in factors} | {default})


def measure(flags: Sequence[str], arguments: argparse.Namespace) -> Dict[str, Any]:
    """Measures every point of the axes.

    Args:
      flags: of the training.
      arguments: the arguments of this benchmark.

    Returns:
      The JSON: flags, defaults, and by axis its points, with rates in agent steps per second, and
      its knee.
    """
    sizes = workload.sizes(workload.make_settings(flags))
    defaults = {axis: getattr(sizes, axis) for axis in arguments.axes}
    axes = {axis: axis_values(value, arguments.factors) for axis, value in defaults.items()}
    # A set: the point of the defaults is on every axis.
    points = {_point(sizes, axis, value) for axis in axes for value in axes[axis]}
    trained: Dict[Point, List[float]] = {point: [] for point in points}
    for _ in range(arguments.rounds):
        for point in sorted(points):
            found = end_to_end.measure(
                _flags_at(flags, dict(zip(AXES, point))),
                arguments.seconds,
                arguments.warm_up,
            )
            trained[point].append(found['agent_steps_per_second'])
    alone = _PartRates(flags, arguments.alone_seconds)
    result: Dict[str, Any] = {'flags': list(flags), 'defaults': defaults, 'axes': {}}
    for axis, values in axes.items():
        rows = [
            dict(
                {'value': value, 'training': statistics.median(trained[point])},
                **alone.rates(point),
            )
            for value, point in ((value, _point(sizes, axis, value)) for value in values)
        ]
        result['axes'][axis] = {'points': rows, 'knee': knee(rows)}
    return result


def _point(sizes: workload.Sizes, axis: str, value: int) -> Point:
    """Returns the values on all AXES, of which one is changed."""
    changed = sizes._replace(**{axis: value})
    return (changed.num_envs, changed.num_actors, changed.unroll_length, changed.batch_size)


def _flags_at(flags: Sequence[str], changed: Mapping[str, int]) -> List[str]:
    return list(flags) + [f'--{name}={value}' for name, value in changed.items()]


class _PartRates:
    """Measures parts of a training alone, each once for all points at which it is the same."""

    def __init__(self, flags: Sequence[str], seconds: float):
        self._flags = flags
        self._seconds = seconds
        self._found: Dict[Any, float] = {}

    def rates(self, point: Point) -> Dict[str, float]:
        """Returns the agent steps per second of the parts, and the bound by the network."""
        num_envs, _, unroll_length, batch_size = point
        acting = {'num_envs': num_envs, 'unroll_length': unroll_length}
        learning = {'batch_size': batch_size, 'unroll_length': unroll_length}
        network, learner = self._rate('network', acting), self._rate('learner', learning)
        return {
            'network': network,
            'actor': self._rate('actor', acting),
            'learner': learner,
            'allowed_by_network': workload.network_bound(network, learner),
        }

    def _rate(self, part: str, changed: Mapping[str, int]) -> float:
        key = (part,) + tuple(sorted(changed.items()))
        if key not in self._found:
            settings = workload.make_settings(_flags_at(self._flags, changed))
            self._found[key] = workload.rate_alone(part, settings, self._seconds)
        return self._found[key]


def knee(rows: Sequence[Dict[str, Any]]) -> int:
    """Returns the smallest 'value' at which 'training' reaches the share KNEE of the best row."""
    best = max(row['training'] for row in rows)
    return min(row['value'] for row in rows if row['training'] >= KNEE * best)


def _print_tables(result: Dict[str, Any]) -> None:
    print('flags: {}'.format(' '.join(result['flags'])))
    columns = ('training', 'allowed_by_network', 'actor', 'network', 'learner')
    for axis, found in result['axes'].items():
        print(f'\n--{axis}'.ljust(18) + ''.join(f'{name:>20}' for name in columns))
        for row in found['points']:
            text = ''.join(f'{row[name]:20,.0f}' for name in columns)
            print(f'{row["value"]:<17}{text}')
        print('{:.0%} of the best rate from {} on'.format(KNEE, found['knee']))


def save_plots(result: Dict[str, Any], folder: str) -> List[str]:
    """Draws each axis of the result of `measure`.

    Returns:
      The paths of the PNGs, <folder>/scaling_<axis>.png.
    """
    os.makedirs(folder, exist_ok=True)
    paths = []
    for axis, found in result['axes'].items():
        values = [row['value'] for row in found['points']]
        figure = Figure(figsize=(6, 4), dpi=100)
        axes = figure.subplots()
        axes.plot(values, [row['training'] for row in found['points']], 'o-', label='training')
        axes.plot(
            values,
            [row['allowed_by_network'] for row in found['points']],
            'k--',
            label='bound by the network',
        )
        axes.axvline(found['knee'], color='C1', alpha=0.5, label='knee')
        axes.set_xscale('log', base=2)
        axes.set_xticks(values)
        axes.xaxis.set_major_formatter(ticker.ScalarFormatter())
        axes.set_ylim(bottom=0)
        axes.yaxis.set_major_formatter(ticker.EngFormatter(sep=''))
        axes.set_xlabel(LABELS[axis])
        axes.set_ylabel('agent steps per second')
        axes.grid(alpha=0.3)
        axes.legend(loc='lower right', framealpha=0.7, edgecolor='none')
        figure.tight_layout()
        paths.append(os.path.join(folder, f'scaling_{axis}.png'))
        FigureCanvasAgg(figure).print_png(paths[-1])
    return paths


if __name__ == '__main__':
    main()
