"""The player that acts at random."""

from typing import Dict, Mapping, Optional

import numpy as np

from sc2impala.envs.actions import ActionSpec
from sc2impala.structs import Nest


class RandomPlayer:
    """Draws an available function uniformly, and the choices of all other heads uniformly."""

    def __init__(self, action_spec: ActionSpec, rng: np.random.RandomState):
        self._heads = action_spec.heads
        self._rng = rng

    def act(
        self, observation: Mapping[str, Nest], done: Optional[np.ndarray] = None
    ) -> Dict[str, np.ndarray]:
        """Draws an action for each of K games; uses `observation['available_actions']` only.

        Returns:
          Dict of int32 [K], one entry per head of the action spec.
        """
        available = observation['available_actions']
        action = {
            head: self._rng.randint(num_choices, size=len(available), dtype=np.int32)
            for head, num_choices in self._heads.items()
        }
        # The argmax of independent uniform numbers is uniform.
        action['function'] = np.where(available, self._rng.random_sample(available.shape), -1)
        action['function'] = action['function'].argmax(axis=1).astype(np.int32)
        return action
