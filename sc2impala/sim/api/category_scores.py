"""PySC2's `score_by_category`: supply and value of the units of player 1, by category.

Marines are army, buildings that train them technology, everything else economy. [A] The rows of
what was killed, lost and used in total are zero.
"""

from typing import Any

import numpy as np

from sc2impala.sim import functions
from sc2impala.sim.unit_types import SELF, UnitType


def write(details: Any, game: Any) -> None:
    """Writes the categories of a ScoreDetails message.

    Args:
      details: the message.
      game: `GameBatch` of one game.
    """
    g = game.games[0]
    complete = (g.alive != 0) & (g.owner == SELF) & (g.unfinished == 0)
    counts = np.bincount(g.type[complete], minlength=len(game.unit_types)).tolist()
    for unit_type, count in zip(game.unit_types, counts):
        category = _category(unit_type)
        for field, amount in (
            (details.food_used, unit_type.food),
            (details.used_minerals, unit_type.minerals),
            (details.used_vespene, unit_type.vespene),
        ):
            setattr(field, category, getattr(field, category) + count * amount)


def _category(unit_type: UnitType) -> str:
    if unit_type.is_army:
        return 'army'
    return 'technology' if functions.TRAIN_MARINE_QUICK in unit_type.functions else 'economy'
