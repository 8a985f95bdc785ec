"""Settings of behaviour cloning."""

import dataclasses
from typing import ClassVar

from sc2impala.settings.fields import MAX_FRAMES, RUN, setting
from sc2impala.settings.learning import (
    LARGE,
    NO_REPLAY,
    AdamSettings,
    PretrainingSettings,
    ReturnSettings,
)


@dataclasses.dataclass(frozen=True)
class CloningSettings(ReturnSettings, AdamSettings, PretrainingSettings):
    """Settings of the phase in which the agent imitates a demonstrator."""

    TITLE: ClassVar[str] = 'cloning'
    SCOPE: ClassVar[str] = RUN
    REPLAY: ClassVar[str] = NO_REPLAY

    num_cloning_frames: int = setting(
        0,
        'first imitate the demonstrator for this many frames, which are not part of '
        '--total_environment_frames',
        between=(0, MAX_FRAMES),
    )
    cloning_batch_size: int = setting(
        0,
        'sequences of an update of that phase, 0 for --batch_size: many small steps imitate sooner '
        'than few large ones, and learning from rewards needs larger ones',
        between=(0, 65536),
        on_resume='each update of cloning is of that many sequences, over which losses are summed; '
        'learning rate and costs are unchanged',
    )
    cloning_learning_rate: float = setting(7e-4, 'of that phase, at the start', between=(0.0, 10.0))
    final_cloning_learning_rate: float = setting(
        0.0, 'at its end, linearly in between', between=(0.0, 10.0)
    )
    cloning_baseline_cost: float = setting(
        0.5, 'weight of the loss of the baseline in that phase', between=(0.0, LARGE)
    )
    demonstrator_share: float = setting(
        1.0,
        'the part of the episodes that the demonstrator plays when cloning starts; the agent plays '
        'the others, and learns what the demonstrator would do there',
        between=(0.0, 1.0),
    )
    final_demonstrator_share: float = setting(
        0.0,
        'that part when cloning ends, linearly in between; -1 keeps it',
        between=(0.0, 1.0),
        or_else=-1.0,
    )
    phase_evaluations: int = setting(
        10,
        'number of evaluations on the simulator during cloning; the next phase starts from the '
        'model with the best mean return. 0 starts it from the last one',
        between=(0, 10000),
    )
    phase_evaluation_episodes: int = setting(
        32, 'episodes of such an evaluation, played at once', between=(1, 10000)
    )

    @property
    def num_frames(self) -> int:
        """See `PretrainingSettings.num_frames`."""
        return self.num_cloning_frames

    @property
    def batch_size(self) -> int:
        """See `PretrainingSettings.batch_size`."""
        return self.cloning_batch_size
