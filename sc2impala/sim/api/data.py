"""The tables of the protocol: abilities, unit types, upgrades, buffs and effects.

Ids, names and indices of abilities are those of Blizzard's `stableid.json`, general abilities those
of PySC2, hotkeys those of the game's standard layout. [S] ID, ACT, GD A test compares the first
two.
"""

import functools
from typing import Any, Dict, NamedTuple

from s2clientprotocol import common_pb2, data_pb2

from sc2impala.sim import unit_types
from sc2impala.sim.api import abilities, tables

_TARGETS = {
    letter: data_pb2.AbilityData.Target.Value(name)
    for letter, name in {'': 'None', 'p': 'Point', 'u': 'Unit', 'b': 'PointOrUnit'}.items()
}


class Ability(NamedTuple):
    """A row of the table.

    general: the general ability that it stands for, or 0.
    link, link_index: name of the group of abilities in the game's data, and place in the group.
    button: name of the button.
    name: for viewers, or empty.
    hotkey: the keys that a player presses, such as bb for Barracks.
    target: a Target of the protocol.
    footprint_radius: half the side of the building that it builds, 0 for others.
    """

    general: int
    link: str
    link_index: int
    button: str
    name: str
    hotkey: str
    target: int
    footprint_radius: float


@functools.lru_cache()
def rows() -> Dict[int, Ability]:
    """Returns all abilities by id."""
    return {
        int(row['id']): Ability(
            general=tables.integer(row['general']),
            link=row['link'],
            link_index=int(row['index']),
            button=row['button'],
            name=row['name'],
            hotkey=row['hotkey'],
            target=_TARGETS[row['target']],
            footprint_radius=tables.number(row['footprint_radius']),
        )
        for row in tables.read('abilities')
    }


class Neutral(NamedTuple):
    """A type of the simulator that belongs to no race. [S] GD, ID

    name: in the game's interface.
    has_minerals, has_vespene: whether it can be harvested.
    """

    name: str
    has_minerals: bool = False
    has_vespene: bool = False


NEUTRAL = {
    unit_types.MINERAL_FIELD: Neutral('MineralField', has_minerals=True),
    unit_types.VESPENE_GEYSER: Neutral('VespeneGeyser', has_vespene=True),
    unit_types.BEACON: Neutral('Beacon_Terran'),
    unit_types.MINERAL_SHARD: Neutral('NaturalMinerals'),
}

_HARVESTED = ('Refinery', 'Extractor', 'Assimilator')
"""First parts of the names of buildings with vespene."""


def write_abilities(response: Any) -> None:
    """Adds all abilities of the table to a ResponseData; those of the simulator are `available`."""
    known = abilities.known()
    for ability, row in sorted(rows().items()):
        response.abilities.add(
            ability_id=ability,
            remaps_to_ability_id=row.general,
            link_name=row.link,
            link_index=row.link_index,
            button_name=row.button,
            friendly_name=row.name,
            hotkey=row.hotkey,
            target=row.target,
            available=ability in known,
            is_building=row.footprint_radius > 0,
            footprint_radius=row.footprint_radius,
        )


def write_units(response: Any) -> None:
    """Adds all unit types that players own, and those of the simulator that nobody owns."""
    for row in tables.read('units'):
        _write_unit(response.units.add(), row)
    for unit, neutral in NEUTRAL.items():
        message = response.units.add(
            unit_id=unit.unit_type,
            name=neutral.name,
            available=True,
            race=common_pb2.NoRace,
            armor=unit.armor,
            has_minerals=neutral.has_minerals,
            has_vespene=neutral.has_vespene,
        )
        message.attributes.extend([data_pb2.Structure] * unit.is_structure)


def write_upgrades(response: Any) -> None:
    """Adds all upgrades, which cannot be researched in the mini-games."""
    for row in tables.read('upgrades'):
        response.upgrades.add(
            upgrade_id=int(row['id']),
            name=row['name'],
            mineral_cost=tables.integer(row['minerals']),
            vespene_cost=tables.integer(row['vespene']),
            research_time=tables.number(row['research_time']),
            ability_id=tables.integer(row['ability']),
        )


def write_buffs(response: Any) -> None:
    """Adds all buffs, which do not occur in the mini-games."""
    for row in tables.read('buffs'):
        response.buffs.add(buff_id=int(row['id']), name=row['name'])


def write_effects(response: Any) -> None:
    """Adds all effects, which do not occur in the mini-games."""
    for row in tables.read('effects'):
        response.effects.add(
            effect_id=int(row['id']),
            name=row['name'],
            friendly_name=row['friendly_name'],
            radius=tables.number(row['radius']),
        )


def _write_unit(message: Any, row: Dict[str, str]) -> None:
    message.unit_id, message.name = int(row['id']), row['name']
    message.available = True
    message.race = common_pb2.Race.Value(row['race'])
    message.mineral_cost = tables.integer(row['minerals'])
    message.vespene_cost = tables.integer(row['vespene'])
    message.build_time = tables.number(row['build_time'])
    message.food_required = tables.number(row['food_required'])
    message.food_provided = tables.number(row['food_provided'])
    message.cargo_size = tables.integer(row['cargo_size'])
    message.ability_id = tables.integer(row['ability'])
    message.tech_requirement = tables.integer(row['tech_requirement'])
    message.tech_alias.extend(int(alias) for alias in tables.items(row['tech_alias']))
    message.unit_alias = tables.integer(row['unit_alias'])
    message.attributes.extend(
        data_pb2.Attribute.Value(attribute) for attribute in tables.items(row['attributes'])
    )
    message.movement_speed = tables.number(row['speed'])
    message.sight_range = tables.number(row['sight'])
    message.armor = tables.number(row['armor'])
    message.has_vespene = row['name'].startswith(_HARVESTED)
    for weapon in tables.items(row['weapons']):
        _write_weapon(message.weapons.add(), weapon)


def _write_weapon(message: Any, text: str) -> None:
    """Writes a Weapon from a field of the table.

    The field holds targets, damage, attacks, range, seconds between attacks at normal speed, and
    bonuses.
    """
    targets, damage, attacks, weapon_range, seconds, *bonuses = text.split(':')
    message.type = data_pb2.Weapon.TargetType.Value(targets)
    message.damage, message.attacks = float(damage), int(attacks)
    message.range, message.speed = float(weapon_range), float(seconds)
    for bonus in bonuses:
        attribute, amount = bonus.split('=')
        message.damage_bonus.add(attribute=data_pb2.Attribute.Value(attribute), bonus=float(amount))
