"""Settings that algorithms share: they inherit these groups."""

import dataclasses
from typing import ClassVar

from sc2impala.settings.fields import setting

REWARD_CLIPPINGS = ('abs_one', 'soft_asymmetric', 'none')

LARGE = 1e9
"""Largest cost, or factor on a reward."""


@dataclasses.dataclass(frozen=True)
class ReturnSettings:
    """How rewards become returns."""

    TITLE: ClassVar[str] = 'returns'

    discounting: float = setting(0.95, 'discount per agent step', between=(0.0, 1.0))
    discounting_per_frame: bool = setting(
        False,
        'make it discounting ** (step_mul / 8) instead, so that long steps gain nothing for free',
    )
    reward_scaling: float = setting(
        1.0, 'factor on the rewards, before clipping', between=(-LARGE, LARGE)
    )
    reward_clipping: str = setting(
        'none', 'none, abs_one or soft_asymmetric', choices=REWARD_CLIPPINGS
    )
    value_normalisation_rate: float = setting(
        0.01,
        'with --value_normalisation=popart: weight of a batch in the running mean and variance of '
        'the returns',
        between=(0.0, 1.0),
    )


@dataclasses.dataclass(frozen=True)
class AdamSettings:
    """The optimizer, but for its learning rate, which is a setting of each algorithm."""

    TITLE: ClassVar[str] = 'optimizer'

    adam_beta1: float = setting(0.9, 'decay of the first moment', between=(0.0, 0.999999))
    adam_beta2: float = setting(0.999, 'decay of the second moment', between=(0.0, 0.999999))
    adam_epsilon: float = setting(
        1e-5, 'added to the root of the second moment', between=(1e-20, 1.0)
    )
    clip_grad_norm: float = setting(
        40.0, 'largest global norm of the gradient; 0 does not clip', between=(0.0, LARGE)
    )


@dataclasses.dataclass(frozen=True)
class PrioritySettings:
    """What an algorithm makes of a replay buffer with priorities; without it has no effect."""

    TITLE: ClassVar[str] = 'priorities (--replay_sampler=prioritised)'

    priority_max_share: float = setting(
        0.9,
        'the priority of a sequence is this share of the largest error of its steps, and the rest '
        'of their mean',
        between=(0.0, 1.0),
    )
    importance_exponent: float = setting(
        0.6,
        'losses of a replayed sequence that is drawn with probability P are weighted with '
        'P^-exponent, over the largest such weight of the batch; 0 does not correct for P',
        between=(0.0, 1.0),
    )
    final_importance_exponent: float = setting(
        0.6,
        'that exponent at the end of the training, linearly in between; -1 keeps it',
        between=(0.0, 1.0),
        or_else=-1.0,
    )

    @property
    def importance_exponent_at_end(self) -> float:
        """The exponent at the end of its schedule."""
        final = self.final_importance_exponent
        return self.importance_exponent if final < 0 else final
