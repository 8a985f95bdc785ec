"""The agent of an algorithm, its teacher, and its behaviour policy."""

from typing import Mapping, Optional

import tensorflow.compat.v1 as tf

from sc2impala import agents, learner
from sc2impala.agents import teacher as teacher_lib
from sc2impala.agents.agent import Agent
from sc2impala.agents.wrapper import ActingAgent, MaxStepMul, Temperature
from sc2impala.envs.vector import Specs
from sc2impala.errors import UserError
from sc2impala.learner import optimization
from sc2impala.learner.algorithm import Algorithm
from sc2impala.runtime import sessions
from sc2impala.settings.groups import AgentSettings
from sc2impala.settings.settings import Settings


def main_algorithm(settings: Settings) -> Algorithm:
    """Returns the algorithm of the main phase."""
    name = settings.training.algorithm
    return learner.load(name)(settings.algorithms[name])


def make_agent(settings: Settings, specs: Specs) -> Agent:
    """Returns the agent of a run, with the options of its algorithm; see `create_agent`.

    Args:
      settings: all of them.
      specs: observation and action spec.

    Raises:
      UserError: if the agent does not have an option.
    """
    environment = settings.environment
    return create_agent(
        settings.agent,
        specs,
        environment.max_step_mul,
        environment.agent_step_mul,
        main_algorithm(settings).agent_options(),
    )


def create_agent(
    settings: AgentSettings,
    specs: Specs,
    max_step_mul: int,
    fixed_step_mul: Optional[int],
    options: Optional[Mapping[str, object]] = None,
) -> Agent:
    """Returns the agent of a run, with its variables on the GPU if there is one.

    The variables have the same names in every graph if the agent is created first.

    Args:
      settings: name of the agent, and its options.
      specs: observation and action spec.
      max_step_mul: largest step multiplier that the agent may choose.
      fixed_step_mul: the step multiplier of every step; None lets the agent choose.
      options: further arguments of `agents.make_agent` by name, set by its algorithm.

    Raises:
      UserError: if the agent does not have an option.
    """
    try:
        agent = agents.make_agent(
            settings.agent,
            specs[0],
            specs[1],
            max_step_mul,
            fixed_step_mul,
            argument_conditioning=settings.argument_conditioning,
            value_normalisation=settings.value_normalisation,
            unit_prior=settings.unit_prior,
            unit_mask=settings.unit_mask,
            related_points=settings.related_points,
            point_logit_scale=settings.point_logit_scale,
            order_prior=None if settings.order_prior < 0 else settings.order_prior,
            ratio_bins=settings.ratio_bins,
            task_input=settings.task_input,
            separate_critic=settings.separate_critic,
            **(options or {}),
        )
    except ValueError as error:
        raise UserError(f'--{error}.') from error
    with tf.device(sessions.gpu_device()):
        agent.create_variables(specs[0])
    return agent


def make_teacher(settings: Settings, agent: Agent, specs: Specs) -> Optional[teacher_lib.Teacher]:
    """Returns the teacher that acts along with the agent; None if the loss does not use one.

    Args:
      settings: all of them.
      agent: `agents.agent.Agent`, the trained agent.
      specs: observation and action spec.
    """
    return make_copy(settings, agent, specs) if teacher_cost(settings) else None


def teacher_cost(settings: Settings) -> float:
    """Returns the weight of the teacher in the loss at the start."""
    return getattr(settings.algorithms[settings.training.algorithm], 'teacher_cost', 0.0)


def make_copy(settings: Settings, agent: Agent, specs: Specs) -> teacher_lib.Teacher:
    """Returns another agent of the same kind, as a teacher; at cost 0 it never acts."""
    total = settings.training.total_environment_frames
    schedule = optimization.Schedule(tf.train.get_or_create_global_step(), total)
    cost = main_algorithm(settings).teacher_cost(schedule)
    with tf.name_scope(teacher_lib.SCOPE):
        copy = make_agent(settings, specs)
    return teacher_lib.Teacher(copy, agent, cost)


def in_evaluation(settings: Settings, agent: Agent) -> ActingAgent:
    """Returns the policy of an evaluation or a recording: the agent or its wrapper."""
    return as_policy(settings, main_algorithm(settings).evaluated_agent(agent))


def as_policy(settings: Settings, agent: ActingAgent) -> ActingAgent:
    """Wraps the agent for `--temperature` and `--eval_max_step_mul`."""
    temperature = settings.evaluation.temperature
    return _limit_step_mul(
        settings, agent if temperature == 1.0 else Temperature(agent, temperature)
    )


def _limit_step_mul(settings: Settings, agent: ActingAgent) -> ActingAgent:
    max_step_mul = settings.evaluation.eval_max_step_mul
    return MaxStepMul(agent, max_step_mul) if max_step_mul else agent
