"""Settings common to all algorithms: batches, replay, and initial weights."""

import dataclasses
from typing import ClassVar

from sc2impala import learner, replay
from sc2impala.settings import fields, value_types
from sc2impala.settings.fields import MANY, MAX_FRAMES, setting
from sc2impala.settings.value_types import Names


@dataclasses.dataclass(frozen=True)
class TrainingSettings:
    """Settings of the length of a run and its batches."""

    TITLE: ClassVar[str] = 'training'

    algorithm: str = setting(
        'impala',
        'algorithm of the main phase: '
        + ', '.join(learner.ALGORITHMS)
        + '; or an algorithm of your own as module:Class, whose settings become flags',
        choices=learner.ALGORITHMS,
        scope=fields.LEARNING,
    )
    total_environment_frames: int = setting(
        50000000,
        'environment frames of the main phase, over which its schedules run',
        between=(1, MAX_FRAMES),
        free_on_resume=True,
        scope=fields.LEARNING,
    )
    stop_at_frames: int = setting(
        0,
        'end this launch after this number of environment frames of all phases, as a signal '
        'does, but with exit code 0; schedules are unchanged. 0 disables it',
        between=(0, MAX_FRAMES),
        free_on_resume=True,
        own_in_evaluation=True,
        scope=fields.PROCESS,
    )
    may_change: Names = setting(
        (),
        'settings of learning that may differ from the previous launch when the run resumes, '
        'except those that determine the variables of the agent; all allows any',
        type=value_types.NAMES,
        free_on_resume=True,
    )
    batch_size: int = setting(
        32,
        'sequences of an update, new and replayed; losses are summed over them',
        between=(1, 65536),
        on_resume='each update has that many sequences, over which losses are summed; learning '
        'rate and costs are unchanged',
        scope=fields.LEARNING,
    )
    num_learner_devices: int = setting(
        1,
        'number of GPUs that share an update: each takes an equal part of the batch; the result '
        'is equal up to rounding',
        between=(1, 64),
        free_on_resume=True,
    )


@dataclasses.dataclass(frozen=True)
class ReplaySettings:
    """The replay buffer."""

    TITLE: ClassVar[str] = 'replay (CLEAR)'
    SCOPE: ClassVar[str] = fields.LEARNING

    replay_proportion: float = setting(
        0.0,
        'fraction of a batch that is replayed; 0 is plain IMPALA',
        between=(0.0, 1.0),
        on_resume='that part of each update is replayed; the replay buffer continues',
    )
    replay_buffer_size: int = setting(
        1000,
        'sequences in the replay buffer; the run prints how many MiB they take, and ends early if '
        'that is too much',
        between=(1, MANY),
        on_resume='the replay buffer keeps its sequences; of more than that many it keeps a random '
        'part, or the latest ones with --replay_eviction=fifo',
    )
    replay_eviction: str = setting(
        'reservoir',
        'removal from a full replay buffer: reservoir keeps a uniform sample of all experience, '
        'fifo the latest',
        choices=replay.REMOVERS,
    )
    replay_sampler: str = setting(
        'uniform',
        'sampling of replayed sequences: uniform; or prioritised, by error',
        choices=replay.SAMPLERS,
    )
    priority_exponent: float = setting(
        0.9,
        'exponent of prioritised sampling: priority p is sampled with probability proportional '
        'to p^exponent',
        between=(0.0, 10.0),
    )
    replay_min_size: int = setting(
        0,
        'minimum number of sequences in the replay buffer before replay starts; until then '
        'batches are new. 0 uses the number of replayed sequences of a batch',
        between=(0, MANY),
        on_resume='sequences are replayed once the replay buffer holds that many',
    )
    replay_compression: str = setting(
        'zstd',
        'zstd stores sequences losslessly in less memory: an eighth at 64 pixels with all '
        'layers, half at 16 with few; none allocates all memory at the start',
        choices=replay.COMPRESSIONS,
        free_on_resume=True,
    )


@dataclasses.dataclass(frozen=True)
class StartSettings:
    """Settings of the initial weights of a new run."""

    TITLE: ClassVar[str] = 'initial weights'

    init_checkpoint: str = setting(
        '',
        'folder of a run, a checkpoint, or zoo:NAME, whose weights to start from. Agent, '
        'observations and actions are then those of that run unless given; with the same map and '
        'algorithm, so are the settings of learning, except those of imitation',
        type=value_types.PATH,
        free_on_resume=True,
    )
