"""What an algorithm that learns the values of actions does not work with."""

from typing import Any, Dict, Tuple

from sc2impala import learner
from sc2impala.errors import UserError
from sc2impala.settings.settings import Settings

_WORKS_WITH: Dict[str, Tuple[Any, str]] = {
    'job_name': ('', 'none: its actors play in the process of the learner'),
    'num_learner_devices': (1, '1'),
    'demonstrator': ('none', 'none, as with --from_scratch'),
    'demonstrations': ((), 'none'),
    'num_cloning_frames': (0, '0, as with --from_scratch'),
    'num_critic_pretrain_frames': (0, '0, as with --from_scratch'),
    'argument_conditioning': (False, 'false'),
    'unit_prior': (0.0, '0'),
    'order_prior': (-1.0, '-1'),
    'value_normalisation': ('none', 'none'),
    'temperature': (1.0, '1, and perhaps --r2d2_evaluation_epsilon'),
}
"""By setting the only value that it may have, and what to say of it."""


def check(settings: Settings) -> None:
    """Refuses settings that need a policy, or more than one process or device.

    Raises:
      UserError: naming the flag, its value, and what was expected.
    """
    name, values = settings.training.algorithm, settings.values()
    if not learner.load_settings(name).LEARNS_VALUES:
        return
    for flag, (only, expected) in _WORKS_WITH.items():
        value = values[flag]
        if value != only:
            text = ','.join(value) if isinstance(value, tuple) else value
            raise UserError(
                f'--{flag}={text} cannot be used with --algorithm={name}, which learns the values '
                f'of actions, expected {expected}.'
            )
    if values['reward_shaping'] not in ('none', 'fixed'):
        raise UserError(
            f'--reward_shaping={values["reward_shaping"]} needs the policy and the baseline of an '
            f'actor-critic, and --algorithm={name} has none, expected none or fixed.'
        )
    mask, heads = values['r2d2_bootstrap_mask'], values['r2d2_bootstrap_heads']
    if mask < 1 and heads < 2:
        raise UserError(
            f'--r2d2_bootstrap_mask={mask} has no effect with --r2d2_bootstrap_heads={heads}, '
            'expected 1 of the first or at least 2 of the second.'
        )
    burn_in, length = values['r2d2_burn_in'], values['unroll_length']
    if burn_in > length - 2:
        raise UserError(
            f'--r2d2_burn_in={burn_in} leaves less than two steps of --unroll_length={length} to '
            'learn from, expected less of the first or more of the second.'
        )
