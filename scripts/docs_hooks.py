"""Pages of the site that are made when it is built: the overview and the reference of flags.

The overview is the README of the repository. The flags are those that the settings declare.
"""

import os
import re
import sys
from typing import Iterator, Mapping

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

_ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, _ROOT)

from sc2impala import learner  # noqa: E402
from sc2impala.population import settings as population_settings  # noqa: E402
from sc2impala.settings import resolve  # noqa: E402
from sc2impala.settings import settings as settings_lib  # noqa: E402
from sc2impala.settings.fields import Setting  # noqa: E402


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Adds the generated pages."""
    files.append(File.generated(config, 'index.md', content=overview()))
    files.append(File.generated(config, 'reference/flags.md', content=flags_page()))
    return files


def overview() -> str:
    """Returns the README with links that are relative to the folder `docs`."""
    with open(os.path.join(_ROOT, 'README.md'), encoding='utf-8') as file:
        return re.sub(r'\]\(docs/', '](', file.read())


def flags_page() -> str:
    """Returns the reference of flags: a table for each group, of runs and of populations."""
    lines = [
        '# Flags',
        '',
        'Of `python -m sc2impala.experiment`. A switch is given as `--name` or `--noname`.',
        *_tables(settings_lib.all_settings(), 2),
        '',
        '## Populations',
        '',
        'Of `python -m sc2impala.population`; all other flags go to its members.',
        *_tables(population_settings.all_settings(), 3),
    ]
    return '\n'.join(lines) + '\n'


def _tables(settings: Mapping[str, Setting], level: int) -> Iterator[str]:
    title = ''
    for setting in settings.values():
        if setting.title != title:
            title = setting.title
            yield from ['', '#' * level + ' ' + title[0].upper() + title[1:], '']
            yield from ['| flag | default | meaning |', '| --- | --- | --- |']
        name = f'`--{setting.name}={setting.type.metavar}`'
        yield f'| {name} | {_default(setting)} | {_cell(setting.help)} |'


def _default(setting: Setting) -> str:
    if setting.default is None:
        return "the map's"
    found = [f'`{setting.type.to_text(setting.default) or "empty"}`']
    for algorithm in learner.ALGORITHMS:
        values = resolve.of_algorithm(algorithm)
        if setting.name in values:
            found.append(f'`{setting.type.to_text(values[setting.name])}` with {algorithm}')
    if setting.name in resolve.set_by_some_map():
        found.append('some maps have their own')
    return _cell('; '.join(found))


def _cell(text: str) -> str:
    return text.replace('|', '\\|').replace('<', '&lt;')
