"""Defaults of each map: observations, actions, and settings of the training.

The one place for defaults that depend on the map. A flag that the user gives overrides these, and
these override the general defaults in `settings/`.
"""

import dataclasses
from typing import Any, Dict, List, Mapping, Sequence, Tuple, Union


@dataclasses.dataclass(frozen=True)
class MapDefaults:
    """A small choice of functions and layers that suffices for a high score on a map, and settings.

    episode_frames: the length of an episode in environment frames (game loops), 16 per second of
        game time; maps with enemies may end an episode before.
    functions: names of PySC2 functions, or 'all'.
    fixed_arguments: argument types that the agent does not choose, with their value. A queued order
        takes effect long after it was given: with a random `queued`, actions have no visible
        effect, and the agent hardly learns.
    screen_layers, minimap_layers: names of PySC2 feature layers, or of `specs.OWN_LAYERS`.
    vectors: names out of `specs.VECTOR_SHAPES`.
    screen_size, minimap_size: (width, height) in pixels. Both show a square, the screen of 24 cells
        and the minimap of 64: a marine is as wide as one of 32 pixels on the screen, and half as
        wide as one of 16.
    settings: settings of the training by name where the general default does not suit the map. They
        are read by `settings.resolve`, not in `envs`.
    from_scratch: what differs from these when the agent does not first imitate a script; it suits
        algorithms that learn a policy.
    demonstrated: what differs when it does; see `settings.resolve.imitates`.
    imitates_by_default: whether a new run does so if it is not asked to.
    """

    episode_frames: int
    functions: Union[str, Tuple[str, ...]]
    fixed_arguments: Mapping[str, int]
    screen_layers: Tuple[str, ...]
    minimap_layers: Tuple[str, ...] = ()
    vectors: Tuple[str, ...] = ('player',)
    screen_size: Tuple[int, int] = (16, 16)
    minimap_size: Tuple[int, int] = (16, 16)
    settings: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    from_scratch: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    demonstrated: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    imitates_by_default: bool = True


_AT_ONCE = {'queued': 0, 'select_add': 0, 'select_point_act': 0}
"""Orders replace the ones before, and a selection replaces the one before."""

_AT_ONCE_ANY_SELECTION = {'queued': 0}
"""The agent may select one unit or all of its type, and one idle worker or all of them."""

_ALL_OF_A_TYPE = {'queued': 0, 'select_point_act': 2, 'select_worker': 0}
"""In actions of a selection and an order a point selects all units of its type, of which the game
chooses the one that obeys: the nearest worker, or the building with the shortest queue."""

_FIGHT_LAYERS = ('player_relative', 'selected', 'unit_density', 'unit_hit_points_ratio')
_ECONOMY_LAYERS = ('player_relative', 'unit_type', 'selected', 'unit_density', 'build_progress')

_WORKER_FUNCTIONS = (
    'no_op',
    'select_point',
    'select_idle_worker',
    'Harvest_Gather_screen',
    'Train_SCV_quick',
    'Build_SupplyDepot_screen',
)
_GAS_FUNCTIONS = (*_WORKER_FUNCTIONS, 'Build_Refinery_screen', 'Build_CommandCenter_screen')
_MARINE_FUNCTIONS = (*_WORKER_FUNCTIONS, 'Build_Barracks_screen', 'Train_Marine_quick')

_WORKERS_IN_PAIRS = (
    'select_idle_worker+Harvest_Gather_screen',
    'select_point+Train_SCV_quick',
    'select_point+Build_SupplyDepot_screen',
)
GAS_IN_PAIRS = (
    *_WORKERS_IN_PAIRS,
    'select_point+Build_Refinery_screen',
    'select_point+Build_CommandCenter_screen',
)
MARINES_IN_PAIRS = (
    *_WORKERS_IN_PAIRS,
    'select_point+Build_Barracks_screen',
    'select_point+Train_Marine_quick',
)
"""A selection and an order in one action: an agent imitates BuildMarines from half of the frames or
less that it needs in single calls, in which it has to remember what it has selected."""

_FROM_UNITS = {
    'agent': 'unet_lstm',
    'argument_conditioning': True,
    'unit_prior': 4.0,
    'value_normalisation': 'popart',
    'reward_scaling': 1.0,
    'discounting_per_frame': True,
    'algorithm': 'appo',
    'appo_minibatches': 4,
    'batch_size': 16,
}
"""Settings of learning from scratch common to all maps: a random policy that points at units."""

_BY_ITSELF = dict(
    _FROM_UNITS,
    no_op_as_last_resort=True,
    point_logit_scale=8.0,
    max_step_mul=16,
    learning_rate=1e-3,
    entropy_cost=0.005,
    entropy_decay=0.6,
)
"""Learning from scratch, see docs/notebook.md for experiments. A random policy gets further
with long steps, a good one scores higher with short ones, so the agent chooses; no_op would be a
second way to wait, which is learned before any way to fight."""

_WITH_IMPALA = {
    name: value
    for name, value in _BY_ITSELF.items()
    if name not in ('algorithm', 'appo_minibatches', 'max_step_mul')
}
"""The same with the general default algorithm and step multiplier."""

_BY_GAINS = dict(_FROM_UNITS, learning_rate=6e-4, trace_decay=0.95)
"""The economy, where rewards are long delayed: gains of the player are rewarded
at once, a worker when it is ordered, and again when it no longer idles. Less entropy loses rare
gains, such as sending the last idle worker to harvest."""

_IMITATION = {
    'agent': 'unet_lstm',
    'argument_conditioning': True,
    'point_logit_scale': 8.0,
    'cloning_batch_size': 8,
    'value_normalisation': 'popart',
    'reward_scaling': 1.0,
    'warmup_frames': 60000,
}
"""All maps that have imitation. Points that depend on the whole screen, and arguments on the
function, take this agent; with a scale of 1 points are learned several times more slowly, and
without PopArt the returns' gradient hides the labels' gradient."""

_AFTER_IMITATION = dict(_IMITATION, trace_decay=0.9, baseline_cost=0.1, entropy_cost=0.0)
"""A policy that acts like a script is nearly deterministic: more entropy, or the noise of long
traces, lose it faster than rewards can improve it."""

_HELD_BY_THE_TEACHER = dict(
    _AFTER_IMITATION,
    num_critic_pretrain_frames=100000,
    batch_size=64,
    learning_rate=1e-5,
    teacher_cost=0.2,
    teacher_decay=1.0,
)
"""Rewards that change the imitated policy very little: larger steps and small batches lost it
within a million frames; rewards alone made it worse."""

_LED_BY_THE_TEACHER = dict(
    _HELD_BY_THE_TEACHER,
    num_critic_pretrain_frames=300000,
    batch_size=16,
    learning_rate=2e-4,
    trace_decay=0.95,
    teacher_cost=0.1,
    total_environment_frames=3500000,
)
"""Many small updates from rewards, while the teacher's cost falls to 0. Without a teacher they lost
the imitated policy within 0.3 M frames on DefeatRoaches."""

_LISTED = ('player', 'feature_units')
"""Observations of an agent that sees a list of units."""

_LABELS_WITH_REWARDS = dict(
    _AFTER_IMITATION,
    agent='units_lstm',
    vectors=_LISTED,
    related_points=True,
    demonstration_cost=1.0,
    demonstrator_share=0.3,
    num_envs=12,
    batch_size=12,
)
"""Imitation and RL in the same updates, of an agent that learns from few of them. Labels of the
script hold the policy instead of a teacher."""

OF_EACH_MAP = 'of_each_map'
"""The demonstrator on several maps: on each the one that its own defaults name."""

_ON_SEVERAL_MAPS = {
    'reward_scaling': 1.0,
    'value_normalisation': 'popart',
    'discounting': 0.98,
    'discounting_per_frame': True,
    'max_step_mul': 16,
}
"""Rewards of different maps are of different sizes, so returns are normalised by map. Maps on which
a single agent has other discounts share one."""

MAP_DEFAULTS = {
    # The general defaults of the training were chosen on this map. It is learned from fewer frames
    # with smaller batches, and so more updates; once it is learned, entropy only costs return.
    'MoveToBeacon': MapDefaults(
        episode_frames=1920,
        functions=('no_op', 'select_army', 'Move_screen'),
        fixed_arguments=_AT_ONCE,
        screen_layers=('player_relative', 'selected', 'unit_density'),
        settings={'batch_size': 16, 'entropy_decay': 0.4},
        # The script scores 25.9 in steps of 8 frames. An agent that chooses its steps makes them
        # shorter when it learns from rewards, as long as a step of any length is discounted by its
        # frames. From scratch it learns in two minutes, a quick check of the package.
        demonstrated=dict(
            _IMITATION,
            demonstrator='PySC2',
            num_cloning_frames=200000,
            phase_evaluations=0,
            num_critic_pretrain_frames=200000,
            algorithm='appo',
            appo_minibatches=4,
            discounting_per_frame=True,
            trace_decay=0.95,
            learning_rate=5e-4,
            entropy_decay=0.6,
            eval_max_step_mul=1,
            total_environment_frames=5000000,
        ),
        imitates_by_default=False,
    ),
    # Two marines can collect in different places, hence the selection of one by a point.
    'CollectMineralShards': MapDefaults(
        episode_frames=1920,
        functions=('no_op', 'select_point', 'select_army', 'Move_screen'),
        fixed_arguments=_AT_ONCE,
        screen_layers=('player_relative', 'selected', 'unit_density'),
        # An agent that knows where it has sent each marine learns far faster. Shards are all that
        # orders can point at. Agents that could select both marines at once moved them together,
        # and one that chose its steps had steps of 1.3 frames in the end, for the same return.
        from_scratch=dict(
            _BY_ITSELF,
            agent='fully_conv_lstm',
            fixed_step_mul=True,
            functions=('no_op', 'select_point+Move_screen'),
            screen_layers=('player_relative', 'selected', 'unit_density', 'ordered'),
            related_points=True,
            unit_mask='all',
            discounting=0.9,
            total_environment_frames=2000000,
        ),
        # The script goes by distances, which a list of units shows, and by where it has sent the
        # other marine; it scores 172 in steps of 8 frames and 186 in steps of 4. The agent learns
        # with steps of 8, in which a game has half as many, and has 160 with them and 172 with 4.
        demonstrated=dict(
            _HELD_BY_THE_TEACHER,
            agent='units_lstm',
            vectors=_LISTED,
            functions=('no_op', 'select_point+Move_screen'),
            screen_layers=('player_relative', 'selected', 'unit_density', 'ordered'),
            screen_size=(32, 32),
            related_points=True,
            demonstrator='base_policy',
            num_cloning_frames=3000000,
            phase_evaluations=12,
            temperature=0.3,
            eval_max_step_mul=4,
            discounting=0.9,
            total_environment_frames=200000,
        ),
    ),
    # The one map larger than the screen, with fog: the minimap shows explored areas and where the
    # camera is, and an attack on it sends units out of sight.
    'FindAndDefeatZerglings': MapDefaults(
        episode_frames=2880,
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
        settings={'discounting': 0.97},
        # Attacks on the minimap lead over the whole map; the army walks on while the agent waits
        # by selecting it again. New zerglings come when all are dead, so no place may be left out;
        # with visits paid until the end the return stayed lower. The agent reduces the minimap to
        # the size of the screen; 24 pixels cost twice as much, and the return is the same.
        from_scratch=dict(
            _FROM_UNITS,
            no_op_as_last_resort=True,
            functions=('no_op', 'select_army', 'Attack_minimap'),
            screen_layers=('player_relative', 'selected'),
            minimap_layers=('player_relative', 'visited'),
            screen_size=(8, 8),
            minimap_size=(24, 24),
            point_logit_scale=4.0,
            max_step_mul=32,
            discounting=0.985,
            learning_rate=4e-4,
            entropy_cost=0.003,
            entropy_decay=0.6,
            gain_rewards=(('visited', 1.0),),
            gain_decay=0.3,
            appo_normalise_advantages=True,
            total_environment_frames=30000000,
        ),
        # The script walks while its marines reload: 61 in steps of 4 frames, and 64 in steps of 2,
        # of which a game has twice as many. `circle`, which does not, has 53 and 54, and 40 on a
        # minimap of 16 pixels. The health of a zergling shows whether all marines have hit it.
        demonstrated=dict(
            _HELD_BY_THE_TEACHER,
            functions=('no_op', 'select_army', 'move_camera', 'Attack_minimap', 'Move_minimap'),
            demonstrator='stutter_step',
            demonstration_step_mul=4,
            screen_size=(32, 32),
            minimap_size=(32, 32),
            ratio_bins=12,
            num_cloning_frames=3000000,
            temperature=0.3,
            total_environment_frames=400000,
        ),
    ),
    # +10 per roach, scaled to 1. At 0.97 a reward is discounted to a third after 18 seconds, about
    # the length of a fight; at the general 0.95 after 11. The map keeps all marines selected.
    'DefeatRoaches': MapDefaults(
        episode_frames=1920,
        functions=('no_op', 'Attack_screen'),
        fixed_arguments=_AT_ONCE,
        screen_layers=_FIGHT_LAYERS,
        settings={'reward_scaling': 0.1, 'discounting': 0.97},
        # Only roaches can be attacked, which a random policy rarely does with a prior alone.
        # Targets of earlier orders show which roach has been fired at; hit points as well make no
        # difference. IMPALA learns from half of the frames that APPO needs; five seeds with
        # 32 games have 76 to 97, one with 64 games 63.
        from_scratch=dict(
            _WITH_IMPALA,
            num_envs=16,
            agent='fully_conv_lstm',
            fixed_step_mul=True,
            screen_layers=('player_relative', 'selected', 'unit_density', 'ordered'),
            unit_mask='all',
            discounting=0.95,
            total_environment_frames=2000000,
        ),
        # The script of the search gives orders to single marines. It goes by their health and by
        # distances, which a list of units shows. With a selection and an order in one step it
        # scores 311 in steps of 4 frames and 292 in steps of 2, in two steps 251 and 312. Agents
        # have about 285 after 0.4 M frames of imitation, no more after 2.4 M, and 300 to 320 after
        # RL with labels. With a discount by step instead of by frame their steps become longer.
        demonstrated=dict(
            _LABELS_WITH_REWARDS,
            screen_layers=_FIGHT_LAYERS + ('ordered',),
            demonstrator='base_policy',
            demonstration_step_mul=4,
            temperature=0.3,
            eval_max_step_mul=2,
            functions=(
                'no_op',
                'select_army',
                'select_point',
                'Attack_screen',
                'Move_screen',
                'select_army+Attack_screen',
                'select_army+Move_screen',
                'select_point+Attack_screen',
                'select_point+Move_screen',
            ),
            screen_size=(32, 32),
            ratio_bins=12,
            discounting=0.98,
            discounting_per_frame=True,
            num_envs=16,
            num_cloning_frames=500000,
            demonstrator_share=0.5,
            phase_evaluations=4,
            num_critic_pretrain_frames=50000,
            demonstration_cost=0.1,
            batch_size=16,
            learning_rate=2e-4,
            total_environment_frames=800000,
        ),
    ),
    # +5 per enemy. A single marine can draw the banelings away from the others, hence select_point;
    # the unit type shows which enemies explode.
    'DefeatZerglingsAndBanelings': MapDefaults(
        episode_frames=1920,
        functions=('no_op', 'select_point', 'select_army', 'Attack_screen', 'Move_screen'),
        fixed_arguments=_AT_ONCE,
        screen_layers=_FIGHT_LAYERS + ('unit_type',),
        settings={'reward_scaling': 0.2, 'discounting': 0.97},
        # One marine at a time that attacks anywhere scores 115, all together 38. An agent that
        # selects and orders in two steps learned nothing beyond that; see docs/notebook.md. With
        # advantages that are not normalised the screen kept nearly its full entropy. The return
        # rises by half in the second half of the training, as the entropy cost falls to 0: with a
        # final cost of 0.003 after 3 M frames agents have 150.
        from_scratch=dict(
            _FROM_UNITS,
            no_op_as_last_resort=True,
            functions=('no_op', 'select_point+Attack_screen', 'select_point+Move_screen'),
            screen_layers=_FIGHT_LAYERS + ('unit_type', 'ordered'),
            related_points=True,
            unit_prior=6.0,
            order_prior=0.0,
            point_logit_scale=8.0,
            max_step_mul=16,
            discounting=0.985,
            appo_normalise_advantages=True,
            batch_size=32,
            learning_rate=5e-4,
            entropy_cost=0.005,
            trace_decay=0.95,
            temperature=0.3,
            total_environment_frames=6000000,
        ),
        # The script of the search scores 1013 when it acts every 4 frames and 1071 every 2, `kite`
        # 1006 and 1030. An agent that imitated it has 983 and 1069. Lower temperatures are better:
        # agents that imitated an earlier script had 840 every 4 frames at 1, and 881 at this one.
        demonstrated=dict(
            _LED_BY_THE_TEACHER,
            demonstrator='base_policy',
            demonstration_step_mul=4,
            screen_size=(32, 32),
            discounting=0.995,
            num_cloning_frames=3000000,
            phase_evaluations=12,
            temperature=0.3,
            eval_max_step_mul=2,
        ),
    ),
    # +5 per trip of a worker, about four in each step of 8 frames: scaled, the discounted return is
    # about 2. A worker takes 17 seconds to train. At 0.98 a reward is discounted to a third after
    # 25 seconds; at 0.995 the variance of the returns exceeds the effect of any single action, and
    # the policy got worse from the start. Decisions are rarer than in a fight: steps may be longer.
    'CollectMineralsAndGas': MapDefaults(
        episode_frames=6720,
        functions=_GAS_FUNCTIONS,
        fixed_arguments=_AT_ONCE_ANY_SELECTION,
        screen_layers=_ECONOMY_LAYERS,
        settings={'reward_scaling': 0.01, 'discounting': 0.98, 'max_step_mul': 16},
        # A worker brings 5 minerals on each trip. Only command centers raise the supply, so that
        # minerals suffice for them: agents that may build depots build no second command center,
        # and have 4500. Sites are learned with normalised advantages and points as sharp as those
        # of fights.
        from_scratch=dict(
            _BY_GAINS,
            functions=(
                'no_op',
                'select_idle_worker+Harvest_Gather_screen',
                'select_point+Train_SCV_quick',
                'select_point+Build_CommandCenter_screen',
            ),
            fixed_arguments=_ALL_OF_A_TYPE,
            unit_mask='all',
            screen_layers=_ECONOMY_LAYERS + ('buildable',),
            vectors=('player', 'score_cumulative'),
            no_op_as_last_resort=True,
            point_logit_scale=8.0,
            discounting=0.99,
            gain_rewards=(
                ('food_used', 30.0),
                ('spent_minerals', 0.3),
                ('idle_worker_count', -15.0),
            ),
            appo_normalise_advantages=True,
            total_environment_frames=5000000,
        ),
        # The script of the search scores 7067 when it acts every 16 frames, `build_order` 6726.
        # Models half a million frames apart differ by up to 1,900, and the best one is kept.
        # At a temperature of 1 an agent of 5 M frames of imitation had 6143, at this one 6439.
        demonstrated=dict(
            _HELD_BY_THE_TEACHER,
            functions=_GAS_FUNCTIONS + GAS_IN_PAIRS,
            demonstrator='base_policy',
            demonstration_step_mul=16,
            screen_layers=_ECONOMY_LAYERS + ('active',),
            num_cloning_frames=16000000,
            phase_evaluations=32,
            temperature=0.4,
            total_environment_frames=1000000,
        ),
    ),
    # The first marine takes a depot (30 s), a barracks (65 s) and its training (25 s).
    'BuildMarines': MapDefaults(
        episode_frames=14400,
        functions=_MARINE_FUNCTIONS,
        fixed_arguments=_AT_ONCE_ANY_SELECTION,
        screen_layers=_ECONOMY_LAYERS,
        settings={'discounting': 0.98, 'max_step_mul': 16},
        # What is spent is worth a quarter of a marine per 50 minerals, a marine half of one when
        # it is ordered, and a depot little: agents built twice as many as they used.
        # The agent may call no_op: without it, half of its calls were clicks at random pixels.
        # Rewards of gains make advantages large in single steps, so points change less than on the
        # other maps: sharper ones with normalised advantages lost the policy.
        # Selections with orders score 94 to 101 after 1.5 to 6 M frames, single calls 92 after 6 M.
        from_scratch=dict(
            _BY_GAINS,
            functions=('no_op', *MARINES_IN_PAIRS),
            fixed_arguments=_ALL_OF_A_TYPE,
            unit_mask='all',
            point_logit_scale=2.0,
            discounting=0.99,
            screen_layers=_ECONOMY_LAYERS + ('buildable',),
            vectors=('player', 'score_cumulative'),
            gain_rewards=(
                ('spent_minerals', 0.005),
                ('food_cap', -0.05),
                ('food_army', 0.5),
                ('idle_worker_count', -0.3),
            ),
            final_entropy_cost=0.002,
            total_environment_frames=6000000,
        ),
        # The script of the search scores 145.7 in selections with orders, `build_order` 139. An
        # agent that imitates the first has 140; in single calls 77 after 3 M frames and 134 after
        # 14 M. The layer shows which barracks train a marine.
        demonstrated=dict(
            _HELD_BY_THE_TEACHER,
            functions=_MARINE_FUNCTIONS + MARINES_IN_PAIRS,
            demonstrator='base_policy',
            demonstration_step_mul=16,
            screen_layers=_ECONOMY_LAYERS + ('active',),
            num_cloning_frames=12000000,
            phase_evaluations=12,
            temperature=0.7,
            total_environment_frames=1000000,
        ),
    ),
}
"""MapDefaults by map name. There is no minimap where the screen shows the whole map."""


def joined(names: Sequence[str]) -> MapDefaults:
    """Returns the defaults of a run on several maps.

    Functions, layers and sizes are those that any of the maps needs for the same kind of start; the
    longest episode counts. An argument is fixed if it is on all of them.

    Args:
      names: keys of MAP_DEFAULTS, two or more.
    """
    of_maps = [MAP_DEFAULTS[name] for name in names]
    general = _spaces(of_maps, [{} for _ in of_maps])
    from_scratch = _spaces(of_maps, [defaults.from_scratch for defaults in of_maps])
    demonstrated = _spaces(of_maps, [defaults.demonstrated for defaults in of_maps])
    demonstrated['vectors'] = _united([demonstrated['vectors'], _LISTED])
    return MapDefaults(
        episode_frames=max(defaults.episode_frames for defaults in of_maps),
        fixed_arguments={
            name: value
            for name, value in of_maps[0].fixed_arguments.items()
            if all(defaults.fixed_arguments.get(name) == value for defaults in of_maps)
        },
        settings=_ON_SEVERAL_MAPS,
        from_scratch=dict(
            _BY_ITSELF,
            no_op_as_last_resort=all(
                defaults.from_scratch.get('no_op_as_last_resort') for defaults in of_maps
            ),
            **from_scratch,
        ),
        demonstrated=dict(
            _LABELS_WITH_REWARDS,
            demonstrator=OF_EACH_MAP,
            max_step_mul=16,
            temperature=0.7,
            total_environment_frames=1300000 * len(of_maps),
            **demonstrated,
        ),
        **general,
    )


def _spaces(
    of_maps: Sequence[MapDefaults], of_start: Sequence[Mapping[str, Any]]
) -> Dict[str, Any]:
    """Observations and functions that any of the maps needs.

    Args:
      of_maps: their defaults.
      of_start: what differs from these for a kind of start.
    """

    def each(name: str) -> List[Any]:
        return [more.get(name, getattr(d, name)) for d, more in zip(of_maps, of_start)]

    minimaps = [
        size for size, layers in zip(each('minimap_size'), each('minimap_layers')) if layers
    ]
    return {
        'functions': _united(each('functions')),
        'screen_layers': _united(each('screen_layers')),
        'minimap_layers': _united(each('minimap_layers')),
        'vectors': _united([defaults.vectors for defaults in of_maps]),
        'screen_size': max(each('screen_size')),
        'minimap_size': max(minimaps, default=of_maps[0].minimap_size),
    }


def _united(lists: Sequence[Sequence[str]]) -> Tuple[str, ...]:
    return tuple(dict.fromkeys(name for names in lists for name in names))
