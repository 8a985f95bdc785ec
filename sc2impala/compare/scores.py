"""The scores of runs: mean returns of evaluations, or of the last episodes of the training."""

import csv
import glob
import json
import os
import re
from typing import Any, Callable, Dict, List, Mapping, NamedTuple, Optional, Sequence

import numpy as np

from sc2impala.compare.runs import Run
from sc2impala.envs import tasks
from sc2impala.errors import UserError
from sc2impala.evaluation import pictures
from sc2impala.evaluation.episode_table import MAP_COLUMN
from sc2impala.evaluation.log import EVALUATIONS_CSV, EvaluatedPolicy
from sc2impala.evaluation.pictures import learning_curve
from sc2impala.runtime import logdir

SOURCES = (EVALUATIONS_CSV, logdir.EVALUATION_JSON, logdir.EPISODES_CSV)
"""Files of a run with scores; the first one that all runs have is used."""

_MAX_BYTES = 2**28


class Score(NamedTuple):
    """The score of a run.

    frames: environment frames of the training.
    num_episodes: number of episodes.
    mean: mean return.
    std: standard deviation of the return between episodes.
    returns: float64 [num_episodes]; None if the file has only their mean and deviation.
    policy: the evaluated policy; None for episodes of the training.
    """

    frames: int
    num_episodes: int
    mean: float
    std: float
    returns: Optional[np.ndarray] = None
    policy: Optional[EvaluatedPolicy] = None

    def resampled_means(self, repetitions: int, rng: np.random.Generator) -> np.ndarray:
        """Draws mean returns of other episodes of the same policy.

        Args:
          repetitions: number R of means.
          rng: source of randomness.

        Returns:
          float64 [R]: bootstrap samples of the returns, or of a normal distribution if the returns
          themselves are not known.
        """
        if self.returns is not None:
            chosen = rng.integers(self.num_episodes, size=(repetitions, self.num_episodes))
            return self.returns[chosen].mean(axis=1)
        error = self.std / max(1, self.num_episodes - 1) ** 0.5
        return rng.normal(self.mean, error, size=repetitions)


class ScoredRuns(NamedTuple):
    """Runs with comparable scores.

    source: one of `SOURCES`.
    policy: the evaluated policy; None for episodes of the training.
    scores: of each run, in the given order.
    """

    source: str
    policy: Optional[EvaluatedPolicy]
    scores: List[Score]


def read_scores(
    runs: Sequence[Run], source: str = '', frames: Optional[int] = None, last: int = 100
) -> ScoredRuns:
    """Reads the scores of runs from the first of `SOURCES` that all of them have.

    Of several evaluations the latest is used, and of several evaluated policies one that all runs
    have: scores of different policies are not compared.

    Args:
      runs: at least one.
      source: one of `SOURCES`, or empty for the first possible one.
      frames: later evaluations and episodes are ignored; None for no limit.
      last: number of episodes, if they come from the training.

    Raises:
      UserError: if a file cannot be read, or there is no source that all runs have.
    """
    missing: List[str] = []
    for each in [source] if source else SOURCES:
        readers: Dict[str, Callable[[Run], List[Score]]] = {
            EVALUATIONS_CSV: _read_evaluations,
            logdir.EVALUATION_JSON: _read_evaluation_files,
            logdir.EPISODES_CSV: lambda run: _read_episodes(run, frames, last),
        }
        found = [_until(readers[each](run), frames) for run in runs]
        empty = [run.folder for run, scores in zip(runs, found) if not scores]
        if empty:
            missing.append(f'{empty[0]} has none in {each}')
            continue
        chosen = _of_common_policy(found)
        if chosen is None:
            missing.append(f'the evaluations in {each} are of different policies')
            continue
        return ScoredRuns(each, chosen[0].policy, chosen)
    limit = f' at or before --frames={frames}' if frames is not None else ''
    raise UserError(
        f'The runs have no comparable scores{limit}: {"; ".join(missing)}; expected evaluations of '
        'the same policy, or finished episodes, of every run.'
    )


def _until(scores: List[Score], frames: Optional[int]) -> List[Score]:
    return [score for score in scores if frames is None or score.frames <= frames]


def _of_common_policy(found: Sequence[List[Score]]) -> Optional[List[Score]]:
    """Returns the latest score of each run, of one policy that all have; None without one."""
    common = set.intersection(*[{score.policy for score in scores} for scores in found])
    for latest in sorted(found[0], key=lambda score: score.frames, reverse=True):
        if latest.policy in common:
            of_policy = [[s for s in scores if s.policy == latest.policy] for scores in found]
            # Of several evaluations of the same model the last one.
            return [sorted(scores, key=lambda s: s.frames)[-1] for scores in of_policy]
    return None


def _read_evaluations(run: Run) -> List[Score]:
    """Reads the table of evaluations; a line that a kill has cut off is skipped."""
    path = os.path.join(run.folder, EVALUATIONS_CSV)
    if not os.path.exists(path):
        return []
    try:
        with open(path, newline='', encoding='utf-8', errors='replace') as file:
            text = file.read(_MAX_BYTES)
        header, *rows = list(csv.reader(text[: text.rfind('\n') + 1].splitlines())) or [[]]
        whole = [dict(zip(header, row)) for row in rows if len(row) == len(header)]
        # Older versions did not write the map.
        return [
            _score_of(row) for row in whole if (row.get(MAP_COLUMN) or run.map_name) == run.map_name
        ]
    except (OSError, ValueError, KeyError, csv.Error) as error:
        raise _unreadable(path, error, 'the evaluations of a run') from error


def _read_evaluation_files(run: Run) -> List[Score]:
    """Reads `evaluation.json` and `evaluation-<frames>.json`; without those of the best model.

    Of a run on several maps these are `evaluation-<map>.json` and `evaluation-<map>-<frames>.json`.
    """
    stem, extension = os.path.splitext(logdir.EVALUATION_JSON)
    if len(tasks.split(str(run.config.get('map_name', '')))) > 1:
        stem = f'{stem}-{run.map_name}'
    found = []
    for path in sorted(glob.glob(os.path.join(glob.escape(run.folder), f'{stem}*{extension}'))):
        if not re.match(rf'{stem}(-\d+)?{re.escape(extension)}$', os.path.basename(path)):
            continue
        try:
            with open(path, 'rb') as file:
                content = json.loads(file.read(_MAX_BYTES).decode())
            frames = content['checkpoint_frames'] or 0
            score = _score_of(dict(content, global_step=frames))
            returns = np.array([each['return'] for each in content['episodes']], np.float64)
            if returns.shape != (score.num_episodes,) or not np.isfinite(returns).all():
                raise ValueError(f'it has not {score.num_episodes} finite returns')
            found.append(score._replace(returns=returns))
        except (OSError, ValueError, LookupError, TypeError, RecursionError) as error:
            raise _unreadable(path, error, 'the evaluation of a run') from error
    return found


def _read_episodes(run: Run, frames: Optional[int], last: int) -> List[Score]:
    """Reads the last episodes of the training."""
    path = os.path.join(run.folder, logdir.EPISODES_CSV)
    if not os.path.exists(path):
        return []
    try:
        steps, returns = learning_curve.read_episodes(path, run.map_name)
    except pictures.NoEpisode:
        return []
    except ValueError as error:
        raise UserError(str(error)) from error
    if not np.isfinite(returns).all():
        raise _unreadable(path, ValueError('a return is not finite'), 'the episodes of a run')
    counted = len(steps) if frames is None else int(np.sum(steps <= frames))
    steps, returns = steps[:counted][-last:], returns[:counted][-last:]
    if not len(returns):
        return []
    mean, std = float(returns.mean()), float(returns.std())
    return [Score(int(steps[-1]), len(returns), mean, std, returns)]


def _score_of(result: Mapping[str, Any]) -> Score:
    """Raises: KeyError, ValueError: if a value is missing or not a number."""
    mean, std = float(result['mean_return']), float(result['std_return'])
    count = int(result['num_episodes'])
    if not np.isfinite([mean, std]).all() or count < 1:
        raise ValueError('a value is not finite, or there is no episode')
    temperature, limit = result.get('temperature'), result.get('eval_max_step_mul')
    policy = EvaluatedPolicy.of(
        {
            'policy': str(result['policy']),
            'temperature': float(temperature) if temperature not in (None, '') else None,
            'eval_max_step_mul': int(limit) if limit not in (None, '') else 0,
        }
    )
    return Score(int(result['global_step']), count, mean, std, policy=policy)


def _unreadable(path: str, error: Exception, expected: str) -> UserError:
    return UserError(f'{path} cannot be read ({error!r}), expected {expected}.')
