"""The agent that an algorithm trains, its teacher, and how it acts: by policy or by values."""

from typing import Any, List, Optional, Tuple

import tensorflow.compat.v1 as tf

from sc2impala import learner
from sc2impala.agents import teacher as teacher_lib
from sc2impala.agents.agent import Agent
from sc2impala.agents.epsilon_greedy import EpsilonGreedy
from sc2impala.agents.paced import Paced
from sc2impala.agents.tempered import Tempered
from sc2impala.learner import optimization
from sc2impala.runtime import graph
from sc2impala.settings.settings import Settings


def main_algorithm(settings: Settings) -> Any:
    """The `learner.algorithm.Algorithm` of the training, after all pre-training."""
    name = settings.training.algorithm
    return learner.load(name)(settings.algorithms[name])


def make_agent(settings: Settings, specs: Tuple[Any, Any]) -> Agent:
    """The agent of a run, with the heads that its algorithm needs; see `graph.make_agent`.

    Args:
      settings: all of them.
      specs: observation and action spec.

    Raises:
      UserError: if the agent does not have an option.
    """
    environment = settings.environment
    return graph.make_agent(
        settings.agent,
        specs,
        environment.max_step_mul,
        environment.agent_step_mul,
        main_algorithm(settings).bootstrap_heads,
    )


def make_teacher(
    settings: Settings, agent: Any, specs: Tuple[Any, Any]
) -> Optional[teacher_lib.Teacher]:
    """Returns the teacher that acts along with the agent; None if the loss has no use for one.

    Args:
      settings: all of them.
      agent: `agents.agent.Agent` that is trained.
      specs: observation and action spec.
    """
    return make_copy(settings, agent, specs) if teacher_cost(settings) else None


def teacher_cost(settings: Settings) -> float:
    """Returns the weight of the teacher in the loss at the start."""
    return getattr(settings.algorithms[settings.training.algorithm], 'teacher_cost', 0.0)


def make_copy(settings: Settings, agent: Any, specs: Tuple[Any, Any]) -> teacher_lib.Teacher:
    """Returns another agent of the same kind, as a teacher; it never acts if its cost is 0."""
    total = settings.training.total_environment_frames
    schedule = optimization.Schedule(tf.train.get_or_create_global_step(), total)
    cost = main_algorithm(settings).teacher_cost(schedule)
    with tf.name_scope(teacher_lib.SCOPE):
        copy = make_agent(settings, specs)
    return teacher_lib.Teacher(copy, agent, cost)


def in_actors(algorithm: Any, agent: Any, num_actors: int, num_envs: int) -> List[Any]:
    """What each actor plays with.

    Args:
      algorithm: `learner.algorithm.Algorithm`.
      agent: `agents.agent.Agent`.
      num_actors: of this process.
      num_envs: games of each.
    """
    epsilons = list(algorithm.epsilons(num_actors * num_envs))
    if not epsilons:
        return [agent] * num_actors
    return [
        EpsilonGreedy(
            agent, epsilons[actor * num_envs : (actor + 1) * num_envs], follows_episodes=True
        )
        for actor in range(num_actors)
    ]


def in_evaluation(settings: Settings, agent: Any) -> Any:
    """What an evaluation or a recording plays with in the place of `agents.agent.Agent`."""
    algorithm = main_algorithm(settings)
    if not algorithm.settings.LEARNS_VALUES:
        return as_policy(settings, agent)
    return _paced(settings, EpsilonGreedy(agent, [algorithm.evaluation_epsilon()]))


def as_policy(settings: Settings, agent: Any) -> Any:
    """The agent that samples with `--temperature`, in steps of `--eval_max_step_mul` at most."""
    temperature = settings.evaluation.temperature
    return _paced(settings, agent if temperature == 1.0 else Tempered(agent, temperature))


def _paced(settings: Settings, agent: Any) -> Any:
    max_step_mul = settings.evaluation.eval_max_step_mul
    return Paced(agent, max_step_mul) if max_step_mul else agent
