"""Runs on several maps: their evaluations, and the blocks in which the maps are learned.

A block is a stretch of a run in which one map is learned. `tasks.csv` lists the blocks of a
sequential run, and `evaluations.csv` has one row per map and moment. In the following E is the
number of moments at which a run was evaluated, M its number of maps, and B its number of blocks.
"""

import csv
import dataclasses
import os
from typing import Any, Dict, List, Mapping, Sequence, Tuple

import numpy as np

from sc2impala.compare import runs as run_folders
from sc2impala.errors import UserError
from sc2impala.evaluation.episode_table import kept
from sc2impala.evaluation.log import EVALUATIONS_CSV, EvaluatedPolicy
from sc2impala.runtime import logdir

TASKS_CSV = 'tasks.csv'
TASK_COLUMNS = ('block', 'cycle', 'map_name', 'global_step')
SEQUENTIAL = 'sequential'

_MAX_BYTES = 2**28


@dataclasses.dataclass(frozen=True)
class Run:
    """The evaluations of a run, and its blocks.

    folder: its path.
    seed: its random seed.
    maps: names of the M maps.
    steps: int64 [E], environment frames of the training at each evaluation, increasing.
    returns: float64 [E, M], mean returns.
    num_episodes: int64 [E, M], number of episodes behind each mean.
    policy: flags of the evaluated policy.
    frames: environment frames of the whole run.
    blocks: int64 [B], index of the map that each block learns; [0] unless maps are in sequence.
    starts: int64 [B], environment frames at which each block began.
    before: int64 [B], index of the last evaluation before each block.
    after: int64 [B], index of the last evaluation of each block.
    """

    folder: str
    seed: Any
    maps: Tuple[str, ...]
    steps: np.ndarray
    returns: np.ndarray
    num_episodes: np.ndarray
    policy: str
    frames: int
    blocks: np.ndarray
    starts: np.ndarray
    before: np.ndarray
    after: np.ndarray

    @property
    def num_cycles(self) -> int:
        """Number of times that all maps are gone through; 0 unless maps are in sequence."""
        return len(self.blocks) // len(self.maps)

    @property
    def boundaries(self) -> np.ndarray:
        """int64 [B + 1], indices of the evaluations before the first and after every block."""
        return np.append(self.before[:1], self.after)

    @property
    def block_ends(self) -> np.ndarray:
        """int64 [B], environment frames at which each block ended."""
        return np.append(self.starts[1:], self.frames)[: len(self.starts)]


@dataclasses.dataclass(frozen=True)
class Episodes:
    """The finished episodes of the training of a run, in the order of their ends.

    steps: int64 [n], environment frames of the training at their ends.
    returns: float64 [n].
    blocks: int64 [n], the block of each; 0 unless maps are in sequence.
    """

    steps: np.ndarray
    returns: np.ndarray
    blocks: np.ndarray

    def of_block(self, block: int) -> np.ndarray:
        """Returns the returns of a block, float64 [k]."""
        return self.returns[self.blocks == block]


def find(paths: Sequence[str]) -> List[str]:
    """Returns the folders of the runs at or below some paths or patterns, each once.

    Raises:
      UserError: if there is none.
    """
    # A run on several maps is found once for each of them.
    return list(dict.fromkeys(run.folder for run in run_folders.find_runs(paths)))


def read_sequential(folder: str) -> Run:
    """Reads a run that has learned its maps one after the other.

    Raises:
      UserError: if it is not such a run, is unfinished, or lacks evaluations.
    """
    config = _read_config(folder)
    if config.get('task_schedule') != SEQUENTIAL or len(_maps_of(config)) < 2:
        raise UserError(
            f'{folder} has --map_name={config["map_name"]} and --task_schedule='
            f'{config.get("task_schedule") or "(none)"}, expected a run with several maps and '
            f'--task_schedule={SEQUENTIAL}.'
        )
    run = _read_evaluations(folder, config)
    blocks, starts = _read_blocks(folder, config, run.maps)
    before = np.searchsorted(run.steps, starts, side='right') - 1
    after = np.append(before[1:], len(run.steps) - 1)
    if before[0] < 0:
        raise UserError(
            f'{os.path.join(folder, EVALUATIONS_CSV)} has no evaluation before the first block at '
            f'{starts[0]} frames, expected one before the first update.'
        )
    for block in np.flatnonzero(after <= before):
        raise UserError(
            f'{os.path.join(folder, EVALUATIONS_CSV)} has no evaluation after the start of block '
            f'{block} at {starts[block]} frames, expected one at the end of every block.'
        )
    end = int(starts[0]) + len(blocks) * _number(folder, config, 'frames_per_task')
    if run.frames < end:
        raise UserError(
            f'{folder} has been evaluated at {run.frames} of {end} frames, expected a finished '
            'run: resume it with its command.'
        )
    return dataclasses.replace(run, blocks=blocks, starts=starts, before=before, after=after)


def read_evaluated(folder: str) -> Run:
    """Reads the evaluations of any run, without blocks: of one map, or of several at a time.

    Raises:
      UserError: if it lacks evaluations.
    """
    return _read_evaluations(folder, _read_config(folder))


def read_expert(folder: str) -> Run:
    """Reads a run that has learned one map only, and its evaluations on that map.

    It is a run on a single map, or a sequential run that ends with its first block.

    Raises:
      UserError: if it has learned several maps, or lacks evaluations.
    """
    config = _read_config(folder)
    run = _read_evaluations(folder, config)
    if len(run.maps) > 1:
        length, total = config.get('frames_per_task'), config.get('total_environment_frames')
        if config.get('task_schedule') != SEQUENTIAL or not length or not total or total > length:
            raise UserError(
                f'--experts: {folder} has learned {", ".join(run.maps)}, expected a run that has '
                'learned a single map.'
            )
    return dataclasses.replace(
        run, maps=run.maps[:1], returns=run.returns[:, :1], num_episodes=run.num_episodes[:, :1]
    )


def read_episodes(run: Run) -> Episodes:
    """Reads the episodes of the training.

    An episode belongs to the block in which it was learned from. Where `episodes.csv` names the
    map of each episode, those of another map than that of the block are left out: sequences of the
    map before are still in the queue when a block begins. A block that is shorter than an episode
    has none.

    Args:
      run: a run with blocks, or on one map.

    Raises:
      UserError: if they cannot be read.
    """
    path = os.path.join(run.folder, logdir.EPISODES_CSV)
    rows = _read_table(path, ('start', 'global_step', 'episode_return'), 'the episodes of a run')
    try:
        starts = np.array([float(row['start']) for row in rows])
        steps = np.array([float(row['global_step']) for row in rows])
        returns = np.array([float(row['episode_return']) for row in rows])
        if not np.isfinite(returns).all():
            raise ValueError('a return is not finite')
    except ValueError as error:
        raise _unreadable(path, error, 'the episodes of a run') from error
    mask = kept(starts, steps) if rows else np.zeros([0], np.bool_)
    blocks = np.zeros([len(rows)], np.int64)
    expected = [run.maps[0]] * len(rows)
    if len(run.blocks):
        blocks = np.maximum(np.searchsorted(run.starts, steps, side='left') - 1, 0)
        expected = [run.maps[run.blocks[block]] for block in blocks]
    names = [row.get('map_name') or name for row, name in zip(rows, expected)]
    mask &= np.array([name == of_block for name, of_block in zip(names, expected)], np.bool_)
    return Episodes(steps[mask].astype(np.int64), returns[mask], blocks[mask])


def _read_config(folder: str) -> Dict[str, Any]:
    run = run_folders.find_runs([folder])[0]
    return dict(run.config, map_name=run.config.get('map_name') or run.map_name)


def _maps_of(config: Mapping[str, Any]) -> Tuple[str, ...]:
    names = config['map_name']
    return tuple(each.strip() for each in (names.split(',') if isinstance(names, str) else names))


def _number(folder: str, config: Mapping[str, Any], name: str) -> int:
    value = config.get(name)
    if not isinstance(value, int) or value < 1:
        raise UserError(f'{folder} has --{name}={value}, expected a positive number.')
    return value


def _read_evaluations(folder: str, config: Mapping[str, Any]) -> Run:
    """Reads the rows of the policy that the run was first evaluated with.

    Of several rows for the same model and map the last one counts. A last moment that lacks maps is
    left out, since the run may have been stopped there.
    """
    maps = _maps_of(config)
    path = os.path.join(folder, EVALUATIONS_CSV)
    columns = ('global_step', 'policy', 'num_episodes', 'mean_return')
    rows = _read_table(path, columns, 'the evaluations of a run')
    found: Dict[int, Dict[str, Tuple[float, int]]] = {}
    policy = None
    try:
        for row in rows:
            of_row = _policy_of(row)
            policy = policy or of_row
            if of_row == policy:
                name = row.get('map_name') or maps[0]
                value = (float(row['mean_return']), int(row['num_episodes']))
                if not np.isfinite(value[0]):
                    raise ValueError(f'the return {row["mean_return"]} is not finite')
                found.setdefault(int(row['global_step']), {})[name] = value
    except ValueError as error:
        raise _unreadable(path, error, 'the evaluations of a run') from error
    steps = sorted(found)
    if steps and set(maps) - set(found[steps[-1]]):
        steps.pop()
    for step in steps:
        missing = [name for name in maps if name not in found[step]]
        if missing:
            raise UserError(
                f'{path} has no evaluation of {", ".join(missing)} at {step} frames, expected all '
                'maps of the run at every evaluation.'
            )
    if policy is None or not steps:
        raise UserError(f'{path} has no evaluation of {", ".join(maps)}, expected at least one.')
    values = np.array([[found[step][name] for name in maps] for step in steps], np.float64)
    none = np.zeros([0], np.int64)
    return Run(
        folder=folder,
        seed=config.get('seed'),
        maps=maps,
        steps=np.array(steps, np.int64),
        returns=values[..., 0],
        num_episodes=values[..., 1].astype(np.int64),
        policy=policy.flags,
        frames=steps[-1],
        blocks=none,
        starts=none,
        before=none,
        after=none,
    )


def _policy_of(row: Mapping[str, str]) -> EvaluatedPolicy:
    temperature, limit = row.get('temperature'), row.get('eval_max_step_mul')
    return EvaluatedPolicy.of(
        {
            'policy': row['policy'],
            'temperature': float(temperature) if temperature else None,
            'eval_max_step_mul': int(limit) if limit else 0,
        }
    )


def _read_blocks(
    folder: str, config: Mapping[str, Any], maps: Sequence[str]
) -> Tuple[np.ndarray, np.ndarray]:
    """Returns the map of every block, and the frames at which it began, int64 [B] each."""
    path = os.path.join(folder, TASKS_CSV)
    rows = _read_table(path, TASK_COLUMNS, 'the blocks of a sequential run')
    try:
        names = [row['map_name'] for row in rows]
        starts = np.array([int(row['global_step']) for row in rows], np.int64)
    except ValueError as error:
        raise _unreadable(path, error, 'the blocks of a sequential run') from error
    cycles = _number(folder, config, 'cycles')
    expected = list(maps) * cycles
    if names != expected[: len(names)] or (np.diff(starts) <= 0).any():
        raise UserError(
            f'{path} has the blocks {", ".join(names)}, expected {cycles} times '
            f'{", ".join(maps)}, at increasing frames.'
        )
    if len(names) < len(expected):
        raise UserError(
            f'{folder} has begun {len(names)} of {len(expected)} blocks, expected a finished run: '
            'resume it with its command.'
        )
    return np.tile(np.arange(len(maps)), cycles), starts


def _read_table(path: str, columns: Sequence[str], expected: str) -> List[Dict[str, str]]:
    """Reads a table without a line that a kill has cut off."""
    try:
        with open(path, newline='', encoding='utf-8', errors='replace') as file:
            text = file.read(_MAX_BYTES)
        lines = list(csv.reader(text[: text.rfind('\n') + 1].splitlines()))
    except (OSError, csv.Error) as error:
        raise _unreadable(path, error, expected) from error
    header, *rows = lines or [[]]
    missing = [name for name in columns if name not in header]
    if missing:
        raise UserError(f'{path} has no column {", ".join(missing)}, expected {expected}.')
    return [dict(zip(header, row)) for row in rows if len(row) == len(header)]


def _unreadable(path: str, error: Exception, expected: str) -> UserError:
    if isinstance(error, FileNotFoundError):
        return UserError(f'{path} does not exist, expected {expected}.')
    return UserError(f'{path} cannot be read ({error}), expected {expected}.')
