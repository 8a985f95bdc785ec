"""Samplers: which sequences of the replay table are sampled, and with which probabilities."""

import abc
from typing import Dict, Mapping, Optional, Tuple, Type

import numpy as np


class Sampler(abc.ABC):
    """Selects slots to sample from. The base class of all samplers.

    A sampler belongs to one `ReplayTable`, which calls it under its lock. Slots are numbered from 0
    and filled in order: a table with `size` sequences has them in the slots below `size`. A slot is
    never emptied. Its sequence is removed when another one is inserted into the slot.

    A sampler without priorities only needs `sample`. One with priorities, such as
    prioritized experience replay, sets `has_priorities` and implements all methods. What it stores
    per slot starts with `reset`, is written by `insert` and `update`, and is saved with the table
    through `get_state` and `set_state`.
    """

    name: str
    """Identifies the sampler in saved states."""

    has_priorities: bool = False
    """Whether the sampler uses priorities, given with new sequences and updated afterwards."""

    @abc.abstractmethod
    def sample(
        self, size: int, count: int, rng: np.random.RandomState
    ) -> Tuple[np.ndarray, np.ndarray]:
        """Draws slots.

        Args:
          size: number of sequences in the table, at least `count`.
          count: number of draws.
          rng: the only source of randomness.

        Returns:
          slots: int64 [count], less than `size`. The sampler defines whether a slot may repeat.
          probabilities: float64 [count], the probability with which a single draw from the whole
            table selects this slot.
        """

    def reset(self, capacity: int) -> None:
        """Forgets all sequences. Called before any other method.

        Args:
          capacity: number of slots of the table.
        """
        del capacity

    def insert(self, slots: np.ndarray, priorities: Optional[np.ndarray]) -> None:
        """Registers new sequences, which replace those that were in the same slots.

        Args:
          slots: int64 [N], all different; N may be 0.
          priorities: float64 [N], finite and not negative; None if the caller gave none, where the
            sampler has to choose, e.g. the highest priority so far. Always None without
            `has_priorities`.
        """
        del slots, priorities

    def update(self, slots: np.ndarray, priorities: np.ndarray) -> None:
        """Replaces priorities. Called only with `has_priorities`.

        Args:
          slots: int64 [N], all different; N may be 0.
          priorities: float64 [N], finite and not negative.
        """
        raise NotImplementedError(f'{self.name} has no priorities.')

    def get_state(self, size: int) -> Dict[str, np.ndarray]:
        """Returns what `set_state` needs to continue identically.

        Args:
          size: number of sequences in the table.

        Returns:
          Arrays by name, copies. The names must not depend on the content or on `size`.
        """
        del size
        return {}

    def set_state(self, state: Mapping[str, np.ndarray], size: int) -> None:
        """Restores what `get_state` returned. Called after `reset`.

        Args:
          state: arrays by name, with exactly the names that `get_state` returns. They are
            read-only and must be copied.
          size: number of sequences in the table.

        Raises:
          ValueError: the arrays are not those of a sampler of the same arguments with `size`
            sequences. The table calls `reset` afterwards.
        """
        del state, size


class Uniform(Sampler):
    """Draws different sequences, all equally likely."""

    name = 'uniform'

    def sample(
        self, size: int, count: int, rng: np.random.RandomState
    ) -> Tuple[np.ndarray, np.ndarray]:
        """Draws without replacement: slots int64 [count], probabilities float64 [count]."""
        slots = rng.choice(size, size=count, replace=False)
        return slots.astype(np.int64, copy=False), np.full([count], 1 / max(size, 1))


SAMPLERS: Dict[str, Type[Sampler]] = {'uniform': Uniform}
"""Samplers by name."""
