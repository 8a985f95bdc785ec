"""The game's ids of unit types and orders, and the mineral costs of units. [S] GD, ID, ACT"""

BANELING = 9
COMMAND_CENTER = 18
SUPPLY_DEPOT = 19
BARRACKS = 21
SCV = 45
MARINE = 48
ZERGLING = 105
ROACH = 110
MINERAL_FIELD = 341

GATHERING = 359
RETURNING = 362
"""Values of the column order_id_0 for workers that harvest."""

COST = {COMMAND_CENTER: 400, SUPPLY_DEPOT: 100, BARRACKS: 150, SCV: 50, MARINE: 50}
