"""Validates ranges, choices and combinations of settings.

Every function raises UserError, naming the flag, its value and the expected one. Checks of an
algorithm are in `check` of its settings, checks of the games in `game_validation`.
"""

import math
from typing import Any, Mapping, Tuple

from sc2impala import agents, envs, extensions, learner
from sc2impala.errors import UserError
from sc2impala.learner import counts
from sc2impala.settings import addresses, value_types
from sc2impala.settings import game_validation as games
from sc2impala.settings import settings as settings_lib
from sc2impala.settings.fields import MANY, MAX_FRAMES, Setting
from sc2impala.settings.game_validation import unknown
from sc2impala.settings.groups import (
    ActorSettings,
    ClusterSettings,
    EvaluationSettings,
    ReplaySettings,
    RunSettings,
    TrainingSettings,
)
from sc2impala.settings.learning import NO_REPLAY, REPLAY_REQUIRED
from sc2impala.settings.settings import Settings


def check(settings: Settings) -> None:
    """Validates all settings."""
    values, known = settings.values(), settings_lib.all_settings()
    check_choices(values, known)
    check_agent(settings.agent.agent)
    games.check_map(settings.environment)
    games.check_tasks(settings)
    games.check_start_states(settings)
    games.check_simulator_rules(settings.environment)
    games.check_opponent(settings.environment, settings.starcraft)
    check_ranges(values, known)
    check_may_change(settings.training)
    games.check_players(settings)
    games.check_masks(settings)
    check_batch(settings.training, settings.replay)
    check_devices(settings)
    check_actors(settings.run, settings.actors, *largest_batch(settings))
    games.check_starcraft(settings.environment, settings.starcraft)
    check_start(settings)
    check_cluster(settings.run, settings.cluster)
    check_follow(settings.run, settings.evaluation)
    check_checkpoint(settings.run, settings.evaluation)
    check_maps(settings)
    check_evaluations(settings.run, settings.evaluation)
    check_gains(settings)
    settings.algorithms[settings.training.algorithm].check(values)
    num_games = settings.actors.num_actors * settings.actors.num_envs
    flags = f'--num_actors={settings.actors.num_actors} and --num_envs={settings.actors.num_envs}'
    if settings.evaluation.evaluate_every_frames:
        num_games += settings.evaluation.num_eval_envs
        flags += f' and --evaluate_every_frames={settings.evaluation.evaluate_every_frames}'
    if settings.run.mode != 'train':
        num_games = min(settings.evaluation.num_eval_envs, settings.evaluation.num_episodes)
        flags = f'--num_eval_envs={settings.evaluation.num_eval_envs}'
    games.check_single_game(settings.starcraft, num_games, flags)


def check_given(given: Mapping[str, object], chosen: str) -> None:
    """Checks that the given settings belong to the algorithm.

    Settings of phases before the training belong to every algorithm.

    Args:
      given: typed values by name, without defaults.
      chosen: `--algorithm`; an unknown one is reported elsewhere.
    """
    if chosen not in learner.ALGORITHMS:
        return
    settings, allowed = settings_lib.all_settings(), settings_lib.settings_with(chosen)
    for name in [name for name in given if name not in allowed]:
        owners = [o for o in learner.ALGORITHMS if name in settings_lib.settings_with(o)]
        raise UserError(
            f'--{name}={settings[name].type.to_text(given[name])} is only for '
            f'--algorithm={" and ".join(owners)}, expected no such flag with --algorithm={chosen}.'
        )


def check_choices(values: Mapping[str, Any], settings: Mapping[str, Setting]) -> None:
    """Checks settings with a list of allowed values.

    Args:
      values: values by name; names outside of `settings` are ignored.
      settings: settings by name.
    """
    for name, setting in settings.items():
        if setting.choices is not None and values[name] not in setting.choices:
            raise unknown(name, values[name], setting.choices)


def check_ranges(values: Mapping[str, Any], settings: Mapping[str, Setting]) -> None:
    """Checks settings with a range; the arguments are as in `check_choices`."""
    for name, setting in settings.items():
        if setting.between is None:
            continue
        smallest, largest = setting.between
        # This form also refuses a NaN.
        if not smallest <= values[name] <= largest and values[name] != setting.or_else:
            or_else = '' if setting.or_else is None else f', or {setting.or_else:g}'
            raise UserError(
                f'--{name}={values[name]} is out of range, expected '
                f'{_range_text(values[name], smallest, largest)}{or_else}.'
            )


def check_agent(name: str) -> None:
    """Imports an agent outside of the package; the package's agents need no check."""
    if extensions.is_spec(name):
        agents.load_make_parts(name)


def check_may_change(training: TrainingSettings) -> None:
    """Checks the settings in --may_change."""
    if training.may_change == 'all':
        return
    tunable = [n for n, setting in settings_lib.all_settings().items() if setting.tunable]
    for name in training.may_change:
        if name not in tunable:
            raise UserError(
                f'--may_change={name} cannot change when a run resumes, expected some of: '
                f'{", ".join(tunable)}.'
            )


def _range_text(value: float, smallest: float, largest: float) -> str:
    """Formats a range, without an arbitrary upper limit unless it was exceeded."""
    if largest in (math.inf, MANY, MAX_FRAMES, 2**63 - 1) and not value > largest:
        return f'at least {smallest}'
    return f'{smallest} to {largest}'


def batch_split(training: TrainingSettings, replay: ReplaySettings) -> Tuple[int, int]:
    """Returns N and R, the numbers of new and of replayed sequences in a batch."""
    num_replay = int(training.batch_size * replay.replay_proportion)
    return training.batch_size - num_replay, num_replay


def largest_batch(settings: Settings) -> Tuple[str, int]:
    """Returns the largest number of sequences per update, and its flag."""
    cloning = settings.algorithms['cloning']
    if cloning.num_cloning_frames and cloning.cloning_batch_size > settings.training.batch_size:
        return 'cloning_batch_size', cloning.cloning_batch_size
    return 'batch_size', settings.training.batch_size


def check_batch(training: TrainingSettings, replay: ReplaySettings) -> None:
    """Checks the split of a batch into new and replayed sequences."""
    num_new, num_replay = batch_split(training, replay)
    proportion = f'--replay_proportion={replay.replay_proportion}'
    if num_new < 1:
        raise UserError(
            f'--batch_size={training.batch_size} with {proportion} leaves no new sequence in a '
            'batch, expected at least one: lower the proportion or use a larger batch.'
        )
    if replay.replay_proportion > 0 and num_replay < 1:
        raise UserError(
            f'{proportion} of --batch_size={training.batch_size} is less than one sequence, '
            'expected at least one, or 0 for no replay.'
        )
    if replay.replay_buffer_size < num_replay:
        raise UserError(
            f'--replay_buffer_size={replay.replay_buffer_size} cannot fill its part of a batch, '
            f'expected at least {num_replay} (--batch_size * --replay_proportion).'
        )
    if replay.replay_min_size > replay.replay_buffer_size:
        raise UserError(
            f'--replay_min_size={replay.replay_min_size} would never be reached, expected at most '
            f'--replay_buffer_size={replay.replay_buffer_size}.'
        )
    wanted = learner.load_settings(training.algorithm).REPLAY
    if wanted == NO_REPLAY and num_replay:
        raise UserError(
            f'{proportion} cannot be used with --algorithm={training.algorithm}, which learns from '
            'new sequences only, expected 0.'
        )
    if wanted == REPLAY_REQUIRED and not num_replay:
        raise UserError(
            f'{proportion} cannot be used with --algorithm={training.algorithm}, which learns from '
            'replay, expected more than 0.'
        )


def check_devices(settings: Settings) -> None:
    """Checks that batches divide evenly over the devices of the learner."""
    count = settings.training.num_learner_devices
    recorded = settings.demonstrations.demonstration_sequences
    flags = {f'--batch_size={settings.training.batch_size}': settings.training.batch_size}
    cloning = settings.algorithms['cloning'].cloning_batch_size
    if cloning:
        flags[f'--cloning_batch_size={cloning}'] = cloning
    with_recorded = f' and --demonstration_sequences={recorded}'
    sums = {flag + with_recorded: size + recorded for flag, size in flags.items()}
    for flag, size in {**flags, **sums}.items():
        if size % count:
            raise UserError(
                f'{flag} cannot be split evenly over --num_learner_devices={count}, expected a '
                f'multiple of {count} sequences.'
            )


def check_actors(run: RunSettings, actors: ActorSettings, flag: str, batch_size: int) -> None:
    """Checks the capacity of the queue, and the actors of a deterministic run."""
    if 0 < actors.queue_capacity < batch_size:
        raise UserError(
            f'--queue_capacity={actors.queue_capacity} cannot hold a batch, expected at least '
            f'--{flag}={batch_size}, or 0 to choose it.'
        )
    if run.mode != 'train' or not run.deterministic:
        return
    if actors.num_actors != 1:
        raise UserError(
            f'--deterministic needs one actor, but --num_actors={actors.num_actors}: the order in '
            'which several actors finish is not reproducible.'
        )
    # Actor and learner alternate: the sequences of an actor have to fit into the queue.
    room = batch_size + actors.num_envs - 1
    if 0 < actors.queue_capacity < room:
        raise UserError(
            f'--queue_capacity={actors.queue_capacity} is too small for --deterministic, expected '
            f'at least {room} (--{flag} + --num_envs - 1), or 0 to choose it.'
        )


def check_gains(settings: Settings) -> None:
    """Checks that the agent observes the counts of its gains."""
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


def check_start(settings: Settings) -> None:
    """Checks that the phases of a run have a teacher and a map to evaluate on."""
    algorithm_settings = settings.algorithms[settings.training.algorithm]
    cloning = settings.algorithms['cloning']
    teacher_cost = getattr(algorithm_settings, 'teacher_cost', 0.0)
    starts_fresh = not cloning.num_cloning_frames and not settings.start.init_checkpoint
    if teacher_cost and starts_fresh and settings.run.mode == 'train':
        raise UserError(
            f'--teacher_cost={teacher_cost} needs a policy to start from, expected '
            '--num_cloning_frames or --init_checkpoint with it.'
        )
    is_evaluated = cloning.num_cloning_frames and cloning.phase_evaluations
    if is_evaluated and not set(settings.environment.map_names) <= set(envs.MAP_NAMES):
        raise UserError(
            f'--phase_evaluations={cloning.phase_evaluations} run on the simulator, which '
            f'does not have --map_name={settings.environment.map_name}, expected 0.'
        )


def check_cluster(run: RunSettings, cluster: ClusterSettings) -> None:
    """Checks the job of this process, learner or actor, and the learner's address."""
    job_name, address = cluster.job_name, cluster.learner_address
    if not job_name:
        if cluster.inference != 'local' and run.mode == 'train':
            raise UserError(
                f'--inference={cluster.inference} is for a cluster, expected --job_name=learner '
                'with it, or --inference=local.'
            )
        if address:
            raise UserError(
                f'--learner_address={address} is for a cluster, expected --job_name=learner or '
                '--job_name=actor with it.'
            )
        return
    if run.mode != 'train':
        raise UserError(
            f'--job_name={job_name} is for training, but --mode={run.mode}, expected no job name.'
        )
    if run.deterministic:
        raise UserError(
            f'--deterministic with --job_name={job_name}: the order in which several processes '
            'finish is not reproducible, expected only one of the two.'
        )
    _, port = addresses.parse(address)
    if job_name == 'actor' and not port:
        raise UserError(
            f'--learner_address={address} has no port to connect to, expected the one that the '
            'learner prints.'
        )


def check_follow(run: RunSettings, evaluation: EvaluationSettings) -> None:
    """Checks the settings of --follow."""
    if not evaluation.follow:
        return
    if run.mode != 'evaluate':
        raise UserError(f'--follow is for evaluations, expected --mode=evaluate, not {run.mode}.')
    if evaluation.policy not in ('sampled', 'greedy'):
        raise UserError(
            f'--policy={evaluation.policy} with --follow: it has no checkpoints, expected sampled '
            'or greedy.'
        )
    for name in ('animation', 'curve'):
        if getattr(evaluation, name):
            raise UserError(
                f'--{name} with --follow: it is drawn once, expected a separate evaluation.'
            )


def check_evaluations(run: RunSettings, evaluation: EvaluationSettings) -> None:
    """Checks the settings of evaluations during training."""
    every = evaluation.evaluate_every_frames
    if not every:
        return
    if run.mode != 'train':
        raise UserError(
            f'--evaluate_every_frames={every} is for training, expected --mode=train with it, '
            f'not {run.mode}.'
        )
    if evaluation.policy not in ('sampled', 'greedy'):
        raise UserError(
            f'--policy={evaluation.policy} with --evaluate_every_frames={every}: it does not '
            'learn, expected sampled or greedy.'
        )


def check_checkpoint(run: RunSettings, evaluation: EvaluationSettings) -> None:
    """Checks the choice of a checkpoint, and the folder of an export."""
    policy, chosen = evaluation.policy, evaluation.checkpoint != 'latest'
    flag = f'--checkpoint={evaluation.checkpoint}'
    if chosen and run.mode == 'train':
        raise UserError(
            f'{flag} is for --mode=evaluate, record and export, expected none with --mode=train.'
        )
    if chosen and evaluation.follow:
        raise UserError(
            f'{flag} with --follow: every checkpoint is evaluated, expected only one of the two.'
        )
    if evaluation.export_dir and run.mode != 'export':
        raise UserError(
            f'--export_dir={evaluation.export_dir} is for exports, expected --mode=export with it, '
            f'not {run.mode}.'
        )
    if policy not in ('sampled', 'greedy') and (chosen or run.mode == 'export'):
        raise UserError(
            f'--policy={policy} with {flag if chosen else "--mode=export"}: it has no checkpoints, '
            'expected sampled or greedy.'
        )


def check_maps(settings: Settings) -> None:
    """Checks the maps of an evaluation."""
    wanted, names = settings.evaluation.eval_maps, settings.environment.map_names
    if wanted == 'all':
        return
    flag = f'--eval_maps={value_types.names_text(wanted)}'
    if settings.run.mode != 'evaluate' or settings.evaluation.follow:
        raise UserError(
            f'{flag} is for single evaluations, expected --mode=evaluate with it, without --follow.'
        )
    if not wanted or not set(wanted) <= set(names):
        raise UserError(f'{flag}, expected all, or some of {", ".join(names)}.')
