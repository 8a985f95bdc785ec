"""The tables of a run: finished episodes and evaluations. Damaged lines are skipped and counted."""

import csv
import glob
import json
import math
import os
from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Sequence, Tuple

import numpy as np

from sc2impala.envs import scores
from sc2impala.evaluation import episode_table
from sc2impala.evaluation.log import EVALUATIONS_CSV, EvaluatedPolicy
from sc2impala.runtime import logdir

QUANTILE = 1.96
"""Of the normal distribution: half the width of a 95 % interval in standard errors."""

_MAX_BYTES = 2**28


class Episodes(NamedTuple):
    """The finished episodes of a run, without those that a later launch replaced.

    steps: int64 [n], environment frames at their ends.
    returns: float64 [n].
    fault: a sentence about what is missing, or empty.
    """

    steps: np.ndarray
    returns: np.ndarray
    fault: str


class Evaluation(NamedTuple):
    """The result of one evaluation.

    source: name of its file.
    frames: frames of the evaluated checkpoint; None without one.
    policy: name of the policy, as in `EvaluatedPolicy.name`.
    num_episodes: number of episodes.
    mean, std, low, high: mean, standard deviation, minimum and maximum of their returns.
    """

    source: str
    frames: Optional[int]
    policy: str
    num_episodes: int
    mean: float
    std: float
    low: float
    high: float

    @property
    def margin(self) -> float:
        """Half the width of the 95 % interval of the mean."""
        return QUANTILE * self.std / math.sqrt(self.num_episodes)


class Evaluations(NamedTuple):
    """The evaluations of a run.

    rows: those of `evaluations.csv`.
    single: those of `evaluation.json` and `evaluation-*.json`.
    fault: a sentence about what is missing, or empty.
    """

    rows: List[Evaluation]
    single: List[Evaluation]
    fault: str


def read_episodes(folder: str, map_name: str = '') -> Episodes:
    """Reads `episodes.csv` in the folder of a run; never raises an error.

    Args:
      folder: of the run.
      map_name: one of several maps; empty for all episodes.
    """
    rows, fault = _read_rows(os.path.join(folder, logdir.EPISODES_CSV), episode_table.COLUMNS)
    if map_name:
        rows = [row for row in rows if (row.get(episode_table.MAP_COLUMN) or map_name) == map_name]
    numbers = [[_number(row[name]) for name in episode_table.COLUMNS] for row in rows]
    good = [row for row in numbers if all(map(math.isfinite, row))]
    faults = [fault] if fault else []
    if len(good) < len(numbers):
        faults.append(_skipped(logdir.EPISODES_CSV, len(numbers) - len(good)))
    if not good and not fault:
        faults.append('No episode has finished yet.')
    starts, steps, returns = np.array(good, np.float64).reshape([-1, 3]).T
    kept = episode_table.kept(starts, steps)
    return Episodes(steps[kept].astype(np.int64), returns[kept], ' '.join(faults))


def read_evaluations(folder: str, map_name: str = '') -> Evaluations:
    """Reads the evaluations in the folder of a run; never raises an error.

    Args:
      folder: of the run.
      map_name: one of several maps; empty for all evaluations.
    """
    rows, fault = _read_rows(os.path.join(folder, EVALUATIONS_CSV), ('global_step', 'mean_return'))
    if map_name:
        rows = [row for row in rows if (row.get(episode_table.MAP_COLUMN) or map_name) == map_name]
    found = [_of_row(row) for row in rows]
    good = [row for row in found if row is not None]
    faults = [fault] if fault and 'no evaluations.csv' not in fault else []
    if len(good) < len(found):
        faults.append(_skipped(EVALUATIONS_CSV, len(found) - len(good)))
    single = []
    for path in _json_files(folder, map_name):
        evaluation, problem = _of_json(path)
        if evaluation is not None:
            single.append(evaluation)
        if problem:
            faults.append(problem)
    if not good and not single and not faults:
        faults.append('There is no evaluation of this run.')
    return Evaluations(good, single, ' '.join(faults))


def _read_rows(path: str, columns: Sequence[str]) -> Tuple[List[Dict[str, str]], str]:
    """Returns the lines of a table with all cells by column, and a sentence about a fault."""
    name = os.path.basename(path)
    try:
        with open(path, newline='', encoding='utf-8', errors='replace') as file:
            # Python 3.7 refuses NUL characters, which a crash of the machine may leave.
            lines = file.read(_MAX_BYTES).replace('\0', '\ufffd').splitlines()
        table = list(csv.reader(lines))
    except FileNotFoundError:
        return [], f'There is no {name}.'
    except (OSError, csv.Error) as error:
        return [], f'{name} cannot be read ({error}).'
    header = table[0] if table else []
    missing = [column for column in columns if column not in header]
    if missing:
        return [], f'{name} has no column {", ".join(missing)}.'
    rows = [dict(zip(header, cells)) for cells in table[1:] if len(cells) == len(header)]
    skipped = sum(len(cells) != len(header) for cells in table[1:])
    return rows, _skipped(name, skipped) if skipped else ''


def _skipped(name: str, number: int) -> str:
    lines = 'line was' if number == 1 else 'lines were'
    return f'{number:,} damaged {lines} skipped in {name}.'


def _number(text: Any) -> float:
    """Returns a number; NaN for any other text."""
    try:
        return float(text)
    except (TypeError, ValueError):
        return math.nan


def _of_row(row: Mapping[str, Any]) -> Optional[Evaluation]:
    """Returns the evaluation of a line; None if it is damaged."""
    numbers = {
        name: _number(row.get(name))
        for name in ('global_step', 'mean_return', 'std_return', 'min_return', 'max_return')
    }
    episodes = _number(row.get('num_episodes'))
    if not all(map(math.isfinite, [*numbers.values(), episodes])) or episodes < 1:
        return None
    temperature, cap = _number(row.get('temperature')), _number(row.get('eval_max_step_mul'))
    policy = {
        'policy': str(row.get('policy') or 'unknown'),
        'temperature': temperature if math.isfinite(temperature) else None,
        'eval_max_step_mul': int(cap) if math.isfinite(cap) else 0,
    }
    return Evaluation(
        source=EVALUATIONS_CSV,
        frames=int(numbers['global_step']),
        policy=EvaluatedPolicy.of(policy).name,
        num_episodes=int(episodes),
        mean=numbers['mean_return'],
        std=numbers['std_return'],
        low=numbers['min_return'],
        high=numbers['max_return'],
    )


def _json_files(folder: str, map_name: str) -> List[str]:
    name = f'evaluation-{map_name}*.json' if map_name else 'evaluation-*.json'
    pattern = os.path.join(glob.escape(folder), name)
    latest = os.path.join(folder, logdir.EVALUATION_JSON)
    return [latest] * os.path.exists(latest) + sorted(glob.glob(pattern))


def _of_json(path: str) -> Tuple[Optional[Evaluation], str]:
    """Returns the evaluation in a file, or None, and a sentence about a fault."""
    name = os.path.basename(path)
    try:
        with open(path, encoding='utf-8') as file:
            content = json.loads(file.read(_MAX_BYTES))
        found = _of_row(dict(content, global_step=content.get('checkpoint_frames') or 0))
    except (OSError, ValueError, TypeError, AttributeError, RecursionError):
        found, content = None, {}
    if found is None:
        return None, f'{name} cannot be read.'
    frames = content.get('checkpoint_frames')
    return found._replace(source=name, frames=frames if isinstance(frames, int) else None), ''


def normalised_text(map_name: str, mean: float) -> str:
    """Returns a mean return in % of the way from a random policy to a human; empty if unknown."""
    score = scores.human_scores(map_name, mean)['human_normalised_score']
    return '' if score is None else f'{100 * score:.0f} %'
