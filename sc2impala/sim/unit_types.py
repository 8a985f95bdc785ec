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

_DEFAULTS = collections.OrderedDict(
    speed=0.0,
    armor=0,
    is_light=False,
    is_structure=False,
    is_army=False,
    sight=0.0,
    food=0,
    food_provided=0,
    minerals=0,
    vespene=0,
    build_loops=0,
    footprint=0,
    damage=0,
    bonus_to_light=0,
    weapon_range=0.0,
    weapon_period=0.0,
    damage_point=0.0,
    missile_speed=0.0,
    splash_radius=0.0,
    functions=(),
)

UnitType = collections.namedtuple(
    'UnitType',
    ['unit_type', 'health', 'radius', 'minimap_radius'] + list(_DEFAULTS),
    defaults=_DEFAULTS.values(),
)
"""Data of one type of unit.

unit_type: id in the game's interface. health: hit points. radius: of its circle, in cells, as the
interface tells it. minimap_radius: half the side of its square there, in cells. speed: cells per
game loop. armor: taken off every hit. is_light: whether it suffers bonus damage against light
units. is_structure. is_army: whether `select_army` selects it. sight: cells from its centre that
its owner sees. food: supply used. food_provided: supply. minerals, vespene: cost. build_loops: game
loops to build or train it. footprint: side of the square of cells that a structure covers.
damage, bonus_to_light: per hit; a unit without damage has no weapon. weapon_range: from edge to
edge, in cells. weapon_period: loops from the start of one attack to that of the next. damage_point:
loops from the start of an attack to the hit. missile_speed: cells per loop; 0 hits at once.
splash_radius: cells around the attacker, which dies of its attack; 0 for other weapons.
functions: ids that it offers when it is selected.
"""


def tabulate(types: Sequence[UnitType]) -> UnitType:
    """Turns T types into one UnitType of arrays [T]; `functions` becomes a mask [T, 573]."""
    offered = np.zeros([len(types), functions.NUM_FUNCTIONS], bool)
    for row, unit_type in zip(offered, types):
        row[list(unit_type.functions)] = True
    columns = {
        name: np.array([getattr(unit_type, name) for unit_type in types])
        for name in UnitType._fields
        if name != 'functions'
    }
    return UnitType(functions=offered, **columns)


def _loops(seconds):
    return seconds * LOOPS_PER_SECOND


MARINE = UnitType(  # [S] GD, ID
    unit_type=48,
    health=45,
    radius=0.375,
    minimap_radius=0.375,
    speed=2.25 / LOOPS_PER_SECOND,
    is_light=True,
    is_army=True,
    sight=9.0,
    food=1,
    minerals=50,
    build_loops=400,
    damage=6,
    weapon_range=5.0,
    weapon_period=_loops(0.8608),
    damage_point=_loops(0.05),
    functions=functions.MARINE_CARD,
)

ZERGLING = UnitType(  # [S] GD, ID
    unit_type=105,
    health=35,
    radius=0.375,
    minimap_radius=0.375,
    speed=2.953 / LOOPS_PER_SECOND,
    is_light=True,
    sight=8.0,
    damage=5,
    weapon_range=0.1,
    weapon_period=_loops(0.696),
    damage_point=_loops(0.167),
)

BANELING = UnitType(  # [S] GD, ID
    unit_type=9,
    health=30,
    radius=0.375,
    minimap_radius=0.375,
    speed=2.5 / LOOPS_PER_SECOND,
    sight=8.0,
    damage=20,
    bonus_to_light=15,
    weapon_range=0.25,
    splash_radius=2.2,
)

ROACH = UnitType(  # [S] GD, ID
    unit_type=110,
    health=145,
    radius=0.5,
    minimap_radius=0.5,  # [A]
    speed=2.25 / LOOPS_PER_SECOND,
    armor=1,
    sight=9.0,
    damage=16,
    weapon_range=4.0,
    weapon_period=_loops(2.0),
    damage_point=_loops(0.167),
    missile_speed=18.75 / LOOPS_PER_SECOND,
)

BEACON = UnitType(  # Beacon_Terran. [S] TT, ID; its radius on the screen [A]
    unit_type=317,
    health=25,
    radius=1.875,
    minimap_radius=1.875,
)

MINERAL_SHARD = UnitType(  # NaturalMinerals. [S] GD, ID; its radius on the screen [U]
    unit_type=1680,
    health=10,
    radius=0.5,
    minimap_radius=0.375,
)
