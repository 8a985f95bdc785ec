"""Settings of critic pre-training."""

import dataclasses
from typing import ClassVar

from sc2impala.settings.fields import MAX_FRAMES, setting
from sc2impala.settings.learning import AdamSettings, PretrainingSettings, ReturnSettings


@dataclasses.dataclass(frozen=True)
class CriticPretrainingSettings(ReturnSettings, AdamSettings, PretrainingSettings):
    """Settings of the phase in which the baseline is trained alone."""

    TITLE: ClassVar[str] = 'critic pre-training'

    num_critic_pretrain_frames: int = setting(
        0,
        'environment frames in which the baseline alone is trained before the main phase, in '
        'addition to --total_environment_frames',
        between=(0, MAX_FRAMES),
    )
    critic_learning_rate: float = setting(
        7e-4, 'learning rate of critic pre-training', between=(0.0, 10.0)
    )
    critic_pretrain_all_variables: bool = setting(
        False,
        'in critic pre-training, train all variables that the baseline depends on, which '
        'changes the policy, instead of its own layers only',
    )

    @property
    def num_frames(self) -> int:
        """See `PretrainingSettings.num_frames`."""
        return self.num_critic_pretrain_frames
