"""Wrapper that changes the sampling temperature of an agent."""

from typing import Any, Mapping, Optional, Tuple

import tensorflow.compat.v1 as tf

from sc2impala import structs
from sc2impala.agents.agent import Agent
from sc2impala.agents.wrapper import ActingAgent, AgentWrapper
from sc2impala.structs import Nest


class Temperature(AgentWrapper):
    """Samples the actions of an agent with another temperature.

    Every choice is sampled from softmax(logits / temperature): below 1 the policy is more
    deterministic than the agent, towards 0 it is the greedy one; above 1 it is more random.
    """

    _agent: Agent

    def __init__(self, agent: ActingAgent, temperature: float):
        """Args:
        agent: `agents.agent.Agent`.
        temperature: more than 0.

        Raises:
          ValueError: if the temperature is not positive, or the agent is wrapped already.
        """
        if temperature <= 0:
            raise ValueError(f'temperature is {temperature}, expected more than 0')
        if isinstance(agent, AgentWrapper):
            raise ValueError(f'{type(agent).__name__} cannot have a temperature')
        super().__init__(agent)
        self._temperature = temperature

    def act(
        self,
        inputs: Tuple[Mapping[str, tf.Tensor], structs.EnvOutput],
        prev_state: Nest,
        greedy: bool = False,
        given: Optional[Mapping[str, tf.Tensor]] = None,
        seed: Optional[tf.Tensor] = None,
    ) -> Tuple[structs.AgentOutput, Any]:
        """One step, see `Agent.act`; a greedy one does not depend on the temperature."""
        return self._agent.act(
            inputs, prev_state, greedy, given, seed, temperature=self._temperature
        )
