"""The lifelong learning metrics of New et al. 2022 (arXiv 2201.08278), as l2metrics computes them.

A lifetime alternates between evaluation blocks and learning blocks: B learning blocks have B + 1
evaluation blocks around them, each with one mean return of every map. M is the number of maps.
Evaluations within a learning block are not part of a lifetime.

As l2metrics 3.1 does by default, the returns of training episodes are smoothed within each block,
and all returns of a map are scaled to 1 ... 101 between the smallest and the largest one of the
lifetime and its experts. The ratios depend on that scale. A metric that is not defined is NaN.
"""

from typing import List, NamedTuple, Optional, Sequence, Tuple

import numpy as np

LOWEST, HIGHEST = 1.0, 101.0
"""Range to which the returns of each map are scaled."""

_MAX_WINDOW = 100
_WINDOW_SHARE = 0.2
_LEAST_SATURATION = 0.2


class Transfer(NamedTuple):
    """Effects of learning map i on map j, float64 [M, M] indexed by i and j.

    forward: of the first block of map i with an evaluation of j before and after it, while j has
        not been learned.
    backward: of the first such block after j was first learned.
    """

    forward: np.ndarray
    backward: np.ndarray


class Lifelong(NamedTuple):
    """The metrics of a lifetime.

    maintenance: float64 [M], performance maintenance in units of the scaled return.
    ratio: transfer as (return after) / (return before).
    contrast: transfer as (after - before) / (after + before).
    relative_performance: float64 [M], relative to single-task experts.
    sample_efficiency: float64 [M], likewise.
    """

    maintenance: np.ndarray
    ratio: Transfer
    contrast: Transfer
    relative_performance: np.ndarray
    sample_efficiency: np.ndarray


def compute(
    evaluations: np.ndarray,
    blocks: np.ndarray,
    episodes: Sequence[np.ndarray],
    experts: Optional[Sequence[Sequence[np.ndarray]]] = None,
) -> Lifelong:
    """Computes all metrics of a lifetime.

    Args:
      evaluations: float64 [B + 1, M], mean returns before the first and after every block.
      blocks: int64 [B], index of the map of each block.
      episodes: of each block, float64 [n] returns of its training episodes. Without any of a map,
        what compares episodes with experts is not defined for it.
      experts: of each map, a float64 [n] with the training episodes of each single-task expert;
        None without experts.
    """
    num_maps = evaluations.shape[1]
    experts = experts if experts is not None else [[]] * num_maps
    learned = [smooth(each) for each in episodes]
    shown = [[smooth(each) for each in of_map] for of_map in experts]
    scaled = np.zeros(evaluations.shape)
    relative, efficiency = np.full([2, num_maps], np.nan)
    numbers = experience_numbers([len(each) for each in episodes], num_maps)
    for i in range(num_maps):
        own = np.flatnonzero(blocks == i)
        of_map = np.concatenate([learned[block] for block in own])
        everything = np.concatenate([evaluations[:, i], of_map, *shown[i]])
        limits = (float(everything.min()), float(everything.max()))
        scaled[:, i] = scale(evaluations[:, i], limits)
        of_map = scale(of_map, limits)
        of_experts = [scale(each, limits) for each in shown[i] if len(each)]
        if of_experts and len(of_map):
            relative[i] = np.mean([relative_performance(of_map, e) for e in of_experts])
            positions = np.concatenate([numbers[block] for block in own])
            found = [sample_efficiency(of_map, positions, e) for e in of_experts]
            efficiency[i] = _mean([value for value in found if not np.isnan(value)])
    ratio, contrast = transfers(scaled, blocks)
    maintenance = performance_maintenance(scaled, blocks)
    return Lifelong(maintenance, ratio, contrast, relative, efficiency)


def performance_maintenance(evaluations: np.ndarray, blocks: np.ndarray) -> np.ndarray:
    """Computes the mean change of each map's return since it was last learned.

    The reference is the first evaluation after each learning block of the map (l2metrics: most
    recent learning evaluation performance, MRLEP). Every other evaluation after a reference counts
    with its difference from the latest one.

    Args:
      evaluations: float64 [B + 1, M].
      blocks: int64 [B].

    Returns:
      float64 [M]; negative if maps are forgotten, NaN if no evaluation follows a reference.
    """
    result = np.full(evaluations.shape[1], np.nan)
    for i in range(evaluations.shape[1]):
        references = np.flatnonzero(blocks == i) + 1
        differences = [
            evaluations[k, i] - evaluations[references[references < k][-1], i]
            for k in range(len(evaluations))
            if k not in references and (references < k).any()
        ]
        result[i] = _mean(differences)
    return result


def transfers(evaluations: np.ndarray, blocks: np.ndarray) -> Tuple[Transfer, Transfer]:
    """Computes forward and backward transfer between all pairs of maps.

    Args:
      evaluations: float64 [B + 1, M].
      blocks: int64 [B].

    Returns:
      Ratios and contrasts.
    """
    num_maps = evaluations.shape[1]
    ratio, contrast = (
        Transfer(*np.full([2, num_maps, num_maps], np.nan)) for _ in ('ratio', 'contrast')
    )
    first_learned = [int(np.flatnonzero(blocks == j)[0]) for j in range(num_maps)]
    for block, i in enumerate(blocks):
        for j in range(num_maps):
            if i == j:
                continue
            kind = 'forward' if block < first_learned[j] else 'backward'
            before, after = evaluations[block, j], evaluations[block + 1, j]
            for matrix, numerator, denominator in (
                (getattr(ratio, kind), after, before),
                (getattr(contrast, kind), after - before, after + before),
            ):
                if np.isnan(matrix[i, j]) and denominator != 0:
                    matrix[i, j] = numerator / denominator
    return ratio, contrast


def relative_performance(returns: np.ndarray, expert: np.ndarray) -> float:
    """Computes the sum of the returns over an expert's, both over as many first episodes.

    Args:
      returns: float64 [n], training episodes of a map, smoothed and scaled.
      expert: float64 [k], those of its expert.
    """
    count = min(len(returns), len(expert))
    return float(returns[:count].sum() / expert[:count].sum())


def sample_efficiency(returns: np.ndarray, positions: np.ndarray, expert: np.ndarray) -> float:
    """Computes how high and how early the returns saturate, relative to an expert.

    (saturation / the expert's) * (the expert's episodes to saturation / episodes to saturation),
    where the saturation is the largest smoothed return.

    Args:
      returns: float64 [n], training episodes of a map, smoothed and scaled.
      positions: int64 [n], see `experience_numbers`.
      expert: float64 [k], training episodes of its expert.

    Returns:
      0 if the returns fall (negative slope of a linear fit), or saturate below a fifth of the
      expert's; NaN if either saturates at its first episode.
    """
    saturation, episodes = _saturation(returns)
    of_expert, expert_episodes = _saturation(expert)
    if not episodes or not expert_episodes:
        return float('nan')
    slope = np.mean((positions - positions.mean()) * (returns - returns.mean()))
    if saturation < _LEAST_SATURATION * of_expert or slope < 0:
        return 0.0
    return saturation / of_expert * (expert_episodes / episodes)


def smooth(values: np.ndarray) -> np.ndarray:
    """Computes a moving average, with the ends continued by reflection.

    The window is a fifth of the values, at most 100. Windows below 3 change nothing.

    Args:
      values: float64 [n].

    Returns:
      float64 [n].
    """
    window = min(int(_WINDOW_SHARE * len(values)), _MAX_WINDOW)
    if window < 3:
        return values
    continued = np.pad(values, window - 1, mode='reflect')
    # As in l2metrics, where windows of odd length are centred one value earlier.
    first = window // 2 - 1 if window % 2 == 0 else (window - 3) // 2
    means = np.convolve(np.full(window, 1 / window), continued, mode='valid')
    return means[first : first + len(values)]


def scale(values: np.ndarray, limits: Tuple[float, float]) -> np.ndarray:
    """Scales values linearly so that the limits become 1 and 101; to 1 if the limits are equal."""
    low, high = limits
    if low == high:
        return np.full(len(values), LOWEST)
    return LOWEST + (HIGHEST - LOWEST) * (values - low) / (high - low)


def experience_numbers(counts: Sequence[int], num_maps: int) -> List[np.ndarray]:
    """Numbers the training episodes of a lifetime, each evaluation of a map being one experience.

    Args:
      counts: number of training episodes of each block.
      num_maps: number of evaluations before each block.

    Returns:
      int64 [n] of each block.
    """
    result, first = [], 0
    for count in counts:
        first += num_maps
        result.append(np.arange(first, first + count))
        first += count
    return result


def _saturation(values: np.ndarray) -> Tuple[float, int]:
    """The largest smoothed value, and its index."""
    smoothed = smooth(values)
    index = int(np.argmax(smoothed))
    return float(smoothed[index]), index


def _mean(values: Sequence[float]) -> float:
    return float(np.mean(values)) if len(values) else float('nan')
