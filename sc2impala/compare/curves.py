"""Sample efficiency: the interquartile mean of recent episodes over the frames of the training."""

import os
from typing import List, NamedTuple, Optional, Sequence, Tuple

import numpy as np

from sc2impala.compare import statistics
from sc2impala.compare.comparison import Comparison
from sc2impala.compare.runs import Run
from sc2impala.envs import scores as published
from sc2impala.evaluation.pictures import learning_curve
from sc2impala.runtime import logdir

NUM_POINTS = 60
_MAX_REPETITIONS = 500


class Curve(NamedTuple):
    """Interquartile means over frames.

    x: float64 [K], frames; with several maps the share of the frames that all runs on a map have.
    mean: float64 [K].
    low, high: bounds of the intervals, float64 [K]; None if each map has one run.
    """

    x: np.ndarray
    mean: np.ndarray
    low: Optional[np.ndarray]
    high: Optional[np.ndarray]


def make_curves(
    runs_a: Sequence[Run], runs_b: Sequence[Run], found: Comparison, last: int
) -> Optional[Tuple[Curve, Curve]]:
    """Computes the curves of A and B from the episodes of their trainings.

    Each run is followed by the mean return of its last episodes, up to the frames that all runs on
    its map have.

    Args:
      runs_a: runs of A.
      runs_b: runs of B.
      found: the comparison; its maps are used.
      last: number of episodes of the means.

    Returns:
      Two curves; None if a run has no readable `episodes.csv`.
    """
    maps = list(found.of_maps)
    shares = np.linspace(0, 1, NUM_POINTS)
    sides: Tuple[List[np.ndarray], List[np.ndarray]] = ([], [])
    x, first = shares, 0.0
    for map_name in maps:
        try:
            means = [
                [_running_mean(run, last) for run in runs if run.map_name == map_name]
                for runs in (runs_a, runs_b)
            ]
        except ValueError:
            return None
        common = min(float(frames[-1]) for side in means for frames, _ in side)
        first = max(first, max(float(frames[0]) for side in means for frames, _ in side) / common)
        for side, own in zip(sides, means):
            values = np.array([_at(shares * common, *each) for each in own])
            if len(maps) > 1:
                scores = published.SCORES[map_name]
                values = (values - scores.random) / (scores.human - scores.random)
            side.append(values)
        if len(maps) == 1:
            x = shares * common
    # Before that, a run has no finished episode.
    begun = shares >= first
    return (
        _curve(x[begun], [each[:, begun] for each in sides[0]], found),
        _curve(x[begun], [each[:, begun] for each in sides[1]], found),
    )


def _running_mean(run: Run, last: int) -> Tuple[np.ndarray, np.ndarray]:
    """Frames and the mean of the last episodes after each.

    Raises:
      ValueError: if there is no list of episodes.
    """
    frames, returns = learning_curve.read_episodes(
        os.path.join(run.folder, logdir.EPISODES_CSV), run.map_name
    )
    return frames, learning_curve.running_mean_and_std(returns, last)[0]


def _at(x: np.ndarray, frames: np.ndarray, means: np.ndarray) -> np.ndarray:
    """The last mean at or before each number of frames; the first one before any."""
    return means[np.maximum(np.searchsorted(frames, x, side='right') - 1, 0)]


def _curve(x: np.ndarray, values: List[np.ndarray], found: Comparison) -> Curve:
    """Computes a curve from float64 [n, K] per map; whole runs are resampled."""
    mean = statistics.interquartile_mean([each.T for each in values])
    if all(len(each) == 1 for each in values):
        return Curve(x, mean, None, None)
    rng = np.random.default_rng(found.settings.seed)
    repetitions = min(found.settings.repetitions, _MAX_REPETITIONS)
    chosen = statistics.resample([np.arange(len(each)) for each in values], repetitions, rng)
    samples = statistics.interquartile_mean(
        [np.moveaxis(each[rows], 1, 2) for each, rows in zip(values, chosen)]
    )
    return Curve(x, mean, *statistics.interval(samples, found.settings.confidence))
