"""How an agent plays under the algorithm that trains it: from its policy, or by action values."""

from typing import Any, List

from sc2impala.agents.epsilon_greedy import EpsilonGreedy


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


def in_evaluation(algorithm: Any, agent: Any) -> Any:
    """What an evaluation or a recording plays with; the arguments are those of `in_actors`."""
    if not algorithm.learns_values:
        return agent
    return EpsilonGreedy(agent, [algorithm.evaluation_epsilon()])
