"""Writes a report of runs: one HTML file that needs no network.

    python -m sc2impala.report runs/beacon
    python -m sc2impala.report runs/beacon-* --output=beacon.html --open

The report of one run is report.html in its folder; several runs are drawn into the same curves,
in report.html of the folder that contains them all. Runs that are training can be reported, too.
Nothing else in their folders is changed. Three episodes of the newest checkpoint can be watched in
the report of one or two runs; --episodes=0 is faster.
"""

import argparse
import os
import pathlib
import sys
import time
import webbrowser
from typing import List, Optional, Sequence

from sc2impala.errors import FAILED, FINISHED, UserError
from sc2impala.report import episodes, page
from sc2impala.report import run as run_lib
from sc2impala.runtime import console, logdir

NAME = 'report.html'

MAX_EPISODES = 20


def main(argv: Optional[Sequence[str]] = None) -> int:
    """Runs the command; returns the exit status."""
    parser = argparse.ArgumentParser(
        prog='python -m sc2impala.report',
        description='Writes a report of runs: one HTML file that needs no network.',
    )
    parser.add_argument('runs', metavar='RUN', nargs='+', help='--logdir of a run')
    parser.add_argument(
        '--output',
        default='',
        metavar='FILE.html',
        help=f'the file (default: {NAME} in the folder of the run, or the one that contains all)',
    )
    parser.add_argument(
        '--episodes',
        type=int,
        default=3,
        help='episodes to watch, run with the newest checkpoint of one or two runs (default: 3)',
    )
    parser.add_argument('--open', action='store_true', help='open the report in a browser')
    arguments = parser.parse_args(argv)
    try:
        if not 0 <= arguments.episodes <= MAX_EPISODES:
            raise UserError(
                f'--episodes={arguments.episodes} is out of range, expected 0..{MAX_EPISODES}.'
            )
        path = write(arguments.runs, arguments.output, arguments.episodes)
    except UserError as error:
        console.write(sys.stderr, f'error: {error}\n')
        return FAILED
    console.say(f'report: {path}')
    if arguments.open and not webbrowser.open(pathlib.Path(os.path.abspath(path)).as_uri()):
        console.say('no browser was found: open the file in one')
    return FINISHED


def write(folders: Sequence[str], output: str = '', num_episodes: int = 0) -> str:
    """Writes the report of some runs.

    Args:
      folders: folders of the runs; repeated ones count once.
      output: the file; empty for the default.
      num_episodes: number of episodes to watch, see `episodes.section`.

    Returns:
      The path of the file.

    Raises:
      UserError: if a folder is not one of a run, or the file cannot be written.
    """
    unique = list({os.path.abspath(folder): folder for folder in folders}.values())
    path = output or os.path.join(_common_folder(unique), NAME)
    if os.path.isdir(path):
        raise UserError(f'--output={path} is a folder, expected the name of a file.')
    runs = [run_lib.read(folder, label) for folder, label in zip(unique, run_lib.labels(unique))]
    content = page.to_html(runs, path, time.time(), episodes.section(unique, num_episodes))
    try:
        logdir.replace_text(path, content)
    except OSError as error:
        raise UserError(
            f'--output={path} cannot be written ({error.strerror}), expected a file in a folder '
            'that this user may write to.'
        ) from error
    return path


def _common_folder(folders: List[str]) -> str:
    """Returns the folder itself, or the one that contains several."""
    if len(folders) == 1:
        return folders[0]
    try:
        return os.path.relpath(os.path.commonpath([os.path.abspath(each) for each in folders]))
    except ValueError:  # On different drives of Windows.
        return os.curdir


if __name__ == '__main__':
    sys.exit(main())
