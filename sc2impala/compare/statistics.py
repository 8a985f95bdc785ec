"""Statistics over runs and maps, after Agarwal et al. 2021 (arXiv 2108.13264).

Scores are a list with one float64 [..., n] per map: the scores of n runs, which may differ between
maps. Leading dimensions are those of bootstrap samples, R in the following. Every map has the same
weight, whatever its number of runs.
"""

import math
from typing import List, Optional, Sequence, Tuple

import numpy as np

Scores = Sequence[np.ndarray]

POWER = 0.8
"""Probability with which `runs_needed` runs show a difference."""

_MAX_ELEMENTS = 2**22


def interquartile_mean(scores: Scores) -> np.ndarray:
    """Computes the mean of the middle half of all scores.

    Of N scores the int(N / 4) lowest and highest are dropped: with fewer than 4 it is the mean.

    Args:
      scores: one float64 [..., n] per map.

    Returns:
      float64 [...].
    """
    pooled = np.sort(_pooled(scores), axis=-1)
    count = pooled.shape[-1]
    cut = int(0.25 * count)
    return pooled[..., cut : count - cut].mean(axis=-1)


def probability_of_improvement(scores_a: Scores, scores_b: Scores) -> np.ndarray:
    """Computes the probability that a run of A scores higher than a run of B on the same map.

    Ties count one half, as in the Mann-Whitney U statistic; the result is the mean over maps.

    Args:
      scores_a: one float64 [..., n] per map.
      scores_b: one float64 [..., k] per map, in the same order.

    Returns:
      float64 [...].
    """
    of_maps = []
    for a, b in zip(scores_a, scores_b):
        pairs_a, pairs_b = a[..., :, None], b[..., None, :]
        wins = (pairs_a > pairs_b).mean(axis=(-2, -1))
        of_maps.append(wins + 0.5 * (pairs_a == pairs_b).mean(axis=(-2, -1)))
    return np.mean(of_maps, axis=0)


def performance_profile(scores: Scores, thresholds: np.ndarray) -> np.ndarray:
    """Computes the fraction of runs that score higher than each threshold.

    Args:
      scores: one float64 [..., n] per map.
      thresholds: float64 [K].

    Returns:
      float64 [..., K].
    """
    pooled = _pooled(scores)
    return np.stack([(pooled > each).mean(axis=-1) for each in thresholds], axis=-1)


def resample(scores: Scores, repetitions: int, rng: np.random.Generator) -> List[np.ndarray]:
    """Draws stratified bootstrap samples: runs with replacement, separately for each map.

    Args:
      scores: one float64 [n] per map.
      repetitions: number R of samples.
      rng: source of randomness.

    Returns:
      One float64 [R, n] per map.
    """
    return [each[rng.integers(len(each), size=(repetitions, len(each)))] for each in scores]


def interval(samples: np.ndarray, confidence: float) -> Tuple[np.ndarray, np.ndarray]:
    """Computes the percentile interval of a statistic.

    Args:
      samples: float64 [R, ...], its values in bootstrap samples.
      confidence: probability that the interval covers, such as 0.95.

    Returns:
      Lower and upper bound, float64 [...] each.
    """
    tail = (1 - confidence) / 2
    low, high = np.quantile(samples, [tail, 1 - tail], axis=0)
    return low, high


def permutation_p_value(
    scores_a: Scores, scores_b: Scores, repetitions: int, rng: np.random.Generator
) -> float:
    """Tests whether A and B differ by exchanging their runs within maps.

    The statistic is the distance of the probability of improvement from 1/2, which makes it a
    Mann-Whitney test that is stratified by map. If the runs of A and B on each map come from the
    same distribution, the probability of p <= x is at most x for any number of runs. Bootstrap
    intervals of few runs are too narrow for that.

    Args:
      scores_a: one float64 [n] per map.
      scores_b: one float64 [k] per map, in the same order.
      repetitions: number of random exchanges.
      rng: source of randomness.

    Returns:
      The two-sided p-value; the observed assignment is one of the exchanges, so it is never 0.
    """
    observed = abs(probability_of_improvement(scores_a, scores_b) - 0.5)
    extreme = 0
    for size in _chunks(repetitions, max(len(a) * len(b) for a, b in zip(scores_a, scores_b))):
        exchanged = []
        for a, b in zip(scores_a, scores_b):
            both = np.concatenate([a, b])
            order = rng.random((size, len(both))).argsort(axis=-1)
            exchanged.append((both[order[:, : len(a)]], both[order[:, len(a) :]]))
        found = probability_of_improvement(*[list(side) for side in zip(*exchanged)])
        # Equal statistics may differ in their last bits.
        extreme += int(np.sum(np.abs(found - 0.5) >= observed - 1e-9))
    return (1 + extreme) / (1 + repetitions)


def smallest_p_value(counts_a: Sequence[int], counts_b: Sequence[int]) -> float:
    """Computes the smallest p-value that a permutation test can give.

    Args:
      counts_a: number of runs of A on each map.
      counts_b: number of runs of B on each map.
    """
    exchanges = 1
    for a, b in zip(counts_a, counts_b):
        exchanges *= _binomial(a + b, a)
    # All runs of A above those of B, or all below.
    return min(1.0, 2 / exchanges)


def runs_needed(
    difference: float,
    run_variances: Sequence[float],
    num_maps: int,
    confidence: float,
) -> Optional[int]:
    """Estimates the runs per map and side that show a difference with probability POWER.

    Normal approximation: n runs on each side have an interval of the difference with the standard
    error sqrt((V_a + V_b) / n). At least as many runs are needed as the permutation test needs to
    reach 1 - confidence.

    Args:
      difference: of the interquartile means; assumed to be the true one.
      run_variances: V_a and V_b, squared standard errors of the interquartile means, times the
        number of runs per map.
      num_maps: number of maps.
      confidence: of the interval.

    Returns:
      The number of runs; None if the difference or the variances are 0, or not known.
    """
    variance = sum(run_variances)
    if not difference or not variance > 0:
        return None
    width = normal_quantile((1 + confidence) / 2) + normal_quantile(POWER)
    found = math.ceil(variance * (width / difference) ** 2)
    count = 2
    while smallest_p_value([count] * num_maps, [count] * num_maps) > 1 - confidence:
        count += 1
    return max(found, count)


def normal_quantile(probability: float) -> float:
    """Computes the quantile of the standard normal distribution; `statistics` needs Python 3.8."""
    low, high = -40.0, 40.0
    for _ in range(100):
        middle = (low + high) / 2
        if (1 + math.erf(middle / math.sqrt(2))) / 2 < probability:
            low = middle
        else:
            high = middle
    return low


def _pooled(scores: Scores) -> np.ndarray:
    """Concatenates the scores of all maps; those of maps with fewer runs are repeated."""
    total = _lcm([each.shape[-1] for each in scores])
    return np.concatenate([np.repeat(e, total // e.shape[-1], axis=-1) for e in scores], axis=-1)


def _chunks(repetitions: int, count: int) -> List[int]:
    """Splits repetitions into parts whose arrays of `count` elements each fit into memory."""
    size = max(1, _MAX_ELEMENTS // count)
    whole, rest = divmod(repetitions, size)
    return [size] * whole + [rest] * (rest > 0)


def _lcm(counts: Sequence[int]) -> int:
    result = 1
    for count in counts:
        result *= count // math.gcd(result, count)
    return result


def _binomial(n: int, k: int) -> int:
    return math.factorial(n) // (math.factorial(k) * math.factorial(n - k))
