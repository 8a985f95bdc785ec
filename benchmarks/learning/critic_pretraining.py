"""Measures whether critic pre-training helps an imitated policy; see docs/notebook.md.

Starts from imitated agents, each given as MAP=FOLDER of a run, in three ways:

    untrained     with the policy alone: the layers of the baseline start anew
    pre-trained   the same, after critic pre-training
    cloned        with the baseline that imitation has trained along with the policy

and measures the mean return of the episodes that end within the first frames of learning from
rewards. Games, agent and training are those of the run that they start from; other arguments are
flags of the training:

    python -m benchmarks.learning.critic_pretraining --start CollectMineralShards=runs/shards

The last line of the output is JSON.
"""

import argparse
import csv
import json
import os
import shutil
import subprocess
import sys
from typing import Any, Dict, List, Optional, Sequence

import numpy as np

from sc2impala import tf_setup
from sc2impala.checkpoints import directory

_OF_CRITIC = ('heads/baseline/', 'value_statistics/', 'teacher/', 'teacher_')
WAYS = ('untrained', 'pre-trained', 'cloned')


def main(argv: Optional[Sequence[str]] = None) -> None:
    """Runs what is missing, and prints a table and the JSON.

    Args:
      argv: command-line arguments; None for those of the process.

    Raises:
      subprocess.CalledProcessError: if a training fails.
    """
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--start', nargs='+', required=True, metavar='MAP=FOLDER')
    parser.add_argument('--seeds', type=int, nargs='+', default=[0, 1, 2])
    parser.add_argument('--ways', nargs='+', default=list(WAYS), choices=list(WAYS))
    parser.add_argument(
        '--folder', type=os.path.expanduser, default='runs/critic', help='of the runs'
    )
    parser.add_argument('--frames', type=int, default=500000, help='of learning from rewards')
    parser.add_argument('--pretrain_frames', type=int, default=100000)
    arguments, flags = parser.parse_known_args(argv)
    print('| map | critic | mean return, by run | first, second, third, last quarter |')
    print('| --- | --- | ---: | ---: |')
    results: Dict[str, Dict[str, List[List[float]]]] = {}
    for map_name, _, source in (start.partition('=') for start in arguments.start):
        start = os.path.join(arguments.folder, f'{map_name}-policy')
        save_policy(source, start)
        for way in arguments.ways:
            frames = arguments.pretrain_frames if way == 'pre-trained' else 0
            quarters = []
            for seed in arguments.seeds:
                logdir = os.path.join(arguments.folder, f'{map_name}-{way}-{seed}')
                _train(
                    logdir,
                    f'--map_name={map_name}',
                    f'--seed={seed}',
                    f'--init_checkpoint={source if way == "cloned" else start}',
                    f'--num_critic_pretrain_frames={frames}',
                    f'--total_environment_frames={arguments.frames}',
                    *flags,
                )
                quarters.append(returns_by_quarter(logdir, frames, arguments.frames))
                if np.isnan(quarters[-1]).all():
                    parser.error(
                        f'no episode of {map_name} ended within --frames={arguments.frames}, '
                        'expected more of them, or fewer games: --num_envs=8'
                    )
            results.setdefault(map_name, {})[way] = quarters
            print(row(map_name, way, quarters), flush=True)
    print(json.dumps({'flags': flags, 'returns_by_quarter': results}))


def save_policy(source: str, folder: str) -> None:
    """Writes a checkpoint of a run without its critic, and its manifest, unless the folder has one.

    Args:
      source: folder of a run.
      folder: new one.
    """
    if directory.saved(folder):
        return
    tf_setup.enable()
    import tensorflow.compat.v1 as tf

    from sc2impala.checkpoints import choice, variables
    from sc2impala.checkpoints.writer import CheckpointWriter

    os.makedirs(folder, exist_ok=True)
    shutil.copy(os.path.join(source, 'manifest.json'), folder)
    values = variables.read(choice.find(source))
    with tf.Graph().as_default(), tf.Session() as session:
        for name in sorted(values):
            if not name.startswith(_OF_CRITIC):
                value = values[name]
                variable = tf.Variable(tf.zeros(value.shape, value.dtype), name=name)
                variable.load(value, session)
        CheckpointWriter(folder, 0, 1).save(session, 0)


def returns_by_quarter(logdir: str, first_frame: int, num_frames: int) -> List[float]:
    """Mean return of the episodes that end within each quarter of some frames; NaN without any.

    Args:
      logdir: of a run.
      first_frame: frames of the phases before.
      num_frames: of learning from rewards.
    """
    with open(os.path.join(logdir, 'episodes.csv'), encoding='utf-8') as file:
        rows = list(csv.DictReader(file))
    steps = np.array([int(row['global_step']) for row in rows])
    returns = np.array([float(row['episode_return']) for row in rows])
    quarter = (steps - first_frame) * 4 // num_frames
    quarter = np.where(steps - first_frame == num_frames, 3, quarter)
    return [
        float(returns[quarter == index].mean()) if (quarter == index).any() else float('nan')
        for index in range(4)
    ]


def row(map_name: str, way: str, quarters: Sequence[Sequence[float]]) -> str:
    """The row of a way: the mean of its runs with their standard error, each run, the quarters."""
    runs = np.nanmean(quarters, axis=1)
    error = runs.std(ddof=1) / np.sqrt(len(runs)) if len(runs) > 1 else float('nan')
    each = ', '.join(f'{mean:.1f}' for mean in runs)
    columns = np.transpose(quarters)
    by_quarter = ', '.join(
        'none' if np.isnan(column).all() else f'{np.nanmean(column):.1f}' for column in columns
    )
    return f'| {map_name} | {way} | {runs.mean():.1f} ± {error:.1f} ({each}) | {by_quarter} |'


def _train(logdir: str, *flags: Any) -> None:
    """Trains, unless it has been done; the output is appended to `output.txt` in the folder."""
    finished = os.path.join(logdir, 'finished')
    if os.path.exists(finished):
        return
    os.makedirs(logdir, exist_ok=True)
    command = [sys.executable, '-m', 'sc2impala.experiment', f'--logdir={logdir}', *flags]
    with open(os.path.join(logdir, 'output.txt'), 'a', encoding='utf-8') as output:
        subprocess.run(command, stdout=output, stderr=subprocess.STDOUT, check=True)
    with open(finished, 'w', encoding='utf-8'):
        pass


if __name__ == '__main__':
    main()
