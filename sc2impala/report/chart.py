"""Charts: lines and dots in SVG, with axes and labels in HTML.

The SVG is stretched to the width of the page, but its lines keep their width. The labels are HTML
at relative positions, so they keep their size on a narrow screen. `page.js` shows the values under
the pointer from the numbers next to each chart.
"""

import html
import json
from typing import Any, Dict, List, NamedTuple, Sequence, Tuple

import numpy as np

from sc2impala.report import scales
from sc2impala.report.scales import SIZE, Scale, Values

MAX_POINTS = 400
"""Longer lines show means of consecutive points."""

MAX_DOTS = 2000
"""Of more dots every k-th one is drawn."""

NUM_COLORS = 8
"""Colours in `page.css`."""

FRAMES, SECONDS = 'frames', 'seconds'
"""Units of horizontal axes."""

_TALL_REM, _SMALL_REM, _LABEL_REM = 21.0, 10.0, 1.2
_X_DIGITS = 9
_DASHES = ('6 3', '2 3', '10 3 2 3', '1 4')


class Line(NamedTuple):
    """A line, with a band or intervals around it.

    label: its name in the legend.
    x, y: float64 [n]; x does not decrease.
    color: index of its colour.
    low, high: ends of the band, float64 [n], or empty.
    is_bars: whether each point is a dot with an interval instead of a band.
    """

    label: str
    x: np.ndarray
    y: np.ndarray
    color: int = 0
    low: Values = ()
    high: Values = ()
    is_bars: bool = False


class Dots(NamedTuple):
    """Single values behind the lines.

    x, y: float64 [n].
    color: index of their colour.
    """

    x: np.ndarray
    y: np.ndarray
    color: int = 0


class Level(NamedTuple):
    """A horizontal line with a label."""

    label: str
    value: float


class Mark(NamedTuple):
    """A vertical line, such as a restart, with a label on hover; x is its position."""

    label: str
    x: float


class Chart(NamedTuple):
    """A chart.

    title: above it.
    lines, dots, levels, marks: its content.
    unit: FRAMES or SECONDS of the horizontal axis.
    tag: name of the summary, or empty.
    note: a sentence below the title, or empty.
    is_log: whether the vertical axis is logarithmic.
    at_zero: whether the vertical axis begins at 0.
    limits: bounds of the vertical axis, (lowest, highest); values beyond are clipped.
    end: smallest end of the horizontal axis, such as the frames of the run.
    is_small: whether it is one of several in a row.
    has_legend: whether the legend names a line that is alone.
    """

    title: str
    lines: Sequence[Line]
    dots: Sequence[Dots] = ()
    levels: Sequence[Level] = ()
    marks: Sequence[Mark] = ()
    unit: str = FRAMES
    tag: str = ''
    note: str = ''
    is_log: bool = False
    at_zero: bool = True
    limits: Tuple[float, float] = (-np.inf, np.inf)
    end: float = 0.0
    is_small: bool = False
    has_legend: bool = False


def to_html(chart: Chart) -> str:
    """Returns the chart as a `figure`; it needs `page.css`, and `page.js` for hovering."""
    divisor, x_title = _unit(chart)
    lines = [_thinned(line._replace(x=line.x / divisor)) for line in chart.lines]
    dots = [_sampled(each._replace(x=each.x / divisor)) for each in chart.dots]
    marks = [mark._replace(x=mark.x / divisor) for mark in chart.marks]
    x_scale, y_scale = _scales(chart._replace(end=chart.end / divisor), lines, dots)
    num_rows = 4 if chart.is_small else 6
    drawing = ''.join(
        [
            _grid(x_scale, y_scale, num_rows),
            *(_mark_svg(mark, x_scale) for mark in marks),
            *(_dots_svg(each, x_scale, y_scale) for each in dots),
            *(_level_svg(i, level, y_scale) for i, level in enumerate(chart.levels)),
            *(_line_svg(i, line, x_scale, y_scale) for i, line in enumerate(lines)),
        ]
    )
    height = _SMALL_REM if chart.is_small else _TALL_REM
    kinds = 'chart' + ' small' * chart.is_small + ' leveled' * bool(chart.levels)
    return (
        f'<figure class="{kinds}">{_caption(chart)}{_legend(chart)}'
        f'<div class="frame"><div class="y">{_y_labels(y_scale, num_rows)}</div>'
        f'<div class="area" style="height:{height}rem">'
        f'<svg viewBox="0 0 {SIZE:g} {SIZE:g}" preserveAspectRatio="none" role="img" '
        f'aria-label="{_escaped(_description(chart))}">{drawing}</svg>'
        '<div class="cursor"></div></div>'
        f'<div class="levels">{_level_labels(chart.levels, y_scale, height)}</div>'
        f'<div class="x">{_x_labels(x_scale)}</div><div class="x-title">{x_title}</div></div>'
        f'{_data(chart, lines, marks, x_scale, x_title)}</figure>'
    )


def _unit(chart: Chart) -> Tuple[float, str]:
    """Returns the divisor of horizontal values, and the title of the axis."""
    if chart.unit == FRAMES:
        return 1.0, 'environment frames'
    longest = max([chart.end, *(float(line.x[-1]) for line in chart.lines if len(line.x))])
    if longest >= 2 * 3600:
        return 3600.0, 'hours of training'
    return (60.0, 'minutes of training') if longest >= 120 else (1.0, 'seconds of training')


def _thinned(line: Line) -> Line:
    """Replaces the points of a long line by means of consecutive ones, and bands by their ends."""
    if len(line.x) <= MAX_POINTS:
        return line
    starts = np.unique(np.linspace(0, len(line.x), MAX_POINTS, endpoint=False).astype(int))
    counts = np.diff(np.append(starts, len(line.x)))

    def means(values: Values) -> np.ndarray:
        return np.add.reduceat(np.asarray(values, np.float64), starts) / counts

    line = line._replace(x=means(line.x), y=means(line.y))
    return line._replace(low=means(line.low), high=means(line.high)) if len(line.low) else line


def _sampled(dots: Dots) -> Dots:
    stride = max(1, -(-len(dots.x) // MAX_DOTS))
    return dots._replace(x=dots.x[::stride], y=dots.y[::stride])


def _scales(chart: Chart, lines: Sequence[Line], dots: Sequence[Dots]) -> Tuple[Scale, Scale]:
    """Returns the horizontal and the vertical axis."""
    ends = [line.x for line in lines] + [each.x for each in dots]
    right = max([chart.end, *(float(x[-1]) for x in ends if len(x))])
    x_scale = Scale(0.0, right if right > 0 else 1.0)
    values: List[Values] = [each.y for each in dots]
    for line in lines:
        values.extend((line.y, line.low, line.high))
    values.append([level.value for level in chart.levels])
    clipped = [np.clip(np.asarray(each, np.float64), *chart.limits) for each in values]
    if chart.is_log:
        return x_scale, scales.logarithmic(clipped)
    return x_scale, scales.linear(clipped, chart.at_zero)


def _points(x: np.ndarray, y: np.ndarray, x_scale: Scale, y_scale: Scale) -> List[Tuple]:
    """Returns the positions of points in the drawing; y is NaN where a value is missing."""
    return list(zip(x_scale.positions(x), SIZE - y_scale.positions(y)))


def _path(points: Sequence[Tuple[float, float]]) -> str:
    """Returns a path through points, interrupted where one is missing."""
    parts, is_open = [], False
    for x, y in points:
        if np.isfinite(y):
            parts.append(f'{"L" if is_open else "M"}{x:.1f} {y:.1f}')
        is_open = bool(np.isfinite(y))
    return ''.join(parts)


def _grid(x_scale: Scale, y_scale: Scale, num_rows: int) -> str:
    rows = SIZE - y_scale.positions(y_scale.ticks(num_rows))
    columns = x_scale.positions(x_scale.ticks())
    path = ''.join(
        [f'M0 {y:.1f}H{SIZE:g}' for y in rows] + [f'M{x:.1f} 0V{SIZE:g}' for x in columns]
    )
    return f'<path class="grid" d="{path}"/>'


def _mark_svg(mark: Mark, x_scale: Scale) -> str:
    (x,) = x_scale.positions([mark.x])
    return f'<path class="mark" d="M{x:.1f} 0V{SIZE:g}"/>'


def _level_svg(index: int, level: Level, y_scale: Scale) -> str:
    y = SIZE - y_scale.positions([level.value])[0]
    dashes = _DASHES[index % len(_DASHES)]
    return f'<path class="level" stroke-dasharray="{dashes}" d="M0 {y:.1f}H{SIZE:g}"/>'


def _dots_svg(dots: Dots, x_scale: Scale, y_scale: Scale) -> str:
    points = _points(dots.x, dots.y, x_scale, y_scale)
    # A line of no length with round caps is a circle, also in a stretched drawing.
    path = ''.join(f'M{x:.1f} {y:.1f}h0' for x, y in points if np.isfinite(y))
    return f'<path class="dots c{dots.color % NUM_COLORS}" d="{path}"/>'


def _line_svg(index: int, line: Line, x_scale: Scale, y_scale: Scale) -> str:
    points = _points(line.x, line.y, x_scale, y_scale)
    parts = []
    if len(line.low):
        low = _points(line.x, np.asarray(line.low), x_scale, y_scale)
        high = _points(line.x, np.asarray(line.high), x_scale, y_scale)
        if line.is_bars:
            bars = ''.join(f'M{x:.1f} {a:.1f}V{b:.1f}' for (x, a), (_, b) in zip(low, high))
            parts.append(f'<path class="bars" d="{bars}"/>')
        else:
            outline = [each for each in low + high[::-1] if np.isfinite(each[1])]
            parts.append(f'<path class="band" d="{_path(outline)}Z"/>' if outline else '')
    parts.append(f'<path class="line" d="{_path(points)}"/>')
    if line.is_bars or len(points) == 1:
        dots = ''.join(f'M{x:.1f} {y:.1f}h0' for x, y in points if np.isfinite(y))
        parts.append(f'<path class="points" d="{dots}"/>')
    return f'<g class="series c{line.color % NUM_COLORS}" data-i="{index}">{"".join(parts)}</g>'


def _y_labels(y_scale: Scale, count: int) -> str:
    ticks = y_scale.ticks(count)
    return ''.join(
        f'<span style="bottom:{100 * y / SIZE:.2f}%">{scales.tick_text(tick)}</span>'
        for tick, y in zip(ticks, y_scale.positions(ticks))
    )


def _x_labels(x_scale: Scale) -> str:
    ticks = x_scale.ticks()
    return ''.join(
        f'<span style="left:{100 * x / SIZE:.2f}%">{scales.tick_text(tick)}</span>'
        for tick, x in zip(ticks, x_scale.positions(ticks))
    )


def _level_labels(levels: Sequence[Level], y_scale: Scale, height: float) -> str:
    """Returns the labels at the right end of the levels, moved apart where they would overlap."""
    ordered = sorted(levels, key=lambda level: level.value)
    wanted = y_scale.positions([level.value for level in ordered]) * (100 / SIZE)
    return ''.join(
        f'<span style="bottom:{bottom:.2f}%">{_escaped(level.label)} <b>{level.value:,g}</b></span>'
        for level, bottom in zip(ordered, _spread(wanted, 100 * _LABEL_REM / height))
    )


def _spread(wanted: Values, gap: float) -> List[float]:
    """Moves positions, in order, so that neighbours differ by `gap` or more.

    Positions that are too close share the room around their mean.
    """
    groups: List[List[float]] = []
    for position in wanted:
        groups.append([float(position)])
        while len(groups) > 1 and _first(groups[-1], gap) - _last(groups[-2], gap) < gap:
            group = groups.pop()
            groups[-1] += group
    return [_first(group, gap) + i * gap for group in groups for i in range(len(group))]


def _first(group: Sequence[float], gap: float) -> float:
    """Position of the lowest of a group of labels around the mean of their wanted positions."""
    return float(np.mean(group)) - gap * (len(group) - 1) / 2


def _last(group: Sequence[float], gap: float) -> float:
    return _first(group, gap) + gap * (len(group) - 1)


def _legend(chart: Chart) -> str:
    """Returns the names of lines; and of levels, shown where their labels have no room."""
    items = []
    if len(chart.lines) > 1 or chart.has_legend:
        items += [
            f'<button type="button" class="c{line.color % NUM_COLORS}" data-i="{i}" '
            f'aria-pressed="true">{_escaped(line.label)}</button>'
            for i, line in enumerate(chart.lines)
        ]
    items += [
        f'<span class="level-item"><svg viewBox="0 0 24 4"><path class="level" '
        f'stroke-dasharray="{_DASHES[i % len(_DASHES)]}" d="M0 2H24"/></svg>'
        f'{_escaped(level.label)} <b>{level.value:,g}</b></span>'
        for i, level in enumerate(chart.levels)
    ]
    return f'<div class="legend">{"".join(items)}</div>' if items else ''


def _caption(chart: Chart) -> str:
    tag = f' <code>{_escaped(chart.tag)}</code>' if chart.tag else ''
    note = f'<p>{_escaped(chart.note)}</p>' if chart.note else ''
    return f'<figcaption><b>{_escaped(chart.title)}</b>{tag}{note}</figcaption>'


def _description(chart: Chart) -> str:
    """Returns the text for readers that do not see the chart."""
    ends = [f'{line.label}: {line.y[-1]:.4g} at the end' for line in chart.lines if len(line.y)]
    return f'{chart.title}. {"; ".join(ends)}.' if ends else f'{chart.title}.'


def _data(
    chart: Chart, lines: Sequence[Line], marks: Sequence[Mark], x_scale: Scale, x_title: str
) -> str:
    """Returns the numbers for hovering."""
    content: Dict[str, Any] = {
        'x': [x_scale.low, x_scale.high],
        'unit': x_title.split()[0] if chart.unit == SECONDS else 'frames',
        'series': [
            {
                'label': line.label,
                'color': line.color % NUM_COLORS,
                'x': _numbers(line.x, _X_DIGITS),
                'y': _numbers(line.y),
                **(
                    {'low': _numbers(line.low), 'high': _numbers(line.high)}
                    if len(line.low)
                    else {}
                ),
            }
            for line in lines
        ],
        'marks': [{'label': mark.label, 'x': mark.x} for mark in marks],
    }
    text = json.dumps(content, separators=(',', ':')).replace('<', '\\u003c')
    return f'<script type="application/json">{text}</script>'


def _numbers(values: Values, digits: int = 5) -> List[Any]:
    """Returns rounded numbers; None where one is missing."""
    array = np.asarray(values, np.float64)
    return [float(f'{value:.{digits}g}') if np.isfinite(value) else None for value in array]


def _escaped(text: str) -> str:
    return html.escape(text)
