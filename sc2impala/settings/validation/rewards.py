"""Rewards besides those of the game."""

from sc2impala.errors import UserError
from sc2impala.learner import counts
from sc2impala.settings import value_types
from sc2impala.settings.settings import Settings
from sc2impala.settings.validation.values import unknown


def check_shaping(settings: Settings) -> None:
    """A kind of reward shaping and its cost belong together."""
    own = settings.algorithms[settings.training.algorithm]
    kind = getattr(own, 'reward_shaping', 'none')
    cost = getattr(own, 'reward_shaping_cost', 0.0)
    if (kind == 'none') != (cost == 0):
        raise UserError(
            f'--reward_shaping={kind} and --reward_shaping_cost={cost} belong together, expected '
            'none and 0, or another kind with another cost.'
        )


def check_gains(settings: Settings) -> None:
    """Gains are rewarded of what the agent observes."""
    own = settings.algorithms[settings.training.algorithm]
    weights, environment = getattr(own, 'gain_rewards', ()), settings.environment
    text = value_types.WEIGHTS.to_text(weights)
    for count, _ in weights:
        if count in counts.SHARES:
            flag, names, needed = 'minimap_layers', environment.minimap_layers, counts.SHARES[count]
        elif count in counts.COUNTS:
            flag, names, needed = 'vectors', environment.vectors, counts.COUNTS[count][0]
        else:
            raise unknown('gain_rewards', text, (*counts.SHARES, *counts.COUNTS))
        has_all = names == 'all' and count != counts.VISITED
        if not has_all and needed not in (names or ()):
            use = '' if needed == count else f' for {count}'
            raise UserError(
                f'--gain_rewards={text} needs {needed}{use}, expected it in '
                f'--{flag}={value_types.names_text(names)}.'
            )
