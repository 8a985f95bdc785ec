"""A critic with a network of its own: torso and core of the agent once more, and a baseline.

What the critic learns then cannot change the policy, and its gradient does not compete with the
policy's, at the cost of twice the computation. Scheller et al. (2020, arXiv 2003.06066) train such
agents in ObtainDiamond.

K is the number of environments, T the unroll length plus one, B the batch of the learner.
"""

from typing import Any, Callable, Mapping, Union

import sonnet as snt
import tensorflow.compat.v1 as tf

from sc2impala.agents.heads import Heads
from sc2impala.agents.recurrent import Features
from sc2impala.structs import Nest

SCOPE = 'critic'
"""Name scope of the variables."""


class SeparateCritic(snt.Module):
    """A recurrent network whose only output is the baseline."""

    def __init__(
        self, torso: Callable[..., Features], core: Any, heads: Any, name: str = 'separate_critic'
    ):
        """Args:
        torso, core: as in `agents.agent.Agent`.
        heads: `agents.heads.Heads`, of which the hidden layer and the baseline are used, or other
          heads, whose baseline is used.
        """
        super().__init__(name=name)
        self._torso = torso
        self._core = core
        self._heads = heads

    def initial_state(self, batch_size: Union[int, tf.Tensor]) -> Nest:
        """Returns the state at the start of an episode, for `batch_size` columns."""
        return self._core.initial_state(batch_size)

    def unroll(
        self,
        observation: Mapping[str, Nest],
        last_function: tf.Tensor,
        done: tf.Tensor,
        state: Nest,
    ) -> tuple:
        """Computes the baseline over time, with a reset of the state where `done` is set.

        Args:
          observation: observation of [T, B].
          last_function: float32 [T, B, F], one-hot.
          done: bool [T, B].
          state: recurrent state before the first step.

        Returns:
          The baseline, float32 [T, B], or [T, B, number of maps] if it has an output for each; and
          the state after the last step.
        """
        features = snt.BatchApply(self._torso)(observation, last_function)
        features, state = self._core.unroll(features, done, state)
        return snt.BatchApply(self._baseline)(features), state

    def _baseline(self, features: Features) -> tf.Tensor:
        if isinstance(self._heads, Heads):
            return self._heads.baseline(self._heads.hidden(features))
        return self._heads(features).baseline
