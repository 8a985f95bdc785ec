"""Measures whether critic pre-training helps an imitated policy; see docs/notebook.md.

For each map and network an agent imitates the demonstrator of the map. From this agent runs learn
from rewards in three ways:

    new           with its policy alone: the critic learns from scratch
    pre-trained   the same, after critic pre-training
    cloned        with the critic that the imitation has trained along with the policy

Networks are `one`, which policy and critic share, and `two`, with --separate_critic. A share of
each batch is replayed. The mean return is that of the episodes that end within the first frames of
learning from rewards. Costs are those of Scheller et al. 2020 (arXiv 2003.06066), without a
teacher. Other arguments are flags of all runs:

    python -m benchmarks.learning.critic_pretraining --map_names DefeatRoaches --seeds 0 1 2 3 4

A run that has finished is not repeated. The last line of the output is JSON.
"""

import argparse
import csv
import itertools
import json
import os
import shutil
import subprocess
import sys
from typing import Any, Dict, List, Optional, Sequence

import numpy as np

from sc2impala import tf_setup
from sc2impala.checkpoints import directory
from sc2impala.compare import statistics

_OF_CRITIC = ('critic/', 'heads/baseline/', 'value_statistics/', 'teacher/', 'teacher_')
WAYS = ('new', 'pre-trained', 'cloned')
NETWORKS = {'one': '--separate_critic=false', 'two': '--separate_critic=true'}
"""Flag by name."""

_RECIPE = (
    '--algorithm=impala',
    '--learning_rate=1e-4',
    '--final_learning_rate=1e-4',
    '--entropy_cost=2e-5',
    '--policy_cloning_cost=0.01',
    '--value_cloning_cost=0.005',
    '--teacher_cost=0',
    '--replay_buffer_size=6000',
)
_CONFIDENCE, _REPETITIONS = 0.95, 10000


def main(argv: Optional[Sequence[str]] = None) -> None:
    """Runs what is missing, and prints a table and the JSON.

    Args:
      argv: command-line arguments; None for those of the process.

    Raises:
      subprocess.CalledProcessError: if a training fails.
    """
    parser = _parser()
    options, flags = parser.parse_known_args(argv)
    print('| map | network | replay | critic | mean return | first to last quarter |')
    print('| --- | --- | --- | --- | ---: | ---: |')
    results: Dict[str, List[List[float]]] = {}
    for map_name, network in itertools.product(options.map_names, options.networks):
        of_all = [f'--map_name={map_name}', NETWORKS[network], *_RECIPE, *flags]
        imitated = os.path.join(options.folder, f'{map_name}-{network}')
        _train(
            imitated,
            *of_all,
            *([f'--num_cloning_frames={options.cloning_frames}'] * bool(options.cloning_frames)),
            '--num_critic_pretrain_frames=0',
            '--total_environment_frames=1000',
        )
        policy = f'{imitated}-policy'
        save_policy(imitated, policy)
        for replay, way in itertools.product(options.replay, options.ways):
            name = f'{map_name}-{network}-{replay:g}-{way}'
            frames = options.pretrain_frames if way == 'pre-trained' else 0
            quarters = []
            for seed in options.seeds:
                logdir = os.path.join(options.folder, f'{name}-{seed}')
                _train(
                    logdir,
                    *of_all,
                    f'--seed={seed}',
                    f'--replay_proportion={replay:g}',
                    f'--init_checkpoint={imitated if way == "cloned" else policy}',
                    f'--num_critic_pretrain_frames={frames}',
                    f'--total_environment_frames={options.frames}',
                )
                quarters.append(returns_by_quarter(logdir, frames, options.frames))
                if np.isnan(quarters[-1]).all():
                    parser.error(
                        f'no episode of {map_name} ended within --frames={options.frames}, '
                        'expected more of them, or fewer games: --num_envs=8'
                    )
            results[name] = quarters
            print(f'| {map_name} | {network} | {replay:g} | {way} | {row(quarters)} |', flush=True)
    print(json.dumps({'flags': flags, 'returns_by_quarter': results}))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog='python -m benchmarks.learning.critic_pretraining',
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    maps = ['DefeatRoaches', 'CollectMineralsAndGas']
    parser.add_argument('--map_names', nargs='+', default=maps, metavar='MAP')
    parser.add_argument('--networks', nargs='+', default=list(NETWORKS), choices=list(NETWORKS))
    parser.add_argument(
        '--replay', type=float, nargs='+', default=[0.0, 0.9375], help='replayed shares of a batch'
    )
    parser.add_argument('--ways', nargs='+', default=list(WAYS), choices=list(WAYS))
    parser.add_argument('--seeds', type=int, nargs='+', default=[0, 1, 2, 3, 4])
    parser.add_argument(
        '--folder', type=os.path.expanduser, default='runs/critic', help='of the runs'
    )
    parser.add_argument(
        '--cloning_frames', type=int, default=0, help='of imitation; 0 for the default of the map'
    )
    parser.add_argument('--pretrain_frames', type=int, default=500000)
    parser.add_argument('--frames', type=int, default=500000, help='of learning from rewards')
    return parser


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


def row(quarters: Sequence[Sequence[float]]) -> str:
    """The interquartile mean over runs with a bootstrap interval, each run, and the quarters."""
    runs = np.nanmean(quarters, axis=1)
    samples = statistics.resample([runs], _REPETITIONS, np.random.default_rng(0))
    low, high = statistics.interval(statistics.interquartile_mean(samples), _CONFIDENCE)
    mean = statistics.interquartile_mean([runs])
    each = ', '.join(f'{mean:.1f}' for mean in runs)
    columns = np.transpose(quarters)
    by_quarter = ', '.join(
        'none' if np.isnan(column).all() else f'{np.nanmean(column):.1f}' for column in columns
    )
    return f'{mean:.1f} ({low:.1f} to {high:.1f}; {each}) | {by_quarter}'


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
