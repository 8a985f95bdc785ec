"""The settings of a run by group, but for those of the algorithms, which `learner/` declares.

Functions get the group, or the few numbers, that they use. The general defaults are here; defaults
that depend on the map are in `envs/maps.py`.
"""

import dataclasses
import math
from typing import ClassVar, Mapping, Optional, Tuple

from sc2impala import agents, envs, learner, replay
from sc2impala.envs import players, pysc2_backend
from sc2impala.settings import value_types
from sc2impala.settings.fields import MANY, MAX_FRAMES, setting
from sc2impala.settings.learning import PolicyLagSettings
from sc2impala.settings.value_types import FunctionNames, Names

POLICIES = ('sampled', 'greedy', 'random', 'scripted')
"""Names of players on every map; on a map the names of its scripts as well."""

_SCRIPTS = {map_name: ', '.join(rules) for map_name, rules in players.RULES.items()}


@dataclasses.dataclass(frozen=True)
class RunSettings:
    """What is done, where to, and with which random numbers."""

    TITLE: ClassVar[str] = 'run'

    mode: str = setting(
        'train',
        'train; evaluate what the folder of a run holds; or record whole episodes of --policy as '
        'demonstrations for other runs, in a folder of their own',
        choices=('train', 'evaluate', 'record'),
        free_on_resume=True,
        own_in_evaluation=True,
    )
    logdir: str = setting(
        '',
        'folder of the run; runs/<map_name> if empty',
        free_on_resume=True,
        own_in_evaluation=True,
    )
    seed: int = setting(
        0,
        'the same seed gives the same games and the same initial weights',
        between=(0, 2**63 - 1),
        own_in_evaluation=True,
    )
    deterministic: bool = setting(
        False,
        'one thread, actor and learner alternate: the same seed gives the same losses, update by '
        'update; slower, needs --num_actors=1',
        free_on_resume=True,
        own_in_evaluation=True,
    )
    bfloat16: bool = setting(
        False,
        'train with convolutions and matrix products in bfloat16, on processors that support it: '
        'faster and less exact; --mode=evaluate is always in float32',
        free_on_resume=True,
    )


@dataclasses.dataclass(frozen=True)
class EnvironmentSettings:
    """The game, what is observed of it and what can be done in it.

    The fields with default None have a value of their own on every map.
    """

    TITLE: ClassVar[str] = 'environment'

    backend: str = setting(
        'simulator',
        'what runs the game: simulator; pysc2, which is StarCraft II and has defaults of its own: '
        '--num_actors=2 --num_envs=4 --num_eval_envs=4; or synthetic: random observations of the '
        'shapes of any map, to measure speed',
        choices=envs.BACKENDS,
    )
    map_name: str = setting(
        'MoveToBeacon',
        'the mini-game: '
        + ', '.join(sorted(envs.MAP_NAMES))
        + '; on StarCraft II also a ladder map of PySC2, such as Simple64; --backend=synthetic has '
        'Frames as well, 72 x 96 pixels of three bytes and nine actions',
    )
    screen_size: Tuple[int, int] = setting(
        (16, 16),
        'pixels of the screen layers: 32, or width and height as 84x64',
        type=value_types.SIZE,
    )
    minimap_size: Tuple[int, int] = setting(
        (16, 16), 'pixels of the minimap layers', type=value_types.SIZE
    )
    functions: Optional[FunctionNames] = setting(
        None,
        "names or ids of PySC2 functions, separated by commas, or 'all' 573",
        type=value_types.FUNCTIONS,
    )
    fixed_arguments: Optional[Mapping[str, int]] = setting(
        None,
        'PySC2 arguments that the agent does not choose, with their values, as '
        "queued=0,select_add=0, or 'none'",
        type=value_types.FIXED_ARGUMENTS,
    )
    no_op_as_last_resort: bool = setting(
        False,
        'let the agent call no_op only where no other of its functions is available. An agent that '
        'chooses its step multiplier waits by a longer step, and otherwise often learns to do '
        'nothing first; not for imitation, since scripts call it',
    )
    screen_layers: Optional[Names] = setting(
        None, "names of PySC2 screen layers, or 'all'", type=value_types.NAMES_OF_MAP
    )
    minimap_layers: Optional[Names] = setting(
        None, "names of PySC2 minimap layers, 'all' or 'none'", type=value_types.NAMES_OF_MAP
    )
    vectors: Names = setting(
        ('player',),
        'observations that are not layers: player, single_select, multi_select, control_groups, '
        'score_cumulative, game_loop, action_result, alerts, build_queue, production_queue, '
        "feature_units; 'all' or 'none'",
        type=value_types.NAMES,
    )
    fixed_step_mul: bool = setting(
        False, 'act every --step_mul frames; otherwise the agent chooses at each step'
    )
    step_mul: int = setting(
        8,
        'frames per agent step when fixed, and for random and scripted players',
        between=(1, 10000),
    )
    max_step_mul: int = setting(
        8, 'the agent chooses from 1 to this many frames', between=(2, 10000)
    )
    spread_games: bool = setting(
        True,
        'on the simulator, in a training: have games in all parts of an episode at any time. For '
        'that the first episode of each game is aborted at a frame of its own, or played up to '
        'there by the script that is imitated. Otherwise all games are in the same part',
    )

    @property
    def agent_step_mul(self) -> Optional[int]:
        """Frames of every agent step, or None if the agent chooses."""
        return self.step_mul if self.fixed_step_mul else None

    @property
    def spread_frames(self) -> int:
        """Over how many frames the games of a training are spread, 0 for not at all."""
        if not self.spread_games or self.backend != 'simulator':
            return 0
        return envs.map_defaults(self.map_name).episode_frames

    @property
    def longest_step(self) -> int:
        """The largest number of frames that one step may take, of an agent or another player."""
        if self.fixed_step_mul:
            return self.step_mul
        return max(self.step_mul, self.max_step_mul)


@dataclasses.dataclass(frozen=True)
class StarCraftSettings:
    """Settings of StarCraft II; on other backends all have their defaults."""

    TITLE: ClassVar[str] = 'StarCraft II (--backend=pysc2 only)'

    game_version: str = setting('', 'as 4.10; empty for the newest that is installed')
    disable_fog: bool = setting(False, 'see the whole map')
    camera_width: int = setting(
        pysc2_backend.CAMERA_WIDTH, 'world units across the screen', between=(1, 256)
    )
    max_episode_frames: int = setting(
        0,
        'cut episodes off after this many frames; 0 leaves it to the map',
        between=(0, pysc2_backend.MAX_EPISODE_FRAMES),
    )
    opponent: str = setting('', 'on a ladder map: ' + ', '.join(pysc2_backend.DIFFICULTIES))
    opponent_race: str = setting(
        'random',
        'on a ladder map: ' + ', '.join(pysc2_backend.RACES),
        choices=pysc2_backend.RACES,
    )
    race: str = setting(
        'terran', "the agent's, on a ladder map: the same", choices=pysc2_backend.RACES
    )
    relaunch_episodes: int = setting(
        0,
        'end a game process after this many episodes and start another one; 0 for never, but 1 on '
        'BuildMarines, whose restart leaves out exhausted mineral fields',
        between=(0, MANY),
        free_on_resume=True,
    )
    game_deadline_secs: float = setting(
        60.0,
        'a game that takes longer for a step is killed, and another one started; its episode does '
        'not count. To start it may take twice as long, at least 30 s',
        between=(1.0, 86400.0),
        free_on_resume=True,
    )
    replay_dir: str = setting(
        '', 'folder for replays of the game', free_on_resume=True, own_in_evaluation=True
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
        'play at the speed of the game, to be watched; a single game only',
        free_on_resume=True,
        own_in_evaluation=True,
    )
    visualize: bool = setting(
        False,
        "show PySC2's picture of the game; needs a display, a single game only",
        free_on_resume=True,
        own_in_evaluation=True,
    )


@dataclasses.dataclass(frozen=True)
class AgentSettings:
    """The neural network."""

    TITLE: ClassVar[str] = 'agent'

    agent: str = setting(
        'fully_conv_lstm',
        'atari_net, fully_conv or fully_conv_lstm, the three of the SC2LE paper; impala_resnet, '
        "IMPALA's deep network with an LSTM; relational, with self-attention between entities, or "
        'relational_control, with convolutions in its place; unet_lstm, a U-Net with an LSTM, for '
        'points that depend on the whole screen',
        choices=agents.AGENTS,
    )
    argument_conditioning: bool = setting(
        False,
        'choose the function first, and each argument given the function and the arguments before '
        'it, points last; otherwise all are chosen independently of each other',
    )
    unit_prior: float = setting(
        0.0,
        'initial logit, in nats, of the pixels that show what a function points at: own units for '
        'select_point, other units for orders, none for building sites; 0 for no such prior. It '
        'takes --argument_conditioning',
        between=(0.0, 20.0),
    )
    point_logit_scale: float = setting(
        1.0,
        'what the logits of points are multiplied by: with a larger scale they change more in each '
        'update',
        between=(0.01, 100.0),
    )
    value_normalisation: str = setting(
        'none',
        'popart learns returns in units of their running standard deviation, so that rewards of '
        'any size need no --reward_scaling and the same costs; none learns them as they are',
        choices=agents.VALUE_NORMALISATIONS,
    )


@dataclasses.dataclass(frozen=True)
class ActorSettings:
    """Number of actors and games, and the length of sequences."""

    TITLE: ClassVar[str] = 'actors'

    num_actors: int = setting(
        2, 'actors in this process, each in a thread of its own', between=(1, 1024)
    )
    num_envs: int = setting(32, 'games that each actor plays at once', between=(1, 65536))
    unroll_length: int = setting(20, 'agent steps of a sequence', between=(1, 10000))
    queue_capacity: int = setting(
        0,
        'sequences that may wait for the learner; 0 chooses',
        between=(0, MANY),
        free_on_resume=True,
    )


@dataclasses.dataclass(frozen=True)
class TrainingSettings:
    """What is trained, how long and from how much at a time."""

    TITLE: ClassVar[str] = 'training'

    algorithm: str = setting(
        'impala',
        'what trains the agent: ' + ', '.join(learner.ALGORITHMS),
        choices=learner.ALGORITHMS,
    )
    total_environment_frames: int = setting(
        50000000,
        'length of the training and of its schedules',
        between=(1, MAX_FRAMES),
        free_on_resume=True,
    )
    stop_at_frames: int = setting(
        0,
        'end this start after so many environment frames of all phases together, as a signal does, '
        'but with exit code 0; the schedules do not end there. 0 for the end of the training',
        between=(0, MAX_FRAMES),
        free_on_resume=True,
        own_in_evaluation=True,
    )
    may_change: Names = setting(
        (),
        'settings that may have another value than before when the run goes on, of those that '
        "learning depends on and the agent's variables do not; all for any of them",
        type=value_types.NAMES,
        free_on_resume=True,
    )
    batch_size: int = setting(
        32,
        'sequences of an update, new and replayed; losses are summed over them',
        between=(1, 65536),
    )
    num_learner_devices: int = setting(
        1,
        'GPUs that share an update: each takes an equal part of the sequences, and the result is '
        'that of one, up to rounding',
        between=(1, 64),
        free_on_resume=True,
    )


@dataclasses.dataclass(frozen=True)
class ReplaySettings:
    """The replay buffer."""

    TITLE: ClassVar[str] = 'replay (CLEAR)'

    replay_proportion: float = setting(
        0.0,
        'part of a batch that comes from the replay buffer; 0 is plain IMPALA',
        between=(0.0, 1.0),
    )
    replay_buffer_size: int = setting(
        1000,
        'sequences in the replay buffer; the run prints how many MiB they take, and ends early if '
        'that is too much',
        between=(1, MANY),
    )
    replay_eviction: str = setting(
        'reservoir',
        'which sequence makes room for a new one: reservoir keeps a uniform sample of all '
        'experience, fifo the latest',
        choices=replay.REMOVERS,
    )
    replay_sampler: str = setting(
        'uniform',
        'which sequences are replayed: uniform, all alike; or prioritised, those with large errors '
        'more often',
        choices=replay.SAMPLERS,
    )
    priority_exponent: float = setting(
        0.9,
        'of prioritised sampling: a sequence of priority p is drawn with a probability in '
        'proportion to p^exponent',
        between=(0.0, 10.0),
    )
    replay_min_size: int = setting(
        0,
        'sequences that the replay buffer must hold before any is replayed; until then batches '
        'are new. 0 for as many as a batch takes of it',
        between=(0, MANY),
    )
    replay_compression: str = setting(
        'zstd',
        'zstd keeps the same sequences, bit for bit, in less memory: an eighth at 64 pixels with '
        'all layers, half at 16 with few; none allocates all of it at the start',
        choices=replay.COMPRESSIONS,
        free_on_resume=True,
    )


@dataclasses.dataclass(frozen=True)
class DemonstrationSettings:
    """What an agent may imitate: a script that labels its games, or recordings."""

    TITLE: ClassVar[str] = 'demonstrations'

    from_scratch: bool = setting(
        False,
        'learn without demonstrations. Otherwise, on the simulator, the agent of a new run first '
        'imitates a script where the defaults of the map say so, unless it starts from another run',
    )
    demonstrator: str = setting(
        'none',
        'the script that plays and labels the games of the actors, by its name: '
        + '; '.join(f'{names} on {map_name}' for map_name, names in _SCRIPTS.items()),
    )
    demonstration_step_mul: int = setting(
        8,
        'frames from one call of a script, or of a random player, to the next, where demonstrated '
        'or recorded; at most --max_step_mul, and --step_mul where it is fixed',
        between=(1, 10000),
    )
    demonstrations: Tuple[str, ...] = setting(
        (),
        'folders with recordings, separated by commas, to learn from',
        type=value_types.FOLDERS,
        free_on_resume=True,
    )
    demonstration_sequences: int = setting(
        0,
        'sequences of them that are added to each batch of the training; they carry no loss but '
        'those of cloning',
        between=(0, 65536),
    )


@dataclasses.dataclass(frozen=True)
class StartSettings:
    """What a new run starts from."""

    TITLE: ClassVar[str] = 'starting from another run'

    init_checkpoint: str = setting(
        '', 'folder of a run, or a checkpoint, whose weights to start from', free_on_resume=True
    )


@dataclasses.dataclass(frozen=True)
class OutputSettings:
    """What is kept and shown."""

    TITLE: ClassVar[str] = 'what is kept and shown'

    save_checkpoint_secs: float = setting(
        120.0, 'seconds between checkpoints', between=(0.0, math.inf), free_on_resume=True
    )
    keep_checkpoints: int = setting(
        5,
        'how many of the latest to keep; older ones are deleted. 0 keeps all',
        between=(0, 10000),
        free_on_resume=True,
    )
    keep_every_frames: int = setting(
        0,
        'environment frames, of all phases together, from one milestone to the next: the first '
        'checkpoint at or after each multiple of them is saved at once and kept; 0 for none',
        between=(0, MAX_FRAMES),
        free_on_resume=True,
    )
    max_unsaved_secs: float = setting(
        600.0,
        'seconds after which a training ends that cannot write to its folder, since that is '
        'read-only or gone. A full disk is waited for',
        between=(0.0, math.inf),
        free_on_resume=True,
    )
    save_summaries_secs: float = setting(
        10.0,
        'seconds between summaries for TensorBoard; 0 for each update',
        between=(0.0, math.inf),
        free_on_resume=True,
    )
    progress_secs: float = setting(
        10.0, 'seconds between lines of progress', between=(0.0, math.inf), free_on_resume=True
    )
    watch_secs: float = setting(
        120.0,
        'when nothing was trained for so many seconds, a line says who waits for whom; 0 says '
        'nothing',
        between=(0.0, math.inf),
        free_on_resume=True,
    )


@dataclasses.dataclass(frozen=True)
class ClusterSettings(PolicyLagSettings):
    """Learner and actors in processes of their own, see docs/cluster.md."""

    TITLE: ClassVar[str] = 'cluster'

    job_name: str = setting(
        '',
        'learner or actor, which opens a port or connects to one; empty for all in one process',
        choices=('learner', 'actor', ''),
        free_on_resume=True,
        own_in_evaluation=True,
    )
    learner_address: str = setting(
        '',
        'host:port of the learner; it listens on that port of all its interfaces, and port 0 is '
        'any that is free',
        free_on_resume=True,
        own_in_evaluation=True,
    )
    task: int = setting(
        -1,
        'number of an actor in summaries; -1 for the first that is free',
        between=(-1, MANY),
        free_on_resume=True,
        own_in_evaluation=True,
    )
    inference: str = setting(
        'local',
        'where the agent of an actor of a cluster runs: local, in the actor, with a copy of the '
        'weights; or central, in the learner, which is asked at each step and plays the games of '
        'all actors in batches',
        choices=('local', 'central'),
        free_on_resume=True,
    )
    weights_secs: float = setting(
        0.2,
        'an actor asks for new weights at most every so many seconds',
        between=(0.0, 3600.0),
        free_on_resume=True,
    )
    sequence_compression: str = setting(
        'auto',
        'of the sequences that actors send: none, zstd, or auto for the faster of the two',
        choices=('auto', 'none', 'zstd'),
        free_on_resume=True,
    )
    rpc_timeout_secs: float = setting(
        30.0,
        'an actor that has no answer from the learner for so long connects again',
        between=(0.1, 3600.0),
        free_on_resume=True,
    )


@dataclasses.dataclass(frozen=True)
class EvaluationSettings:
    """Which policy plays an evaluation, when, and what is drawn."""

    TITLE: ClassVar[str] = 'evaluation'

    policy: str = setting(
        'sampled',
        'sampled or greedy actions of the agent, or random, or scripted, the best script of the '
        'map, or the name of one: see --demonstrator. The agent of a recording is that of '
        '--init_checkpoint',
        free_on_resume=True,
        own_in_evaluation=True,
    )
    num_episodes: int = setting(
        100,
        'how many episodes to play',
        between=(1, 10**6),
        free_on_resume=True,
        own_in_evaluation=True,
    )
    num_eval_envs: int = setting(
        25, 'how many at a time', between=(1, 65536), free_on_resume=True, own_in_evaluation=True
    )
    evaluate_every_frames: int = setting(
        0,
        'in a training: evaluate the agent before the first update, and again whenever so many '
        'environment frames were trained on, with --policy, --num_episodes and --num_eval_envs. '
        'The training waits. evaluations.csv, and the folder best with the best model; 0 never',
        between=(0, MAX_FRAMES),
        free_on_resume=True,
        own_in_evaluation=True,
    )
    follow: bool = setting(
        False,
        'evaluate every new checkpoint of a training as it appears, until the training has ended: '
        'evaluations.csv, and the folder best with the best of them',
        free_on_resume=True,
        own_in_evaluation=True,
    )
    animation: bool = setting(
        False,
        'write an animated picture of the first episode, episode.gif',
        free_on_resume=True,
        own_in_evaluation=True,
    )
    curve: bool = setting(
        False,
        'write the learning curve of the run, curve.png',
        free_on_resume=True,
        own_in_evaluation=True,
    )
