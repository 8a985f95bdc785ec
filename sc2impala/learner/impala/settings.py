"""Settings of IMPALA."""

import dataclasses
from typing import Any, ClassVar, Mapping

from sc2impala.errors import UserError
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
    self_imitation: bool = setting(
        False,
        'clip negative advantages of replayed sequences to 0: the policy imitates what went better '
        'than expected, and does not unlearn the rest (Oh et al. 2018)',
        tunable=True,
    )

    def check(self, values: Mapping[str, Any]) -> None:
        """See `AlgorithmSettings`: self-imitation needs replay."""
        super().check(values)
        if self.self_imitation and not values['replay_proportion']:
            raise UserError(
                f'--self_imitation=true needs replayed sequences, but --replay_proportion='
                f'{values["replay_proportion"]:g}, expected more than 0.'
            )
