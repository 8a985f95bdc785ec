"""Unit types: values of the game data, at normal speed."""

from typing import NamedTuple, Tuple

from sc2impala.sim import functions

LOOPS_PER_SECOND = 16  # Normal speed. [S] ENV

SELF = 1
ENEMY = 2
NEUTRAL = 16
"""Owners, as encoded in the layer player_id. [S] OBS, F"""


class UnitType(NamedTuple):
    """Data of one type of unit.

    Attributes:
      unit_type: id in the game's interface.
      health: hit points.
      radius: of its circle, in cells, as reported by the interface.
      minimap_radius: half the side of its square on the minimap, in cells.
      speed: cells per frame.
      armor: subtracted from the damage of every hit.
      is_light: whether it receives bonus damage against light units.
      is_structure: whether it is a building or a resource.
      is_army: whether `select_army` selects it.
      is_worker: whether it harvests and builds.
      sight: radius in cells, from its centre, that its owner sees.
      food: supply used. food_provided: supply provided.
      minerals, vespene: cost.
      build_loops: frames to build or train it.
      footprint: columns and rows of cells that a structure covers.
      contents: amount that can be harvested from it.
      damage, bonus_to_light: per hit; a unit without damage has no weapon.
      weapon_range: from edge to edge, in cells.
      weapon_period: frames from the start of one attack to the start of the next.
      damage_point: frames from the start of an attack to its hit.
      backswing: frames after the hit during which the unit does not follow its target.
      missile_speed: cells per frame; 0 for weapons that hit immediately.
      missile_min_range: from edge to edge; nearer targets are hit immediately.
      splash_radius: cells around the attacker, which dies when it attacks; 0 for other weapons.
      regeneration: hit points per frame.
      functions: ids of the functions that are available when it is selected.
    """

    unit_type: int
    health: int
    radius: float
    minimap_radius: float
    speed: float = 0.0
    armor: int = 0
    is_light: bool = False
    is_structure: bool = False
    is_army: bool = False
    is_worker: bool = False
    sight: float = 0.0
    food: int = 0
    food_provided: int = 0
    minerals: int = 0
    vespene: int = 0
    build_loops: int = 0
    footprint: Tuple[int, int] = (0, 0)
    contents: int = 0
    damage: int = 0
    bonus_to_light: int = 0
    weapon_range: float = 0.0
    weapon_period: float = 0.0
    damage_point: float = 0.0
    backswing: float = 0.0
    missile_speed: float = 0.0
    missile_min_range: float = 0.0
    splash_radius: float = 0.0
    regeneration: float = 0.0
    functions: Tuple[int, ...] = ()


def _loops(seconds: float) -> float:
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
