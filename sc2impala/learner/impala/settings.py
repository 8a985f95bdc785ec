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
        'weight of another policy gradient, on the advantages of UPGO; 0 leaves it out',
        between=(0.0, LARGE),
        tunable=True,
    )
    clip_advantage: bool = setting(False, 'learn from positive advantages only', tunable=True)
