"""Pieces of HTML: tables, sentences about missing data, numbers and times."""

import datetime
import html
from typing import Optional, Sequence, Tuple

from sc2impala.runtime.console import duration_text

UNKNOWN = '\u2013'
"""In place of an unknown number."""


def escaped(text: object) -> str:
    """Escapes a text for HTML."""
    return html.escape(str(text))


def missing(sentences: str) -> str:
    """Returns a paragraph about missing data; empty without a sentence."""
    return f'<p class="missing">{escaped(sentences)}</p>' if sentences else ''


def paragraph(sentences: str) -> str:
    """Returns a paragraph; empty without a sentence."""
    return f'<p>{escaped(sentences)}</p>' if sentences else ''


def table(
    columns: Sequence[str],
    rows: Sequence[Sequence[str]],
    num_text: int = 1,
    num_numbers: Optional[int] = None,
) -> str:
    """Returns a table.

    Args:
      columns: its titles, text.
      rows: its cells, HTML.
      num_text: number of columns of text at the left.
      num_numbers: number of columns of numbers that follow, before more text; None for the rest.
    """
    end = len(columns) if num_numbers is None else num_text + num_numbers
    kinds = [' class="number"' if num_text <= i < end else '' for i in range(len(columns))]
    head = ''.join(f'<th{kind}>{escaped(name)}</th>' for kind, name in zip(kinds, columns))
    body = ''.join(
        '<tr>{}</tr>'.format(''.join(f'<td{kind}>{cell}</td>' for kind, cell in zip(kinds, row)))
        for row in rows
    )
    return (
        f'<div class="scroll"><table><thead><tr>{head}</tr></thead>'
        f'<tbody>{body}</tbody></table></div>'
    )


def section(title: str, anchor: str, content: str, level: int = 2) -> str:
    """Returns a section with a heading; empty without content."""
    if not content:
        return ''
    heading = f'<h{level}>{escaped(title)}</h{level}>'
    return f'<section id="{escaped(anchor)}">{heading}{content}</section>'


def count(number: Optional[float]) -> str:
    """1200000 -> '1,200,000'."""
    return UNKNOWN if number is None else f'{number:,.0f}'


def value(number: Optional[float]) -> str:
    """0.01234 -> '0.0123', 25.93 -> '25.9', 6716.2 -> '6,716'."""
    if number is None or number != number:
        return UNKNOWN
    if abs(number) >= 1000:
        return f'{number:,.0f}'
    return f'{number:.3g}' if abs(number) < 100 else f'{number:.1f}'


def duration(seconds: Optional[float]) -> str:
    """8130 -> '2h 15m'."""
    return UNKNOWN if seconds is None else duration_text(seconds)


def moment(time: Optional[float]) -> str:
    """Returns a Unix time as date and time of this machine's zone."""
    if time is None:
        return UNKNOWN
    return datetime.datetime.fromtimestamp(time).strftime('%Y-%m-%d %H:%M:%S')


def variants(charts: Sequence[Tuple[str, str]]) -> str:
    """Returns charts of which one is shown at a time, chosen by buttons.

    Args:
      charts: (name, HTML); the first is shown at the beginning.
    """
    if len(charts) == 1:
        return charts[0][1]
    buttons = ''.join(
        f'<button type="button" aria-pressed="{"false" if i else "true"}">{escaped(name)}</button>'
        for i, (name, _) in enumerate(charts)
    )
    contents = ''.join(
        f'<div class="variant"{" hidden" if i else ""}>{content}</div>'
        for i, (_, content) in enumerate(charts)
    )
    return f'<div class="variants"><div class="choice">{buttons}</div>{contents}</div>'
