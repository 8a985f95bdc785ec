"""Folders of runs on several maps, with the files that the metrics read."""

import json

import numpy as np

from sc2impala.evaluation import log

EPISODES = 'start,global_step,episode_return,episode_frames,episode_steps'
COLUMNS = [*(name for name in log.COLUMNS if name != 'map_name'), 'map_name']
MAPS = ('FindAndDefeatZerglings', 'DefeatRoaches', 'DefeatZerglingsAndBanelings')
FRAMES = 1000
"""Of a block."""

LATE = 7
"""Frames by which every block begins and ends after its nominal frames, as updates are whole."""


def write_run(
    folder, evaluations=None, episodes=None, maps=MAPS, cycles=1, seed=0, per_task=1, **config
):
    """Writes a sequential run.

    Args:
      folder: `pathlib.Path` of a new folder.
      evaluations: [B * per_task + 1, M] mean returns.
      episodes: of each block, returns of its episodes, evenly over its frames.
      maps, cycles, seed: of the run.
      per_task: evaluations within and at the end of a block.
      config: further settings.
    """
    num_blocks = cycles * len(maps)
    if evaluations is None:
        evaluations = np.arange((num_blocks * per_task + 1) * len(maps)).reshape(-1, len(maps))
    if episodes is None:
        episodes = [[1.0, 2.0]] * num_blocks
    steps = [round(FRAMES * i / per_task) + LATE * (i > 0) for i in range(len(evaluations))]
    rows = [
        evaluation_row(step, name, mean)
        for step, means in zip(steps, evaluations)
        for name, mean in zip(maps, means)
    ]
    starts = [FRAMES * block + LATE * (block > 0) for block in range(num_blocks)]
    settings = dict(task_schedule='sequential', frames_per_task=FRAMES, cycles=cycles)
    write_files(folder, ','.join(maps), seed, rows, **{**settings, **config})
    tasks = [f'{b},{b // len(maps)},{maps[b % len(maps)]},{s}' for b, s in enumerate(starts)]
    write_lines(folder / 'tasks.csv', ['block,cycle,map_name,global_step', *tasks])
    lines = [EPISODES]
    for start, returns in zip(starts, episodes):
        for i, value in enumerate(returns):
            step = start + round((i + 1) * FRAMES / len(returns))
            lines.append(f'0,{step},{value},80,10')
    write_lines(folder / 'episodes.csv', lines)
    return str(folder)


def write_expert(folder, map_name, evaluations, episodes, seed=0, frames=FRAMES, **config):
    """Writes a run on one map: its mean returns at equal distances, and its episodes."""
    steps = np.linspace(0, frames, len(evaluations)).round().astype(int)
    rows = [evaluation_row(step, map_name, mean) for step, mean in zip(steps, evaluations)]
    write_files(folder, map_name, seed, rows, **config)
    ends = [round((i + 1) * frames / len(episodes)) for i in range(len(episodes))]
    lines = [f'0,{step},{value},80,10' for step, value in zip(ends, episodes)]
    write_lines(folder / 'episodes.csv', [EPISODES, *lines])
    return str(folder)


def write_simultaneous(folder, evaluations, maps=MAPS, seed=0):
    """Writes a run that learns all maps at a time."""
    rows = [
        evaluation_row(FRAMES * i, name, mean)
        for i, means in enumerate(evaluations)
        for name, mean in zip(maps, means)
    ]
    write_files(folder, ','.join(maps), seed, rows, task_schedule='simultaneous')
    return str(folder)


def write_files(folder, map_name, seed, rows, **config):
    """Writes the manifest and the evaluations."""
    folder.mkdir(parents=True)
    settings = dict(config, map_name=map_name, seed=seed, logdir=str(folder))
    (folder / 'manifest.json').write_text(json.dumps({'config': settings}))
    write_lines(folder / log.EVALUATIONS_CSV, [','.join(COLUMNS), *rows])


def write_lines(path, lines):
    path.write_text('\r\n'.join([*lines, '']))


def evaluation_row(step, map_name, mean, **values):
    """A row of the table of evaluations."""
    usual = dict(
        global_step=step,
        policy='sampled',
        seed=0,
        num_episodes=20,
        mean_return=float(mean),
        std_return=2.0,
        min_return=0,
        max_return=9,
        environment_frames=100,
        temperature=1.0,
        map_name=map_name,
    )
    return ','.join(str({**usual, **values}.get(name, '')) for name in COLUMNS)
