"""Tables of metrics in Markdown."""

from typing import List, Mapping, Optional, Sequence

import numpy as np

from sc2impala.compare.comparison import Estimate, number_text
from sc2impala.continual.summary import OF_MAPS, OVERALL, Bootstrap, Metric, Summary

NONE = '-'
"""Shown for a metric that is not defined."""

ARM_COLUMNS = (
    'final_score',
    'average_score',
    'final_relative_to_experts',
    'lost_share',
    'isolated_forgetting',
    'isolated_transfer',
    'performance_maintenance',
    'relative_performance',
    'sample_efficiency',
)
"""Metrics in the table of several arms, by names in `OVERALL`."""


def overall(summary: Summary, bootstrap: Bootstrap) -> str:
    """Formats the metrics of an arm, one per row."""
    rows = [
        [metric.title, metric.better, _text(summary.overall[name], metric, bootstrap)]
        for name, metric in OVERALL.items()
        if name in summary.overall
    ]
    count = len(summary.runs)
    return _markdown(['metric', 'better', f'mean of {count} run{"s" * (count > 1)}'], rows, 2)


def of_maps(summary: Summary, bootstrap: Bootstrap) -> str:
    """Formats the metrics of each map, one map per row."""
    names = [name for name in OF_MAPS if name in summary.of_maps]
    rows = [
        [map_name]
        + [_text(summary.of_maps[name][:, i], OF_MAPS[name], bootstrap) for name in names]
        for i, map_name in enumerate(summary.maps)
    ]
    return _markdown(['map', *(OF_MAPS[name].title for name in names)], rows, 1)


def arms(summaries: Mapping[str, Summary], bootstrap: Bootstrap) -> str:
    """Formats the metrics of several arms, one arm per row.

    Args:
      summaries: by the name of the arm.
      bootstrap: settings of intervals.
    """
    columns = [c for c in ARM_COLUMNS if any(c in each.overall for each in summaries.values())]
    rows = []
    for arm, summary in summaries.items():
        row = [arm, str(len(summary.runs))]
        for name in columns:
            values = summary.overall.get(name)
            row.append(NONE if values is None else _text(values, OVERALL[name], bootstrap))
        rows.append(row)
    return _markdown(['arm', 'runs', *(OVERALL[name].title for name in columns)], rows, 1)


def _text(values: np.ndarray, metric: Metric, bootstrap: Bootstrap) -> str:
    estimate: Optional[Estimate] = bootstrap.estimate(values)
    if estimate is None:
        return NONE
    if len(values) == 1 or estimate.low == estimate.high:
        return f'{estimate.value + 0.0:.{metric.decimals}f}'
    text = number_text(estimate, metric.decimals)
    undefined = int(np.isnan(values).sum())
    return f'{text} ({len(values) - undefined} of {len(values)} runs)' if undefined else text


def _markdown(header: Sequence[str], rows: Sequence[List[str]], num_left: int) -> str:
    """Formats a table whose first columns are left-aligned."""
    alignment = ['---'] * num_left + ['---:'] * (len(header) - num_left)
    return ''.join(f'| {" | ".join(line)} |\n' for line in (header, alignment, *rows))
