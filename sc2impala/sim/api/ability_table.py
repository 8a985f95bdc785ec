"""The table of abilities: those of PySC2's functions, and those that make units and upgrades.

Ids, names and indices are those of Blizzard's `stableid.json`, general abilities those of PySC2,
hotkeys those of the game's standard layout. [S] ID, ACT, GD A test compares the first two.
"""

import functools
from typing import Dict, NamedTuple

from s2clientprotocol import data_pb2

from sc2impala.sim.api import tables

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
