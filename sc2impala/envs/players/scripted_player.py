"""The base class of scripted players."""

import abc
from typing import Any, Dict, Iterable, Mapping, Optional, Tuple

import numpy as np

from sc2impala import saved_arrays
from sc2impala.envs.actions import FUNCTIONS, ActionSpec, order_of
from sc2impala.envs.players.calls import Calls
from sc2impala.envs.specs import ObservationSpec
from sc2impala.envs.vector import VectorEnvironment
from sc2impala.structs import Nest


class ScriptedPlayer(abc.ABC):
    """Acts in K games by rules on their observations.

    A subclass implements `decide` and declares its needs:

    functions: names of the PySC2 functions that it calls, including no_op.
    screen_layers, minimap_layers, vectors: names of the observations that it uses.
    initial_state: name -> value at the start of an episode, a number, tuple or array.
    intentions: names in `initial_state` that are valid only if the function of the last call was
        executed.
    optional_functions: names in `functions` that an action space may lack.

    observation_spec, action_spec: the specs passed to the constructor.
    seen_size: (width, height) of the screen in whose pixels it sees and decides; calls are rounded
        to the pixels of the action space.
    state: dict of arrays [K, ...], the current values of the state of each game.
    """

    screen_size = (84, 84)
    minimap_size = (64, 64)
    """Sizes in pixels for which scores are published; other sizes also work."""

    sees_finer_than_agent = True
    """True if its units are in finer pixels than the agent's where an agent imitates it on the
    simulator. If not, the agent can see all that its labels depend on."""

    can_skip = False
    """True if `act` can skip games whose actions are not used."""

    functions: Tuple[str, ...] = ('no_op',)
    screen_layers: Tuple[str, ...] = ()
    minimap_layers: Tuple[str, ...] = ()
    vectors: Tuple[str, ...] = ()
    initial_state: Mapping[str, Any] = {}
    intentions: Tuple[str, ...] = ()
    optional_functions: Tuple[str, ...] = ()

    def __init__(self, observation_spec: ObservationSpec, action_spec: ActionSpec):
        """Checks that the specs have everything that the rules use.

        Raises:
          ValueError: if the specs lack a function, a layer or a vector that the rules use, or fix
            an argument that they use to a value other than 0.
        """
        needed = [name for name in self.functions if name not in self.optional_functions]
        _require('functions', needed, action_spec.function_names)
        for group in ('screen_layers', 'minimap_layers'):
            given = [layer.name for layer in getattr(observation_spec, group)]
            _require(group, getattr(self, group), given)
        _require('vectors', self.vectors, observation_spec.vectors)
        self._check_fixed(action_spec.fixed_arguments)
        self.action_spec = action_spec
        self.observation_spec = observation_spec
        self.seen_size = observation_spec.units_size or observation_spec.screen_size
        self.state: Dict[str, np.ndarray] = {}
        self._intended: Dict[str, np.ndarray] = {}

    def join(self, env: VectorEnvironment, step_mul: int) -> None:  # noqa: B027
        """Prepares to play in an environment; rules need no more than its observations.

        Args:
          env: its next observation is that of the next `act`.
          step_mul: environment frames between two calls.

        Raises:
          ValueError: if the player cannot play in it.
        """

    def act(
        self,
        observation: Mapping[str, Nest],
        done: Optional[np.ndarray] = None,
        wanted: Optional[np.ndarray] = None,
    ) -> Dict[str, np.ndarray]:
        """Chooses an action for each of K games.

        Args:
          observation: arrays [K, ...] as in the observation spec.
          done: bool [K], the games whose observation is the first one of an episode; None means
            all games in the first call, and no games later.
          wanted: bool [K], the games whose actions are used, None for all; those of others may have
            any value if `can_skip`.

        Returns:
          Dict of int32 [K], one entry per head of the action spec.
        """
        available = observation['available_actions']
        self._update_state(len(available), done)
        self._intended = {name: self.state[name].copy() for name in self.intentions}
        calls = Calls(self.action_spec, available, self.seen_size)
        self.decide(observation, calls)
        return calls.encode()

    def candidates(
        self, count: int, temperature: float
    ) -> Optional[Tuple[Dict[str, np.ndarray], np.ndarray]]:
        """Returns what the last `act` has compared, None for a player that compares nothing.

        Args:
          count: M.
          temperature: of the distribution, in points of the game; a lower one is sharper.

        Returns:
          Actions, int32 [K, M] per head, the best ones first; and their distribution, float32
          [K, M], all 0 in games that were left out.
        """
        return None

    def forget(self, games: np.ndarray) -> None:
        """Resets the intentions of the last `act` in games that executed another function.

        Args:
          games: bool [K].
        """
        for name, before in self._intended.items():
            self.state[name][games] = before[games]

    def get_state(self, num_games: int) -> Dict[str, np.ndarray]:
        """Returns copies of the state of K games, including data for `forget`."""
        self._update_state(num_games, None)
        before = {name: self._intended.get(name, self.state[name]) for name in self.intentions}
        return {
            name: array.copy()
            for name, array in saved_arrays.join({'state': self.state, 'before': before}).items()
        }

    def set_state(self, state: Mapping[str, np.ndarray]) -> None:
        """Restores a state of `get_state` that the caller has checked."""
        self.state = {k: np.array(v) for k, v in saved_arrays.part(state, 'state').items()}
        self._intended = {k: np.array(v) for k, v in saved_arrays.part(state, 'before').items()}

    @abc.abstractmethod
    def decide(self, observation: Mapping[str, Nest], calls: Calls) -> None:
        """Decides the calls of all games by rules, the most urgent rule first."""

    def _update_state(self, num_games: int, done: Optional[np.ndarray]) -> None:
        """Resets the state of the games in which an episode has started."""
        fresh = {name: np.array(value) for name, value in self.initial_state.items()}
        if any(len(array) != num_games for array in self.state.values()):
            self.state = {}
        for name, value in fresh.items():
            if name not in self.state:
                self.state[name] = np.tile(value, (num_games,) + (1,) * value.ndim)
            elif done is not None:
                self.state[name][done] = value

    def _check_fixed(self, fixed: Mapping[str, int]) -> None:
        names = map(order_of, self.functions)
        used = {argument.name for name in names for argument in FUNCTIONS[name].args}
        for name in sorted(used.intersection(fixed)):
            if fixed[name] != 0:
                raise ValueError(f'fixed_arguments has {fixed[name]} for {name}, expected 0.')


def _require(argument: str, needed: Iterable[str], given: Iterable[str]) -> None:
    given = list(given)
    for name in needed:
        if name not in given:
            raise ValueError(f'{argument} is {given}, expected {name} among them.')
