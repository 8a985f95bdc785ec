"""A sum tree: draws indices with probabilities proportional to their values in O(log n).

Every node contains the sum of its two children, always computed from them and never corrected by a
difference: the tree is a function of its leaves alone, whatever was written before. So nothing
drifts over many updates, and a tree that is rebuilt from its leaves is the same, bit for bit.
"""

from typing import Tuple

import numpy as np

LARGEST = 1e290
"""Largest value of an index: the sum of as many as fit into memory is still finite."""


class SumTree:
    """Values float64 of the indices from 0 on, all 0 at first; it grows as they are set."""

    def __init__(self) -> None:
        """Creates a tree of zeros."""
        # Node 1 is the root, 2 i and 2 i + 1 are the children of node i, the leaves come last.
        self._nodes = np.zeros([2])

    @property
    def root(self) -> float:
        """The sum of all values."""
        return float(self._nodes[1])

    def get(self, indices: np.ndarray) -> np.ndarray:
        """Returns the values, float64 [N], of indices, int64 [N], below the largest ever set."""
        return self._nodes[self._num_leaves + indices]

    def set(self, indices: np.ndarray, values: np.ndarray) -> None:
        """Sets values.

        Args:
          indices: int64 [N], all different, not negative; N may be 0.
          values: float64 [N], from 0 to LARGEST.

        Raises:
          ValueError: a value is out of range or not a number. Nothing is changed.
        """
        if not np.all((values >= 0) & (values <= LARGEST)):
            raise ValueError(f'`values` must be from 0 to {LARGEST:g}, but are {values.tolist()}.')
        if not len(indices):
            return
        self._grow(int(indices.max()) + 1)
        nodes = self._num_leaves + indices
        self._nodes[nodes] = values
        while nodes[0] > 1:
            # Siblings write the same sum to their parent.
            nodes = nodes >> 1
            self._nodes[nodes] = self._nodes[2 * nodes] + self._nodes[2 * nodes + 1]

    def find(self, targets: np.ndarray) -> Tuple[np.ndarray, np.ndarray]:
        """Returns the index whose interval contains each target, the values being laid end to end.

        Args:
          targets: float64 [N], at least 0 and less than `root`, which must be above 0.

        Returns:
          int64 [N], the indices, and float64 [N], their values, which are above 0.
        """
        nodes, left_over = np.ones([len(targets)], np.int64), np.array(targets, np.float64)
        for _ in range(self._num_leaves.bit_length() - 1):
            left = self._nodes[2 * nodes]
            # A target may exceed the sum of a subtree by a rounding error: never into a 0.
            goes_right = (left_over >= left) & (self._nodes[2 * nodes + 1] > 0)
            left_over -= np.where(goes_right, left, 0.0)
            nodes = 2 * nodes + goes_right
        return nodes - self._num_leaves, self._nodes[nodes]

    @property
    def _num_leaves(self) -> int:
        """A power of two."""
        return len(self._nodes) // 2

    def _grow(self, size: int) -> None:
        """Makes room for the indices below `size`."""
        while self._num_leaves < size:
            old, width = self._nodes, self._num_leaves
            self._nodes = np.zeros([4 * width])
            self._nodes[1] = old[1]
            # A level of the old tree is the left half of the level below it.
            level = 1
            while level <= width:
                self._nodes[2 * level : 3 * level] = old[level : 2 * level]
                level *= 2
