"""Small runs in separate processes, and the contents of their folders."""

import csv
import os
import re
import subprocess
import sys
from typing import Any, Dict, List, Sequence

import numpy as np
import tensorflow.compat.v1 as tf

from sc2impala.checkpoints import directory

SMALL = (
    '--from_scratch',
    '--screen_size=8',
    '--minimap_size=8',
    '--agent=fully_conv',
    '--num_actors=1',
    '--num_envs=4',
    '--unroll_length=5',
    '--batch_size=4',
    '--progress_secs=0',
    '--save_summaries_secs=1',
)
"""Flags of a run on MoveToBeacon whose first update takes seconds."""

OWNED = re.compile(
    r'manifest(\.copy)?\.json|episodes\.csv|train\.log|\.lock|\.frames|events\.out\.tfevents\..*'
    r'|checkpoints(/\d+(/(checkpoint\.json|variables\.(index|data-\d+-of-\d+)|(replay|state)\.npz))?)?'
    r'|demonstrations.*'
)
"""Paths of the files and folders of a run."""


def command(logdir: str, flags: Sequence[str]) -> List[str]:
    """Returns the command line of a run."""
    module = [sys.executable, '-m', 'sc2impala.experiment']
    return [*module, *SMALL, f'--logdir={logdir}', *flags]


def record(folder: str, num_episodes: int) -> str:
    """Records episodes of the script; returns the folder of the recording."""
    flags = ['--mode=record', '--policy=scripted', f'--num_episodes={num_episodes}']
    subprocess.run(command(folder, flags), check=True, stdout=subprocess.DEVNULL)
    (name,) = (n for n in os.listdir(folder) if os.path.isdir(os.path.join(folder, n)))
    return os.path.join(folder, name)


def printed_frames(text: str) -> int:
    """The frames in the last whole line of progress; 0 if there is none."""
    lines = re.findall(r'^[\w ]+: ([\d,]+) of [\d,]+ frames.*\n', text, re.MULTILINE)
    return int(lines[-1].replace(',', '')) if lines else 0


def saved_frames(logdir: str) -> int:
    """The frames of the newest checkpoint; -1 if there is none."""
    return max(directory.saved(logdir), default=-1)


def counters(logdir: str) -> Dict[str, int]:
    """The counters of frames in the newest checkpoint, {name: frames}."""
    newest = directory.path(logdir, saved_frames(logdir))
    reader = tf.train.load_checkpoint(os.path.join(newest, directory.VARIABLES))
    names = [
        n for n in reader.get_variable_to_shape_map() if n.endswith(('_frames', 'global_step'))
    ]
    return {name: int(reader.get_tensor(name)) for name in names}


def account(logdir: str) -> Dict[str, int]:
    """The account in the newest checkpoint."""
    path = os.path.join(directory.path(logdir, saved_frames(logdir)), 'state.npz')
    with np.load(path) as content:
        names = [name for name in content.files if name.startswith('account/')]
        return {name[len('account/') :]: int(content[name]) for name in names}


def last_event(logdir: str, prefix: str) -> Dict[str, float]:
    """The last values of the tags with a prefix, without it."""
    found: Dict[str, Any] = {}
    for name in sorted(os.listdir(logdir)):
        if 'tfevents' not in name:
            continue
        try:
            for event in tf.train.summary_iterator(os.path.join(logdir, name)):
                for value in event.summary.value:
                    if value.tag.startswith(prefix):
                        found[value.tag[len(prefix) :]] = value.simple_value
        except tf.errors.DataLossError:
            continue  # Of a process that was killed.
    return found


def episodes(logdir: str) -> List[Dict[str, float]]:
    """The rows of the list of episodes."""
    with open(os.path.join(logdir, 'episodes.csv'), newline='') as file:
        return [{k: float(v) for k, v in row.items()} for row in csv.DictReader(file)]


def read(path: str) -> str:
    """The content of a text file, empty if there is none."""
    if not os.path.exists(path):
        return ''
    with open(path, errors='replace') as file:
        return file.read()
