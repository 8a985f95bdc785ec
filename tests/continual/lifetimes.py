"""Lifetimes without random numbers, whose metrics l2metrics has computed."""

from typing import List, NamedTuple, Tuple

import numpy as np

from tests.continual.example_runs import MAPS


class Lifetime(NamedTuple):
    """A run and its experts.

    maps: names of the maps.
    cycles: number of cycles.
    evaluations: float64 [B + 1, M].
    episodes: float64 [n] of each block.
    experts: of each map, float64 [n] of each expert.
    """

    maps: Tuple[str, ...]
    cycles: int
    evaluations: np.ndarray
    episodes: List[np.ndarray]
    experts: List[List[np.ndarray]]


def make(
    maps: Tuple[str, ...], cycles: int, num_episodes: int, expert_episodes: int, num_experts: int
) -> Lifetime:
    """Makes a lifetime: episodes rise to a level that differs between blocks, and oscillate."""
    count, num_blocks = len(maps), cycles * len(maps)
    rows, columns = np.meshgrid(np.arange(num_blocks + 1), np.arange(count), indexing='ij')
    evaluations = 20 + 9 * np.sin(1.7 * rows + 2.3 * columns * rows + columns) + 2 * rows
    episodes = [
        curve(num_episodes + 3 * block % 5, 25 + 4 * np.sin(block), block)
        for block in range(num_blocks)
    ]
    experts = [
        [
            curve(expert_episodes + 3 * e, 30 + 6 * np.cos(i + e), 10 * i + e)
            for e in range(num_experts)
        ]
        for i in range(count)
    ]
    return Lifetime(maps, cycles, evaluations.round(6), episodes, experts)


def curve(length: int, level: float, phase: int) -> np.ndarray:
    """Returns of the episodes of a learning curve."""
    x = np.arange(length)
    rising = level * (1 - np.exp(-4 * x / length))
    return (rising + 5 * np.sin(12.9 * x + phase) * np.sin(0.7 * x)).round(6)


LIFETIMES = {
    'two cycles': make(MAPS, 2, 60, 150, 1),
    'few episodes, two experts': make(MAPS[:2], 1, 9, 30, 2),
    'many episodes, four maps': make((*MAPS, 'BuildMarines'), 3, 620, 310, 1),
    'falling': make(MAPS, 1, 41, 33, 2)._replace(
        episodes=[curve(41, 30, block)[::-1] for block in range(3)]
    ),
}

NAMES = {
    'perf_maintenance_mrlep': 'maintenance',
    'forward_transfer_ratio': 'ratio.forward',
    'forward_transfer_contrast': 'contrast.forward',
    'backward_transfer_ratio': 'ratio.backward',
    'backward_transfer_contrast': 'contrast.backward',
    'ste_rel_perf': 'relative_performance',
    'sample_efficiency': 'sample_efficiency',
}
"""Attributes of `lifelong.Lifelong` by the names of l2metrics."""
