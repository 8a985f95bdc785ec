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
        'environment frames of imitation of the demonstrator before the main phase, in addition '
        'to --total_environment_frames',
        between=(0, MAX_FRAMES),
    )
    cloning_batch_size: int = setting(
        0,
        'sequences per update of cloning; 0 uses --batch_size. Many small steps imitate faster '
        'than few large ones',
        between=(0, 65536),
        on_resume='each update of cloning has that many sequences, over which losses are summed; '
        'learning rate and costs are unchanged',
    )
    cloning_learning_rate: float = setting(
        7e-4, 'initial learning rate of cloning', between=(0.0, 10.0)
    )
    final_cloning_learning_rate: float = setting(
        0.0, 'final learning rate of cloning, linear in between', between=(0.0, 10.0)
    )
    cloning_baseline_cost: float = setting(
        0.5, 'cost of the baseline loss in cloning', between=(0.0, LARGE)
    )
    demonstrator_share: float = setting(
        1.0,
        'fraction of episodes in which the demonstrator acts at the start of cloning; in the '
        'others the agent acts, and learns the labels of the demonstrator (DAgger)',
        between=(0.0, 1.0),
    )
    final_demonstrator_share: float = setting(
        0.0,
        'this fraction at the end of cloning, linear in between; -1 keeps it',
        between=(0.0, 1.0),
        or_else=-1.0,
    )
    phase_evaluations: int = setting(
        10,
        'number of evaluations on the simulator during cloning; the next phase starts from the '
        'model with the best mean return, on several maps with the best mean human-normalised '
        'score. 0 uses the last one',
        between=(0, 10000),
    )
    phase_evaluation_episodes: int = setting(
        32, 'episodes per evaluation, in parallel', between=(1, 10000)
    )

    @property
    def num_frames(self) -> int:
        """See `PretrainingSettings.num_frames`."""
        return self.num_cloning_frames

    @property
    def batch_size(self) -> int:
        """See `PretrainingSettings.batch_size`."""
        return self.cloning_batch_size
