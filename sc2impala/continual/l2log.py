"""Log files of l2logger, which l2metrics reads.

    LOGS/<run>/logger_info.json, scenario_info.json
    LOGS/<run>/worker-default/<number>-test/data-log.tsv, <number>-train/data-log.tsv

Evaluation blocks have one row per map, the mean return of its episodes. Learning blocks have one
row per finished episode. Evaluations within a learning block are left out.
"""

import csv
import datetime
import io
import json
import os
import re
from typing import List, Sequence

import numpy as np

from sc2impala.continual.runs import Episodes, Run
from sc2impala.errors import UserError
from sc2impala.runtime import logdir

VERSION = '1.1'
"""Version of the format, of l2logger 1.8."""

COLUMNS = (
    'block_num',
    'exp_num',
    'worker_id',
    'block_type',
    'block_subtype',
    'task_name',
    'task_params',
    'exp_status',
    'timestamp',
    'reward',
)

_WORKER = 'worker-default'


def write(run: Run, episodes: Episodes, folder: str) -> None:
    """Writes the logs of a run.

    Args:
      run: a run with blocks, or the run of a single-task expert: one learning block.
      episodes: its training episodes.
      folder: new or existing folder of the logs; its files are overwritten.

    Raises:
      UserError: if they cannot be written, or a block has no episode, which l2metrics requires.
    """
    for block in range(max(1, len(run.blocks))):
        if not len(episodes.of_block(block)):
            raise UserError(
                f'--l2logs: {run.folder} has no finished episode of block {block}, expected at '
                'least one per block.'
            )
    log = _Log(run, folder)
    try:
        os.makedirs(folder, exist_ok=True)
        _write_json(folder, 'logger_info', {'metrics_columns': ['reward'], **_version()})
        _write_json(folder, 'scenario_info', {'scenario_type': _scenario(run), **_version()})
        if not len(run.blocks):
            log.add('train', [run.maps[0]] * len(episodes.returns), episodes.returns)
            return
        log.add('test', run.maps, run.returns[run.before[0]])
        for block, index in enumerate(run.blocks):
            returns = episodes.of_block(block)
            log.add('train', [run.maps[index]] * len(returns), returns)
            log.add('test', run.maps, run.returns[run.after[block]])
    except OSError as error:
        raise UserError(
            f'--l2logs: {folder} cannot be written to ({error.strerror}), expected a folder that '
            'this user may create files in.'
        ) from error


def task_name(map_name: str) -> str:
    """Returns the name of a map in the form <task>_<variant> that l2logger expects."""
    return re.sub('[^0-9a-zA-Z]', '', map_name) + '_default'


class _Log:
    """Numbers the blocks and experiences of a run, and writes a file per block."""

    def __init__(self, run: Run, folder: str):
        self._folder = folder
        self._block = self._experience = 0
        # The run does not record the time of an episode; the metrics do not depend on it.
        path = os.path.join(run.folder, logdir.EPISODES_CSV)
        written = datetime.datetime.fromtimestamp(int(os.path.getmtime(path)))
        self._time = written.strftime('%Y%m%dT%H%M%S.%f')

    def add(self, kind: str, maps: Sequence[str], returns: np.ndarray) -> None:
        """Writes a block: 'train' or 'test', and the map and return of each experience."""
        rows: List[Sequence[object]] = [COLUMNS]
        for map_name, value in zip(maps, returns):
            name = task_name(map_name)
            row = (self._block, self._experience, _WORKER, kind, 'wake', name, '{}', 'complete')
            rows.append((*row, self._time, float(value)))
            self._experience += 1
        text = io.StringIO()
        csv.writer(text, delimiter='\t', lineterminator='\n').writerows(rows)
        folder = os.path.join(self._folder, _WORKER, f'{self._block}-{kind}')
        os.makedirs(folder, exist_ok=True)
        logdir.replace_text(os.path.join(folder, 'data-log.tsv'), text.getvalue())
        self._block += 1


def _version() -> dict:
    return {'log_format_version': VERSION}


def _scenario(run: Run) -> str:
    """The type of the scenario: 'condensed' learns each map once, 'dispersed' several times."""
    return {0: 'ste', 1: 'condensed'}.get(run.num_cycles, 'dispersed')


def _write_json(folder: str, name: str, content: dict) -> None:
    logdir.replace_text(os.path.join(folder, f'{name}.json'), json.dumps(content, indent=2) + '\n')
