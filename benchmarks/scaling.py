"""Measures agent steps per second of a training against K, the number of actors, T and B.

K (--num_envs), the number of actors (--num_actors), T (--unroll_length) and B (--batch_size) are
multiplied by --factors, one at a time; everything else stays as the flags say. Every point is a
training of its own, all points take turns in every round, and medians over the rounds count. At
each of them the network is also measured alone, acting and learning, for what it would allow if
nothing else took time, 1 / (1 / acting + 1 / learning), and the actor without queue and learner.

The knee of an axis is the smallest number with which training is as fast as KNEE of its best.

    python benchmarks/scaling.py --workload=beacon16 --plots=docs/performance

The last line of the output is JSON.
"""

import argparse
import json
import os
import statistics

import end_to_end
import workload
from matplotlib import ticker
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

AXES = ('num_envs', 'num_actors', 'unroll_length', 'batch_size')
LABELS = {
    'num_envs': 'games of an actor, K',
    'num_actors': 'actors',
    'unroll_length': 'unroll length, T',
    'batch_size': 'batch size, B',
}
KNEE = 0.95
"""Share of the fastest training that is counted as no slower."""

FACTORS = (0.25, 0.5, 1, 2, 4)


def main(argv=None):
    """Measures, and prints a table of each axis and the JSON.

    Args:
      argv: the arguments of the command line; None stands for those of the process.
    """
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0], allow_abbrev=False)
    parser.add_argument('--axes', nargs='+', choices=AXES, default=AXES)
    parser.add_argument('--factors', nargs='+', type=float, default=FACTORS)
    parser.add_argument('--seconds', type=float, default=8, help='of every training')
    parser.add_argument('--warm_up', type=float, default=2, help='seconds before them')
    parser.add_argument('--rounds', type=int, default=3, help='trainings at each point')
    parser.add_argument('--alone_seconds', type=float, default=2, help='of the network alone')
    parser.add_argument('--plots', help='folder to write a PNG of each axis into')
    arguments, flags = workload.parse(parser, argv)
    result = measure(flags, arguments)
    _print_tables(result)
    if arguments.plots:
        save_plots(result, arguments.plots)
    print(json.dumps(result))


def axis_values(default, factors):
    """The numbers on an axis: the default times each factor, whole and at least 1, and itself."""
    return sorted({max(1, int(round(default * factor))) for factor in factors} | {default})


def measure(flags, arguments):
    """Measures every point of the axes that `arguments` has; returns a dict for the JSON."""
    config = workload.make_config(flags)
    defaults = {axis: getattr(config, axis) for axis in arguments.axes}
    axes = {axis: axis_values(value, arguments.factors) for axis, value in defaults.items()}
    # The point of the defaults is on every axis, but is one.
    points = {_settings(config, axis, value) for axis in axes for value in axes[axis]}
    trained = {point: [] for point in points}
    for _ in range(arguments.rounds):
        for point in sorted(points):
            found = end_to_end.measure(
                list(flags) + [f'--{axis}={value}' for axis, value in zip(AXES, point)],
                arguments.seconds,
                arguments.warm_up,
            )
            trained[point].append(found['agent_steps_per_second'])
    alone = _Alone(config, arguments.alone_seconds)
    result = {'flags': list(flags), 'defaults': defaults, 'axes': {}}
    for axis, values in axes.items():
        rows = [
            dict(
                {'value': value, 'training': statistics.median(trained[point])},
                **alone.rates(point),
            )
            for value, point in ((value, _settings(config, axis, value)) for value in values)
        ]
        result['axes'][axis] = {'points': rows, 'knee': knee(rows)}
    return result


def _settings(config, axis, value):
    """A point as a tuple of the settings of all AXES."""
    changed = config._replace(**{axis: value})
    return tuple(getattr(changed, name) for name in AXES)


class _Alone:
    """Measures parts of a training, each of them once for all points that it is the same for."""

    def __init__(self, config, seconds):
        self._config = config
        self._seconds = seconds
        self._found = {}

    def rates(self, point):
        num_envs, _, unroll_length, batch_size = point
        acting = {'num_envs': num_envs, 'unroll_length': unroll_length}
        learning = {'batch_size': batch_size, 'unroll_length': unroll_length}
        network, learner = self._rate('network', acting), self._rate('learner', learning)
        return {
            'network': network,
            'actor': self._rate('actor', acting),
            'learner': learner,
            'allowed_by_network': workload.allowed_by_network(network, learner),
        }

    def _rate(self, part, changes):
        key = (part,) + tuple(sorted(changes.items()))
        if key not in self._found:
            config = self._config._replace(**changes)
            self._found[key] = workload.rate_alone(part, config, self._seconds)
        return self._found[key]


def knee(rows):
    """The smallest value with which training is as fast as KNEE of the best."""
    best = max(row['training'] for row in rows)
    return min(row['value'] for row in rows if row['training'] >= KNEE * best)


def _print_tables(result):
    print('flags: {}'.format(' '.join(result['flags'])))
    columns = ('training', 'allowed_by_network', 'actor', 'network', 'learner')
    for axis, found in result['axes'].items():
        print(f'\n--{axis}'.ljust(18) + ''.join(f'{name:>20}' for name in columns))
        for row in found['points']:
            text = ''.join(f'{row[name]:20,.0f}' for name in columns)
            print(f'{row["value"]:<17}{text}')
        print('{:.0%} of the best from {} on'.format(KNEE, found['knee']))


def save_plots(result, folder):
    """Draws each axis; returns the paths of the PNGs, <folder>/scaling_<axis>.png."""
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
            label='the network alone',
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
