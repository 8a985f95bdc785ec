"""The settings of a run: names, types, general defaults, and what must hold between them.

The comments of the flags in `experiment.py` say what each of them means. Defaults of a map are in
`envs/maps.py`; which of them applies is up to `runtime/defaults.py`.
"""

import difflib
import math
from typing import Any, Dict, NamedTuple, Optional, Tuple

from sc2impala import agents, envs
from sc2impala.envs import pysc2_backend
from sc2impala.learner import losses
from sc2impala.runtime.errors import UserError


class Config(NamedTuple):
    """One field per flag. Empty text in those of `OF_THE_MAP` stands for the default of the map.

    Folders of older versions lack the settings that came later, and count as having the defaults
    here: the default of a new setting must be what was done before there was one, unless it is
    `FREE_ON_RESUME`.
    """

    mode: str = 'train'
    logdir: str = ''
    seed: int = 0
    deterministic: bool = False
    bfloat16: bool = False

    backend: str = 'simulator'
    map_name: str = 'MoveToBeacon'
    screen_size: str = '16'
    minimap_size: str = '16'
    functions: str = ''
    fixed_arguments: str = ''
    screen_layers: str = ''
    minimap_layers: str = ''
    vectors: str = 'player'
    fixed_step_mul: bool = False
    step_mul: int = 8
    max_step_mul: int = 8

    game_version: str = ''
    disable_fog: bool = False
    camera_width: int = pysc2_backend.CAMERA_WIDTH
    max_episode_frames: int = 0
    opponent: str = ''
    opponent_race: str = 'random'
    race: str = 'terran'
    relaunch_episodes: int = 0
    game_deadline_secs: float = 60.0
    replay_dir: str = ''
    save_replay_episodes: int = 0
    realtime: bool = False
    visualize: bool = False

    agent: str = 'fully_conv_lstm'

    num_actors: int = 2
    num_envs: int = 32
    unroll_length: int = 20
    queue_capacity: int = 0

    total_environment_frames: int = 50000000
    batch_size: int = 32
    learning_rate: float = 7e-4
    final_learning_rate: float = 0.0
    adam_beta1: float = 0.9
    adam_beta2: float = 0.999
    adam_epsilon: float = 1e-5
    clip_grad_norm: float = 40.0
    discounting: float = 0.95
    discounting_per_frame: bool = False
    reward_scaling: float = 1.0
    reward_clipping: str = 'none'
    baseline_cost: float = 0.5
    entropy_cost: float = 0.01
    final_entropy_cost: float = 0.0
    entropy_decay: float = 1.0
    clip_advantage: bool = False

    replay_proportion: float = 0.0
    replay_buffer_size: int = 1000
    replay_eviction: str = 'reservoir'
    replay_compression: str = 'zstd'
    policy_cloning_cost: float = 0.01
    value_cloning_cost: float = 0.005

    num_critic_pretrain_frames: int = 0
    critic_learning_rate: float = 7e-4
    critic_pretrain_all_variables: bool = False
    init_checkpoint: str = ''

    save_checkpoint_secs: float = 120.0
    keep_checkpoints: int = 5
    save_summaries_secs: float = 10.0
    progress_secs: float = 10.0

    policy: str = 'sampled'
    num_episodes: int = 100
    num_eval_envs: int = 25
    animation: bool = False
    curve: bool = False


OF_THE_MAP = ('functions', 'fixed_arguments', 'screen_layers', 'minimap_layers')
"""Settings that have no general default, since every map has its own."""

OF_THE_GAME = (
    'game_version',
    'disable_fog',
    'camera_width',
    'max_episode_frames',
    'opponent',
    'opponent_race',
    'race',
    'relaunch_episodes',
    'game_deadline_secs',
    'replay_dir',
    'save_replay_episodes',
    'realtime',
    'visualize',
)
"""Settings of StarCraft II; on other backends all must have their defaults."""

FREE_ON_RESUME = frozenset(
    [
        'mode',
        'logdir',
        'deterministic',
        'bfloat16',
        'total_environment_frames',
        'queue_capacity',
        'replay_compression',
        'init_checkpoint',
        'save_checkpoint_secs',
        'keep_checkpoints',
        'save_summaries_secs',
        'progress_secs',
        'relaunch_episodes',
        'game_deadline_secs',
        'replay_dir',
        'save_replay_episodes',
        'realtime',
        'visualize',
        'policy',
        'num_episodes',
        'num_eval_envs',
        'animation',
        'curve',
    ]
)
"""What may change when a run is continued; every other setting belongs to what was learned."""

_LEAST_LAUNCH_SECS = 30.0

POLICIES = ('sampled', 'greedy', 'random', 'scripted')


def batch_split(config: Config) -> Tuple[int, int]:
    """Returns N and R, the numbers of new and of replayed sequences in a batch."""
    num_replay = int(config.batch_size * config.replay_proportion)
    return config.batch_size - num_replay, num_replay


def fixed_step_mul(config: Config) -> Any:
    """The step multiplier that is played always, or None if the agent chooses."""
    return config.step_mul if config.fixed_step_mul else None


def max_step_mul(config: Config) -> int:
    """The most game loops that one step may take, of an agent or of another player."""
    if config.fixed_step_mul:
        return config.step_mul
    return max(config.step_mul, config.max_step_mul)


def parse_size(flag: str, text: str) -> Tuple[int, int]:
    """'84' or '84x64' -> (width, height).

    Raises:
      UserError: if it is neither.
    """
    parts = text.lower().split('x')
    if not (1 <= len(parts) <= 2 and all(p.isdecimal() and 0 < int(p) <= 1024 for p in parts)):
        raise UserError(
            f'--{flag}={text} is no size, expected pixels as 84 or, width first, 84x64.'
        )
    return int(parts[0]), int(parts[-1])


def names(text: str) -> Any:
    """A flag that lists names: None if empty, 'all', or the list."""
    if not text or text == 'all':
        return text or None
    return [] if text == 'none' else [name.strip() for name in text.split(',')]


def _functions(text):
    """Names, and ids given as numbers."""
    functions = names(text)
    if isinstance(functions, list):
        return [int(f) if f.isdecimal() else f for f in functions]
    return functions


def _fixed_arguments(text):
    """'queued=0,select_add=0' -> dict, 'none' -> {}, '' -> None."""
    if not text:
        return None
    pairs = [pair.partition('=') for pair in (names(text) or [])]
    if text == 'all' or not all(value.strip().isdecimal() for _, _, value in pairs):
        raise UserError(
            f'--fixed_arguments={text} is not understood, expected pairs as queued=0,select_add=0 '
            "or 'none'."
        )
    return {name.strip(): int(value) for name, _, value in pairs}


def make_specs(config: Config) -> Tuple[Any, Any]:
    """Observation and action spec of the run.

    Raises:
      UserError: if a map, function, layer or size is unknown.
    """
    sizes = [parse_size(flag, getattr(config, flag)) for flag in ('screen_size', 'minimap_size')]
    try:
        specs = envs.make_specs(
            config.map_name,
            functions=_functions(config.functions),
            fixed_arguments=_fixed_arguments(config.fixed_arguments),
            screen_size=sizes[0],
            minimap_size=sizes[1],
            screen_layers=names(config.screen_layers),
            minimap_layers=names(config.minimap_layers),
            vectors=names(config.vectors) or (),
        )
    except ValueError as error:
        # The arguments of `make_specs` have the names of the flags.
        raise UserError('--' + str(error)) from error
    if not specs[0].screen_layers:
        raise UserError(
            f'--screen_layers={config.screen_layers} leaves the agent nothing to look at, expected '
            'at least one layer.'
        )
    return specs


def check(config: Config) -> None:
    """Holds the settings against what they may be, and against each other.

    Raises:
      UserError: naming the flag, its value and what was expected.
    """
    for name, choices in _choices(config).items():
        value = getattr(config, name)
        if value not in choices:
            raise UserError(
                '--{}={} is unknown, expected one of: {}.'.format(name, value, ', '.join(choices))
            )
    _check_map(config)
    for name, (smallest, largest) in _RANGES.items():
        value = getattr(config, name)
        # Written so that a NaN is refused as well.
        if not smallest <= value <= largest:
            raise UserError(
                f'--{name}={value} is out of range, expected {_range_text(smallest, largest)}.'
            )
    num_new, num_replay = batch_split(config)
    if num_new < 1:
        raise UserError(
            f'--batch_size={config.batch_size} with --replay_proportion={config.replay_proportion} '
            'leaves no new sequence in a batch, expected at least one: lower the proportion or '
            'use a larger batch.'
        )
    if config.replay_proportion > 0 and num_replay < 1:
        raise UserError(
            f'--replay_proportion={config.replay_proportion} of --batch_size={config.batch_size} '
            'is less than one sequence, expected at least one, or 0 for no replay.'
        )
    if config.replay_buffer_size < num_replay:
        raise UserError(
            f'--replay_buffer_size={config.replay_buffer_size} cannot fill its part of a batch, '
            f'expected at least {num_replay} (--batch_size * --replay_proportion).'
        )
    if 0 < config.queue_capacity < config.batch_size:
        raise UserError(
            f'--queue_capacity={config.queue_capacity} cannot hold a batch, expected at least '
            f'--batch_size={config.batch_size}, or 0 to choose it.'
        )
    if config.mode == 'train' and config.deterministic and config.num_actors != 1:
        raise UserError(
            f'--deterministic needs one actor, but --num_actors={config.num_actors}: the order in '
            'which several actors finish is not reproducible.'
        )
    # Actor and learner take turns: what an actor has played must find room.
    room = config.batch_size + config.num_envs - 1
    if config.mode == 'train' and config.deterministic and 0 < config.queue_capacity < room:
        raise UserError(
            f'--queue_capacity={config.queue_capacity} is too small for --deterministic, expected '
            f'at least {room} (--batch_size + --num_envs - 1), or 0 to choose it.'
        )
    _check_game(config)


def _check_map(config):
    """Raises: UserError: if the backend does not have the map."""
    flag, playable = f'--map_name={config.map_name}', envs.playable_maps(config.backend)
    if config.map_name in playable:
        return
    names_text = ', '.join(sorted(set(playable) - set(envs.LADDER_MAPS)))
    if config.map_name in envs.LADDER_MAPS:
        raise UserError(
            f'{flag} is a ladder map, which --backend={config.backend} cannot play, expected '
            f'--backend=pysc2 with it, or one of: {names_text}.'
        )
    if config.map_name in envs.SYNTHETIC_MAPS:
        raise UserError(
            f'{flag} is no game, expected --backend=synthetic with it, or one of: {names_text}.'
        )
    if config.backend == 'pysc2':
        nearest = difflib.get_close_matches(config.map_name, envs.LADDER_MAPS, n=3, cutoff=0)
        names_text += ', or a ladder map of PySC2, such as the nearest ones: ' + ', '.join(nearest)
    raise UserError(f'{flag} is unknown, expected one of: {names_text}.')


def _check_game(config):
    """Holds the settings of StarCraft II against the backend, the map and each other."""
    if config.backend != 'pysc2':
        for name in OF_THE_GAME:
            value, default = getattr(config, name), Config._field_defaults[name]
            if value != default:
                raise UserError(
                    f'--{name}={value} is a setting of StarCraft II, expected --backend=pysc2 '
                    'with it.'
                )
    if config.map_name not in envs.LADDER_MAPS:
        for name in ('opponent', 'opponent_race', 'race'):
            value, default = getattr(config, name), Config._field_defaults[name]
            if value != default:
                raise UserError(
                    f'--{name}={value} is for ladder maps, expected none on '
                    f'--map_name={config.map_name}, where the map decides.'
                )
    if bool(config.replay_dir) != (config.save_replay_episodes > 0):
        raise UserError(
            f'--replay_dir={config.replay_dir} and '
            f'--save_replay_episodes={config.save_replay_episodes} belong together, expected both '
            'or none.'
        )
    num_games = config.num_actors * config.num_envs
    flags = f'--num_actors={config.num_actors} and --num_envs={config.num_envs}'
    if config.mode == 'evaluate':
        num_games = min(config.num_eval_envs, config.num_episodes)
        flags = f'--num_eval_envs={config.num_eval_envs}'
    for name in ('realtime', 'visualize'):
        if getattr(config, name) and num_games > 1:
            raise UserError(f'--{name} is for a single game, expected 1 instead of {flags}.')


def game_settings(config: Config) -> Optional[envs.GameSettings]:
    """How StarCraft II is to be run, or None if something else plays."""
    if config.backend != 'pysc2':
        return None
    return envs.GameSettings(
        version=config.game_version or None,
        replay_dir=config.replay_dir or None,
        save_replay_episodes=config.save_replay_episodes,
        realtime=config.realtime,
        visualize=config.visualize,
        disable_fog=config.disable_fog,
        camera_width=config.camera_width,
        relaunch_episodes=config.relaunch_episodes,
        deadline_secs=config.game_deadline_secs,
        launch_deadline_secs=max(2 * config.game_deadline_secs, _LEAST_LAUNCH_SECS),
        race=config.race,
        opponent=config.opponent or None,
        opponent_race=config.opponent_race,
        max_episode_frames=config.max_episode_frames or None,
    )


def differences(config: Config, other: Dict[str, Any]) -> Dict[str, Tuple[Any, Any]]:
    """Settings that matter to what was learned and differ: {name: (here, there)}."""
    return {
        name: (value, other.get(name))
        for name, value in config._asdict().items()
        if name not in FREE_ON_RESUME and value != other.get(name)
    }


def _choices(config):
    has_opponent = config.opponent or config.map_name in envs.LADDER_MAPS
    return {
        'mode': ('train', 'evaluate'),
        'backend': tuple(envs.BACKENDS),
        'opponent': pysc2_backend.DIFFICULTIES if has_opponent else ('',),
        'opponent_race': pysc2_backend.RACES,
        'race': pysc2_backend.RACES,
        'agent': tuple(sorted(agents.AGENTS)),
        'reward_clipping': losses.REWARD_CLIPPINGS,
        'replay_eviction': ('reservoir', 'fifo'),
        'replay_compression': ('none', 'zstd'),
        'policy': POLICIES,
    }


_MANY = 2**31 - 1
_LARGE = 1e9
_RANGES = {
    'seed': (0, 2**63 - 1),
    'step_mul': (1, 10000),
    'max_step_mul': (2, 10000),
    'camera_width': (1, 256),
    'max_episode_frames': (0, pysc2_backend.MAX_EPISODE_FRAMES),
    'relaunch_episodes': (0, _MANY),
    'game_deadline_secs': (1.0, 86400.0),
    'save_replay_episodes': (0, _MANY),
    'num_actors': (1, 1024),
    'num_envs': (1, 65536),
    'unroll_length': (1, 10000),
    'queue_capacity': (0, _MANY),
    'total_environment_frames': (1, 2**62),
    'batch_size': (1, 65536),
    'learning_rate': (0.0, 10.0),
    'final_learning_rate': (0.0, 10.0),
    'adam_beta1': (0.0, 0.999999),
    'adam_beta2': (0.0, 0.999999),
    'adam_epsilon': (1e-20, 1.0),
    'clip_grad_norm': (0.0, _LARGE),
    'discounting': (0.0, 1.0),
    'reward_scaling': (-_LARGE, _LARGE),
    'baseline_cost': (0.0, _LARGE),
    'entropy_cost': (0.0, _LARGE),
    'final_entropy_cost': (-1.0, _LARGE),
    'entropy_decay': (0.0, 1.0),
    'replay_proportion': (0.0, 1.0),
    'replay_buffer_size': (1, _MANY),
    'policy_cloning_cost': (0.0, _LARGE),
    'value_cloning_cost': (0.0, _LARGE),
    'num_critic_pretrain_frames': (0, 2**62),
    'critic_learning_rate': (0.0, 10.0),
    'save_checkpoint_secs': (0.0, math.inf),
    'keep_checkpoints': (0, 10000),
    'save_summaries_secs': (0.0, math.inf),
    'progress_secs': (0.0, math.inf),
    'num_episodes': (1, 10**6),
    'num_eval_envs': (1, 65536),
}


def _range_text(smallest, largest):
    if largest in (math.inf, _MANY, 2**62, 2**63 - 1):
        return f'at least {smallest}'
    return f'{smallest} to {largest}'
