"""Players that do not learn: the random one, and PySC2's scripted ones.

A player has `act(observation)`: a batch of K observations in, one action for each out, as a dict of
int32 [K]. How many game loops go by until its next action is not its choice.
"""

from typing import Any, Dict, Mapping

import numpy as np

from sc2impala.envs.actions import FUNCTIONS, ActionSpec
from sc2impala.envs.specs import ObservationSpec

_NEUTRAL = 3
"""The value of the layer player_relative where a beacon or a mineral shard is."""


class RandomPlayer:
    """Draws one of the available functions uniformly, then its arguments uniformly."""

    def __init__(self, action_spec: ActionSpec, rng: np.random.RandomState):
        self._heads = action_spec.heads
        self._rng = rng

    def act(self, observation: Mapping[str, Any]) -> Dict[str, np.ndarray]:
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


class MoveToBeaconPlayer:
    """Selects the marine, then sends it to the centre of the beacon: the rule of PySC2's agent."""

    def __init__(self, observation_spec: ObservationSpec, action_spec: ActionSpec):
        """Looks for what the rule needs.

        Raises:
          ValueError: if the specs lack a function or the layer that it needs.
        """
        needed = ('no_op', 'select_army', 'Move_screen')
        _require('functions', needed, action_spec.function_names)
        layers = [layer.name for layer in observation_spec.screen_layers]
        _require('screen_layers', ('player_relative',), layers)
        self._action_spec = action_spec
        self._no_op, self._select_army, self._move = (int(FUNCTIONS[name].id) for name in needed)
        self._move_index = action_spec.functions.index(self._move)

    def act(self, observation: Mapping[str, Any]) -> Dict[str, np.ndarray]:
        """Needs `available_actions` and the screen layer `player_relative`."""
        beacon = observation['screen']['player_relative'] == _NEUTRAL
        selected = observation['available_actions'][:, self._move_index]
        in_sight = beacon.any(axis=(1, 2))
        function_ids = np.where(
            selected, np.where(in_sight, self._move, self._no_op), self._select_army
        )
        return self._action_spec.encode(function_ids, {'screen': _centres(beacon)})


SCRIPTED_PLAYERS = {'MoveToBeacon': MoveToBeaconPlayer}
"""The scripted player of each map that has one."""


def _require(argument, needed, given):
    for name in needed:
        if name not in given:
            raise ValueError(f'{argument} is {list(given)}, expected {name} among them.')


def _centres(mask):
    """The mean pixel (x, y) of each mask: bool [K, H, W] -> int32 [K, 2], (0, 0) where empty."""
    num_pixels = np.maximum(mask.sum(axis=(1, 2)), 1)
    x = mask.sum(axis=1).dot(np.arange(mask.shape[2])) / num_pixels
    y = mask.sum(axis=2).dot(np.arange(mask.shape[1])) / num_pixels
    return np.stack([x, y], axis=1).round().astype(np.int32)
