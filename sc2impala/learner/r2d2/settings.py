"""Settings of R2D2."""

import dataclasses
from typing import Any, ClassVar, Mapping

from sc2impala.errors import UserError
from sc2impala.settings.fields import MANY, setting
from sc2impala.settings.learning import (
    REPLAY_REQUIRED,
    AdamSettings,
    PrioritySettings,
    ReturnSettings,
)


@dataclasses.dataclass(frozen=True)
class R2d2Settings(ReturnSettings, AdamSettings, PrioritySettings):
    """Losses are summed over time and the replayed sequences."""

    TITLE: ClassVar[str] = 'R2D2 (--algorithm=r2d2)'
    REPLAY: ClassVar[str] = REPLAY_REQUIRED
    LEARNS_VALUES: ClassVar[bool] = True
    # Learns MoveToBeacon, see docs/concepts/r2d2.md.
    DEFAULTS: ClassVar[Mapping[str, Any]] = {
        'agent': 'fully_conv',
        'fixed_step_mul': True,
        'step_mul': 6,
        'discounting': 0.9,
        'num_actors': 1,
        'replay_proportion': 0.75,
        'replay_buffer_size': 5000,
        'replay_sampler': 'prioritised',
        'replay_min_size': 100,
    }

    r2d2_learning_rate: float = setting(
        1e-3, 'initial learning rate of Adam', between=(0.0, 10.0), tunable=True
    )
    r2d2_final_learning_rate: float = setting(
        0.0, 'final learning rate, linear in between', between=(0.0, 10.0), tunable=True
    )
    r2d2_num_steps: int = setting(
        5,
        'n of the n-step targets',
        between=(1, 10000),
        tunable=True,
    )
    r2d2_burn_in: int = setting(
        4,
        'steps at the start of a sequence that only update its stored recurrent state; they are '
        'the last ones of the previous sequence. 0 for agents without recurrent state',
        between=(0, 10000),
    )
    r2d2_target_period: int = setting(
        50,
        'updates between copies of the weights to the target network',
        between=(1, MANY),
        tunable=True,
    )
    r2d2_value_rescaling: bool = setting(
        True,
        'learn h(Q) = sign(Q) (sqrt(|Q| + 1) - 1) + Q / 1000 instead of Q, so that returns of '
        'any size need no clipping of rewards',
    )
    r2d2_munchausen: float = setting(
        0.0,
        'weight of the scaled log-probability of an action under the softmax of its values, added '
        'to its reward, as in Munchausen DQN, whose weight is 0.9; targets then have soft values '
        'of the target network alone. 0 leaves it out',
        between=(0.0, 1.0),
        tunable=True,
    )
    r2d2_temperature: float = setting(
        0.03,
        'temperature of that softmax, in the units of the learned Q',
        between=(1e-4, 1e4),
        tunable=True,
    )
    r2d2_bootstrap_heads: int = setting(
        0,
        'number of bootstrapped versions of all heads on one torso, each with its own targets; '
        'one of them acts in each episode, and their mean is evaluated. 0 or 1 disables it',
        between=(0, 100),
    )
    r2d2_bootstrap_mask: float = setting(
        1.0,
        'probability with which a version learns from a sequence; drawn once per sequence in '
        'the replay buffer',
        between=(0.01, 1.0),
        tunable=True,
    )
    r2d2_epsilon: float = setting(
        0.4,
        'probability of a random action in the first game; in game i of N it is this number to the '
        'power of 1 + r2d2_epsilon_steepness * i / (N - 1)',
        between=(0.0, 1.0),
        tunable=True,
    )
    r2d2_epsilon_steepness: float = setting(
        7.0,
        'see --r2d2_epsilon; 0 is the same epsilon in all games',
        between=(0.0, 1000.0),
        tunable=True,
    )
    r2d2_evaluation_epsilon: float = setting(
        0.01,
        'probability of a random action with --policy=sampled; it is 0 with --policy=greedy',
        between=(0.0, 1.0),
        own_in_evaluation=True,
        free_on_resume=True,
    )

    def check(self, values: Mapping[str, Any]) -> None:
        """See `AlgorithmSettings`: bootstrapped heads, and the burn-in within an unroll."""
        super().check(values)
        mask, heads = self.r2d2_bootstrap_mask, self.r2d2_bootstrap_heads
        if mask < 1 and heads < 2:
            raise UserError(
                f'--r2d2_bootstrap_mask={mask} has no effect with --r2d2_bootstrap_heads={heads}, '
                'expected 1 of the first or at least 2 of the second.'
            )
        burn_in, length = self.r2d2_burn_in, values['unroll_length']
        if burn_in > length - 2:
            raise UserError(
                f'--r2d2_burn_in={burn_in} leaves less than two steps of --unroll_length={length} '
                'to learn from, expected less of the first or more of the second.'
            )
