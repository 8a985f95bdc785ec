"""The start policy that the settings of a training ask for."""

from typing import Any, Optional, Tuple

import tensorflow.compat.v1 as tf

from sc2impala.agents import teacher as teacher_lib
from sc2impala.learner import optimization
from sc2impala.runtime import acting, phase_evaluation, seeds, start_policy
from sc2impala.settings.settings import Settings


def make_teacher(
    settings: Settings, agent: Any, specs: Tuple[Any, Any]
) -> Optional[teacher_lib.Teacher]:
    """The teacher that plays beside the agent; None if the loss has no use for one.

    Args:
      settings: all of them.
      agent: `agents.agent.Agent` that is trained.
      specs: observation and action spec.
    """
    if not _teacher_cost(settings):
        return None
    return _make_copy(settings, agent, specs)


def make_start_policy(
    settings: Settings, agent: Any, specs: Tuple[Any, Any]
) -> Optional[start_policy.StartPolicy]:
    """The teacher and the choice among the models of cloning; None if there is use for neither.

    Args:
      settings: all of them.
      agent: `agents.agent.Agent` that is trained.
      specs: observation and action spec.
    """
    environment, cloning = settings.environment, settings.algorithms['cloning']
    is_selected = bool(cloning.num_cloning_frames and cloning.phase_evaluations)
    if not is_selected and not _teacher_cost(settings):
        return None
    made = start_policy.StartPolicy(_make_copy(settings, agent, specs), None)
    if not is_selected:
        return made
    env_seeds = seeds.streams(
        settings.run.seed, 'phase_evaluation', cloning.phase_evaluation_episodes
    )
    evaluate_agent = phase_evaluation.on_simulator(
        acting.as_policy(settings, agent),
        specs,
        environment.map_name,
        environment.longest_step,
        env_seeds,
        dict(environment.simulator_rules),
    )
    num_frames, num_evaluations = cloning.num_cloning_frames, cloning.phase_evaluations
    return made._replace(
        selection=start_policy.Selection(evaluate_agent, made.teacher, num_frames, num_evaluations)
    )


def _teacher_cost(settings: Settings) -> float:
    """Weight of the teacher in the loss at the start."""
    return getattr(settings.algorithms[settings.training.algorithm], 'teacher_cost', 0.0)


def _make_copy(settings: Settings, agent: Any, specs: Tuple[Any, Any]) -> teacher_lib.Teacher:
    """Another agent of the same kind, as a teacher; it never acts if its cost is 0."""
    total = settings.training.total_environment_frames
    schedule = optimization.Schedule(tf.train.get_or_create_global_step(), total)
    cost = acting.main_algorithm(settings).teacher_cost(schedule)
    return start_policy.make_teacher(lambda: acting.make_agent(settings, specs), agent, cost)
