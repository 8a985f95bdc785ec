"""Forgetting, transfer and performance, from the mean returns of evaluations.

Isolated forgetting and isolated zero-shot transfer are those of CORA (Powers et al., CoLLAs 2022,
arXiv 2110.10067), as its published code computes them, except that returns are not smoothed over
evaluations: here each is the mean of several episodes of one model.

In the following E is the number of evaluations of a run, M its number of maps, B its number of
blocks and C its number of cycles. The arguments `blocks`, `before` and `after` are those of
`runs.Run`. An entry that is not defined is NaN.
"""

from typing import Sequence

import numpy as np

from sc2impala.evaluation.episode_table import running_mean_and_std


def largest_returns(returns: Sequence[np.ndarray]) -> np.ndarray:
    """Computes the scale by which CORA divides the returns of each map.

    Args:
      returns: float64 [E, M] of each run of an arm; E may differ.

    Returns:
      float64 [M], the largest absolute return at any evaluation of any run.
    """
    return np.abs(np.concatenate(returns)).max(axis=0)


def isolated_forgetting(
    returns: np.ndarray, before: np.ndarray, after: np.ndarray, scale: np.ndarray
) -> np.ndarray:
    """Computes the part of each map's return that is lost while another map is learned.

    F[c, i, j] = (r_i(before block of j) - r_i(after it)) / scale_i, for the block of map j in cycle
    c. In the first cycle only for j > i, since map i has not been learned before; later for all j,
    and F[c, i, i] is then negative if map i improves while it is learned again.

    Args:
      returns: float64 [E, M].
      before, after: int64 [B], of blocks that go through the maps in order.
      scale: float64 [M], see `largest_returns`.

    Returns:
      float64 [C, M, M], indexed by cycle, forgotten map and learned map.
    """
    result = -_changes(returns, before, after, scale)
    num_maps = returns.shape[1]
    # [B, M] -> [C, M, M]
    result = result.reshape(-1, num_maps, num_maps).transpose(0, 2, 1)
    result[0][np.tril_indices(num_maps)] = np.nan
    return result


def isolated_transfer(
    returns: np.ndarray, before: np.ndarray, after: np.ndarray, scale: np.ndarray
) -> np.ndarray:
    """Computes the part of each map's return that is gained while an earlier map is learned.

    Z[i, j] = (r_i(after block of j) - r_i(before it)) / scale_i, for the block of map j in the
    first cycle and j < i: map i has not been learned yet.

    Args:
      returns, before, after, scale: as in `isolated_forgetting`.

    Returns:
      float64 [M, M], indexed by the map that is not yet learned and the learned one.
    """
    num_maps = returns.shape[1]
    result = _changes(returns, before, after, scale)[:num_maps].T.copy()
    result[np.triu_indices(num_maps)] = np.nan
    return result


def average_performance(steps: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Computes the mean over the frames of a run, by the trapezoidal rule between evaluations.

    Args:
      steps: int64 [E], environment frames.
      values: float64 [E, M].

    Returns:
      float64 [M]; with a single evaluation its values.
    """
    if len(steps) == 1:
        return values[0].astype(np.float64)
    widths = np.diff(steps).astype(np.float64)[:, None]
    return (widths * (values[1:] + values[:-1]) / 2).sum(axis=0) / widths.sum()


def lost_share(
    gains: np.ndarray, blocks: np.ndarray, before: np.ndarray, after: np.ndarray
) -> np.ndarray:
    """Computes the share of what was learned of each map that was lost before it was learned again.

    For each block of map i, what was learned is the gain after the block; what remains is the gain
    before the next block of map i, or at the end of the run. The share is 1 - sum of what remains /
    sum of what was learned, over the blocks that another block follows.

    Args:
      gains: float64 [E, M], returns minus those before learning, as of a random policy.
      blocks, before, after: int64 [B].

    Returns:
      float64 [M]: 0 if nothing was lost, 1 if everything was, negative if maps improved meanwhile.
      NaN if nothing was learned, or no other block followed.
    """
    result = np.full(gains.shape[1], np.nan)
    for i in range(gains.shape[1]):
        own = np.flatnonzero(blocks == i)
        ends = np.append(before[own[1:]], len(gains) - 1)
        pairs = [(after[block], end) for block, end in zip(own, ends) if end > after[block]]
        learned = sum(gains[first, i] for first, _ in pairs)
        if pairs and learned > 0:
            result[i] = 1 - sum(gains[last, i] for _, last in pairs) / learned
    return result


def frames_to_return(
    steps: np.ndarray, returns: np.ndarray, threshold: float, window: int, first_step: int = 0
) -> float:
    """Computes the frames of training until the running mean of the episodes reaches a return.

    Args:
      steps: int64 [n], environment frames at the end of each episode, not decreasing.
      returns: float64 [n].
      threshold: the return to reach.
      window: number of episodes of the mean; there is none before that many have finished.
      first_step: environment frames at which the training of the map began.

    Returns:
      Frames since `first_step`; NaN if it is not reached.
    """
    means, _ = running_mean_and_std(returns, window) if len(returns) else (returns, returns)
    reached = np.flatnonzero(means[window - 1 :] >= threshold)
    return float(steps[window - 1 + reached[0]] - first_step) if len(reached) else float('nan')


def _changes(
    returns: np.ndarray, before: np.ndarray, after: np.ndarray, scale: np.ndarray
) -> np.ndarray:
    """Changes of the scaled returns over each block, float64 [B, M]; NaN if the scale is 0."""
    positive = np.where(scale > 0, scale, np.nan)
    return (returns[after] - returns[before]) / positive
