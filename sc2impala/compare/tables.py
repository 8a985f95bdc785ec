"""Tables of a comparison in Markdown and LaTeX."""

from typing import List, Tuple

from sc2impala.compare.comparison import (
    Comparison,
    Estimate,
    aggregate_name,
    decimals_of,
    number_text,
)

_LATEX = {'\\': r'\textbackslash{}', '~': r'\textasciitilde{}', '^': r'\textasciicircum{}'}
_LATEX.update((character, '\\' + character) for character in '&%$#_{}')


def markdown(found: Comparison) -> str:
    """Formats a comparison as a table in Markdown."""
    header, rows = _cells(found)
    lines = [header, ['---'] + ['---:'] * (len(header) - 1), *rows]
    escaped = [[cell.replace('|', '\\|') for cell in line] for line in lines]
    return ''.join(f'| {" | ".join(line)} |\n' for line in escaped)


def latex(found: Comparison) -> str:
    r"""Formats a comparison as a `tabular` of LaTeX, which needs \usepackage{booktabs}."""
    header, rows = _cells(found)
    lines = [' & '.join(map(_escape, line)) + r' \\' for line in (header, *rows)]
    body = [lines[0], r'\midrule', *lines[1 : len(found.of_maps) + 1]]
    if lines[len(found.of_maps) + 1 :]:
        body += [r'\midrule', *lines[len(found.of_maps) + 1 :]]
    return '\n'.join(
        [
            f'% Brackets: {found.settings.confidence:.0%} bootstrap intervals.',
            rf'\begin{{tabular}}{{l{"r" * (len(header) - 1)}}}',
            r'\toprule',
            *body,
            r'\bottomrule',
            r'\end{tabular}',
            '',
        ]
    )


def _cells(found: Comparison) -> Tuple[List[str], List[List[str]]]:
    """Header and rows: the mean returns on each map, and the aggregate over all runs."""
    name_a, name_b = found.settings.names
    header = ['map', f'runs of {name_a}', f'runs of {name_b}', name_a, name_b]
    header.append(f'{name_a} - {name_b}')
    if found.improvement is not None:
        header.append(f'P({name_a} > {name_b})')
    rows = []
    for map_name, of_map in found.of_maps.items():
        row = [map_name, *map(str, of_map.counts)]
        row += _estimates([*of_map.means, of_map.difference])
        if found.improvement is not None:
            assert of_map.improvement is not None
            row.append(number_text(of_map.improvement, 2))
        rows.append(row)
    counts = [str(sum(of.counts[i] for of in found.of_maps.values())) for i in range(2)]
    row = [aggregate_name(found), *counts]
    row += _estimates([*found.means, found.difference])
    if found.improvement is None:
        return header, rows + ([row] if len(rows) > 1 else [])
    return header, [*rows, [*row, number_text(found.improvement, 2)]]


def _estimates(estimates: List[Estimate]) -> List[str]:
    decimals = decimals_of(estimates)
    return [number_text(each, decimals) for each in estimates]


def _escape(text: str) -> str:
    return ''.join(_LATEX.get(character, character) for character in text).replace('>', '$>$')
