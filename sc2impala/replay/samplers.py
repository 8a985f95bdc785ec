"""Samplers: which sequences of the replay table are sampled, and with which probabilities."""

import abc
from typing import Dict, Mapping, Optional, Tuple, Type

import numpy as np

from sc2impala.replay import entries
from sc2impala.replay.sum_tree import LARGEST, SumTree


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
    """True if the sampler uses priorities, given with new sequences and updated afterwards."""

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
        """Returns the state for an identical continuation by `set_state`.

        Args:
          size: number of sequences in the table.

        Returns:
          Arrays by name, copies. The names must not depend on the content or on `size`.
        """
        del size
        return {}

    def kept_state(
        self, state: Mapping[str, np.ndarray], size: int, slots: np.ndarray
    ) -> Mapping[str, np.ndarray]:
        """Returns the state of a table that takes over some sequences of another one.

        Args:
          state: result of `get_state`.
          size: number of sequences in the state.
          slots: int64 [N], their slots, in the order of their new slots.

        Raises:
          ValueError: see `set_state`.
        """
        del size, slots
        return state

    def set_state(self, state: Mapping[str, np.ndarray], size: int) -> None:
        """Restores a state of `get_state`. Called after `reset`.

        Args:
          state: arrays by name, with exactly the names that `get_state` returns. They are
            read-only and must be copied.
          size: number of sequences in the table.

        Raises:
          ValueError: the arrays are not from a sampler of the same arguments with `size`
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


class Prioritised(Sampler):
    """Draws sequence i with probability p_i^exponent / sum_k p_k^exponent, with replacement.

    Proportional prioritisation (Schaul et al. 2016, arXiv 1511.05952, equation 1). A new sequence
    without a priority gets the highest one so far. A sequence of priority 0 is not drawn, unless
    all have that priority, when all are equally likely.
    """

    name = 'prioritised'
    has_priorities = True

    def __init__(self, exponent: float = 1.0):
        """Args: exponent: 0 draws all sequences of priorities above 0 alike."""
        self._exponent = exponent
        self.reset(0)

    def reset(self, capacity: int) -> None:
        """Forgets all priorities."""
        self._priorities = np.zeros([capacity])
        self._max_priority = 1.0
        self._tree = SumTree()

    def insert(self, slots: np.ndarray, priorities: Optional[np.ndarray]) -> None:
        """Sets the priorities of new sequences, by default to the highest one so far."""
        if priorities is None:
            priorities = np.full([len(slots)], self._max_priority)
        self.update(slots, priorities)

    def update(self, slots: np.ndarray, priorities: np.ndarray) -> None:
        """Replaces priorities."""
        self._tree.set(slots, self._weights(priorities))
        self._priorities[slots] = priorities
        self._max_priority = max([self._max_priority] + priorities.tolist())

    def sample(
        self, size: int, count: int, rng: np.random.RandomState
    ) -> Tuple[np.ndarray, np.ndarray]:
        """Draws with replacement: slots int64 [count], probabilities float64 [count]."""
        targets = rng.random_sample(count)
        root = self._tree.root
        if not root:
            return (targets * size).astype(np.int64), np.full([count], 1 / max(size, 1))
        slots, weights = self._tree.find(targets * root)
        return slots, weights / root

    def get_state(self, size: int) -> Dict[str, np.ndarray]:
        """The priorities, float64 [size], and the highest one so far."""
        return {
            'priorities': self._priorities[:size].copy(),
            'max_priority': np.asarray(self._max_priority),
        }

    def kept_state(
        self, state: Mapping[str, np.ndarray], size: int, slots: np.ndarray
    ) -> Mapping[str, np.ndarray]:
        """Returns the priorities of the slots, and the highest one so far."""
        priorities = state['priorities']
        entries.check_array("state['sampler_priorities']", priorities, [size], np.float64)
        return dict(state, priorities=priorities[slots])

    def set_state(self, state: Mapping[str, np.ndarray], size: int) -> None:
        """Restores the priorities; the tree is a function of them."""
        priorities, highest = state['priorities'], state['max_priority']
        entries.check_array("state['sampler_priorities']", priorities, [size], np.float64)
        entries.check_array("state['sampler_max_priority']", highest, [], np.float64)
        if not (1.0 <= highest < np.inf and np.all((priorities >= 0) & (priorities <= highest))):
            raise ValueError(
                "`state['sampler_priorities']` must be from 0 to the highest priority so far, "
                f'which must be finite and at least 1, but is {highest}.'
            )
        self.update(np.arange(size), priorities)
        self._max_priority = float(highest)

    def _weights(self, priorities: np.ndarray) -> np.ndarray:
        """p^exponent, clipped to the range of the tree; 0 for 0 with every exponent."""
        with np.errstate(over='ignore'):
            weights = np.minimum(np.power(priorities, self._exponent), LARGEST)
        return np.where(priorities > 0, weights, 0.0)


SAMPLERS: Dict[str, Type[Sampler]] = {'uniform': Uniform, 'prioritised': Prioritised}
"""Samplers by name."""
