import numpy as np

from sc2impala.sim import functions, unit_types
from sc2impala.sim.economy import unit_roles
from sc2impala.sim.games import build_marines
from sc2impala.sim.units import NO_TYPE

TYPES = build_marines.GAME.unit_types


def index(unit_type):
    return [t.unit_type for t in TYPES].index(unit_type.unit_type)


def test_types_are_found_by_their_ids():
    roles = unit_roles.roles(TYPES)
    assert roles['worker'] == index(unit_types.SCV)
    assert roles['town_hall'] == index(unit_types.COMMAND_CENTER)
    assert roles['mineral_field'] == index(unit_types.MINERAL_FIELD)
    assert roles['refinery'] == roles['geyser'] == NO_TYPE


def test_products_and_what_they_need():
    roles = unit_roles.roles(TYPES)
    product, needs = roles['product'], roles['needs']
    assert product[functions.TRAIN_MARINE_QUICK] == index(unit_types.MARINE)
    assert product[functions.BUILD_BARRACKS_SCREEN] == index(unit_types.BARRACKS)
    assert product[functions.BUILD_REFINERY_SCREEN] == NO_TYPE
    assert product[functions.MOVE_SCREEN] == NO_TYPE
    assert needs[index(unit_types.BARRACKS)] == index(unit_types.SUPPLY_DEPOT)
    assert (np.delete(needs, index(unit_types.BARRACKS)) == NO_TYPE).all()
