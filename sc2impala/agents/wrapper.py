"""Base class of agent wrappers."""

import abc
from typing import Any, List, Mapping, Optional, Tuple, Union

import tensorflow.compat.v1 as tf

from sc2impala import structs
from sc2impala.agents.agent import Agent
from sc2impala.structs import Nest


class AgentWrapper(abc.ABC):
    """Acts instead of an agent, with its variables, in another way."""

    def __init__(self, agent: 'ActingAgent'):
        """Args:
        agent: what is wrapped.
        """
        self._agent = agent

    @property
    def weights(self) -> List[tf.Variable]:
        """Those of the agent."""
        return self._agent.weights

    def initial_state(self, batch_size: Union[int, tf.Tensor]) -> Any:
        """See `Agent.initial_state`."""
        return self._agent.initial_state(batch_size)

    def output_spec(self) -> structs.AgentOutput:
        """See `Agent.output_spec`."""
        return self._agent.output_spec()

    @abc.abstractmethod
    def act(
        self,
        inputs: Tuple[Mapping[str, tf.Tensor], structs.EnvOutput],
        prev_state: Nest,
        greedy: bool = False,
        given: Optional[Mapping[str, tf.Tensor]] = None,
        seed: Optional[tf.Tensor] = None,
    ) -> Tuple[structs.AgentOutput, Any]:
        """One step, see `Agent.act`."""


ActingAgent = Union[Agent, AgentWrapper]
"""An agent or a wrapper of one: what acts in actors and evaluations."""
