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
    """Settings of APPO alone, and of the age of sequences."""

    TITLE: ClassVar[str] = 'APPO'

    appo_epochs: int = setting(
        1, 'how often an update goes over its batch', between=(1, 100), tunable=True
    )
    appo_minibatches: int = setting(
        1,
        'parts of the batch in each epoch, each with a step of the optimizer; of whole sequences, '
        'in a new order in each epoch',
        between=(1, 65536),
        tunable=True,
    )
    appo_clip: float = setting(
        0.4,
        'the ratio pi / mu is clipped to between 1 / (1 + this) and 1 + this; 0 does not clip',
        between=(0.0, LARGE),
        tunable=True,
    )
    appo_value_clip: float = setting(
        0.0,
        'the largest change of the baseline since the time of acting that its loss rewards; 0 '
        'allows any',
        between=(0.0, LARGE),
        tunable=True,
    )
    appo_advantage: str = setting(
        'vtrace',
        'vtrace corrects the targets for the age of the weights that played; gae does not. Lambda '
        'of both is --trace_decay',
        choices=ADVANTAGES,
        tunable=True,
    )
    appo_normalise_advantages: bool = setting(
        False,
        'advantages of mean 0 and standard deviation 1 over each batch; costs of other terms are '
        'then relative to advantages of that size',
        tunable=True,
    )
    appo_max_kl: float = setting(
        0.0,
        'leave out the epochs that are left when the mean KL(behaviour || policy) over an epoch is '
        'larger; 0 runs all',
        between=(0.0, LARGE),
        tunable=True,
    )
    appo_exploration: str = setting(
        'entropy',
        'what --entropy_cost weighs: the entropy of the policy, or uniform_kl, the mean of its two '
        'divergences from a uniform choice of what is available, which also keeps small '
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
