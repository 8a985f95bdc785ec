"""Lines about a run, printed at its start."""

import dataclasses
from typing import Any, List, Mapping, Optional, Sequence

from sc2impala import learner
from sc2impala.checkpoints import variables
from sc2impala.envs.vector import Specs
from sc2impala.learner.phases import Phase
from sc2impala.runtime import console, memory, sessions
from sc2impala.settings import resolve, validation
from sc2impala.settings.settings import Settings
from sc2impala.training import replay_buffer
from sc2impala.training.components import recordings
from sc2impala.training.run import Graph

_LENGTH = 'total_environment_frames'


def describe(
    settings: Settings, specs: Specs, built: Graph, checkpoint: Optional[str]
) -> List[str]:
    """Lines for the start of a run.

    Args:
      settings: all of them.
      specs: observation and action spec.
      built: the graph.
      checkpoint: the restored checkpoint, or None.
    """
    environment, actors, replay = settings.environment, settings.actors, settings.replay
    num_parameters = sum(v.shape.num_elements() for v in built.agent.weights)
    num_new, num_replay = validation.batch_split(settings.training, replay)
    lines = [
        '{} on {} ({}), {:,} parameters, {}, learner on {}'.format(
            settings.agent.agent,
            environment.map_name,
            environment.backend,
            num_parameters,
            _games_text(actors.num_actors, actors.num_envs),
            'the GPU' if built.batches.device else 'the CPU',
        ),
        *_bfloat16(settings, built),
        *resolve.description(settings.values()),
        'functions: {}'.format(', '.join(specs[1].function_names)),
        f'batch: {num_new} new, {num_replay} replayed sequences of {actors.unroll_length} steps',
    ]
    if num_replay:
        how = '' if replay.replay_compression == 'none' else ' without compression'
        num_bytes = replay_buffer.raw_bytes(replay, built.actors.queue.spec)
        lines.append(
            f'replay: {replay.replay_buffer_size:,} sequences, {num_bytes / memory.MIB:,.1f} MiB'
            f'{how}'
        )
    going_on = f', resumed from {checkpoint}' if checkpoint else ''
    lines.append(f'logdir: {settings.run.logdir}{going_on}')
    lines += recordings.describe(settings.demonstrations, built.recorded.recordings)
    lines += _phases(settings)
    return lines


def schedule_change(settings: Settings, before: Mapping[str, object], frames: int) -> List[str]:
    """Returns a line if a new length of the training changes the learning rate of a resumed run.

    Args:
      settings: all of them.
      before: the settings of the last start.
      frames: frames of the training so far, without earlier phases.
    """
    length, now = before[_LENGTH], settings.training.total_environment_frames
    first, last = (_learning_rate(values, frames) for values in (before, settings.values()))
    if length == now or first is None or last is None or first == last:
        return []
    return [
        f'--{_LENGTH}={now} instead of {length}: the schedules have this length, and the learning '
        f'rate {"rises" if last > first else "falls"} from {first:.3g} to {last:.3g}'
    ]


def is_finished(phases: Sequence[Phase], checkpoint: Optional[str]) -> bool:
    """Returns whether no frames are left to train after a checkpoint."""
    if checkpoint is None:
        return False
    frames = variables.counters_of(checkpoint, [phase.frames for phase in phases])
    return all(done >= phase.num_frames for done, phase in zip(frames, phases))


def finished_text(settings: Settings) -> str:
    """Returns the message for a finished run that is started again."""
    frames, folder = settings.training.total_environment_frames, settings.run.logdir
    return (
        f'training is finished (--total_environment_frames={frames}): set a larger number to '
        f'continue, or use --mode=evaluate --logdir={folder} to evaluate the agent'
    )


def _bfloat16(settings: Settings, built: Graph) -> List[str]:
    """A line if the learner could train faster in bfloat16."""
    if built.batches.device or settings.run.bfloat16 or not sessions.bfloat16_is_available():
        return []
    return [
        'bfloat16: off; this processor supports --bfloat16, which is about 1.5 times as fast for '
        'deep networks'
    ]


def _games_text(num_actors: int, num_envs: int) -> str:
    """(1, 16) -> '1 actor with 16 environments', (2, 1) -> '2 actors with 1 environment each'."""
    actors = console.count_text(num_actors, 'actor')
    environments = console.count_text(num_envs, 'environment')
    return f'{actors} with {environments}{" each" if num_actors > 1 else ""}'


def _learning_rate(values: Mapping[str, Any], frames: int) -> Optional[float]:
    """Learning rate after some frames; None if the algorithm has no setting of that name.

    Args:
      values: all settings.
      frames: frames of the training.
    """
    group = learner.settings_groups()[values['algorithm']]
    names = {field.name for field in dataclasses.fields(group)}
    for prefix in ('', 'r2d2_'):
        first, last = prefix + 'learning_rate', prefix + 'final_learning_rate'
        if {first, last} <= names:
            left = max(0.0, 1.0 - frames / values[_LENGTH])
            return values[last] + (values[first] - values[last]) * left
    return None


def _phases(settings: Settings) -> List[str]:
    """A line with the phases, if there is one before the training."""
    phases = []
    for name in learner.PRETRAINING:
        num_frames = settings.algorithms[name].num_frames
        if num_frames:
            phases.append(f'{learner.load_pretraining(name).title} for {num_frames:,} frames')
    if not phases:
        return []
    phases.append(f'training for {settings.training.total_environment_frames:,} frames')
    imitates = resolve.imitates(settings.values())
    without = ' (--from_scratch skips the phases before training)' if imitates else ''
    return [f'phases: {", ".join(phases)}{without}']
