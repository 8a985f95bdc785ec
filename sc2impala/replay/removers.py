"""Removers: which sequence a new one overwrites when the replay table is full."""

import abc
from typing import Dict, Optional, Type

import numpy as np


class Remover(abc.ABC):
    """Selects the slot of each new sequence.

    A remover keeps no state: its choice depends on its arguments only, so that a saved table needs
    nothing but the remover's name.
    """

    name: str
    """Identifies the remover in saved states."""

    @abc.abstractmethod
    def next_slot(
        self, num_inserted: int, capacity: int, rng: np.random.RandomState
    ) -> Optional[int]:
        """Returns the slot of a new sequence. Slots are filled in order, then overwritten.

        Args:
          num_inserted: number of sequences inserted before this one, kept or not; from `first_key`
            of the table on.
          capacity: number of slots.
          rng: the source of randomness.

        Returns:
          The slot, whose present sequence is removed; or None, which rejects the new sequence.
        """

    @abc.abstractmethod
    def kept_slots(self, keys: np.ndarray, capacity: int, rng: np.random.RandomState) -> np.ndarray:
        """Returns which sequences of a table a table of another capacity takes over.

        Args:
          keys: int64 [size], the insertion number of the sequence in each slot, or -1.
          capacity: number of slots of the other table.
          rng: the source of randomness.

        Returns:
          int64 [min(size, capacity)], their slots, in the order of their new slots.
        """

    def first_key(self, keys: np.ndarray, capacity: int) -> int:
        """Returns the insertion number from which `next_slot` counts.

        Args:
          keys: int64 [size], the insertion number of the sequence in each slot, or -1.
          capacity: number of slots.
        """
        del keys, capacity
        return 0


class Reservoir(Remover):
    """Keeps a uniform sample of all sequences ever inserted (Vitter 1985, algorithm R), as CLEAR.

    Draws one integer per sequence once the table is full.
    """

    name = 'reservoir'

    def next_slot(
        self, num_inserted: int, capacity: int, rng: np.random.RandomState
    ) -> Optional[int]:
        """Returns a random slot, or None with probability 1 - capacity / (num_inserted + 1)."""
        if num_inserted < capacity:
            return num_inserted
        slot = rng.randint(num_inserted + 1, dtype=np.int64)
        return int(slot) if slot < capacity else None

    def kept_slots(self, keys: np.ndarray, capacity: int, rng: np.random.RandomState) -> np.ndarray:
        """Returns all slots, or a uniform sample of them in their order."""
        if len(keys) <= capacity:
            return np.arange(len(keys))
        return np.sort(rng.choice(len(keys), size=capacity, replace=False))


class Fifo(Remover):
    """Keeps the latest sequences: first in, first out. Draws nothing."""

    name = 'fifo'

    def next_slot(self, num_inserted: int, capacity: int, rng: np.random.RandomState) -> int:
        """Returns the slot of the oldest sequence."""
        del rng
        return num_inserted % capacity

    def kept_slots(self, keys: np.ndarray, capacity: int, rng: np.random.RandomState) -> np.ndarray:
        """Returns the slots of the latest sequences, the oldest of them first."""
        del rng
        return np.argsort(keys, kind='mergesort')[-capacity:]

    def first_key(self, keys: np.ndarray, capacity: int) -> int:
        """Returns the number that belongs into slot 0, modulo the capacity."""
        known = np.flatnonzero(keys >= 0)
        return int(keys[known[0]] - known[0]) % capacity if len(known) else 0


REMOVERS: Dict[str, Type[Remover]] = {'reservoir': Reservoir, 'fifo': Fifo}
"""Removers by name."""
