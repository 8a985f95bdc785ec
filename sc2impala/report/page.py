"""The page: sections of all runs with style and script, in one file."""

import os
from typing import Callable, List, Sequence, Tuple

from sc2impala.report import run as run_lib
from sc2impala.report import text
from sc2impala.report.run import Run
from sc2impala.report.sections import (
    configuration,
    evaluations,
    files,
    history,
    learning,
    overview,
    returns,
    speed,
)

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:"
"""The page may load nothing."""


def to_html(runs: Sequence[Run], output: str, time: float, episodes: str = '') -> str:
    """Returns the page as ASCII text.

    Args:
      runs: at least one; several are drawn into the same curves and have a section each.
      output: path of the page, for its links.
      time: Unix time of the report.
      episodes: markup of a player of recorded episodes, placed below the curves.
    """
    body = _one(runs[0], output, episodes) if len(runs) == 1 else _several(runs, output, episodes)
    page = (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
        f'<title>{text.escaped(title(runs))}</title><style>{_file("page.css")}</style></head>'
        f'<body><main>{body}'
        f'<footer>Made by sc2impala.report at {text.moment(time)}.</footer></main>'
        f'<script>{_file("page.js")}</script></body></html>\n'
    )
    return page.encode('ascii', 'xmlcharrefreplace').decode()


def title(runs: Sequence[Run]) -> str:
    """Returns the title of the page."""
    maps = sorted({run.map_name for run in runs if run.map_name})
    if len(runs) == 1:
        return ': '.join([*maps, runs[0].label])
    return f'{len(runs)} runs' + (f' on {maps[0]}' if len(maps) == 1 else '')


def _by_map(runs: Sequence[Run], section: Callable[[Sequence[Run]], str]) -> str:
    """Returns a section of the runs; if one is on several maps, below the name of each map."""
    groups = run_lib.by_map(runs)
    if len(groups) == 1:
        return section(runs)
    parts = [f'<h3>{text.escaped(name)}</h3>{section(of_map)}' for name, of_map in groups.items()]
    return ''.join(parts)


def _evaluations(runs: Sequence[Run]) -> str:
    return evaluations.curves(runs) + _table_of_evaluations(runs)


def _table_of_evaluations(runs: Sequence[Run]) -> str:
    return evaluations.section(runs[0])


def _one(run: Run, output: str, episodes: str) -> str:
    parts = [
        ('Returns', 'returns', _by_map([run], returns.section)),
        ('Evaluations', 'evaluations', _by_map([run], _evaluations)),
        ('Episodes', 'episodes', episodes),
        *_details(run, output, '', True),
    ]
    head = (
        f'<header><h1>{text.escaped(run.map_name or run.label)}'
        f' <small>{text.escaped(run.label)}</small></h1>{overview.head(run)}</header>'
    )
    return head + _navigation(parts) + overview.tiles(run) + _sections(parts, 2)


def _several(runs: Sequence[Run], output: str, episodes: str) -> str:
    parts = [
        ('Returns', 'returns', _by_map(runs, returns.section)),
        ('Evaluations', 'evaluations', _by_map(runs, evaluations.curves)),
        ('Episodes', 'episodes', episodes),
        ('Speed', 'speed', speed.curves(runs)),
    ]
    head = f'<header><h1>{text.escaped(title(runs))}</h1></header>'
    links = parts + [(run.label, f'run{i}', 'run') for i, run in enumerate(runs)]
    details = ''.join(_run(i, run, output) for i, run in enumerate(runs))
    return head + _navigation(links) + overview.comparison(runs) + _sections(parts, 2) + details


def _run(index: int, run: Run, output: str) -> str:
    """Returns the section of one of several runs."""
    parts = [
        ('Evaluations', f'run{index}-evaluations', _by_map([run], _table_of_evaluations)),
        *_details(run, output, f'run{index}-', False),
    ]
    content = overview.head(run) + overview.tiles(run) + _sections(parts, 3)
    heading = f'<h2 class="key c{index}">{text.escaped(run.label)}</h2>'
    return f'<section class="run" id="run{index}">{heading}{content}</section>'


def _details(run: Run, output: str, prefix: str, alone: bool) -> List[Tuple[str, str, str]]:
    """Returns (title, anchor, content) of the sections about one run only."""
    return [
        ('Settings', f'{prefix}settings', configuration.section(run)),
        ('Command', f'{prefix}command', configuration.command(run)),
        ('Speed', f'{prefix}speed', speed.section(run, alone)),
        ('Learning', f'{prefix}learning', learning.section(run)),
        ('Launches and remarks', f'{prefix}launches', history.section(run)),
        ('Files', f'{prefix}files', files.section(run, output)),
    ]


def _navigation(parts: Sequence[Tuple[str, str, str]]) -> str:
    links = ''.join(
        f'<a href="#{anchor}">{text.escaped(name)}</a>'
        for name, anchor, content in parts
        if content
    )
    return f'<nav>{links}</nav>'


def _sections(parts: Sequence[Tuple[str, str, str]], level: int) -> str:
    return ''.join(text.section(name, anchor, content, level) for name, anchor, content in parts)


def _file(name: str) -> str:
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), name)
    with open(path, encoding='utf-8') as file:
        return file.read()
