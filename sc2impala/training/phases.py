"""The phases of a run, each with the source of its batches."""

from typing import Any, Callable, Dict, List, Mapping, Optional, Tuple

import tensorflow.compat.v1 as tf

from sc2impala import learner
from sc2impala.actors import SequenceQueue
from sc2impala.agents.agent import Agent
from sc2impala.errors import UserError
from sc2impala.factories import acting
from sc2impala.learner import phases, sources
from sc2impala.learner.algorithm import new_priorities
from sc2impala.learner.demonstration_source import DemonstrationSource, JoinedSource
from sc2impala.learner.sources import Batches
from sc2impala.replay import ReplayTable
from sc2impala.settings import validation
from sc2impala.settings.learning import NO_REPLAY
from sc2impala.settings.settings import Settings
from sc2impala.structs import DEMONSTRATION, ActorOutput, Nest
from sc2impala.training import replay_buffer
from sc2impala.training.components.recordings import Recorded


def make_phases(
    settings: Settings,
    agent: Agent,
    queue: SequenceQueue,
    table: Optional[ReplayTable],
    batches: Batches,
    recorded: Optional[Recorded] = None,
) -> List[phases.Phase]:
    """Returns the phases: pre-training if requested, then the training.

    Args:
      settings: all of them.
      agent: `agents.agent.Agent`, the trained agent.
      queue: the queue that the actors fill.
      table: the replay table, or None.
      batches: batches of all sources.
      recorded: recordings to learn from in addition, or None.

    Raises:
      UserError: if an algorithm needs labels and there are none, or cannot use them.
    """
    _check_labels(settings, queue.spec.env_outputs.observation)
    main_algorithm = acting.main_algorithm(settings)
    priorities = None
    if table is not None and table.has_priorities:
        priorities = new_priorities(main_algorithm, agent)
    source, of_recordings = _make_sources(settings, queue, table, recorded, priorities)
    metrics: Dict[str, Any] = {}
    if table is not None:
        metrics = replay_buffer.replay_metrics(table, batches.of(source)[0])
    task, plans = settings.environment.map_name, []
    for name in learner.PRETRAINING:
        of_phase = settings.algorithms[name]
        if of_phase.num_frames:
            pretraining = learner.load_pretraining(name)(of_phase)
            frames = phases.frames_variable(pretraining.frames_variable)
            plan = phases.Plan(pretraining, source, task, of_phase.num_frames, frames, metrics)
            if pretraining.from_demonstrations and of_recordings is not None:
                plan = plan._replace(source=of_recordings, metrics={})
            elif of_phase.batch_size or (table is not None and of_phase.REPLAY == NO_REPLAY):
                number = of_phase.batch_size or settings.training.batch_size
                plan = plan._replace(source=sources.QueueSource(queue, number), metrics={})
            plans.append(plan)
    global_step = tf.train.get_or_create_global_step()
    total = settings.training.total_environment_frames
    plans.append(phases.Plan(main_algorithm, source, task, total, global_step, metrics))
    with tf.device(batches.device):
        return phases.build_phases(
            plans,
            agent,
            batches.of,
            phases.policy_version(),
            update_priorities=replay_buffer.priority_updates(table),
        )


def _make_sources(
    settings: Settings,
    queue: SequenceQueue,
    table: Optional[ReplayTable],
    recorded: Optional[Recorded],
    priorities: Optional[Callable[[ActorOutput], tf.Tensor]],
) -> Tuple[sources.Source, Optional[sources.Source]]:
    """Returns the sources of the training, and of phases on recordings alone, or None.

    With a demonstrator there is no such phase. `priorities` are for new sequences,
    see `sources.MixedSource`.
    """
    num_new, num_replay = validation.batch_split(settings.training, settings.replay)
    source: sources.Source = sources.QueueSource(queue, num_new)
    if table is not None:
        min_size = settings.replay.replay_min_size
        source = sources.MixedSource(queue, table, num_new, num_replay, min_size, priorities)
    if recorded is None or not recorded.recordings:
        return source, None
    streams = recorded.streams

    def demonstrations(count: int) -> DemonstrationSource:
        return DemonstrationSource(streams(count), queue.spec, count)

    if settings.demonstrations.demonstration_sequences:
        more = demonstrations(settings.demonstrations.demonstration_sequences)
        source = JoinedSource(source, more)
    if settings.demonstrations.demonstrator != 'none':
        return source, None
    cloning = settings.algorithms['cloning']
    return source, demonstrations(cloning.cloning_batch_size or settings.training.batch_size)


def _check_labels(settings: Settings, observation: Mapping[str, Nest]) -> None:
    """Raises: UserError: if an algorithm cannot learn from labels, or observations have none."""
    of_main = settings.algorithms[settings.training.algorithm]
    wanted = {
        'num_cloning_frames': settings.algorithms['cloning'].num_cloning_frames,
        'demonstration_cost': getattr(of_main, 'demonstration_cost', 0.0),
    }
    if DEMONSTRATION in observation:
        return
    for name, value in wanted.items():
        if value:
            raise UserError(
                f'--{name}={value} needs something to imitate, expected --demonstrator or '
                '--demonstrations with it.'
            )
