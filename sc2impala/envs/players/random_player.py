"""The player that leaves everything to chance."""

from typing import Any, Dict, Mapping, Optional

import numpy as np

from sc2impala.envs.actions import ActionSpec


class RandomPlayer:
    """Draws one of the available functions uniformly, then its arguments uniformly."""

    def __init__(self, action_spec: ActionSpec, rng: np.random.RandomState):
        self._heads = action_spec.heads
        self._rng = rng

    def act(
        self, observation: Mapping[str, Any], done: Optional[np.ndarray] = None
    ) -> Dict[str, np.ndarray]:
        """Needs only `observation['available_actions']`, bool [K, F]."""
        available = observation['available_actions']
        action = {
            head: self._rng.randint(num_choices, size=len(available), dtype=np.int32)
            for head, num_choices in self._heads.items()
        }
        # The largest of independent uniform numbers is each of them with equal probability.
        action['function'] = np.where(available, self._rng.random_sample(available.shape), -1)
        action['function'] = action['function'].argmax(axis=1).astype(np.int32)
        return action
