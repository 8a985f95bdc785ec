"""What a training is about to do, in a few lines."""

from typing import Any, List, Optional, Tuple

from sc2impala import learner
from sc2impala.runtime import demonstrations, experience, memory
from sc2impala.runtime.training_graph import Training
from sc2impala.settings import resolve, validation
from sc2impala.settings.settings import Settings


def describe(
    settings: Settings, specs: Tuple[Any, Any], training: Training, checkpoint: Optional[str]
) -> List[str]:
    """Lines for the start of a run.

    Args:
      settings: all of them.
      specs: observation and action spec.
      training: what has been built.
      checkpoint: it goes on from, or None.
    """
    environment, actors, replay = settings.environment, settings.actors, settings.replay
    num_parameters = sum(v.shape.num_elements() for v in training.agent.weights)
    num_new, num_replay = validation.batch_split(settings.training, replay)
    lines = [
        '{} on {} ({}), {:,} parameters, {} actors of {} environments, learner on {}'.format(
            settings.agent.agent,
            environment.map_name,
            environment.backend,
            num_parameters,
            actors.num_actors,
            actors.num_envs,
            'the GPU' if training.device else 'the CPU',
        ),
        *resolve.description(settings.values()),
        'functions: {}'.format(', '.join(specs[1].function_names)),
        f'batch: {num_new} new, {num_replay} replayed sequences of {actors.unroll_length} steps',
    ]
    if num_replay:
        how = '' if replay.replay_compression == 'none' else ' without compression'
        num_bytes = experience.raw_bytes(replay, training.experience.queue.spec)
        lines.append(
            f'replay: {replay.replay_buffer_size:,} sequences, {num_bytes / memory.MIB:,.1f} MiB'
            f'{how}'
        )
    going_on = f', going on from {checkpoint}' if checkpoint else ''
    lines.append(f'logdir: {settings.run.logdir}{going_on}')
    lines += demonstrations.describe(settings.demonstrations, training.recorded.recordings)
    lines += _phases(settings)
    return lines


def _phases(settings: Settings) -> List[str]:
    """A line with what comes before the training, if anything does."""
    phases = []
    for name in learner.PRETRAINING:
        phase = learner.load_pretraining(name)(settings.algorithms[name])
        if phase.num_frames:
            phases.append(f'{phase.title} for {phase.num_frames:,} frames')
    if not phases:
        return []
    phases.append(f'training for {settings.training.total_environment_frames:,}')
    without = ' (--from_scratch: the training alone)' if resolve.imitates(settings.values()) else ''
    return [f'phases: {", ".join(phases)}{without}']
