"""The game's ids of unit types and orders, and the mineral costs of units. [S] GD, ID, ACT"""

BANELING = 9
COMMAND_CENTER = 18
SUPPLY_DEPOT = 19
REFINERY = 20
BARRACKS = 21
SCV = 45
MARINE = 48
ZERGLING = 105
ROACH = 110
MINERAL_FIELD = 341
VESPENE_GEYSER = 342

GATHERING = 359
RETURNING = 362
"""Values of the column order_id_0 for workers that harvest."""

CONSTRUCTION = {SUPPLY_DEPOT: 222, REFINERY: 214, BARRACKS: 185, COMMAND_CENTER: 187}
"""Values of order_id_0 for workers that build something or are on their way there."""

COST = {
    COMMAND_CENTER: 400,
    SUPPLY_DEPOT: 100,
    REFINERY: 75,
    BARRACKS: 150,
    SCV: 50,
    MARINE: 50,
}

WIDTH = {COMMAND_CENTER: 5, SUPPLY_DEPOT: 2, REFINERY: 3, BARRACKS: 3}
"""Side of the square that a building covers, in cells."""
