import pytest
from s2clientprotocol import sc2api_pb2

from sc2impala import sim
from sc2impala.envs import pysc2_api
from sc2impala.sim import unit_types
from sc2impala.sim.api import abilities, ability_table
from sc2impala.sim.api import data as data_lib
from tests.sim.api import helpers

actions = pysc2_api.actions
LIGHT, ARMORED, BIOLOGICAL, MECHANICAL, STRUCTURE = 1, 2, 3, 4, 8
GROUND, AIR_TOO = 1, 3


@pytest.fixture(scope='module')
def tables():
    client = helpers.Client().start('MoveToBeacon')
    request = sc2api_pb2.RequestData(ability_id=True, unit_type_id=True)
    return client.ask(data=request).data


@pytest.fixture(scope='module')
def types(tables):
    return {unit.name: unit for unit in tables.units}


def test_the_abilities_are_those_of_pysc2():
    known = ability_table.general_of()
    for function in list(actions.FUNCTIONS) + list(actions.RAW_FUNCTIONS):
        assert known[function.ability_id] == (function.general_id or 0), function.name
    everyone = set(actions.FUNCTIONS) | set(actions.RAW_FUNCTIONS)
    assert set(known) == {function.ability_id for function in everyone}


def test_abilities(tables):
    listed = {ability.ability_id: ability for ability in tables.abilities}
    assert len(listed) == len(tables.abilities) == len(ability_table.general_of())
    assert {a.ability_id for a in listed.values() if a.available} == set(abilities.known())
    assert listed[23].remaps_to_ability_id == 3674
    assert listed[23].friendly_name == listed[3674].friendly_name == 'Attack'
    assert [listed[id_].target for id_ in (560, 319, 320, 295, 3674)] == [1, 2, 3, 3, 4]
    built = {id_: each.footprint_radius for id_, each in listed.items() if each.is_building}
    assert built == {318: 2.5, 319: 1.0, 320: 1.5, 321: 1.5}


def test_every_unit_type_of_every_map_is_listed(types):
    listed = {unit.unit_id for unit in types.values()}
    for name in sim.MAP_NAMES:
        game = sim.make(name, [1], (8, 8), (8, 8))
        assert {each.unit_type for each in game.unit_types} <= listed
    constants = {
        each.unit_type
        for each in vars(unit_types).values()
        if isinstance(each, unit_types.UnitType)
    }
    assert listed == constants and len(types) == len(data_lib.UNITS)


def test_costs_and_food(types):
    marine, barracks = types['Marine'], types['Barracks']
    assert (marine.mineral_cost, marine.food_required, marine.build_time) == (50, 1, 400)
    assert (marine.ability_id, barracks.ability_id) == (560, 321)
    assert (barracks.mineral_cost, barracks.build_time) == (150, 1040)
    assert barracks.tech_requirement == types['SupplyDepot'].unit_id
    assert types['SupplyDepot'].food_provided == 8
    assert [name for name, unit in types.items() if unit.has_minerals] == ['MineralField']
    assert {name for name, unit in types.items() if unit.has_vespene} == {
        'VespeneGeyser',
        'Refinery',
    }


def test_attributes_and_movement(types):
    assert list(types['Marine'].attributes) == [LIGHT, BIOLOGICAL]
    assert list(types['SCV'].attributes) == [LIGHT, BIOLOGICAL, MECHANICAL]
    assert list(types['Roach'].attributes) == [ARMORED, BIOLOGICAL]
    assert list(types['Barracks'].attributes) == [ARMORED, MECHANICAL, STRUCTURE]
    assert (types['Marine'].movement_speed, types['Marine'].sight_range) == (2.25, 9)
    assert types['Barracks'].movement_speed == 0 and types['Roach'].armor == 1


def test_weapons(types):
    (rifle,), (claws,) = types['Marine'].weapons, types['Zergling'].weapons
    assert (rifle.type, rifle.damage, rifle.attacks, rifle.range) == (AIR_TOO, 6, 1, 5)
    assert rifle.speed == pytest.approx(0.8608)
    assert claws.type == GROUND
    (bonus,) = types['Baneling'].weapons[0].damage_bonus
    assert (bonus.attribute, bonus.bonus) == (LIGHT, 15)
    assert not types['Barracks'].weapons
