"""Settings of a run: mode, output and evaluations."""

import dataclasses
import math
from typing import ClassVar

from sc2impala.settings import fields, value_types
from sc2impala.settings.fields import MAX_FRAMES, setting
from sc2impala.settings.value_types import Names


@dataclasses.dataclass(frozen=True)
class RunSettings:
    """Settings of mode, folder and random seed."""

    TITLE: ClassVar[str] = 'run'

    mode: str = setting(
        'train',
        'train; evaluate the run in --logdir; record episodes of --policy as demonstrations for '
        'other runs, in a separate folder; or export the agent of a run as a SavedModel',
        choices=('train', 'evaluate', 'record', 'export'),
        free_on_resume=True,
        own_in_evaluation=True,
    )
    logdir: str = setting(
        '',
        'folder of the run; runs/<map_name> if empty',
        type=value_types.PATH,
        free_on_resume=True,
        own_in_evaluation=True,
    )
    seed: int = setting(
        0,
        'the same seed gives the same games and the same initial weights',
        between=(0, 2**63 - 1),
        own_in_evaluation=True,
        scope=fields.ACTOR,
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
class OutputSettings:
    """Settings of output."""

    TITLE: ClassVar[str] = 'output'

    save_checkpoint_secs: float = setting(
        120.0, 'seconds between checkpoints', between=(0.0, math.inf), free_on_resume=True
    )
    keep_checkpoints: int = setting(
        5,
        'number of latest checkpoints to keep; 0 keeps all',
        between=(0, 10000),
        free_on_resume=True,
    )
    keep_every_frames: int = setting(
        0,
        'environment frames of all phases between two milestones: the first checkpoint at or '
        'after each multiple is saved at once and kept; 0 disables it',
        between=(0, MAX_FRAMES),
        free_on_resume=True,
    )
    max_unsaved_secs: float = setting(
        600.0,
        'seconds after which a run ends that cannot write to its folder because it is read-only '
        'or gone. A full disk does not end it',
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
        'log what blocks the training after this number of seconds without an update; 0 '
        'disables it',
        between=(0.0, math.inf),
        free_on_resume=True,
    )
    wandb_project: str = setting(
        '',
        'project of Weights & Biases that gets settings, summaries and evaluations; none if empty',
        free_on_resume=True,
    )
    wandb_mode: str = setting(
        'online',
        'online sends them while the run trains; offline keeps them in the folder of the run for '
        'wandb sync',
        choices=('online', 'offline'),
        free_on_resume=True,
    )
    mlflow_uri: str = setting(
        '',
        'MLflow server, such as http://127.0.0.1:5000, or local database, such as '
        'sqlite:///mlflow.db, that gets settings, summaries and evaluations; none if empty',
        free_on_resume=True,
    )
    mlflow_experiment: str = setting(
        'sc2impala', 'experiment of MLflow; created if missing', free_on_resume=True
    )


@dataclasses.dataclass(frozen=True)
class EvaluationSettings:
    """Settings of evaluations: policy, number of episodes, and pictures."""

    TITLE: ClassVar[str] = 'evaluation'

    policy: str = setting(
        'sampled',
        'sampled or greedy actions of the agent, or random, or scripted, the best script of the '
        'map, or the name of one: see --demonstrator; or zoo:NAME, an agent that comes with the '
        'package (python -m sc2impala.zoo lists them). The agent of a recording is that of '
        '--init_checkpoint',
        free_on_resume=True,
        own_in_evaluation=True,
    )
    checkpoint: str = setting(
        'latest',
        'the checkpoint that is evaluated, recorded or exported: latest; best, the one in the '
        'folder best; its number of frames, also that of a milestone; or its path, such as '
        'best-greedy',
        type=value_types.PATH,
        free_on_resume=True,
        own_in_evaluation=True,
    )
    eval_maps: Names = setting(
        'all',
        'those of several maps that --mode=evaluate evaluates on',
        type=value_types.NAMES,
        free_on_resume=True,
        own_in_evaluation=True,
    )
    export_dir: str = setting(
        '',
        'folder of --mode=export, which must be new or empty; export/<frames> in that of the run '
        'if empty',
        type=value_types.PATH,
        free_on_resume=True,
        own_in_evaluation=True,
    )
    temperature: float = setting(
        1.0,
        'temperature of --policy=sampled in evaluations and recordings: actions are sampled '
        'from softmax(logits / temperature), below 1 closer to --policy=greedy; training always '
        'samples with 1. A run is evaluated with its own value if none is given',
        between=(0.001, 1000.0),
        free_on_resume=True,
        own_in_evaluation=True,
        scope=fields.POLICY,
    )
    eval_max_step_mul: int = setting(
        0,
        'maximum frames per step in evaluations and recordings, so that the agent acts more '
        'often than in training; 0 uses the step multipliers of the training. A run is '
        'evaluated with its own value if none is given',
        between=(0, 10000),
        free_on_resume=True,
        own_in_evaluation=True,
        scope=fields.POLICY,
    )
    num_episodes: int = setting(
        100,
        'number of episodes of an evaluation or recording',
        between=(1, 10**6),
        free_on_resume=True,
        own_in_evaluation=True,
    )
    num_eval_envs: int = setting(
        25,
        'number of games in parallel',
        between=(1, 65536),
        free_on_resume=True,
        own_in_evaluation=True,
    )
    evaluate_every_frames: int = setting(
        0,
        'in training: evaluate the agent before the first update and after every N environment '
        'frames with --policy, --num_episodes and --num_eval_envs; training pauses. Writes '
        'evaluations.csv, and the best model to best/; 0 disables it',
        between=(0, MAX_FRAMES),
        free_on_resume=True,
        own_in_evaluation=True,
    )
    follow: bool = setting(
        False,
        'evaluate every new checkpoint of a run as it appears, until the run has ended; writes '
        'evaluations.csv, and the best model to best/',
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
