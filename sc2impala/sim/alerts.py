"""Codes of PySC2's `alerts`: the values of the game's Alert."""

BUILDING_COMPLETE = 5
MINERALS_EXHAUSTED = 9
TRAIN_UNIT_COMPLETE = 16
TRAIN_WORKER_COMPLETE = 17
VESPENE_EXHAUSTED = 21

NUM_ALERTS = 23
"""Exclusive upper bound of the codes."""
