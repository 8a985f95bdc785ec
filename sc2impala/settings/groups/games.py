"""Settings of the games: map, observations, actions, and StarCraft II."""

import dataclasses
from typing import ClassVar, Mapping, Optional, Tuple

from sc2impala import envs
from sc2impala.envs import pysc2_backend, tasks
from sc2impala.envs.start_states import StartShare
from sc2impala.settings import fields, value_types
from sc2impala.settings.fields import MANY, MAX_FRAMES, setting
from sc2impala.settings.value_types import FunctionNames, Names


@dataclasses.dataclass(frozen=True)
class EnvironmentSettings:
    """The game, its observations and its actions.

    The fields with default None have a separate value on every map.
    """

    TITLE: ClassVar[str] = 'environment'

    backend: str = setting(
        'simulator',
        'backend of the games: simulator; pysc2, which is StarCraft II and has its own defaults: '
        '--num_actors=2 --num_envs=4 --num_eval_envs=4; or synthetic: random observations of the '
        'shapes of any map, to measure speed',
        choices=envs.BACKENDS,
    )
    map_name: str = setting(
        'MoveToBeacon',
        'the mini-game: '
        + ', '.join(sorted(envs.MAP_NAMES))
        + '; on StarCraft II also a ladder map of PySC2, such as Simple64; --backend=synthetic has '
        'Frames as well, 72 x 96 pixels of three bytes and nine actions. Several mini-games are '
        'separated by commas, or all: one agent learns them, see --task_schedule',
    )
    map_file: str = setting(
        '',
        'a map of your own for StarCraft II, as My.SC2Map; --map_name is then the name of the '
        'file. Unless that is a known map, all functions are in the action space',
        type=value_types.PATH,
        free_on_resume=True,
        scope=fields.GAME,
    )
    screen_size: Tuple[int, int] = setting(
        (16, 16),
        'pixels of the screen layers: 32, or width and height as 84x64',
        type=value_types.SIZE,
        scope=fields.WEIGHTS,
    )
    minimap_size: Tuple[int, int] = setting(
        (16, 16), 'pixels of the minimap layers', type=value_types.SIZE, scope=fields.WEIGHTS
    )
    functions: Optional[FunctionNames] = setting(
        None,
        'names or ids of PySC2 functions, separated by commas, where select_point+NAME, '
        'select_army+NAME and select_idle_worker+NAME are actions that select a unit by a point, '
        "the army, or a worker without an order, and then give the order NAME; or 'all' 573",
        type=value_types.FUNCTIONS,
        scope=fields.WEIGHTS,
    )
    fixed_arguments: Optional[Mapping[str, int]] = setting(
        None,
        'PySC2 arguments that the agent does not choose, with their values, as '
        "queued=0,select_add=0, or 'none'",
        type=value_types.FIXED_ARGUMENTS,
        scope=fields.WEIGHTS,
    )
    no_op_as_last_resort: bool = setting(
        False,
        'mask no_op while any other function of the agent is available. An agent that chooses '
        'its step multiplier waits by a longer step, and otherwise often learns to do nothing '
        'first; not for imitation, since scripts call no_op',
        scope=fields.WEIGHTS,
    )
    mask_other_maps: bool = setting(
        True,
        'several maps: mask functions that the defaults of a map do not have. What is available '
        'tells maps apart; otherwise every function of the run can be chosen where the game has it',
        scope=fields.WEIGHTS,
    )
    screen_layers: Optional[Names] = setting(
        None,
        "names of PySC2 screen layers, or 'all'; and ordered, which shows targets of the orders of "
        'the last 320 frames, and how long ago they were given',
        type=value_types.NAMES_OF_MAP,
        scope=fields.WEIGHTS,
    )
    minimap_layers: Optional[Names] = setting(
        None,
        "names of PySC2 minimap layers, 'all' or 'none'; and visited, which shows where own units "
        'are, and where they were in the last 2200 frames and how long ago',
        type=value_types.NAMES_OF_MAP,
        scope=fields.WEIGHTS,
    )
    vectors: Names = setting(
        ('player',),
        'observations that are not layers: player, single_select, multi_select, control_groups, '
        'score_cumulative, game_loop, action_result, alerts, build_queue, production_queue, '
        "feature_units; 'all' or 'none'",
        type=value_types.NAMES,
        scope=fields.WEIGHTS,
    )
    fixed_step_mul: bool = setting(
        False,
        'act every --step_mul frames; otherwise the agent chooses at each step',
        scope=fields.WEIGHTS,
    )
    step_mul: int = setting(
        8,
        'frames per agent step when fixed, and for random and scripted players',
        between=(1, 10000),
        scope=fields.WEIGHTS,
    )
    max_step_mul: int = setting(
        8, 'the agent chooses from 1 to this many frames', between=(2, 10000), scope=fields.WEIGHTS
    )
    spread_games: bool = setting(
        True,
        'on the simulator, in training: start games in different parts of an episode. The first '
        'episode of each game is aborted at a different frame, or the imitated script acts up to '
        'that frame. Otherwise all games are in the same part',
    )
    start_state_share: float = setting(
        0.0,
        'on the simulator, in training from scratch: fraction of the episodes that start in a '
        "state that one of the agent's best episodes has visited, at first; it falls to 0 over "
        '--start_state_frames. These episodes are in no statistic',
        between=(0.0, 1.0),
        scope=fields.LEARNING,
    )
    start_state_frames: int = setting(
        5000000,
        'environment frames of all games in which --start_state_share falls to 0',
        between=(1, MAX_FRAMES),
        scope=fields.LEARNING,
    )
    max_episode_frames: int = setting(
        0,
        'truncate episodes after this many frames; returns bootstrap from the value of the '
        'final observation, unlike at the end of the mini-game. 0 disables it',
        between=(0, pysc2_backend.MAX_EPISODE_FRAMES),
        scope=fields.GAME,
    )
    simulator_rules: Tuple[Tuple[str, float], ...] = setting(
        (),
        'on the simulator: constants of the rules that differ from their defaults, as '
        'facing=1,marine.damage_point=2; docs/concepts/simulator.md lists them',
        type=value_types.WEIGHTS,
        scope=fields.GAME,
    )

    @property
    def map_names(self) -> Tuple[str, ...]:
        """The maps of the run."""
        return tasks.split(self.map_name)

    def of_map(self, map_name: str) -> 'EnvironmentSettings':
        """Returns the settings of the games of one of the maps."""
        return dataclasses.replace(self, map_name=map_name)

    @property
    def agent_step_mul(self) -> Optional[int]:
        """Frames of every agent step, or None if the agent chooses."""
        return self.step_mul if self.fixed_step_mul else None

    @property
    def spread_frames(self) -> int:
        """Returns the number of frames over which the games of a run are spread, 0 for none."""
        if not self.spread_games or self.backend != 'simulator':
            return 0
        of_map = envs.map_defaults(self.map_name, self.map_file).episode_frames
        return min(of_map, self.max_episode_frames or of_map)

    def start_share(self, num_actors: int) -> Optional[StartShare]:
        """Returns the episodes of one of `num_actors` actors that start in a visited state."""
        if not self.start_state_share:
            return None
        return StartShare(self.start_state_share, max(1, self.start_state_frames // num_actors))

    @property
    def longest_step(self) -> int:
        """The largest number of frames of a step, of an agent or another player."""
        if self.fixed_step_mul:
            return self.step_mul
        return max(self.step_mul, self.max_step_mul)


@dataclasses.dataclass(frozen=True)
class StarCraftSettings:
    """Settings of StarCraft II; on other backends all have their defaults."""

    TITLE: ClassVar[str] = 'StarCraft II (--backend=pysc2 only)'
    SCOPE: ClassVar[str] = fields.GAME

    game_version: str = setting(
        '', 'version of the game, such as 4.10; empty for the newest installed one'
    )
    disable_fog: bool = setting(False, 'see the whole map')
    camera_width: int = setting(
        pysc2_backend.CAMERA_WIDTH, 'world units across the screen', between=(1, 256)
    )
    opponent: str = setting(
        '',
        'on a ladder map, or with --map_file if the map is for two: '
        + ', '.join(pysc2_backend.DIFFICULTIES),
    )
    opponent_race: str = setting(
        'random',
        'on a ladder map: ' + ', '.join(pysc2_backend.RACES),
        choices=pysc2_backend.RACES,
    )
    race: str = setting('terran', "on a ladder map: the agent's race", choices=pysc2_backend.RACES)
    score_index: int = setting(
        0,
        "with --map_file: the entry of PySC2's score_cumulative whose increase is the reward, 0 "
        'for the score of the map; -1 for a win, draw or loss at the end',
        between=(-1, pysc2_backend.MAX_SCORE_INDEX),
    )
    score_multiplier: float = setting(
        1.0, 'with --map_file: factor on that score', between=(-1e9, 1e9)
    )
    relaunch_episodes: int = setting(
        0,
        'restart a game process after this many episodes; 0 for never, but 1 on BuildMarines, '
        'whose restart leaves out exhausted mineral fields',
        between=(0, MANY),
        free_on_resume=True,
    )
    game_deadline_secs: float = setting(
        60.0,
        'seconds after which a game that does not answer is killed and restarted; its episode '
        'does not count. A launch may take twice as long, at least 30 s',
        between=(1.0, 86400.0),
        free_on_resume=True,
    )
    replay_dir: str = setting(
        '',
        'folder for replays of the game',
        type=value_types.PATH,
        free_on_resume=True,
        own_in_evaluation=True,
    )
    save_replay_episodes: int = setting(
        0,
        'save a replay of every Nth episode of each game; 0 for none',
        between=(0, MANY),
        free_on_resume=True,
        own_in_evaluation=True,
    )
    realtime: bool = setting(
        False,
        'run at the speed of the game, to watch it; a single game only',
        free_on_resume=True,
        own_in_evaluation=True,
    )
    visualize: bool = setting(
        False,
        "show PySC2's picture of the game; needs a display, a single game only",
        free_on_resume=True,
        own_in_evaluation=True,
    )
