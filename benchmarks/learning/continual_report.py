"""The report of `benchmarks.learning.continual`: tables and pictures of the finished runs."""

import csv
import os
from typing import Any, Dict, Iterable, List, Optional, Sequence, Tuple

import numpy as np

from benchmarks.learning import continual_arms, continual_probe
from benchmarks.learning.continual_arms import EXPERTS, FINISHED, SEQUENTIAL, Arm, Experiment
from sc2impala.continual import __main__ as command
from sc2impala.continual import picture, runs, summary, tables
from sc2impala.runtime import console, logdir

REPORT = 'report'


def report(
    folder: str,
    experiment: Experiment,
    arms: Dict[str, Arm],
    seeds: Sequence[int],
    from_scratch: bool,
    probe_options: Tuple[Optional[str], Optional[float], int],
) -> Dict[str, Any]:
    """Writes tables and pictures of the finished runs, and prints the tables.

    Args:
      folder: of the experiment.
      experiment: its task.
      arms: the arms by name.
      seeds: the seeds.
      from_scratch: True if runs start with untrained agents.
      probe_options: map, return and episodes of the probe, see `continual_probe.choose`.

    Returns:
      The numbers in the last line of the output.
    """
    done = {
        name: _finished(continual_arms.folder(folder, name), arm, experiment, seeds)
        for name, arm in arms.items()
    }
    of_experts: List[runs.Run] = []
    for name, arm in arms.items():
        if arm.schedule == EXPERTS:
            of_experts += [runs.read_expert(each) for each in done[name]]
    if {run.maps[0] for run in of_experts} != set(experiment.maps):
        of_experts = []  # Some are unfinished.
    of_arms: Dict[str, List[runs.Run]] = {}
    for name, arm in arms.items():
        if arm.schedule != EXPERTS and done[name]:
            read = runs.read_sequential if arm.schedule == SEQUENTIAL else runs.read_evaluated
            of_arms[name] = [read(each) for each in done[name]]
    untrained = _untrained(of_arms.values()) if from_scratch else None
    summaries = {
        name: summary.summarize(of_arm, of_experts, untrained) for name, of_arm in of_arms.items()
    }
    unfinished = [name for name in arms if not done[name]]
    if unfinished:
        console.say(f'No finished run: {", ".join(unfinished)}')
    if not summaries:
        return {'arms': {}, 'untrained': None, 'experts': {}, 'probe': None, 'buffers': {}}
    bootstrap = summary.Bootstrap()
    probe = continual_probe.choose(experiment.maps, of_experts, *probe_options)
    probed = continual_probe.measure(probe, summaries, of_experts) if probe else {}
    parts = [tables.arms(summaries, bootstrap)]
    if probe and probed:
        parts.append(continual_probe.table(probe, probed, bootstrap))
    text = '\n'.join(parts)
    console.say(text, end='')
    out = os.path.join(folder, REPORT)
    for name, found in summaries.items():
        command.write(continual_arms.folder(out, name), found, bootstrap, name)
    logdir.replace_text(os.path.join(out, 'arms.md'), f'{text}\n![curves](arms.png)\n')
    picture.save_curves(
        os.path.join(out, 'arms.png'), {name: found.runs for name, found in summaries.items()}
    )
    numbers = {
        'arms': {
            name: {
                'seeds': [run.seed for run in found.runs],
                'overall': {key: summary.plain(each) for key, each in found.overall.items()},
            }
            for name, found in summaries.items()
        },
        'untrained': None if untrained is None else dict(zip(experiment.maps, untrained.tolist())),
        'experts': {
            name: [float(run.returns[-1, 0]) for run in of_experts if run.maps == (name,)]
            for name in experiment.maps
        },
        'probe': {**probe._asdict(), 'frames': {n: summary.plain(f) for n, f in probed.items()}}
        if probe
        else None,
        'buffers': {
            name: _buffer(arms[name], experiment, found.runs)
            for name, found in summaries.items()
            if arms[name].buffer_percent
        },
    }
    logdir.replace_json(os.path.join(out, 'arms.json'), numbers)
    return numbers


def _untrained(of_arms: Iterable[Sequence[runs.Run]]) -> Optional[np.ndarray]:
    """The mean return on each map, float64 [M], before the first update of all runs with blocks."""
    first = [run.returns[run.before[0]] for of_arm in of_arms for run in of_arm if len(run.blocks)]
    return np.mean(first, axis=0) if first else None


def _finished(folder: str, arm: Arm, experiment: Experiment, seeds: Sequence[int]) -> List[str]:
    """The folders of the finished runs of an arm."""
    names = [name for seed in seeds for name in continual_arms.commands(arm, experiment, seed)]
    folders = [os.path.join(folder, name) for name in names]
    return [each for each in folders if os.path.exists(os.path.join(each, FINISHED))]


def _buffer(arm: Arm, experiment: Experiment, of_arm: Sequence[runs.Run]) -> Dict[str, float]:
    """The size of a replay buffer, and the part of the frames that it was."""
    totals = np.zeros([2])
    for run in of_arm:
        with open(os.path.join(run.folder, logdir.EPISODES_CSV), encoding='utf-8') as file:
            for row in csv.DictReader(file):
                if row['episode_steps']:
                    totals += (float(row['episode_frames']), float(row['episode_steps']))
    sequences = experiment.sequences(arm.buffer_percent)
    frames_per_step = totals[0] / totals[1]
    frames = sequences * experiment.unroll_length * frames_per_step
    return {
        'sequences': sequences,
        'frames_per_step': round(frames_per_step, 3),
        'percent': round(100 * frames / experiment.total_frames, 3),
    }
