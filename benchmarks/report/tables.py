"""Tables and plots of docs/performance.md, from the results of the benchmarks.

A placeholder {{name}} in the template, alone on its line, is replaced by the text that the function
of that name in `BLOCKS` returns. The text between {{#name}} and {{/name}} is left out if there are
no results of that name.
"""

import os
import re
import textwrap
from typing import Any, Dict, List, Mapping, Match, Sequence, Tuple

from benchmarks.instrumented import training_start
from benchmarks.league import tables as league_tables
from benchmarks.speed import learner, scaling

Results = Mapping[str, Any]
"""{name: {'command', 'date', 'machine', 'result'}}, the content of docs/performance.json."""


def render(template: str, results: Results, plot_folder: str, plot_link: str) -> str:
    """Fills in the template and writes the plots.

    Args:
      template: its text.
      results: of all benchmarks.
      plot_folder: folder to write plots into.
      plot_link: path of that folder relative to the document.

    Returns:
      The text of the document.

    Raises:
      KeyError: if the template has an unknown placeholder.
    """

    def section(match: Match) -> str:
        return match.group(2) if _of(results, match.group(1)) else ''

    def block(match: Match) -> str:
        name = match.group(1)
        if name == 'scaling' and name in results:
            scaling.save_plots(results[name]['result'], plot_folder)
            return _scaling(results, plot_link)
        if name == 'league' and _of(results, name):
            return _league(results, plot_folder, plot_link)
        benchmark = 'learner' if name == 'learner_kinds' else name
        if name not in ('machines', 'commands') and not _of(results, benchmark):
            return _missing(benchmark)
        return BLOCKS[name](results)

    text = re.sub(r'{{#(\w+)}}\n(.*?){{/\1}}\n', section, template, flags=re.DOTALL)
    return re.sub(r'^{{(\w+)}}$', block, text, flags=re.MULTILINE)


_ELSEWHERE = {
    'simulator': ('reference/benchmarks.md#the-simulator', ''),
    'pysc2_backend': (
        'reference/benchmarks.md#starcraft-iis-protocol',
        ', with SC2PATH set to the folder of StarCraft II or of the stand-in',
    ),
}
"""Link to results of another document, and what the benchmark needs, by name."""


def _missing(name: str) -> str:
    command = f'`python -m benchmarks.speed.performance --only={name}`'
    if name in _ELSEWHERE:
        link, needs = _ELSEWHERE[name]
        found = f'Measured separately, see [Benchmarks]({link});'
        return f'{found}\n{command}\nmeasures it here{needs}.'
    return f'Not measured yet: {command}.'


def _of(results: Results, name: str) -> Dict[str, Any]:
    """Returns {workload: result} of all results of a benchmark."""
    found = {}
    for key, entry in sorted(results.items()):
        benchmark, _, workload = key.partition('/')
        if benchmark == name:
            found[workload] = entry['result']
    return found


def table(columns: Sequence[str], rows: Sequence[Sequence[str]], num_text: int = 1) -> str:
    """Returns a table in Markdown; the first `num_text` columns are text, the others numbers."""
    alignment = ['---'] * num_text + ['---:'] * (len(columns) - num_text)
    lines = [list(columns), alignment] + [list(row) for row in rows]
    return '\n'.join('| {} |'.format(' | '.join(line)) for line in lines)


def _machines(results: Results) -> str:
    found: List[Tuple[Dict[str, Any], List[str]]] = []
    for name, entry in sorted(results.items()):
        if entry['machine'] not in [each for each, _ in found]:
            found.append((entry['machine'], []))
        next(names for each, names in found if each == entry['machine']).append(name)
    lines = []
    for each, names in found:
        gpus = {0: 'no GPU', 1: 'a GPU'}.get(each['gpus'], f'{each["gpus"]} GPUs')
        measured = '' if len(found) == 1 else ' ({})'.format(', '.join(names))
        lines.append(
            '- {cores} cores of {processor}, {memory_gib} GiB, {gpus}, Python {python}, TensorFlow '
            '{tensorflow}, NumPy {numpy}{measured}'.format(
                **dict(each, gpus=gpus, measured=measured)
            )
        )
    return 'Measured on:\n\n' + '\n'.join(lines)


def _commands(results: Results) -> str:
    rows = [
        [name, f'`{entry["command"]}`', entry['date']] for name, entry in sorted(results.items())
    ]
    return table(['name', 'command', 'date'], rows, num_text=3)


def _end_to_end(results: Results) -> str:
    rows = []
    for name, found in _of(results, 'end_to_end').items():
        flags = '`{}`'.format(' '.join(found['flags']))
        speed = [found['agent_steps_per_second'], found['frames_per_second']]
        rows.append([name, flags] + [f'{each:,.0f}' for each in speed])
    return table(['workload', 'flags', 'agent steps/s', 'frames/s'], rows, num_text=2)


def _peer(results: Results) -> str:
    found = results['peer']['result']
    rows = [
        ['sc2impala, before', f'{found["ours"][0]:,.1f}'],
        ['`{}`'.format(results['peer']['command']), f'{found["peer"]:,.1f}'],
        ['sc2impala, after', f'{found["ours"][1]:,.1f}'],
    ]
    ratio = f'The mean of both rates of sc2impala is {found["ratio"]:.2f} times that of the other.'
    return table(['trainer', 'agent steps/s'], rows) + '\n\n' + ratio


def _league(results: Results, plot_folder: str, plot_link: str) -> str:
    texts = []
    found = _of(results, 'league')
    if 'speed' in found:
        os.makedirs(plot_folder, exist_ok=True)
        league_tables.draw_speeds(found['speed'], os.path.join(plot_folder, 'league.png'))
        texts += [
            f'![agent steps per second of all trainers]({plot_link}/league.png)',
            'Rounds: {num_rounds}; seconds of each trainer in a round: {seconds:g}. Measured on '
            '{date}, {cores} cores of {processor}.'.format(
                **dict(found['speed'], **found['speed']['machine'])
            ),
            league_tables.speed_table(found['speed']),
        ]
    if 'return' in found:
        texts += [
            '### Seconds until a mean return of {target:g} on MoveToBeacon'.format(
                **found['return']
            ),
            'One run of each trainer, from the start of its command; settings are in\n'
            '[that section](reference/benchmarks.md#the-league). With `--unit_mask=all` of the '
            'first row only\nunits can be pointed at. Measured on {date}, {cores} cores of '
            '{processor}.'.format(**dict(found['return'], **found['return']['machine'])),
            league_tables.return_table(found['return']),
        ]
    return '\n\n'.join(texts)


def _against_network(results: Results) -> str:
    columns = ['workload', 'acting alone', 'learning alone', 'bound by the network', 'training']
    columns += ['share', 'target']
    rows, remarks = [], []
    for name, found in _of(results, 'against_network').items():
        steps = found['steps_per_second']
        numbers = [steps['acting'], steps['learning']]
        numbers += [found['allowed_by_network'], steps['training']]
        shares = ', '.join(f'{share:.1%}' for share in found['shares'])
        rows.append(
            [name]
            + [f'{number:,.0f}' for number in numbers]
            + [f'{found["share"]:.1%}', f'{found["target"]:.0%}']
        )
        remarks.append(f'{name}, round by round: {shares}.')
        alone = _of(results, 'end_to_end').get(name)
        if alone:
            speed = f'{alone["agent_steps_per_second"]:,.0f} steps/s of {name}'
            remarks.append(f'The {speed} in [Training](#training) are of another time.')
    return table(columns, rows) + '\n\n' + '\n'.join(remarks)


def _learner(results: Results) -> str:
    columns = ['workload', 'updates/s', 'agent steps/s', 'MFLOP per step, forward', 'in total']
    columns += ['GFLOP/s', 'matrix product, GFLOP/s', 'share']
    rows = []
    for name, found in _of(results, 'learner').items():
        per_step = found['flops_per_step']
        rows.append(
            [
                name,
                f'{found["updates_per_second"]:,.2f}',
                f'{found["steps_per_second"]:,.0f}',
                f'{per_step["forward"] / 1e6:,.2f}',
                f'{per_step["update"] / 1e6:,.2f}',
                f'{found["gflops_per_second"]:,.1f}',
                f'{found["matmul_gflops_per_second"]:,.1f}',
                f'{found["share_of_matmul"]:.1%}',
            ]
        )
    return table(columns, rows)


def _learner_kinds(results: Results) -> str:
    learners = _of(results, 'learner')
    rows = []
    for category in [name for name, _ in learner.CATEGORIES] + [learner.OTHER]:
        row = [category]
        for found in learners.values():
            values = found['trace']['kinds'][category]
            reached = values.get('gflops_per_second')
            row += [f'{values["share"]:.1%}', '' if reached is None else f'{reached:,.1f}']
        rows.append(row)
    columns = ['category']
    for name in learners:
        columns += [name, 'GFLOP/s']
    between = ', '.join(
        '{}: {:.1%}'.format(name, found['trace']['share_between_kernels'])
        for name, found in learners.items()
    )
    return table(columns, rows) + f'\n\nShare of a traced update between kernels: {between}.'


def _actor(results: Results) -> str:
    columns = ['workload', 'network, steps/s', 'environment, steps/s', 'actor, steps/s']
    columns += ['network, share', 'environment, share', 'rest, share']
    columns += ['MFLOP per step', 'GFLOP/s', 'share of a matrix product']
    rows = []
    for name, found in _of(results, 'actor').items():
        rates, shares = found['steps_per_second'], found['share_of_actor']
        rows.append(
            [name]
            + [f'{rates[each]:,.0f}' for each in ('network', 'environment', 'actor')]
            + [f'{shares[each]:.1%}' for each in ('network', 'environment', 'rest')]
            + [f'{found["flops_per_step"] / 1e6:,.2f}', f'{found["gflops_per_second"]:,.1f}']
            + [f'{found["share_of_matmul"]:.1%}']
        )
    return table(columns, rows)


def _replay(results: Results) -> str:
    columns = ['map', 'bytes, raw', 'compressed', 'ratio', 'exact', 'inserts/s, raw', 'compressed']
    columns += ['samples/s, raw', 'compressed', 'update longer by']
    rows = []
    for name, found in results['replay']['result']['maps'].items():
        sizes = found['bytes_per_sequence']
        rows.append(
            [name]
            + [f'{sizes["none"]:,}', f'{sizes["zstd"]:,}', f'{found["ratio"]:.1f}']
            + ['yes' if found['exact'] else 'NO']
            + [
                f'{found[f"{compression}_{operation}s_per_second"]:,.0f}'
                for operation in ('insert', 'sample')
                for compression in ('none', 'zstd')
            ]
            + [
                '{:.1%}'.format(found['training']['slower_by_memory'])
                if 'training' in found
                else ''
            ]
        )
    return table(columns, rows)


def _startup(results: Results) -> str:
    found = results['startup']['result']
    parts = training_start.PARTS + ('whole',)
    rows = [[part, f'{found["seconds"][part]:.2f}'] for part in parts]
    heading = '`{}`, {} starts:\n\n'.format(' '.join(found['flags']), found['starts'])
    return heading + table(['part', 'seconds'], rows)


def _scaling(results: Results, plot_link: str) -> str:
    found = results['scaling']['result']
    defaults = ', '.join(f'`--{axis}={value}`' for axis, value in found['defaults'].items())
    flags = 'Flags: `{}`; defaults: {}.'.format(' '.join(found['flags']), defaults)
    texts = [textwrap.fill(flags, 100, break_on_hyphens=False)]
    names = ('training', 'allowed_by_network', 'actor', 'network', 'learner')
    columns = [
        'training',
        'bound by the network',
        'share',
        'actor alone',
        'network acting',
        'learner',
    ]
    for axis, of_axis in found['axes'].items():
        rows = []
        for row in of_axis['points']:
            numbers = [f'{row[name]:,.0f}' for name in names]
            numbers.insert(2, '{:.0%}'.format(row['training'] / row['allowed_by_network']))
            rows.append([str(row['value'])] + numbers)
        best = max(of_axis['points'], key=lambda row: row['training'])
        texts += [
            f'### {scaling.LABELS[axis]} (`--{axis}`)',
            f'![agent steps per second]({plot_link}/scaling_{axis}.png)',
            f'The knee is at {of_axis["knee"]}; the maximum is {best["training"]:,.0f} agent '
            f'steps/s at {best["value"]}.',
            table([axis] + columns, rows),
        ]
    return '\n\n'.join(texts)


def _simulator(results: Results) -> str:
    found = results['simulator']['result']
    heading = '{games} games, {step_mul} frames per step, {screen} x {screen} pixels.'.format(
        **found
    )
    rates, bare = found['steps_per_second'], found['steps_per_second_without_layers']
    rows = [
        [name, f'{rates[name + "/random"]:,}', f'{rates[name + "/mover"]:,}']
        + [f'{bare[name + "/random"]:,}', f'{bare[name + "/mover"]:,}', f'{size:,}']
        for name, size in found['bytes_per_game'].items()
    ]
    columns = ['random', 'mover', 'random, roll-out', 'mover, roll-out', 'bytes per game']
    return heading + '\n\n' + table(['map'] + columns, rows)


def _pysc2_backend(results: Results) -> str:
    found = results['pysc2_backend']['result']
    milliseconds = found['ms_per_step']
    columns = list(next(iter(milliseconds.values())))
    rows = [
        [f'{side} x {side}'] + [f'{parts[name]:.2f}' for name in columns]
        for side, parts in milliseconds.items()
    ]
    games = [[count, f'{rate:,.1f}'] for count, rate in found['steps_per_second'].items()]
    heading = 'Milliseconds of a step on {map_name}, {step_mul} frames:'.format(**found)
    return '\n\n'.join(
        [
            heading,
            table(['pixels'] + columns, rows),
            table(['games', 'agent steps/s'], games),
        ]
    )


def _vtrace(results: Results) -> str:
    found = results['vtrace']['result']
    rows = [
        [
            f'T = {each["unroll_length"]}, B = {each["batch_size"]}',
            f'{each["ours_us"]:,.0f}',
            f'{each["scan_us"]:,.0f}',
            f'{each["empty_run_us"]:,.0f}',
            f'{each["speedup"]:.1f}',
        ]
        for each in found['results']
    ]
    return table(['size', 'sc2impala', '`tf.scan`', 'empty run', 'ratio'], rows)


BLOCKS = {
    'machines': _machines,
    'commands': _commands,
    'end_to_end': _end_to_end,
    'peer': _peer,
    'against_network': _against_network,
    'learner': _learner,
    'learner_kinds': _learner_kinds,
    'actor': _actor,
    'replay': _replay,
    'startup': _startup,
    'simulator': _simulator,
    'pysc2_backend': _pysc2_backend,
    'vtrace': _vtrace,
}
"""Functions that return the text of a placeholder; scaling and the league have plots as well."""
