"""Ranges of slots, and free slots."""

from typing import Optional

import numpy as np

from sc2impala.sim.units import Units


def first_free(units: Units, game: int, choice: slice) -> Optional[int]:
    """Returns the first free slot of a range in a game, or None."""
    free = ~units.alive[game, choice]
    return choice.start + int(free.argmax()) if free.any() else None


def mobile(units: Units) -> slice:
    """Returns the slots for units that can move."""
    return slice(0, units.num_mobile)


def buildings(units: Units, num_resources: int) -> slice:
    """Returns the slots for buildings."""
    return slice(units.num_mobile + num_resources, units.alive.shape[1])


def workers(units: Units, worker_type: int) -> np.ndarray:
    """Returns the living workers, units of type index `worker_type`: bool [K, M]."""
    choice = mobile(units)
    return units.alive[:, choice] & (units.type[:, choice] == worker_type)
