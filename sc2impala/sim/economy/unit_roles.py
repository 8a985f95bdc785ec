"""The roles of a map's unit types in its economy."""

from typing import Sequence

import numpy as np

from sc2impala.sim import functions, unit_types

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

NO_TYPE = -1


class UnitRoles:
    """Indices into the unit types of a map; NO_TYPE for roles that it does not have.

    Attributes:
      worker, town_hall, refinery, mineral_field, geyser: int.
      product: int [573], type that a function builds or trains.
      needs: int [T], type that is required to build a type.
    """

    def __init__(self, types: Sequence[unit_types.UnitType]):
        """Args:
        types: the unit types of the map; matched with `unit_types` by id only.
        """
        ids = [unit_type.unit_type for unit_type in types]

        def index(unit_type: unit_types.UnitType) -> int:
            return ids.index(unit_type.unit_type) if unit_type.unit_type in ids else NO_TYPE

        self.worker = index(unit_types.SCV)
        self.town_hall = index(unit_types.COMMAND_CENTER)
        self.refinery = index(unit_types.REFINERY)
        self.mineral_field = index(unit_types.MINERAL_FIELD)
        self.geyser = index(unit_types.VESPENE_GEYSER)
        self.product = np.full([functions.NUM_FUNCTIONS], NO_TYPE)
        for table in (BUILT_BY, TRAINED_BY):
            for function, unit_type in table.items():
                self.product[function] = index(unit_type)
        self.needs = np.array([index(NEEDS[i]) if i in NEEDS else NO_TYPE for i in ids])
