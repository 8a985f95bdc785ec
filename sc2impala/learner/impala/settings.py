"""Settings of IMPALA."""

import dataclasses
from typing import ClassVar

from sc2impala.settings.fields import setting
from sc2impala.settings.learning import LARGE, ActorCriticSettings


@dataclasses.dataclass(frozen=True)
class ImpalaSettings(ActorCriticSettings):
    """Settings of IMPALA alone."""

    TITLE: ClassVar[str] = 'IMPALA'

    upgo_cost: float = setting(
        0.0,
        'cost of an additional policy gradient with UPGO advantages; 0 disables it',
        between=(0.0, LARGE),
        tunable=True,
    )
    clip_advantage: bool = setting(False, 'clip negative advantages to 0', tunable=True)
