"""Trains and evaluates agents on the mini-games: the table of docs/results.md, or one row of it.

Each run is the command that a user would give, with the defaults of the map, followed by an
evaluation of 100 episodes with sampled actions and seeds of their own:

    python -m benchmarks.learning.mini_games --map_name DefeatRoaches           # one row
    python -m benchmarks.learning.mini_games --map_name DefeatRoaches --seeds 0 --from_scratch
    python -m benchmarks.learning.mini_games --folder runs/results              # everything: hours

Other arguments are flags of the training. Where a training evaluates itself
(--evaluate_every_frames), its best model is evaluated, in games that have not chosen it. A run that
has been evaluated in the folder is not repeated, and one that was stopped resumes. With
--curves=FOLDER the learning curves of all runs of a map are drawn, with published scores as lines,
in MAP.png or MAP-scratch.png. The last line of the output is JSON.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import time
from typing import Any, Dict, List, Optional, Sequence

import numpy as np

from sc2impala.envs.scores import SCORES, human_normalised
from sc2impala.evaluation.pictures import learning_curve
from sc2impala.settings import resolve

_SECONDS = 'training_seconds.json'
"""Beside the run: how long the training has taken, all of its starts together."""

_SEED = 1000
"""Of the evaluations; those within trainings have the seed of the run."""

SCRIPTS = {
    'MoveToBeacon': 25.9,
    'CollectMineralShards': 162.7,
    'FindAndDefeatZerglings': 61.4,
    'DefeatRoaches': 182.5,
    'DefeatZerglingsAndBanelings': 836.4,
    'CollectMineralsAndGas': 6726,
    'BuildMarines': 139.0,
}
"""Scores of the scripts that agents imitate with the defaults of their map, through the pixels of
the agents; measured by `imitated_scripts`, see docs/results.md."""


def main(argv: Optional[Sequence[str]] = None) -> None:
    """Runs what is missing, and prints the table and the JSON.

    Args:
      argv: command-line arguments; None for those of the process.

    Raises:
      subprocess.CalledProcessError: if a training or an evaluation fails.
    """
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--map_name', nargs='+', default=list(SCORES), choices=list(SCORES))
    parser.add_argument('--seeds', type=int, nargs='+', default=[0, 1, 2])
    parser.add_argument('--from_scratch', action='store_true', help='without demonstrations')
    parser.add_argument('--demonstrator', help='the script to imitate; else that of the map')
    parser.add_argument(
        '--folder', type=os.path.expanduser, default='runs/results', help='of the runs'
    )
    parser.add_argument('--num_episodes', type=int, default=100, help='of an evaluation')
    parser.add_argument(
        '--curves', type=os.path.expanduser, help='folder for a picture of the curves of each map'
    )
    arguments, flags = parser.parse_known_args(argv)
    if arguments.from_scratch:
        flags = ['--from_scratch', *flags]
    given: Dict[str, Any] = {'from_scratch': arguments.from_scratch}
    if arguments.demonstrator:
        flags = [f'--demonstrator={arguments.demonstrator}', *flags]
        given['demonstrator'] = arguments.demonstrator
    print('| map | mean return | human-normalised | runs | training time |')
    print('| --- | ---: | ---: | --- | ---: |')
    results = {}
    for map_name in arguments.map_name:
        kind = 'scratch' if arguments.from_scratch else arguments.demonstrator or 'default'
        logdirs = [
            os.path.join(arguments.folder, f'{map_name}-{kind}-{seed}') for seed in arguments.seeds
        ]
        runs = [
            measure(logdir, map_name, seed, flags, arguments.num_episodes)
            for logdir, seed in zip(logdirs, arguments.seeds)
        ]
        results[map_name] = runs
        print(row(map_name, runs), flush=True)
        if arguments.curves:
            os.makedirs(arguments.curves, exist_ok=True)
            name = map_name + ('-scratch' if arguments.from_scratch else '')
            path = os.path.join(arguments.curves, f'{name}.png')
            with_script = resolve.imitates(dict(given, map_name=map_name))
            draw(map_name, logdirs, arguments.seeds, path, with_script)
    print(json.dumps({'flags': flags, 'runs': results}))


def measure(
    logdir: str, map_name: str, seed: int, flags: Sequence[str], num_episodes: int
) -> Dict[str, Any]:
    """Trains and evaluates one run, unless that has been done.

    Returns:
      What `evaluation.json` had after the evaluation, with `seconds`, the time of the training.

    Raises:
      subprocess.CalledProcessError: if a command fails.
    """
    # Not `evaluation.json`, which an evaluation by hand, greedy or in other games, replaces.
    measured = os.path.join(logdir, f'measured-{num_episodes}.json')
    if not os.path.exists(measured):
        started = time.time()
        _run([f'--logdir={logdir}', f'--map_name={map_name}', f'--seed={seed}', *flags], logdir)
        _write_seconds(logdir, _read_seconds(logdir) + time.time() - started)
        best = os.path.join(logdir, 'best')
        model = best if os.path.exists(best) else logdir
        evaluate = ['--mode=evaluate', f'--num_episodes={num_episodes}', f'--seed={_SEED}']
        _run([f'--logdir={model}', *evaluate], logdir)
        shutil.copy(os.path.join(model, 'evaluation.json'), measured)
    with open(measured, encoding='utf-8') as file:
        found = json.load(file)
    return dict(found, seconds=round(_read_seconds(logdir), 1))


def row(map_name: str, runs: Sequence[Dict[str, Any]]) -> str:
    """The row of a map: the mean over runs, and its standard error over their means.

    With a single run the standard error is that over its episodes.
    """
    means = np.array([run['mean_return'] for run in runs])
    error = runs[0]['std_return'] / np.sqrt(runs[0]['num_episodes'])
    if len(runs) > 1:
        error = means.std(ddof=1) / np.sqrt(len(runs))
    normalised = 100 * human_normalised(map_name, means.mean())
    minutes = np.mean([run['seconds'] for run in runs]) / 60
    each = ', '.join(f'{mean:.1f}' for mean in means)
    return (
        f'| {map_name} | {means.mean():.1f} ± {error:.1f} | {normalised:.0f}% | {each} '
        f'| {minutes:.0f} min |'
    )


def draw(
    map_name: str, logdirs: Sequence[str], seeds: Sequence[int], path: str, with_script: bool
) -> None:
    """Draws the learning curves of the runs of a map, with published scores as lines.

    Args:
      map_name, logdirs, seeds: of the runs.
      path: of the picture.
      with_script: whether the score of the script that agents of the map imitate is a line as well.
    """
    scores = SCORES[map_name]
    levels = {
        'FullyConv LSTM (SC2LE)': scores.fully_conv_lstm,
        'relational agent': scores.relational,
        'human': scores.human,
    }
    if with_script:
        levels['its script'] = SCRIPTS[map_name]
    files = {
        f'seed {seed}': os.path.join(logdir, 'episodes.csv') for seed, logdir in zip(seeds, logdirs)
    }
    learning_curve.save_learning_curve(files, path, map_name, levels)


def _run(flags: Sequence[str], logdir: str) -> None:
    """Runs a command of the package; its output is appended to `output.txt` in the folder."""
    os.makedirs(logdir, exist_ok=True)
    command: List[str] = [sys.executable, '-m', 'sc2impala.experiment', *flags]
    with open(os.path.join(logdir, 'output.txt'), 'a', encoding='utf-8') as output:
        subprocess.run(command, stdout=output, stderr=subprocess.STDOUT, check=True)


def _read_seconds(logdir: str) -> float:
    path = os.path.join(logdir, _SECONDS)
    if not os.path.exists(path):
        return 0.0
    with open(path, encoding='utf-8') as file:
        return float(json.load(file))


def _write_seconds(logdir: str, seconds: float) -> None:
    with open(os.path.join(logdir, _SECONDS), 'w', encoding='utf-8') as file:
        json.dump(seconds, file)


if __name__ == '__main__':
    main()
