import pytest
from s2clientprotocol import data_pb2, sc2api_pb2

from sc2impala.envs import pysc2_api
from sc2impala.sim import unit_types
from sc2impala.sim.api import abilities, data
from tests.sim.api import helpers

actions = pysc2_api.actions
LIGHT, ARMORED, BIOLOGICAL, MECHANICAL, STRUCTURE = 1, 2, 3, 4, 8
GROUND, AIR_TOO = 1, 3


@pytest.fixture(scope='module')
def tables():
    client = helpers.Client().start('MoveToBeacon')
    request = sc2api_pb2.RequestData(
        ability_id=True, unit_type_id=True, upgrade_id=True, buff_id=True, effect_id=True
    )
    return client.ask(data=request).data


@pytest.fixture(scope='module')
def types(tables):
    return {unit.name: unit for unit in tables.units}


def test_only_the_requested_tables_are_written():
    client = helpers.Client().start('MoveToBeacon')
    (only,) = client.ask(data=sc2api_pb2.RequestData(buff_id=True)).data.ListFields()
    assert only[0].name == 'buffs'


def test_the_abilities_of_pysc2_stand_for_the_same():
    known = data.rows()
    for function in list(actions.FUNCTIONS) + list(actions.RAW_FUNCTIONS):
        assert known[function.ability_id].general == (function.general_id or 0), function.name
    assert {row.general for row in known.values()} - {0} <= set(known)


def test_abilities(tables):
    listed = {ability.ability_id: ability for ability in tables.abilities}
    assert len(listed) == len(tables.abilities)
    assert {a.ability_id for a in listed.values() if a.available} == set(abilities.known())
    assert listed[23].remaps_to_ability_id == 3674
    assert listed[3674].friendly_name == 'Attack'
    assert [listed[id_].target for id_ in (560, 319, 320, 295, 3674)] == [1, 2, 3, 3, 4]
    built = {id_: listed[id_].footprint_radius for id_ in (318, 319, 320, 321, 328, 323)}
    assert built == {318: 2.5, 319: 1.0, 320: 1.5, 321: 1.5, 328: 1.5, 323: 1.0}
    for unit in unit_types.__dict__.values():
        if isinstance(unit, unit_types.UnitType) and unit.unit_type in abilities.OF_PRODUCT:
            ability = listed[abilities.OF_PRODUCT[unit.unit_type]]
            assert ability.is_building == unit.is_structure
            assert ability.footprint_radius == unit.footprint[0] / 2


def test_targets_are_those_of_the_functions():
    rows = data.rows()
    for ability, needs_point in abilities.known().items():
        assert (rows[ability].target != data_pb2.AbilityData.Target.Value('None')) == needs_point


def test_names_of_abilities_are_those_of_the_game(tables):
    for ability, link, index, button, hotkey in [
        (321, 'TerranBuild', 3, 'Barracks', 'bb'),
        (328, 'TerranBuild', 10, 'Factory', 'vf'),
        (348, 'TerranBuild', 30, 'Cancel', 'escape'),
        (524, 'CommandCenterTrain', 0, 'SCV', 's'),
        (560, 'BarracksTrain', 0, 'Marine', 'a'),
        (730, 'BarracksTechLabResearch', 0, 'Stimpack', 't'),
        (16, 'move', 0, 'Move', 'm'),
        (18, 'move', 2, 'MoveHoldPosition', 'h'),
        (23, 'attack', 0, 'Attack', 'a'),
        (4, 'stop', 0, 'Stop', 's'),
    ]:
        (row,) = (each for each in tables.abilities if each.ability_id == ability)
        assert (row.link_name, row.link_index) == (link, index), ability
        assert (row.button_name, row.hotkey) == (button, hotkey), ability


def test_abilities_that_make_something_can_be_split_into_words(tables):
    """Version 0.11 of the package sc2 fails if such a name does not begin with a capital."""
    links = {ability.ability_id: ability.link_name for ability in tables.abilities}
    made = [unit.ability_id for unit in tables.units if unit.ability_id]
    assert len(made) > 150 and all(links[ability][:1].isupper() for ability in made)
    assert all(upgrade.ability_id in links for upgrade in tables.upgrades)


def test_every_unit_type_of_every_map_is_listed(tables, types):
    listed = {unit.unit_id for unit in types.values()}
    assert len(listed) == len(types) == len(tables.units)
    for each in vars(unit_types).values():
        if isinstance(each, unit_types.UnitType):
            assert each.unit_type in listed


def test_units_of_the_maps_are_those_of_the_simulator(types):
    """The table and the simulator have different sources."""
    by_id = {unit.unit_id: unit for unit in types.values()}
    for each in vars(unit_types).values():
        if not isinstance(each, unit_types.UnitType):
            continue
        listed = by_id[each.unit_type]
        assert (LIGHT in listed.attributes) == each.is_light
        assert (STRUCTURE in listed.attributes) == each.is_structure
        assert listed.armor == each.armor
        if each.minerals:
            cost = listed.mineral_cost, listed.vespene_cost, listed.build_time
            assert cost == (each.minerals, each.vespene, each.build_loops), listed.name
            assert (listed.food_required, listed.food_provided) == (each.food, each.food_provided)
            assert listed.ability_id == abilities.OF_PRODUCT[each.unit_type]
        if each.sight:
            speed = each.speed * unit_types.LOOPS_PER_SECOND
            assert listed.sight_range == each.sight
            assert listed.movement_speed == pytest.approx(speed, abs=1e-3)
        if each.damage and each is not unit_types.BANELING:
            weapon = listed.weapons[0]
            assert (weapon.damage, weapon.range) == pytest.approx((each.damage, each.weapon_range))
            period = each.weapon_period / unit_types.LOOPS_PER_SECOND
            assert weapon.speed == pytest.approx(period, abs=1e-3)


def test_what_the_maps_do_not_have_is_listed_as_well(tables, types):
    assert (types['Factory'].mineral_cost, types['Factory'].vespene_cost) == (150, 100)
    assert types['Factory'].tech_requirement == types['Barracks'].unit_id
    assert list(types['OrbitalCommand'].tech_alias) == [types['CommandCenter'].unit_id]
    assert types['OrbitalCommand'].mineral_cost == 550
    assert types['BarracksFlying'].unit_alias == types['Barracks'].unit_id
    assert types['Zergling'].food_required == 0.5 and types['Overlord'].food_provided == 8
    upgrades = {each.name: each for each in tables.upgrades}
    stimpack = upgrades['Stimpack']
    assert (stimpack.upgrade_id, stimpack.ability_id) == (15, 730)
    assert (stimpack.mineral_cost, stimpack.vespene_cost, stimpack.research_time) == (
        100,
        100,
        2240,
    )
    assert {each.name for each in tables.buffs} > {'Stimpack', 'BansheeCloak'}
    (scan,) = (each for each in tables.effects if each.friendly_name == 'ScannerSweep')
    assert (scan.effect_id, scan.radius) == (6, 13)


def test_costs_and_food(types):
    marine, barracks = types['Marine'], types['Barracks']
    assert (marine.mineral_cost, marine.food_required, marine.build_time) == (50, 1, 400)
    assert (marine.ability_id, barracks.ability_id) == (560, 321)
    assert (barracks.mineral_cost, barracks.build_time) == (150, 1040)
    assert barracks.tech_requirement == types['SupplyDepot'].unit_id
    assert types['SupplyDepot'].food_provided == 8
    assert [name for name, unit in types.items() if unit.has_minerals] == ['MineralField']
    with_gas = {name for name, unit in types.items() if unit.has_vespene}
    rich = {name + 'Rich' for name in ('Refinery', 'Extractor', 'Assimilator')}
    assert with_gas - rich == {'VespeneGeyser', 'Refinery', 'Extractor', 'Assimilator'}


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
    (bonus,) = types['Hellion'].weapons[0].damage_bonus
    assert (bonus.attribute, bonus.bonus) == (LIGHT, 6)
    assert not types['Barracks'].weapons and not types['Baneling'].weapons
