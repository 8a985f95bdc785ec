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
    is_worker=False,
    sight=0.0,
    food=0,
    food_provided=0,
    minerals=0,
    vespene=0,
    build_loops=0,
    footprint=(0, 0),
    contents=0,
    damage=0,
    bonus_to_light=0,
    weapon_range=0.0,
    weapon_period=0.0,
    damage_point=0.0,
    backswing=0.0,
    missile_speed=0.0,
    missile_min_range=0.0,
    splash_radius=0.0,
    regeneration=0.0,
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
units. is_structure. is_army: whether `select_army` selects it. is_worker. sight: cells from its
centre that its owner sees. food: supply used. food_provided: supply. minerals, vespene: cost.
build_loops: game loops to build or train it. footprint: columns and rows of cells that a structure
covers. contents: what can be harvested from it.
damage, bonus_to_light: per hit; a unit without damage has no weapon. weapon_range: from edge to
edge, in cells. weapon_period: loops from the start of one attack to that of the next. damage_point:
loops from the start of an attack to the hit. backswing: loops after the hit during which it does
not walk after its target. missile_speed: cells per loop; 0 hits at once. missile_min_range: from
edge to edge; who is nearer is hit at once. splash_radius: cells around the attacker, which dies of
its attack; 0 for other weapons. regeneration: hit points per loop.
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


_ZERG_REGENERATION = 0.2734 / LOOPS_PER_SECOND  # [S] GD

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
    backswing=_loops(0.75),
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
    backswing=_loops(0.5),
    regeneration=_ZERG_REGENERATION,
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
    regeneration=_ZERG_REGENERATION,
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
    backswing=_loops(0.5),
    missile_speed=18.75 / LOOPS_PER_SECOND,
    missile_min_range=0.6,
    regeneration=_ZERG_REGENERATION,
)

SCV = UnitType(  # [S] GD, ID
    unit_type=45,
    health=45,
    radius=0.375,
    minimap_radius=0.375,
    speed=2.8125 / LOOPS_PER_SECOND,
    is_light=True,
    is_worker=True,
    sight=8.0,
    food=1,
    minerals=50,
    build_loops=272,
    damage=5,
    weapon_range=0.1,
    weapon_period=_loops(1.5),
    damage_point=_loops(0.167),
    functions=functions.SCV_CARD,
)

COMMAND_CENTER = UnitType(  # [S] GD, ID; its radius on the screen [S] OBS
    unit_type=18,
    health=1500,
    radius=2.75,
    minimap_radius=2.5,
    armor=1,
    is_structure=True,
    sight=11.0,
    food_provided=15,
    minerals=400,
    build_loops=1600,
    footprint=(5, 5),
    functions=functions.COMMAND_CENTER_CARD,
)

SUPPLY_DEPOT = UnitType(  # [S] GD, ID
    unit_type=19,
    health=400,
    radius=1.25,
    minimap_radius=1.25,
    armor=1,
    is_structure=True,
    sight=9.0,
    food_provided=8,
    minerals=100,
    build_loops=480,
    footprint=(2, 2),
)

REFINERY = UnitType(  # [S] GD, ID; its radius on the minimap [A]
    unit_type=20,
    health=500,
    radius=1.6875,
    minimap_radius=1.5,
    armor=1,
    is_structure=True,
    sight=9.0,
    minerals=75,
    build_loops=480,
    footprint=(3, 3),
)

BARRACKS = UnitType(  # [S] GD, ID; its radius on the screen [S] OBS
    unit_type=21,
    health=1000,
    radius=1.8125,
    minimap_radius=1.75,
    armor=1,
    is_structure=True,
    sight=9.0,
    minerals=150,
    build_loops=1040,
    footprint=(3, 3),
    functions=functions.BARRACKS_CARD,
)

MINERAL_FIELD = UnitType(  # [S] GD, ID; its radius on the screen [S] OBS
    unit_type=341,
    health=10000,
    radius=1.125,
    minimap_radius=0.75,
    armor=10,
    is_structure=True,
    footprint=(2, 1),
    contents=1800,
)

VESPENE_GEYSER = UnitType(  # [S] GD, ID; its radius on the screen is that of a refinery [U]
    unit_type=342,
    health=10000,
    radius=1.6875,
    minimap_radius=1.5,  # [A]
    armor=10,
    is_structure=True,
    footprint=(3, 3),
    contents=2250,
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
