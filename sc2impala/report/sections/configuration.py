"""The settings of a run that differ from defaults, and the command that reproduces it."""

from typing import List, Sequence

from sc2impala.report import differences, text
from sc2impala.report.differences import ALGORITHM, GIVEN, MAP, Difference
from sc2impala.report.run import Run


def section(run: Run) -> str:
    """Returns the tables of settings and the command."""
    if not run.config:
        fault = run.manifest_fault or 'The settings of the run are unknown.'
        return text.missing(fault) + _recorded(run)
    found = differences.find(run.config)
    given = [each for each in found if each.source == GIVEN]
    parts = []
    if given:
        parts.append(_table(given, 'default'))
    else:
        parts.append(text.paragraph('All settings have the defaults of the map.'))
    for source, title in ((MAP, 'defaults of the map'), (ALGORITHM, 'defaults of the algorithm')):
        of_source = [each for each in found if each.source == source]
        if of_source:
            parts.append(
                f'<details><summary>{len(of_source)} {title} that differ from the general '
                f'defaults</summary>{_table(of_source, "general default")}</details>'
            )
    return ''.join(parts) + text.missing(run.manifest_fault)


def command(run: Run) -> str:
    """Returns the command that starts the same run in another folder."""
    if not run.config:
        return _recorded(run) or text.missing('The command of the run is unknown.')
    arguments = differences.command(run.config, f'runs/{run.label.replace("/", "-")}-again')
    parts = [_code(arguments)]
    if run.launches and run.launches[-1].revision:
        revision = run.launches[-1].revision
        modified = ' with uncommitted changes' if revision.endswith('+') else ''
        parts.append(text.paragraph(f'Git revision {revision.rstrip("+")}{modified}.'))
    if not run.config.get('deterministic'):
        parts.append(
            text.paragraph(
                'Another run differs by chance: only runs with --deterministic are repeated bit '
                'for bit.'
            )
        )
    return ''.join(parts)


def _recorded(run: Run) -> str:
    """Returns the command line of the first launch, if the manifest has it."""
    first = run.launches[0].command if run.launches else []
    return _code(['python -m sc2impala.experiment', *first[1:]]) if first else ''


def _code(arguments: Sequence[str]) -> str:
    lines: List[str] = []
    for argument in arguments:
        if lines and len(lines[-1]) + len(argument) < 88:
            lines[-1] += f' {argument}'
        else:
            lines.append(argument if not lines else f'    {argument}')
    text_of_all = ' \\\n'.join(lines)
    return f'<pre class="command"><code>{text.escaped(text_of_all)}</code></pre>'


def _table(found: Sequence[Difference], title: str) -> str:
    rows = [
        [
            f'<code title="{text.escaped(each.help)}">{each.name}</code>',
            _value(each.value),
            _value(each.default) or text.UNKNOWN,
        ]
        for each in found
    ]
    return text.table(['setting', 'value', title], rows, num_text=3)


def _value(value: str) -> str:
    # Long lists may break after commas.
    return text.escaped(value).replace(',', ',<wbr>')
