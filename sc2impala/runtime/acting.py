"""How an agent plays under the algorithm that trains it: from its policy, or by action values."""

from typing import Any, List

from sc2impala import learner
from sc2impala.agents.epsilon_greedy import EpsilonGreedy
from sc2impala.settings.settings import Settings


def main_algorithm(settings: Settings) -> Any:
    """The `learner.algorithm.Algorithm` of the training, after all pre-training."""
    name = settings.training.algorithm
    return learner.load(name)(settings.algorithms[name])


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
        EpsilonGreedy(agent, epsilons[actor * num_envs : (actor + 1) * num_envs])
        for actor in range(num_actors)
    ]


def in_evaluation(settings: Settings, agent: Any) -> Any:
    """What an evaluation or a recording plays with in the place of `agents.agent.Agent`."""
    algorithm = main_algorithm(settings)
    if not algorithm.learns_values:
        return agent
    return EpsilonGreedy(agent, [algorithm.evaluation_epsilon()])
