"""Wrapper that limits the step multiplier of an agent."""

from typing import Any, Mapping, Optional, Tuple

import tensorflow.compat.v1 as tf

from sc2impala import structs
from sc2impala.agents.wrapper import ActingAgent, AgentWrapper
from sc2impala.structs import Nest


class MaxStepMul(AgentWrapper):
    """Limits the step multiplier of an agent, so that it acts more often than in training.

    With a limit of 2, an agent that learned with steps of 4 frames observes the game twice as often
    with the same policy. Its recurrent state has twice as many steps in a second.
    """

    def __init__(self, agent: ActingAgent, max_step_mul: int):
        """Args:
        agent: what is wrapped.
        max_step_mul: the largest number of environment frames of a step, at least 1.

        Raises:
          ValueError: if it is less than 1.
        """
        if max_step_mul < 1:
            raise ValueError(f'max_step_mul is {max_step_mul}, expected at least 1')
        super().__init__(agent)
        self._max_step_mul = max_step_mul

    def act(
        self,
        inputs: Tuple[Mapping[str, tf.Tensor], structs.EnvOutput],
        prev_state: Nest,
        greedy: bool = False,
        given: Optional[Mapping[str, tf.Tensor]] = None,
        seed: Optional[tf.Tensor] = None,
    ) -> Tuple[structs.AgentOutput, Any]:
        """One step, see `Agent.act`; only the step multiplier of the output may differ."""
        output, state = self._agent.act(inputs, prev_state, greedy, given, seed)
        return output._replace(step_mul=tf.minimum(output.step_mul, self._max_step_mul)), state
