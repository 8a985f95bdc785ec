"""What is particular about each map: what to see and do there, and how to train on it.

The one place for defaults that depend on the map. A flag that the user gives wins over these, and
these win over the general defaults in `runtime/config.py`.
"""

import dataclasses
from typing import Any, Mapping, Tuple


@dataclasses.dataclass(frozen=True)
class MapDefaults:
    """A small choice of functions and layers that suffices to play a map well, and training flags.

    episode_loops: the length of an episode in game loops, 16 per second of game time; maps with
        enemies may end an episode before.
    functions: names of PySC2 functions.
    fixed_arguments: argument types that the agent does not choose, with their value. An order that
        is queued acts long after it was given: with `queued` left to chance, what an agent does has
        no visible effect, and it hardly learns.
    screen_layers, minimap_layers: names of PySC2 feature layers.
    vectors: names out of `specs.VECTOR_SHAPES`.
    screen_size, minimap_size: (width, height) in pixels. Both show a square, the screen of 24 cells
        and the minimap of 64: of 32 pixels on the screen each is as wide as a marine, of 16 twice.
    flags: training flags by name where the general default does not suit the map. Who trains reads
        them; nothing in `envs` does.
    """

    episode_loops: int
    functions: Tuple[str, ...]
    fixed_arguments: Mapping[str, int]
    screen_layers: Tuple[str, ...]
    minimap_layers: Tuple[str, ...] = ()
    vectors: Tuple[str, ...] = ('player',)
    screen_size: Tuple[int, int] = (16, 16)
    minimap_size: Tuple[int, int] = (16, 16)
    flags: Mapping[str, Any] = dataclasses.field(default_factory=dict)


_AT_ONCE = {'queued': 0, 'select_add': 0, 'select_point_act': 0}
"""Orders replace the ones before, and a selection replaces the one before."""

_AT_ONCE_ANY_SELECTION = {'queued': 0}
"""The agent may select one unit or all of its type, and one idle worker or all of them."""

_FIGHT_LAYERS = ('player_relative', 'selected', 'unit_density', 'unit_hit_points_ratio')
_ECONOMY_LAYERS = ('player_relative', 'unit_type', 'selected', 'unit_density', 'build_progress')

MAP_DEFAULTS = {
    # The general defaults of the training were chosen on this map. So simple a game is learned from
    # fewer frames by smaller batches, and so more of them; and once it is understood, what entropy
    # asks for only costs return.
    'MoveToBeacon': MapDefaults(
        episode_loops=1920,
        functions=('no_op', 'select_army', 'Move_screen'),
        fixed_arguments=_AT_ONCE,
        screen_layers=('player_relative', 'selected', 'unit_density'),
        flags={'batch_size': 16, 'entropy_decay': 0.4},
    ),
    # Two marines can collect in different places, hence the selection of one by a point.
    'CollectMineralShards': MapDefaults(
        episode_loops=1920,
        functions=('no_op', 'select_point', 'select_army', 'Move_screen'),
        fixed_arguments=_AT_ONCE,
        screen_layers=('player_relative', 'selected', 'unit_density'),
    ),
    # The one map larger than the screen, with fog: the minimap tells what was seen and where the
    # camera is, and an attack on it walks out of sight.
    'FindAndDefeatZerglings': MapDefaults(
        episode_loops=2880,
        functions=(
            'no_op',
            'move_camera',
            'select_army',
            'Attack_screen',
            'Move_screen',
            'Attack_minimap',
        ),
        fixed_arguments=_AT_ONCE,
        screen_layers=_FIGHT_LAYERS + ('visibility_map',),
        minimap_layers=('player_relative', 'visibility_map', 'camera'),
        flags={'discounting': 0.97},
    ),
    # +10 per roach: scaled to 1 each. At 0.97 a reward counts for a third after 18 seconds, about
    # as long as a fight lasts; at the general 0.95 after 11. The map keeps all marines selected.
    'DefeatRoaches': MapDefaults(
        episode_loops=1920,
        functions=('no_op', 'Attack_screen'),
        fixed_arguments=_AT_ONCE,
        screen_layers=_FIGHT_LAYERS,
        flags={'reward_scaling': 0.1, 'discounting': 0.97},
    ),
    # +5 per enemy. One marine alone can draw the banelings upon itself, hence select_point; which
    # enemy explodes is seen by its type.
    'DefeatZerglingsAndBanelings': MapDefaults(
        episode_loops=1920,
        functions=('no_op', 'select_point', 'select_army', 'Attack_screen', 'Move_screen'),
        fixed_arguments=_AT_ONCE,
        screen_layers=_FIGHT_LAYERS + ('unit_type',),
        flags={'reward_scaling': 0.2, 'discounting': 0.97},
    ),
    # +5 per trip of a worker, some four at each step of 8 loops: scaled, the return ahead is about
    # 2. A worker takes 17 seconds to train. At 0.98 what comes 25 seconds later counts for a third;
    # at 0.995 the estimates of all that lies ahead vary more than any one action changes, and the
    # policy got worse from the start. There is less to decide than in a fight, so that a step may
    # be longer.
    'CollectMineralsAndGas': MapDefaults(
        episode_loops=6720,
        functions=(
            'no_op',
            'select_point',
            'select_idle_worker',
            'Harvest_Gather_screen',
            'Train_SCV_quick',
            'Build_SupplyDepot_screen',
            'Build_Refinery_screen',
            'Build_CommandCenter_screen',
        ),
        fixed_arguments=_AT_ONCE_ANY_SELECTION,
        screen_layers=_ECONOMY_LAYERS,
        flags={'reward_scaling': 0.01, 'discounting': 0.98, 'max_step_mul': 16},
    ),
    # The first marine takes a depot (30 s), a barracks (65 s) and its training (25 s).
    'BuildMarines': MapDefaults(
        episode_loops=14400,
        functions=(
            'no_op',
            'select_point',
            'select_idle_worker',
            'Harvest_Gather_screen',
            'Train_SCV_quick',
            'Build_SupplyDepot_screen',
            'Build_Barracks_screen',
            'Train_Marine_quick',
        ),
        fixed_arguments=_AT_ONCE_ANY_SELECTION,
        screen_layers=_ECONOMY_LAYERS,
        flags={'discounting': 0.98, 'max_step_mul': 16},
    ),
}
"""MapDefaults by map name. Where all fits on one screen, a minimap adds nothing."""
