"""What a player does in the course of an episode: a table of a recording.

A return does not tell what is missing. Each row is a part of the episode, and has the means over
the steps of all episodes that begin in it: the return so far, what the vector `player` of the
observation counts, the step multiplier, and the share of the calls that each function has. An agent
and a script with a higher score are compared by one recording of each:

    python -m sc2impala.experiment --mode=record --policy=sampled --init_checkpoint=runs/marines \
        --map_name=BuildMarines --from_scratch --num_episodes=16 --logdir=runs/play
    python -m benchmarks.learning.recorded_play --recording runs/play

A folder that contains recordings stands for all of them. The last line of the output is JSON.
"""

import argparse
import json
import os
from typing import Any, Dict, List, Optional, Sequence

import numpy as np

from sc2impala.demonstrations import recording
from sc2impala.learner import counts

VECTOR = 'observation/player'
COUNTS = ('minerals', 'food_used', 'food_cap', 'food_workers', 'idle_worker_count', 'army_count')
"""Columns of the vector that are shown unless others are asked for."""

_NEEDED = (VECTOR, 'step_mul', 'reward', 'action/function')


def course(
    recorded: recording.Recording, frames: int, shown: Sequence[str] = COUNTS
) -> List[Dict[str, Any]]:
    """The parts of the episodes of a recording.

    Args:
      recorded: whose player observed the vector `player`.
      frames: environment frames of a part.
      shown: names of columns of that vector.

    Returns:
      For each part, in order and without those in which no step begins: `from_frame`, `steps` per
      episode, the mean `return` so far, the mean of each count, the mean `step_mul`, and `calls`,
      by function its share.

    Raises:
      ValueError: if the vector was not recorded.
    """
    place = {component.name: index for index, component in enumerate(recorded.components)}
    if VECTOR not in place:
        raise ValueError(
            f'{recorded.folder!r} has no {VECTOR}, expected a player that observes it.'
        )
    columns = [counts.COLUMNS['player'].index(name) for name in shown]
    steps_of = _by_step(recorded, [place[name] for name in _NEEDED])
    vector, step_mul, _, function = map(np.concatenate, steps_of)
    part = _before(steps_of[_NEEDED.index('step_mul')]) // frames
    so_far = _before(steps_of[_NEEDED.index('reward')])
    counted = vector[:, columns]
    rows = []
    for index in np.unique(part):
        steps = part == index
        calls = np.bincount(function[steps], minlength=len(recorded.manifest['functions']))
        row = {'from_frame': int(index * frames), 'steps': steps.sum() / len(recorded.episodes)}
        row['return'] = float(so_far[steps].mean())
        row.update(zip(shown, counted[steps].mean(axis=0).tolist()))
        row['step_mul'] = float(step_mul[steps].mean())
        shares = (calls / steps.sum()).tolist()
        rows.append(dict(row, calls=dict(zip(recorded.manifest['functions'], shares))))
    return rows


def table(rows: Sequence[Dict[str, Any]]) -> str:
    """Rows as `course` returns them, in Markdown."""
    numbers = [name for name in rows[0] if name != 'calls']
    functions = list(rows[0]['calls'])
    lines = ['| ' + ' | '.join(numbers + functions) + ' |']
    lines.append('|' + ' ---: |' * (len(numbers) + len(functions)))
    for row in rows:
        cells = [
            f'{row[name]:.0f}' if name == 'from_frame' else f'{row[name]:.1f}' for name in numbers
        ]
        cells += [f'{share:.0%}' for share in row['calls'].values()]
        lines.append('| ' + ' | '.join(cells) + ' |')
    return '\n'.join(lines)


def main(argv: Optional[Sequence[str]] = None) -> Dict[str, Any]:
    """Prints a table of every recording, and the JSON.

    Args:
      argv: command-line arguments; None for those of the process.

    Returns:
      By folder of a recording the rows of `course`.
    """
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        '--recording',
        type=os.path.expanduser,
        required=True,
        help='a folder that --mode=record has written',
    )
    parser.add_argument('--frames', type=int, default=1200, help='of a part of the episode')
    parser.add_argument(
        '--counts',
        nargs='+',
        default=list(COUNTS),
        choices=counts.COLUMNS['player'],
        metavar='COUNT',
        help='columns of the vector player',
    )
    options = parser.parse_args(argv)
    if options.frames < 1:
        parser.error(f'--frames={options.frames} is too small, expected at least 1')
    found = {}
    try:
        for folder in recording.find(options.recording):
            recorded = recording.Recording(folder)
            found[folder] = course(recorded, options.frames, options.counts)
            print(f'{_title(recorded)}\n\n{table(found[folder])}\n', flush=True)
    except ValueError as error:
        parser.error(str(error))
    print(json.dumps(found))
    return found


def _title(recorded: recording.Recording) -> str:
    about = recorded.manifest
    return (
        f'{about["player"]} on {about["map_name"]}, {about["num_episodes"]} episodes, mean return '
        f'{about["mean_return"]:.1f}: {recorded.folder}'
    )


def _before(episodes: Sequence[np.ndarray]) -> np.ndarray:
    """The sum over the earlier steps of the episode, for every step of all episodes."""
    return np.concatenate([np.cumsum(steps) - steps for steps in episodes])


def _by_step(recorded: recording.Recording, components: Sequence[int]) -> List[List[np.ndarray]]:
    """Some components of all steps, each by episode; every chunk is decompressed once."""
    arrays = recorded.empty_chunk()
    found: List[List[np.ndarray]] = [[] for _ in components]
    for chunks in recorded.episodes:
        parts: List[List[np.ndarray]] = [[] for _ in components]
        for chunk in chunks:
            recorded.read(chunk, arrays)
            for part, component in zip(parts, components):
                part.append(arrays[component][: chunk.steps].copy())
        for episodes, part in zip(found, parts):
            episodes.append(np.concatenate(part))
    return found


if __name__ == '__main__':
    main()
