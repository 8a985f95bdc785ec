"""Which sequence gives way to a new one when the memory is full."""

from typing import Optional

import numpy as np


def reservoir_slot(num_inserted: int, capacity: int, rng: np.random.RandomState) -> Optional[int]:
    """Keeps a uniform sample of everything ever inserted (Vitter 1985, algorithm R).

    Args:
      num_inserted: how many sequences came before this one, kept or not.
      capacity: how many sequences fit.
      rng: asked for one integer if the memory is full.

    Returns:
      The slot that the new sequence takes, or None where it is the new one that gives way.
    """
    if num_inserted < capacity:
        return num_inserted
    slot = rng.randint(num_inserted + 1, dtype=np.int64)
    return int(slot) if slot < capacity else None


def fifo_slot(num_inserted: int, capacity: int, rng: np.random.RandomState) -> int:
    """Keeps the latest sequences: as `reservoir_slot`, but the oldest one gives way."""
    del rng
    return num_inserted % capacity


EVICTIONS = {'reservoir': reservoir_slot, 'fifo': fifo_slot}
