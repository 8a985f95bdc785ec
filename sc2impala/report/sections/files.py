"""Links to the files of a run."""

import glob
import os
import urllib.parse
from typing import List

from sc2impala.checkpoints import directory
from sc2impala.evaluation.log import EVALUATIONS_CSV
from sc2impala.report import text
from sc2impala.report.run import Run
from sc2impala.runtime import console, logdir, manifest

_FILES = (
    (manifest.MANIFEST, 'settings, versions and launches'),
    (console.NAME, 'output of all launches'),
    (logdir.EPISODES_CSV, 'every finished episode'),
    (EVALUATIONS_CSV, 'every evaluation during training'),
    ('evaluation*.json', 'evaluations with their episodes'),
    ('episode*.gif', 'animated episode'),
    ('curve.png', 'learning curve'),
    ('events.out.tfevents.*', 'summaries for TensorBoard'),
    (directory.FOLDER, 'checkpoints'),
    ('best*', 'the best model of an evaluated policy'),
    ('export', 'SavedModel'),
)


def section(run: Run, output: str) -> str:
    """Returns links from the report to the files of a run.

    Args:
      run: the run.
      output: path of the report.
    """
    here = os.path.dirname(os.path.abspath(output))
    rows = []
    for pattern, content in _FILES:
        for path in _found(run.folder, pattern):
            size = f'{os.path.getsize(path):,}' if os.path.isfile(path) else ''
            name, link = os.path.relpath(path, run.folder), _link(path, here)
            rows.append([f'<a href="{link}">{text.escaped(name)}</a>', content, size])
    saved = directory.saved(run.folder)
    found = f'{len(saved)} checkpoints, the last after {saved[-1]:,} frames.' if saved else ''
    folder = f'<p>Folder: <code>{text.escaped(os.path.abspath(run.folder))}</code></p>'
    return (
        folder
        + (text.table(['file', 'content', 'bytes'], rows, num_text=2) if rows else '')
        + (text.paragraph(found) or text.missing('There is no checkpoint.'))
    )


def _found(folder: str, pattern: str) -> List[str]:
    return sorted(glob.glob(os.path.join(glob.escape(folder), pattern)))


def _link(path: str, here: str) -> str:
    """Returns the address of a file relative to a folder."""
    absolute = os.path.abspath(path)
    try:
        relative = os.path.relpath(absolute, here)
    except ValueError:  # On another drive of Windows.
        return text.escaped('file:///' + urllib.parse.quote(absolute.replace(os.sep, '/')))
    return text.escaped(urllib.parse.quote(relative.replace(os.sep, '/')))
