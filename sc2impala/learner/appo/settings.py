"""Settings of APPO."""

import dataclasses
from typing import Any, ClassVar, Mapping

from sc2impala.errors import UserError
from sc2impala.settings.fields import setting
from sc2impala.settings.learning import LARGE, ActorCriticSettings, PolicyLagSettings

ADVANTAGES = ('vtrace', 'gae')
EXPLORATIONS = ('entropy', 'uniform_kl')


@dataclasses.dataclass(frozen=True)
class AppoSettings(ActorCriticSettings, PolicyLagSettings):
    """Settings of APPO alone, and of the policy lag."""

    TITLE: ClassVar[str] = 'APPO'

    appo_epochs: int = setting(1, 'epochs per batch', between=(1, 100), tunable=True)
    appo_minibatches: int = setting(
        1,
        'minibatches per epoch, of whole sequences in random order, one optimizer step each',
        between=(1, 65536),
        tunable=True,
    )
    appo_clip: float = setting(
        0.4,
        'epsilon: the ratio pi / mu is clipped to [1 / (1 + epsilon), 1 + epsilon]; 0 disables '
        'clipping',
        between=(0.0, LARGE),
        tunable=True,
    )
    appo_value_clip: float = setting(
        0.0,
        'clipping range of the change of the baseline since acting, as in PPO; 0 disables it',
        between=(0.0, LARGE),
        tunable=True,
    )
    appo_advantage: str = setting(
        'vtrace',
        'vtrace corrects the targets for the policy lag; gae does not. Lambda of both is '
        '--trace_decay',
        choices=ADVANTAGES,
        tunable=True,
    )
    appo_normalise_advantages: bool = setting(
        False,
        'normalise advantages to mean 0 and standard deviation 1 over each batch; costs of '
        'other terms are then relative to that',
        tunable=True,
    )
    appo_max_kl: float = setting(
        0.0,
        'stop the remaining epochs once the mean KL(behaviour || policy) of an epoch exceeds '
        'this value; 0 disables it',
        between=(0.0, LARGE),
        tunable=True,
    )
    appo_exploration: str = setting(
        'entropy',
        'bonus of --entropy_cost: entropy of the policy, or uniform_kl, the mean of both KL '
        'divergences from the uniform policy over available choices, which also keeps small '
        'probabilities from vanishing',
        choices=EXPLORATIONS,
        tunable=True,
    )

    def check(self, values: Mapping[str, Any]) -> None:
        """See `AlgorithmSettings`: batches, also with recorded sequences, must have minibatches."""
        super().check(values)
        size, recorded = values['batch_size'], values['demonstration_sequences']
        multiple = self.appo_minibatches * values['num_learner_devices']
        if (size + recorded) % multiple:
            raise UserError(
                f'--appo_minibatches={self.appo_minibatches} cannot divide --batch_size={size} and '
                f'--demonstration_sequences={recorded} evenly, expected a multiple of '
                f'{multiple} sequences (--appo_minibatches * --num_learner_devices).'
            )
