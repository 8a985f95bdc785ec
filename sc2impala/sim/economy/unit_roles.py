"""The roles of a map's unit types in its economy."""

from typing import Any, Dict, Sequence

import numpy as np

from sc2impala.sim import functions, unit_types
from sc2impala.sim.rules import MAX_TYPES
from sc2impala.sim.units import NO_TYPE

BUILT_BY = {
    functions.BUILD_BARRACKS_SCREEN: unit_types.BARRACKS,
    functions.BUILD_COMMAND_CENTER_SCREEN: unit_types.COMMAND_CENTER,
    functions.BUILD_REFINERY_SCREEN: unit_types.REFINERY,
    functions.BUILD_SUPPLY_DEPOT_SCREEN: unit_types.SUPPLY_DEPOT,
}
"""Function -> unit type that it builds."""

TRAINED_BY = {
    functions.TRAIN_MARINE_QUICK: unit_types.MARINE,
    functions.TRAIN_SCV_QUICK: unit_types.SCV,
}
"""Function -> unit type that it trains."""

NEEDS = {unit_types.BARRACKS.unit_type: unit_types.SUPPLY_DEPOT}
"""Id of a type -> type of which a complete building is required to build it. [S] GD"""


def roles(types: Sequence[unit_types.UnitType]) -> Dict[str, Any]:
    """Returns the fields of `rules` that name types by their role, NO_TYPE for those of other maps.

    Args:
      types: the unit types of the map; matched by id only.
    """
    ids = [unit_type.unit_type for unit_type in types]

    def index(unit_type: unit_types.UnitType) -> int:
        return ids.index(unit_type.unit_type) if unit_type.unit_type in ids else NO_TYPE

    product = np.full([functions.NUM_FUNCTIONS], NO_TYPE)
    for table in (BUILT_BY, TRAINED_BY):
        for function, unit_type in table.items():
            product[function] = index(unit_type)
    needs = np.full([MAX_TYPES], NO_TYPE)
    for row, unit_id in enumerate(ids):
        if unit_id in NEEDS:
            needs[row] = index(NEEDS[unit_id])
    return {
        'worker': index(unit_types.SCV),
        'town_hall': index(unit_types.COMMAND_CENTER),
        'refinery': index(unit_types.REFINERY),
        'mineral_field': index(unit_types.MINERAL_FIELD),
        'geyser': index(unit_types.VESPENE_GEYSER),
        'product': product,
        'needs': needs,
    }
