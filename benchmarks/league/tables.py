"""Table and picture of the results of the league."""

import statistics
import textwrap
from typing import Any, Dict, List, Optional, Sequence

import matplotlib
from matplotlib import figure

from sc2impala.runtime import console

Result = Dict[str, Any]

_WIDTH = 100
_OURS, _OTHERS, _NO_RESULT = '#2a6f97', '#9a9a9a', ''


def speed_table(result: Result) -> str:
    """Returns the table of speeds in Markdown, the fastest first.

    Args:
      result: of `__main__.measure_speeds`.
    """
    rows = [
        [
            each['title'],
            f'{median(each, "steps_per_second"):,.0f}',
            '{:,.0f} to {:,.0f}'.format(*lowest_and_highest(each, 'steps_per_second')),
            f'{median(each, "steps_per_cpu_second"):,.0f}',
            f'{share(each, result):.1%}',
            '{:,.2f}'.format(max(each['rounds'], key=_memory)['peak_memory'] / 2**30),
            f'{each["rounds"][-1]["parameters"]:,}',
            each['note'],
        ]
        for each in ranked(result)
    ]
    columns = (
        'trainer',
        'agent steps/s, median',
        'lowest to highest',
        'steps per CPU second',
        'share of a matrix product',
        'peak memory, GiB',
        'parameters',
        'difference',
    )
    return '\n\n'.join([table(columns, rows, '---:')] + _missing(result))


def return_table(result: Result) -> str:
    """Returns the table of times to the return in Markdown, the fastest first.

    Args:
      result: of `__main__.measure_returns`.
    """
    rows = []
    for each in sorted(result['entries'].values(), key=_time_to_return):
        seconds, best = (
            [run['seconds'] for run in each['runs']],
            [run['best'] for run in each['runs'] if run['best'] is not None],
        )
        steps = [run['steps'] for run in each['runs']]
        rows.append(
            [
                each['title'],
                _times(seconds, result['limit']),
                ', '.join('' if count is None else f'{count:,}' for count in steps),
                f'{max(best):.1f}' if best else _NO_RESULT,
            ]
        )
    columns = ('trainer', 'seconds', 'agent steps', 'highest mean return')
    return '\n\n'.join([table(columns, rows, '---:')] + _missing(result))


def draw_speeds(result: Result, path: str) -> None:
    """Draws the speeds as bars from the fastest to the slowest, with lowest and highest.

    Args:
      result: of `__main__.measure_speeds`.
      path: of the picture.
    """
    entries = ranked(result)[::-1]
    medians = [median(each, 'steps_per_second') for each in entries]
    ends = [lowest_and_highest(each, 'steps_per_second') for each in entries]
    errors = [
        [middle - low for middle, (low, _) in zip(medians, ends)],
        [high - middle for middle, (_, high) in zip(medians, ends)],
    ]
    with matplotlib.rc_context({'font.size': 9}):
        drawn = figure.Figure(figsize=(7.5, 0.6 + 0.4 * len(entries)), dpi=120)
        axes = drawn.subplots()
        colors = [_OURS if each['title'].startswith('sc2impala') else _OTHERS for each in entries]
        titles = [each['title'] for each in entries]
        axes.barh(titles, medians, xerr=errors, color=colors, capsize=3)
        for row, (middle, (_, high)) in enumerate(zip(medians, ends)):
            axes.annotate(
                f'{middle:,.0f}',
                (max(middle, high), row),
                xytext=(5, 0),
                textcoords='offset points',
                va='center',
            )
        axes.set_xlabel('agent steps/s, median of {num_rounds} rounds'.format(**result))
        axes.margins(x=0.12)
        axes.spines[['top', 'right']].set_visible(False)
        drawn.tight_layout()
        drawn.savefig(path)


def ranked(result: Result) -> List[Result]:
    """Returns the entries that have rounds, the fastest first."""
    measured = [each for each in result['entries'].values() if each['rounds']]
    return sorted(measured, key=lambda each: -median(each, 'steps_per_second'))


def median(entry: Result, name: str) -> float:
    """Returns the median of a rate over the rounds of an entry."""
    return statistics.median(each[name] for each in entry['rounds'])


def lowest_and_highest(entry: Result, name: str) -> Sequence[float]:
    """Returns the extremes of a rate over the rounds of an entry."""
    rates = [each[name] for each in entry['rounds']]
    return min(rates), max(rates)


def share(entry: Result, result: Result) -> float:
    """Returns which share of a matrix product's rate the network's arithmetic reaches.

    Each step is acted once, and learned once; other passes of a peer are not counted.
    """
    flops = median(entry, 'steps_per_second') * result['flops_per_step']
    return flops / result['matrix_product_flops']


def table(columns: Sequence[str], rows: Sequence[Sequence[str]], alignment: str) -> str:
    """Returns a table in Markdown; all columns but the first have the alignment."""
    lines = [columns, ['---'] + [alignment] * (len(columns) - 1), *rows]
    return '\n'.join('| {} |'.format(' | '.join(line)) for line in lines)


def _missing(result: Result) -> List[str]:
    lines = []
    for each in result['entries'].values():
        if each.get('reason'):
            found = len(each['rounds']) + len(each['runs'])
            after = f', after {console.count_text(found, "measurement")}' if found else ''
            line = f'* {each["title"]}{after}: {each["reason"]}'
            lines.append(textwrap.fill(line, _WIDTH, subsequent_indent='  '))
    return ['Not measured:\n\n' + '\n'.join(lines)] if lines else []


def _memory(each: Result) -> int:
    return each['peak_memory']


def _time_to_return(entry: Result) -> float:
    seconds = [run['seconds'] for run in entry['runs'] if run['seconds'] is not None]
    return statistics.median(seconds) if seconds else float('inf')


def _times(seconds: Sequence[Optional[float]], limit: float) -> str:
    return ', '.join(f'more than {limit:,.0f}' if s is None else f'{s:,.0f}' for s in seconds)
