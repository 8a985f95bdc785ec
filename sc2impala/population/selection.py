"""Truncation selection with a threshold (exploit step of population-based training).

The worst members of a population copy the best (Jaderberg et al. 2017, arXiv
1711.09846, 4.1.1), if the difference is large, as in Sample Factory (Petrenko et al. 2020, arXiv
2006.11751, A.3.1): small differences are noise of the evaluations, and each copy costs
diversity.
"""

from typing import List, Optional, Sequence

import numpy as np


def choose_parents(
    scores: Sequence[Optional[float]],
    fraction: float,
    threshold: float,
    threshold_absolute: float,
    fixed: Sequence[int],
    random: np.random.RandomState,
) -> List[int]:
    """Chooses the parent of each of P members.

    Members are ranked by score, ties by index. Of n = max(1, P * fraction)
    members at each end of the ranking, rounded down, each of the worst is compared with one of
    the best, at random. Members without a score are the worst: all of them copy.

    Args:
      scores: mean return of each member; None if failed.
      fraction: 0 to 0.5; 0 for no one.
      threshold: minimum difference as a fraction of the worse score's size.
      threshold_absolute: minimum absolute difference.
      fixed: indices of members that never copy.
      random: random numbers for the choice among the best.

    Returns:
      The index of each member's parent, its own if it keeps its weights.
    """
    parents = list(range(len(scores)))
    if not fraction:
        return parents
    count = max(1, int(len(scores) * fraction))
    alive = [index for index, score in enumerate(scores) if score is not None]
    failed = [index for index, score in enumerate(scores) if score is None]
    ranking = sorted(alive, key=lambda index: -_number(scores[index]))
    best = ranking[:count]
    # The worst members with a score fill the remaining places, and none is also among the
    # best.
    room = min(count - len(failed), len(ranking) - len(best))
    worst = failed + (ranking[-room:] if room > 0 else [])
    for index in sorted(worst):
        if index in fixed or not best:
            continue
        other = best[random.randint(len(best))]
        own, better = scores[index], _number(scores[other])
        if own is None or _is_worth_it(better - own, own, threshold, threshold_absolute):
            parents[index] = other
    return parents


def _is_worth_it(difference: float, own: float, threshold: float, absolute: float) -> bool:
    return difference > absolute and difference > threshold * abs(own)


def _number(score: Optional[float]) -> float:
    assert score is not None
    return score
