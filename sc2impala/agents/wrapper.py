"""What acts in the place of an agent, with its variables."""

from typing import Any, List

import tensorflow.compat.v1 as tf

from sc2impala import structs


class StandIn:
    """The base of those that play an agent in another way; they define `act`, see `Agent.act`."""

    def __init__(self, agent: Any):
        """Args:
        agent: `agents.agent.Agent`.
        """
        self._agent = agent

    @property
    def weights(self) -> List[tf.Variable]:
        """Those of the agent."""
        return self._agent.weights

    def initial_state(self, batch_size: Any) -> Any:
        """See `Agent.initial_state`."""
        return self._agent.initial_state(batch_size)

    def output_spec(self) -> structs.AgentOutput:
        """See `Agent.output_spec`."""
        return self._agent.output_spec()
