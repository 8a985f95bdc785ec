"""The tables of the protocol: abilities and unit types."""

from typing import Any, NamedTuple, Tuple

from s2clientprotocol import common_pb2, data_pb2

from sc2impala.sim import unit_types
from sc2impala.sim.api import abilities, ability_table

LIGHT, ARMORED, BIOLOGICAL, MECHANICAL, STRUCTURE = (
    data_pb2.Light,
    data_pb2.Armored,
    data_pb2.Biological,
    data_pb2.Mechanical,
    data_pb2.Structure,
)


class Description(NamedTuple):
    """What the game tells of a type of unit and the simulator does not need. [S] GD, ID

    Attributes:
      name: in the game's interface.
      attributes: besides LIGHT and STRUCTURE, which are those of `UnitType`.
      race: a Race of the protocol.
      hits_air: whether its weapon hits units in the air as well.
      needs: the unit type that has to exist, 0 for none.
    """

    name: str
    attributes: Tuple[int, ...] = ()
    race: int = common_pb2.Terran
    hits_air: bool = False
    needs: int = 0


_BUILDING = (ARMORED, MECHANICAL)
_ZERG = common_pb2.Zerg
_NO_RACE = common_pb2.NoRace

UNITS = {
    unit_types.MARINE: Description('Marine', (BIOLOGICAL,), hits_air=True),
    unit_types.ZERGLING: Description('Zergling', (BIOLOGICAL,), _ZERG),
    unit_types.BANELING: Description('Baneling', (BIOLOGICAL,), _ZERG),
    unit_types.ROACH: Description('Roach', (ARMORED, BIOLOGICAL), _ZERG),
    unit_types.SCV: Description('SCV', (BIOLOGICAL, MECHANICAL)),
    unit_types.COMMAND_CENTER: Description('CommandCenter', _BUILDING),
    unit_types.SUPPLY_DEPOT: Description('SupplyDepot', _BUILDING),
    unit_types.REFINERY: Description('Refinery', _BUILDING),
    unit_types.BARRACKS: Description(
        'Barracks', _BUILDING, needs=unit_types.SUPPLY_DEPOT.unit_type
    ),
    unit_types.MINERAL_FIELD: Description('MineralField', (), _NO_RACE),
    unit_types.VESPENE_GEYSER: Description('VespeneGeyser', (), _NO_RACE),
    unit_types.BEACON: Description('Beacon_Terran', (), _NO_RACE),
    unit_types.MINERAL_SHARD: Description('NaturalMinerals', (), _NO_RACE),
}
"""All unit types of the simulator."""

_NONE, _POINT, _UNIT, _POINT_OR_UNIT = (
    data_pb2.AbilityData.Target.Value(name) for name in ('None', 'Point', 'Unit', 'PointOrUnit')
)
_AT_UNIT = (abilities.GATHER, abilities.BUILD_REFINERY)
_AT_POINT = (
    abilities.BUILD_BARRACKS,
    abilities.BUILD_COMMAND_CENTER,
    abilities.BUILD_SUPPLY_DEPOT,
)


def write_abilities(response: Any) -> None:
    """Adds all abilities of the game to a ResponseData; those of the simulator are `available`."""
    known = abilities.known()
    names = {general: abilities.NAMES[special] for special, general in abilities.GENERAL.items()}
    names.update(abilities.NAMES)
    for ability, general in sorted(ability_table.general_of().items()):
        message = response.abilities.add(ability_id=ability, remaps_to_ability_id=general)
        message.link_name = f'ability{ability}'
        message.friendly_name = names.get(ability, '')
        message.available = ability in known
        if ability in known:
            message.target = _target(ability, known[ability])
    buildings = {unit.unit_type: unit for unit in UNITS if unit.is_structure}
    for product, ability in abilities.OF_PRODUCT.items():
        if product in buildings:
            (message,) = (each for each in response.abilities if each.ability_id == ability)
            message.is_building = True
            message.footprint_radius = buildings[product].footprint[0] / 2


def write_units(response: Any) -> None:
    """Adds the unit types of the simulator, of all maps, to a ResponseData."""
    for unit, description in UNITS.items():
        message = response.units.add(
            unit_id=unit.unit_type,
            name=description.name,
            available=True,
            race=description.race,
            mineral_cost=unit.minerals,
            vespene_cost=unit.vespene,
            food_required=unit.food,
            food_provided=unit.food_provided,
            build_time=unit.build_loops,
            ability_id=abilities.OF_PRODUCT.get(unit.unit_type, 0),
            tech_requirement=description.needs,
            movement_speed=unit.speed * unit_types.LOOPS_PER_SECOND,
            sight_range=unit.sight,
            armor=unit.armor,
            has_minerals=unit is unit_types.MINERAL_FIELD,
            has_vespene=unit in (unit_types.VESPENE_GEYSER, unit_types.REFINERY),
        )
        message.attributes.extend([LIGHT] * unit.is_light)
        message.attributes.extend(description.attributes)
        message.attributes.extend([STRUCTURE] * unit.is_structure)
        if unit.damage:
            _write_weapon(message.weapons.add(), unit, description.hits_air)


def _write_weapon(message: Any, unit: unit_types.UnitType, hits_air: bool) -> None:
    """Writes a Weapon; its speed is the time between attacks, in seconds at normal speed."""
    message.type = data_pb2.Weapon.Any if hits_air else data_pb2.Weapon.Ground
    message.damage, message.attacks = unit.damage, 1
    message.range = unit.weapon_range
    message.speed = unit.weapon_period / unit_types.LOOPS_PER_SECOND
    if unit.bonus_to_light:
        message.damage_bonus.add(attribute=LIGHT, bonus=unit.bonus_to_light)


def _target(ability: int, needs_point: bool) -> int:
    if not needs_point:
        return _NONE
    special = abilities.special_of(ability)
    if special in _AT_UNIT:
        return _UNIT
    return _POINT if special in _AT_POINT else _POINT_OR_UNIT
