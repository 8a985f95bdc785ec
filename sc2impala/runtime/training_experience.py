"""What a training learns from: its actors with their queue, the replay table, recordings."""

import contextlib
from typing import Any, Optional, Tuple

from sc2impala import actors
from sc2impala.learner import phases
from sc2impala.replay import ReplayTable
from sc2impala.runtime import (
    acting,
    demonstrations,
    experience,
    graph,
    seeds,
    training_limits,
)
from sc2impala.runtime.experience import Experience
from sc2impala.settings import validation
from sc2impala.settings.settings import Settings


def make_experience(
    settings: Settings,
    agent: Any,
    specs: Tuple[Any, Any],
    start: int,
    stack: contextlib.ExitStack,
    teacher: Optional[Any] = None,
    remote: Optional[Any] = None,
) -> Tuple[Experience, Optional[ReplayTable]]:
    """Environments, actors and their queue; and the replay table, None if nothing is replayed.

    Args:
      settings: all of them.
      agent: `agents.agent.Agent`.
      specs: observation and action spec.
      start: how many starts of the run there were before.
      stack: closes the environments.
      teacher: `agents.teacher.Teacher` that plays beside the agent, or None.
      remote: `remote_actors.RemoteActors`; None for actors in this process.

    Raises:
      UserError: if an environment cannot be made, or the training does not fit into memory.
    """
    spec = actors.sequence_spec(agent, specs[0], settings.actors.unroll_length, teacher)
    training_limits.check(settings, agent, spec, remote is None, graph.gpu_device() is None)
    if remote is not None:
        played = remote.make_experience(
            agent, specs[0], spec, start, phases.policy_version(), teacher
        )
    else:
        played = _play_here(settings, agent, specs, spec, start, teacher)
    for env in played.envs:
        stack.callback(env.close)
    stack.enter_context(graph.failures_reported(played.envs))
    _, num_replay = validation.batch_split(settings.training, settings.replay)
    if not num_replay:
        return played, None
    seed = seeds.streams(settings.run.seed, 'replay', 1)[0]
    return played, experience.make_replay_table(settings.replay, spec, seed)


def _play_here(
    settings: Settings,
    agent: Any,
    specs: Tuple[Any, Any],
    spec: Any,
    start: int,
    teacher: Optional[Any],
) -> Experience:
    """Environments and actors in this process, see `make_experience`."""

    def make_env(actor: int) -> Any:
        num_envs = settings.actors.num_envs
        env_seeds = seeds.streams(settings.run.seed, 'training', num_envs, start, actor)
        (share_seed,) = seeds.streams(settings.run.seed, 'demonstrator', 1, start, actor)
        return demonstrations.make_environment(
            settings.environment,
            settings.starcraft,
            settings.demonstrations,
            specs,
            env_seeds,
            share_seed,
            spread=True,
        )

    numbers, algorithm = settings.actors, acting.main_algorithm(settings)
    return experience.build_experience(
        acting.in_actors(algorithm, agent, numbers.num_actors, numbers.num_envs),
        spec,
        make_env,
        numbers,
        validation.largest_batch(settings)[1],
        phases.policy_version(),
        teacher,
        seeds.streams(settings.run.seed, 'actions', numbers.num_actors, start),
        algorithm.overlap(agent),
    )


def open_recordings(
    settings: Settings, specs: Tuple[Any, Any], start: int
) -> demonstrations.Recorded:
    """The recordings that the run learns from, possibly none.

    Args:
      settings: all of them.
      specs: observation and action spec.
      start: how many starts of the run there were before.

    Raises:
      UserError: if one cannot be used.
    """
    recordings = demonstrations.open_recordings(
        settings.demonstrations.demonstrations, settings.environment, specs[1]
    )
    (seed,) = seeds.streams(settings.run.seed, 'demonstrations', 1, start)
    return demonstrations.Recorded(recordings, specs, settings.actors.unroll_length, seed)
