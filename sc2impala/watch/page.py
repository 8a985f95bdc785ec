"""The page: traces, the program that shows them and its style, in one text without links.

The program is plain JavaScript, in `assets`: one idea per file, joined in the order of SCRIPTS. It
lives in a shadow tree, so that the style of the page around it and its own do not mix.
"""

import html
import json
import os
from typing import Sequence

from sc2impala.watch import trace as trace_lib
from sc2impala.watch.trace import Trace

SCRIPTS = (
    'decode.js',
    'theme.js',
    'episode.js',
    'world.js',
    'overlay.js',
    'stage.js',
    'decision.js',
    'lanes.js',
    'clock.js',
    'layout.js',
    'main.js',
)
"""Files of the program; later ones use earlier ones."""

STYLE = 'watch.css'

_ASSETS = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'assets')

_DOCUMENT = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<link rel="icon" href="data:,">
<style>
:root {{ color-scheme: light dark; }}
body {{ margin: 0; background: #f6f7f9; }}
@media (prefers-color-scheme: dark) {{ body {{ background: #14171c; }} }}
</style>
</head>
<body>
{player}
</body>
</html>
"""

_PLAYER = """<div class="sc2impala-watch" {attributes}>
<noscript>This page needs JavaScript.</noscript>
<script type="application/json">{data}</script>
<template>{style}</template></div>
<script>{script}</script>"""


def embed(traces: Sequence[Trace], whole_page: bool = False) -> str:
    """Returns markup, program and data of a player, to be placed anywhere in the body of a page.

    Several players in one page do not affect each other.

    Args:
      traces: of one player, or of two on the same games, shown next to each other.
      whole_page: whether keys work without a click on the player.

    Raises:
      ValueError: if there are not one or two traces.
    """
    if len(traces) not in (1, 2):
        raise ValueError(f'traces has {len(traces)} traces, expected 1 or 2.')
    data = json.dumps([trace_lib.to_json(each) for each in traces], allow_nan=False)
    return _PLAYER.format(
        attributes='data-whole-page' if whole_page else '',
        # A name in the data must not end the element, or start a comment.
        data=data.replace('<', '\\u003c'),
        style=f'<style>{_read(STYLE)}</style>',
        script=_script(),
    )


def document(traces: Sequence[Trace]) -> str:
    """Returns a page of its own with the traces, a complete HTML file.

    Args:
      traces: see `embed`.

    Raises:
      ValueError: if there are not one or two traces.
    """
    names = ' and '.join(each.player.name for each in traces)
    player = embed(traces, whole_page=True)
    title = html.escape(f'{names} on {traces[0].world.map_name}')
    return _DOCUMENT.format(title=title, player=player)


def _script() -> str:
    """Returns the program as one function, which leaves no names behind."""
    parts = [f'// {name}\n{_read(name)}' for name in SCRIPTS]
    text = "(() => {\n'use strict';\n" + '\n'.join(parts) + '})();\n'
    return to_ascii(text)


def to_ascii(program: str) -> str:
    """Escapes characters in strings and comments, for pages of any encoding."""
    return ''.join(each if each.isascii() else f'\\u{ord(each):04x}' for each in program)


def _read(name: str) -> str:
    with open(os.path.join(_ASSETS, name), encoding='utf-8') as file:
        return file.read()
