"""What to observe and what to do on each map, unless the user chooses otherwise."""

import dataclasses
from typing import Mapping, Tuple


@dataclasses.dataclass(frozen=True)
class MapDefaults:
    """A small choice of functions and layers that suffices to play a map well.

    functions: names of PySC2 functions.
    fixed_arguments: argument types that the agent does not choose, with their value. An order that
        is queued acts long after it was given: with `queued` left to chance, what an agent does has
        no visible effect, and it hardly learns.
    screen_layers, minimap_layers: names of PySC2 feature layers.
    episode_loops: the length of an episode in game loops, 16 per second of game time; maps with
        enemies may end an episode before.
    """

    functions: Tuple[str, ...]
    fixed_arguments: Mapping[str, int]
    screen_layers: Tuple[str, ...]
    minimap_layers: Tuple[str, ...]
    episode_loops: int


_AT_ONCE = {'queued': 0, 'select_add': 0, 'select_point_act': 0}
"""Orders replace the ones before, and a selection replaces the one before."""

MAP_DEFAULTS = {
    'MoveToBeacon': MapDefaults(
        functions=('no_op', 'select_army', 'Move_screen'),
        fixed_arguments=_AT_ONCE,
        screen_layers=('player_relative', 'selected', 'unit_density'),
        minimap_layers=(),
        episode_loops=1920,
    ),
    # Two marines can collect in different places, hence the selection of one by a point.
    'CollectMineralShards': MapDefaults(
        functions=('no_op', 'select_point', 'select_army', 'Move_screen'),
        fixed_arguments=_AT_ONCE,
        screen_layers=('player_relative', 'selected', 'unit_density'),
        minimap_layers=(),
        episode_loops=1920,
    ),
}
"""MapDefaults by map name. Both maps fit on one screen, so that a minimap adds nothing."""
