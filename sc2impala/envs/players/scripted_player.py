"""What all scripted players have in common: their needs, their memory, and how they act."""

import abc
from typing import Any, Dict, Iterable, Mapping, Optional, Tuple

import numpy as np

from sc2impala.envs.actions import FUNCTIONS, ActionSpec
from sc2impala.envs.players.calls import Calls
from sc2impala.envs.specs import ObservationSpec


class ScriptedPlayer(abc.ABC):
    """Plays K games by rules that look at their observations.

    A subclass implements `decide`, and names what it needs:

    functions: names of PySC2 functions that it calls, no_op among them.
    screen_layers, minimap_layers, vectors: names of what it looks at.
    remembers: name -> value at the beginning of an episode, a number or a tuple of numbers.

    observation_spec, action_spec: as given. memory: dict of arrays [K, ...], what was remembered of
    each game.
    """

    screen_size = (84, 84)
    minimap_size = (64, 64)
    """Sizes in pixels that scores are published for; every other size will do."""

    functions: Tuple[str, ...] = ('no_op',)
    screen_layers: Tuple[str, ...] = ()
    minimap_layers: Tuple[str, ...] = ()
    vectors: Tuple[str, ...] = ()
    remembers: Mapping[str, Any] = {}

    def __init__(self, observation_spec: ObservationSpec, action_spec: ActionSpec):
        """Looks for what the rules need.

        Raises:
          ValueError: if the specs lack a function, a layer or a vector that they need, or fix an
            argument to something else than 0, which is what they all are but for points.
        """
        _require('functions', self.functions, action_spec.function_names)
        for group in ('screen_layers', 'minimap_layers'):
            given = [layer.name for layer in getattr(observation_spec, group)]
            _require(group, getattr(self, group), given)
        _require('vectors', self.vectors, observation_spec.vectors)
        self._check_fixed(action_spec.fixed_arguments)
        self.action_spec = action_spec
        self.observation_spec = observation_spec
        self.memory: Dict[str, np.ndarray] = {}

    def act(
        self, observation: Mapping[str, Any], done: Optional[np.ndarray] = None
    ) -> Dict[str, np.ndarray]:
        """Chooses an action for each of K games.

        Args:
          observation: arrays [K, ...], as the observation spec says.
          done: bool [K], the games whose observation is the first one of an episode; None stands
            for all of them at the first call, and for none later.

        Returns:
          dict of int32 [K].
        """
        available = observation['available_actions']
        self._recall(len(available), done)
        calls = Calls(self.action_spec, available)
        self.decide(observation, calls)
        return calls.encode()

    @abc.abstractmethod
    def decide(self, observation: Mapping[str, Any], calls: Calls) -> None:
        """Decides calls by the rules, the most urgent one first."""

    def _recall(self, num_games, done):
        """Begins with a fresh memory where an episode has begun."""
        fresh = {name: np.array(value) for name, value in self.remembers.items()}
        if any(len(array) != num_games for array in self.memory.values()):
            self.memory = {}
        for name, value in fresh.items():
            if name not in self.memory:
                self.memory[name] = np.tile(value, (num_games,) + (1,) * value.ndim)
            elif done is not None:
                self.memory[name][done] = value

    def _check_fixed(self, fixed):
        used = {argument.name for name in self.functions for argument in FUNCTIONS[name].args}
        for name in sorted(used.intersection(fixed)):
            if fixed[name] != 0:
                raise ValueError(f'fixed_arguments has {fixed[name]} for {name}, expected 0.')


def _require(argument: str, needed: Iterable[str], given: Iterable[str]) -> None:
    given = list(given)
    for name in needed:
        if name not in given:
            raise ValueError(f'{argument} is {given}, expected {name} among them.')
