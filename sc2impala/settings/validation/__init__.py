"""Validates ranges, choices and combinations of settings.

Every function raises UserError, naming the flag, its value and what was expected. Each file of
this folder has the checks of one subject; `__all__` is what the rest of the package calls.
"""

from sc2impala.settings import settings as settings_lib
from sc2impala.settings import value_learning
from sc2impala.settings.settings import Settings
from sc2impala.settings.validation.batches import (
    batch_split,
    check_actors,
    check_batch,
    check_devices,
    check_minibatches,
    largest_batch,
)
from sc2impala.settings.validation.games import (
    check_map,
    check_no_op,
    check_opponent,
    check_players,
    check_simulator_rules,
    check_single_game,
    check_starcraft,
)
from sc2impala.settings.validation.rewards import check_gains, check_shaping
from sc2impala.settings.validation.runs import (
    check_checkpoint,
    check_cluster,
    check_evaluations,
    check_follow,
    check_start,
)
from sc2impala.settings.validation.values import (
    check_agent,
    check_choices,
    check_given,
    check_may_change,
    check_ranges,
)


def check(settings: Settings) -> None:
    """Validates all settings."""
    values, known = settings.values(), settings_lib.all_settings()
    check_choices(values, known)
    check_agent(settings.agent.agent)
    check_map(settings.environment)
    check_simulator_rules(settings.environment)
    check_opponent(settings.environment, settings.starcraft)
    check_ranges(values, known)
    check_may_change(settings.training)
    check_players(settings)
    check_no_op(settings)
    check_batch(settings.training, settings.replay)
    check_devices(settings)
    check_minibatches(settings)
    check_actors(settings.run, settings.actors, *largest_batch(settings))
    check_starcraft(settings.environment, settings.starcraft)
    check_start(settings)
    check_cluster(settings.run, settings.cluster)
    check_follow(settings.run, settings.evaluation)
    check_checkpoint(settings.run, settings.evaluation)
    check_evaluations(settings.run, settings.evaluation)
    check_shaping(settings)
    check_gains(settings)
    value_learning.check(settings)
    num_games = settings.actors.num_actors * settings.actors.num_envs
    flags = f'--num_actors={settings.actors.num_actors} and --num_envs={settings.actors.num_envs}'
    if settings.evaluation.evaluate_every_frames:
        num_games += settings.evaluation.num_eval_envs
        flags += f' and --evaluate_every_frames={settings.evaluation.evaluate_every_frames}'
    if settings.run.mode != 'train':
        num_games = min(settings.evaluation.num_eval_envs, settings.evaluation.num_episodes)
        flags = f'--num_eval_envs={settings.evaluation.num_eval_envs}'
    check_single_game(settings.starcraft, num_games, flags)


__all__ = [
    'batch_split',
    'check',
    'check_choices',
    'check_cluster',
    'check_given',
    'check_ranges',
    'largest_batch',
]
