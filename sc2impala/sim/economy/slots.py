"""Which slots are in use, and which are free."""

from typing import Optional

import numpy as np

from sc2impala.sim.units import Units


def first_free(units: Units, game: int, choice: slice) -> Optional[int]:
    """The first of some slots of a game that holds nothing, or None."""
    free = ~units.alive[game, choice]
    return choice.start + int(free.argmax()) if free.any() else None


def mobile(units: Units) -> slice:
    """The slots for units that move."""
    return slice(0, units.num_mobile)


def buildings(units: Units, num_resources: int) -> slice:
    """The slots for buildings."""
    return slice(units.num_mobile + num_resources, units.alive.shape[1])


def workers(units: Units, worker_type: int) -> np.ndarray:
    """Which slots for units that move hold living workers, of type `kind`: bool [K, M]."""
    choice = mobile(units)
    return units.alive[:, choice] & (units.type[:, choice] == worker_type)
