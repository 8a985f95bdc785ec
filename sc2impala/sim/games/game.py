"""Definition of a map, and families of maps whose games have the same record.

Functions that do not depend on the map are compiled once for a family.
"""

from typing import Any, Callable, Mapping, NamedTuple, Sequence, Tuple

import numpy as np

from sc2impala.sim import (
    combat,
    counter_random,
    geometry,
    movement,
    overlaps,
    rules,
    state,
    units,
)
from sc2impala.sim.economy import unit_roles
from sc2impala.sim.state import Field
from sc2impala.sim.unit_types import UnitType

FIELDS = (
    counter_random.FIELDS
    + units.GAME_FIELDS
    + units.UNIT_FIELDS
    + overlaps.FIELDS
    + movement.FIELDS
    + combat.FIELDS
)
"""Fields that the records of all maps have."""

SHARD_FIELDS = (
    Field('try_at', np.int32, ('B',)),  # Frame in which a shard next looks for a marine.
    Field('taken_at', np.int32, ('B',), combat.NEVER),  # Frame in which it is removed.
)
"""Fields of the shards of CollectMineralShards."""

Function = Callable[..., Any]
"""A compiled function of a game."""


class Family(NamedTuple):
    """Maps whose games have the same record.

    name: unique.
    num_mobile, num_units: M and U, the numbers of unit slots.
    fields: of the record.
    has_economy: whether the functions of `economy` observe games and act in them.
    """

    name: str
    num_mobile: int
    num_units: int
    fields: Tuple[state.Field, ...] = FIELDS
    has_economy: bool = False

    def blank(self) -> np.ndarray:
        """Returns a record at the start of an episode, without units."""
        sizes = {
            'M': self.num_mobile,
            'L': -(-self.num_mobile // overlaps.LANES) * overlaps.LANES,
            'U': self.num_units,
            'B': max(self.num_units - self.num_mobile, 1),
        }
        return state.blank_record(self.fields, sizes)


SMALL = Family('small', num_mobile=2, num_units=22, fields=FIELDS + SHARD_FIELDS)
"""A few marines and things to reach."""

BATTLE = Family('battle', num_mobile=240, num_units=240)
"""Marines against zerg: at most 230 against 10, see `waves`."""


class Game(NamedTuple):
    """A map.

    name: PySC2's name of the map.
    episode_loops: frames of a full episode.
    arena: its regions.
    unit_types: those that can occur; the type of a unit is an index into them.
    family: the Family of its record.
    start: compiled function of a blank game and the rules that places the units of a new episode.
    play_frame: compiled function of a game and the rules that simulates one frame; it may set
      `g.ended` to end an episode early.
    num_units: number of slots in use, 0 for all of the family; of those for units that cannot move,
      the first `num_resources` are for resources.
    value_per_episode: cost of the units that an episode starts with, 0 if it is not known.
    has_targets: whether orders can have units as targets.
    has_combat, has_fog: whether units fight, and whether cells are hidden.
    """

    name: str
    episode_loops: int
    arena: geometry.Arena
    unit_types: Tuple[UnitType, ...]
    family: Family
    start: Function
    play_frame: Function
    num_units: int = 0
    num_resources: int = 0
    value_per_episode: int = 0
    has_targets: bool = False
    has_combat: bool = False
    has_fog: bool = False

    def rules(
        self,
        screen_size: Tuple[int, int],
        minimap_size: Tuple[int, int],
        types: Sequence[UnitType],
        constants: Mapping[str, float],
    ) -> np.ndarray:
        """Returns the constants of the map.

        Args:
          screen_size, minimap_size: (width, height) in pixels.
          types, constants: those of a variant, see `variants.apply`.
        """
        return rules.make(
            types,
            self.arena,
            screen_size,
            minimap_size,
            episode_loops=self.episode_loops,
            num_units=self.num_units or self.family.num_units,
            num_resources=self.num_resources,
            value_per_episode=self.value_per_episode,
            has_targets=self.has_targets,
            has_combat=self.has_combat,
            has_fog=self.has_fog,
            has_economy=self.family.has_economy,
            **unit_roles.roles(self.unit_types),
            **constants,
        )
