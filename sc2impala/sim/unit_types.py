"""What the units are: numbers of the game's own data, at normal speed."""

import collections
from typing import Sequence

import numpy as np

from sc2impala.sim import functions

LOOPS_PER_SECOND = 16  # Normal speed. [S] ENV

SELF = 1
ENEMY = 2
NEUTRAL = 16
"""Owners, as the layer player_id shows them. [S] OBS, F"""

UnitType = collections.namedtuple(
    'UnitType',
    [
        'unit_type',
        'health',
        'radius',
        'minimap_radius',
        'speed',
        'food',
        'is_army',
        'functions',
    ],
)
"""Data of one type of unit.

unit_type: id in the game's interface. health: hit points. radius: of its circle, in cells.
minimap_radius: half the side of its square there, in cells. speed: cells per game loop.
food: supply used. is_army: whether `select_army` selects it. functions: ids that it offers.
"""


def tabulate(types: Sequence[UnitType]) -> UnitType:
    """Turns T types into one UnitType of arrays [T]; `functions` becomes a mask [T, 573]."""
    offered = np.zeros([len(types), functions.NUM_FUNCTIONS], bool)
    for row, unit_type in zip(offered, types):
        row[list(unit_type.functions)] = True
    return UnitType(*map(np.array, zip(*(row[:-1] for row in types))), functions=offered)


MARINE = UnitType(  # [S] GD, ID
    unit_type=48,
    health=45,
    radius=0.375,
    minimap_radius=0.375,
    speed=2.25 / LOOPS_PER_SECOND,
    food=1,
    is_army=True,
    functions=functions.MARINE_CARD,
)

BEACON = UnitType(  # Beacon_Terran. [S] TT, ID; its radius on the screen [A]
    unit_type=317,
    health=25,
    radius=1.875,
    minimap_radius=1.875,
    speed=0,
    food=0,
    is_army=False,
    functions=(),
)

MINERAL_SHARD = UnitType(  # NaturalMinerals. [S] GD, ID; its radius on the screen [U]
    unit_type=1680,
    health=10,
    radius=0.5,
    minimap_radius=0.375,
    speed=0,
    food=0,
    is_army=False,
    functions=(),
)
