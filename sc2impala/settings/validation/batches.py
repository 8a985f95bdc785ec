"""Whether batches can be collected and divided."""

from typing import Tuple

from sc2impala import learner
from sc2impala.errors import UserError
from sc2impala.settings.groups import ActorSettings, ReplaySettings, RunSettings, TrainingSettings
from sc2impala.settings.learning import NO_REPLAY, REPLAY_REQUIRED
from sc2impala.settings.settings import Settings


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
