"""Validates ranges, choices and combinations of settings.

Every function raises UserError, naming the flag, its value and what was expected.
"""

import dataclasses
import difflib
import math
from typing import Any, Mapping, Tuple

from sc2impala import envs, learner
from sc2impala.envs import players, pysc2_backend
from sc2impala.errors import UserError
from sc2impala.learner import algorithm, counts
from sc2impala.settings import addresses, fields, value_learning, value_types
from sc2impala.settings import settings as settings_lib
from sc2impala.settings.fields import MANY, MAX_FRAMES, Setting
from sc2impala.settings.groups import (
    POLICIES,
    ActorSettings,
    ClusterSettings,
    EnvironmentSettings,
    EvaluationSettings,
    ReplaySettings,
    RunSettings,
    StarCraftSettings,
    TrainingSettings,
)
from sc2impala.settings.settings import Settings


def check(settings: Settings) -> None:
    """Validates all settings."""
    values, known = settings.values(), settings_lib.all_settings()
    check_choices(values, known)
    check_map(settings.environment)
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


def check_given(given: Mapping[str, Any], chosen: str) -> None:
    """Whether the settings that were given have to do with the algorithm.

    Those of phases before the training belong to every algorithm.

    Args:
      given: typed values by name, without defaults.
      chosen: `--algorithm`; what is no algorithm is refused elsewhere.
    """
    settings, of_algorithms = settings_lib.all_settings(), learner.settings_groups()
    others = {name: of_algorithms.pop(name) for name in learner.ALGORITHMS if name != chosen}
    if chosen not in of_algorithms:
        return
    allowed = set(fields.settings_of([*settings_lib.GROUPS.values(), *of_algorithms.values()]))
    for name in [name for name in given if name not in allowed]:
        owners = [o for o, group in others.items() if name in group.__dataclass_fields__]
        raise UserError(
            f'--{name}={settings[name].type.to_text(given[name])} is a setting of '
            f'--algorithm={" and ".join(owners)}, expected none of it with --algorithm={chosen}.'
        )


def check_choices(values: Mapping[str, Any], settings: Mapping[str, Setting]) -> None:
    """Settings with a list of allowed values.

    Args:
      values: by name; others than those of `settings` are not looked at.
      settings: by name.
    """
    for name, setting in settings.items():
        if setting.choices is not None and values[name] not in setting.choices:
            raise _unknown(name, values[name], setting.choices)


def check_ranges(values: Mapping[str, Any], settings: Mapping[str, Setting]) -> None:
    """Settings with a smallest and a largest value; the arguments are those of `check_choices`."""
    for name, setting in settings.items():
        if setting.between is None:
            continue
        smallest, largest = setting.between
        # Written so that a NaN is refused as well.
        if not smallest <= values[name] <= largest and values[name] != setting.or_else:
            or_else = '' if setting.or_else is None else f', or {setting.or_else:g}'
            raise UserError(
                f'--{name}={values[name]} is out of range, expected '
                f'{_range_text(values[name], smallest, largest)}{or_else}.'
            )


def check_may_change(training: TrainingSettings) -> None:
    """Which settings may change while a run goes on."""
    if training.may_change == 'all':
        return
    tunable = [n for n, setting in settings_lib.all_settings().items() if setting.tunable]
    for name in training.may_change:
        if name not in tunable:
            raise UserError(
                f'--may_change={name} cannot change while a run goes on, expected some of: '
                f'{", ".join(tunable)}.'
            )


def check_map(environment: EnvironmentSettings) -> None:
    """Whether the backend has the map."""
    map_name, backend = environment.map_name, environment.backend
    flag, playable = f'--map_name={map_name}', envs.playable_maps(backend)
    if map_name in playable:
        return
    names = ', '.join(sorted(set(playable) - set(envs.LADDER_MAPS)))
    if map_name in envs.LADDER_MAPS:
        raise UserError(
            f'{flag} is a ladder map, which --backend={backend} cannot play, expected '
            f'--backend=pysc2 with it, or one of: {names}.'
        )
    if map_name in envs.SYNTHETIC_MAPS:
        raise UserError(
            f'{flag} is not a game, expected --backend=synthetic with it, or one of: {names}.'
        )
    if backend == 'pysc2':
        nearest = difflib.get_close_matches(map_name, envs.LADDER_MAPS, n=3, cutoff=0)
        names += ', or a ladder map of PySC2, such as the nearest ones: ' + ', '.join(nearest)
    raise UserError(f'{flag} is unknown, expected one of: {names}.')


def check_opponent(environment: EnvironmentSettings, starcraft: StarCraftSettings) -> None:
    """A ladder map needs an opponent."""
    if starcraft.opponent or environment.map_name in envs.LADDER_MAPS:
        if starcraft.opponent not in pysc2_backend.DIFFICULTIES:
            raise _unknown('opponent', starcraft.opponent, pysc2_backend.DIFFICULTIES)


def check_players(settings: Settings) -> None:
    """Names of players, which depend on the map, and what belongs together."""
    demonstrations, map_name = settings.demonstrations, settings.environment.map_name
    scripts = tuple(players.RULES.get(map_name, ()))
    if settings.evaluation.policy not in POLICIES + scripts:
        raise _unknown('policy', settings.evaluation.policy, POLICIES + scripts)
    if demonstrations.demonstrator not in ('none', *scripts):
        raise _unknown('demonstrator', demonstrations.demonstrator, ('none', *scripts))
    if demonstrations.demonstration_sequences and not demonstrations.demonstrations:
        raise UserError(
            f'--demonstration_sequences={demonstrations.demonstration_sequences} are taken from '
            'recordings, expected --demonstrations with it, or 0.'
        )


def batch_split(training: TrainingSettings, replay: ReplaySettings) -> Tuple[int, int]:
    """Returns N and R, the numbers of new and of replayed sequences in a batch."""
    num_replay = int(training.batch_size * replay.replay_proportion)
    return training.batch_size - num_replay, num_replay


def largest_batch(settings: Settings) -> Tuple[str, int]:
    """Returns the flag that says how many sequences an update takes at most, and the number."""
    cloning = settings.algorithms['cloning']
    if cloning.num_cloning_frames and cloning.cloning_batch_size > settings.training.batch_size:
        return 'cloning_batch_size', cloning.cloning_batch_size
    return 'batch_size', settings.training.batch_size


def check_no_op(settings: Settings) -> None:
    """Scripts call no_op, so that an agent that may not cannot imitate them."""
    group = settings.demonstrations
    for name, value, none in (
        ('demonstrator', group.demonstrator, 'none'),
        ('demonstrations', group.demonstrations, ()),
    ):
        if settings.environment.no_op_as_last_resort and value != none:
            text = ','.join(value) if isinstance(value, tuple) else value
            raise UserError(
                f'--no_op_as_last_resort cannot be used with --{name}={text}, whose players call '
                'no_op, expected --from_scratch with it.'
            )


def check_batch(training: TrainingSettings, replay: ReplaySettings) -> None:
    """Whether a batch can be made of new and replayed sequences as the algorithm wants it."""
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
    wanted = learner.load(training.algorithm).replay
    if wanted == algorithm.NO_REPLAY and num_replay:
        raise UserError(
            f'{proportion} cannot be used with --algorithm={training.algorithm}, which learns from '
            'new sequences only, expected 0.'
        )
    if wanted == algorithm.REPLAY_REQUIRED and not num_replay:
        raise UserError(
            f'{proportion} cannot be used with --algorithm={training.algorithm}, which learns from '
            'replay, expected more than 0.'
        )


def check_devices(settings: Settings) -> None:
    """Whether the devices of the learner can share the batches, also with recorded sequences."""
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


def check_minibatches(settings: Settings) -> None:
    """Whether APPO can divide its batches, also those with recorded sequences."""
    if settings.training.algorithm != 'appo':
        return
    minibatches = settings.algorithms['appo'].appo_minibatches
    devices = settings.training.num_learner_devices
    size, recorded = settings.training.batch_size, settings.demonstrations.demonstration_sequences
    if (size + recorded) % (minibatches * devices):
        raise UserError(
            f'--appo_minibatches={minibatches} cannot divide --batch_size={size} and '
            f'--demonstration_sequences={recorded} evenly, expected a multiple of '
            f'{minibatches * devices} sequences (--appo_minibatches * --num_learner_devices).'
        )


def check_actors(run: RunSettings, actors: ActorSettings, flag: str, batch_size: int) -> None:
    """Whether the queue can hold the largest batch, and what a deterministic training needs."""
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
    # Actor and learner alternate: what an actor has played has to fit into the queue.
    room = batch_size + actors.num_envs - 1
    if 0 < actors.queue_capacity < room:
        raise UserError(
            f'--queue_capacity={actors.queue_capacity} is too small for --deterministic, expected '
            f'at least {room} (--{flag} + --num_envs - 1), or 0 to choose it.'
        )


def check_start(settings: Settings) -> None:
    """What the phases of a training need: a policy to hold on to, a map to be evaluated on."""
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
    if is_evaluated and settings.environment.map_name not in envs.MAP_NAMES:
        raise UserError(
            f'--phase_evaluations={cloning.phase_evaluations} are played on the simulator, which '
            f'does not have --map_name={settings.environment.map_name}, expected 0.'
        )


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
        if count == counts.EXPLORED:
            flag, names, needed = 'minimap_layers', environment.minimap_layers, 'visibility_map'
        elif count in counts.COUNTS:
            flag, names, needed = 'vectors', environment.vectors, counts.COUNTS[count][0]
        else:
            raise _unknown('gain_rewards', text, (counts.EXPLORED, *counts.COUNTS))
        if names != 'all' and needed not in (names or ()):
            raise UserError(
                f'--gain_rewards={text} reads {count} from {needed}, expected it in '
                f'--{flag}={value_types.names_text(names)}.'
            )


def check_cluster(run: RunSettings, cluster: ClusterSettings) -> None:
    """Who is learner or actor, and where."""
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
            f'--job_name={job_name} is for trainings, but --mode={run.mode}, expected no job name.'
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
    """What can be done with every checkpoint of a run."""
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
                f'--{name} with --follow: it is drawn once, expected an evaluation of its own.'
            )


def check_evaluations(run: RunSettings, evaluation: EvaluationSettings) -> None:
    """Evaluations within a training."""
    every = evaluation.evaluate_every_frames
    if not every:
        return
    if run.mode != 'train':
        raise UserError(
            f'--evaluate_every_frames={every} is for trainings, expected --mode=train with it, '
            f'not {run.mode}.'
        )
    if evaluation.policy not in ('sampled', 'greedy'):
        raise UserError(
            f'--policy={evaluation.policy} with --evaluate_every_frames={every}: it does not '
            'learn, expected sampled or greedy.'
        )


def check_starcraft(environment: EnvironmentSettings, starcraft: StarCraftSettings) -> None:
    """Settings of StarCraft II against the backend, the map and each other."""
    if environment.backend != 'pysc2':
        for name in [field.name for field in dataclasses.fields(StarCraftSettings)]:
            if not _has_default(starcraft, name):
                raise UserError(
                    f'--{name}={getattr(starcraft, name)} is a setting of StarCraft II, expected '
                    '--backend=pysc2 with it.'
                )
    if environment.map_name not in envs.LADDER_MAPS:
        for name in ('opponent', 'opponent_race', 'race'):
            if not _has_default(starcraft, name):
                raise UserError(
                    f'--{name}={getattr(starcraft, name)} is for ladder maps, expected none on '
                    f'--map_name={environment.map_name}, where the map decides.'
                )
    if bool(starcraft.replay_dir) != (starcraft.save_replay_episodes > 0):
        raise UserError(
            f'--replay_dir={starcraft.replay_dir} and '
            f'--save_replay_episodes={starcraft.save_replay_episodes} belong together, expected '
            'both or none.'
        )


def check_single_game(starcraft: StarCraftSettings, num_games: int, flags: str) -> None:
    """Real time and PySC2's window are for one game; `flags` say how many there are."""
    for name in ('realtime', 'visualize'):
        if getattr(starcraft, name) and num_games > 1:
            raise UserError(f'--{name} is for a single game, expected 1 instead of {flags}.')


def _has_default(starcraft: StarCraftSettings, name: str) -> bool:
    return getattr(starcraft, name) == StarCraftSettings.__dataclass_fields__[name].default


def _unknown(name: str, value: Any, choices: Any) -> UserError:
    return UserError(
        '--{}={} is unknown, expected one of: {}.'.format(
            name, value, ', '.join(choice or 'empty' for choice in choices)
        )
    )


def _range_text(value: float, smallest: float, largest: float) -> str:
    """The range, without a largest value that only a computer knows unless it was exceeded."""
    if largest in (math.inf, MANY, MAX_FRAMES, 2**63 - 1) and not value > largest:
        return f'at least {smallest}'
    return f'{smallest} to {largest}'
