"""A player that searches in copies of the simulated games: a teacher for agents.

    player = of_map('DefeatRoaches')(observation_spec, action_spec)
    player.join(env, step_mul=4)
    action = player.act(observation, done)

Only the simulator can copy its games. See `sim.search` for what is searched, and the map's problem
there for how.
"""

import functools
from typing import Any, Dict, Mapping, Optional, Tuple, Type

import numpy as np

from sc2impala.envs import maps
from sc2impala.envs.actions import ActionSpec, in_pairs
from sc2impala.envs.players import Calls, ScriptedPlayer
from sc2impala.envs.simulated import SimulatedEnvironment
from sc2impala.envs.specs import ObservationSpec
from sc2impala.envs.vector import VectorEnvironment
from sc2impala.structs import Nest

SCRIPTED, UNSCRIPTED, BASE_POLICY = 'search', 'search_unscripted', 'base_policy'
SEARCHES = SCRIPTED, UNSCRIPTED
NAMES = (*SEARCHES, BASE_POLICY)
"""Of the players, among the scripts of a map. In the roll-outs of the first one a script plays; the
second one knows no rules, and units carry on with their orders. The last one is the script of the
first one, without a search."""

MAPS: Dict[str, Tuple[str, ...]] = {
    'CollectMineralShards': (SCRIPTED, BASE_POLICY),
    'FindAndDefeatZerglings': (SCRIPTED, BASE_POLICY),
    'DefeatRoaches': NAMES,
    'DefeatZerglingsAndBanelings': NAMES,
    'CollectMineralsAndGas': (SCRIPTED, BASE_POLICY),
    'BuildMarines': (SCRIPTED, BASE_POLICY),
}
"""The players of the maps with a problem in `sim.search`. Where only plans of many seconds
pay off, such as buildings or tours, roll-outs need a script."""

_PAIRS: Dict[str, Tuple[str, ...]] = {
    'CollectMineralsAndGas': ('no_op', *maps.GAS_IN_PAIRS),
    'BuildMarines': ('no_op', *maps.MARINES_IN_PAIRS),
}
"""`SearchPlayer.pairs` where orders have no target, or idle workers are selected."""

_SELECTION_ARGUMENTS = 'select_point_act', 'select_add', 'select_worker'

_SCREEN_SIZES = {
    'CollectMineralShards': (16, 16),
    'CollectMineralsAndGas': (16, 16),
    'BuildMarines': (16, 16),
}
"""Screen sizes that differ from the default of the class."""


class SearchPlayer(ScriptedPlayer):
    """Chooses the call with the best mean result of roll-outs in copies of the game.

    It acts on the state of the games, not on observations, and has no state of its own. Candidates
    are calls at the pixels of the action space. In an action space of selections with orders
    `base_policy` gives both calls at once.

    map_name: the map. name: one of NAMES. pairs: the actions of a selection and an order in which
      `base_policy` plays, see `envs.actions`, and those of a single call; empty for `in_pairs`.
    select_point_act: see `sim.search.Problem`. decisions: `sim.search.Decisions` of the last `act`,
      for single calls.
    """

    map_name = ''
    name = SCRIPTED
    pairs: Tuple[str, ...] = ()
    select_point_act = 0
    screen_size = (32, 32)
    minimap_size = (32, 32)
    sees_finer_than_agent = False
    can_skip = True

    def __init__(self, observation_spec: ObservationSpec, action_spec: ActionSpec):
        """See `ScriptedPlayer`."""
        self._gives_pairs = False
        pairs = self.pairs or in_pairs(self.functions)
        if (
            self.name == BASE_POLICY
            and pairs is not None
            and set(pairs) <= set(action_spec.function_names)
        ):
            self._gives_pairs, self.functions = True, pairs
        super().__init__(observation_spec, action_spec)

    def join(self, env: VectorEnvironment, step_mul: int) -> None:
        """See `ScriptedPlayer.join`.

        Raises:
          ValueError: if the games cannot be copied, since they are not simulated.
        """
        games = env.unwrapped
        if not isinstance(games, SimulatedEnvironment):
            raise ValueError('backend has no games that can be copied, expected simulator.')
        from sc2impala.sim import search  # It imports numba.

        problem = _problems(self.name)[self.map_name]
        if self._gives_pairs:
            self._pairs: Any = search.Pairs(games.game, problem.policy_in_pairs or problem.policy)
            return
        allowed = np.zeros([search.NUM_FUNCTIONS], bool)
        # The search gives one call at a time.
        allowed[np.array(self.action_spec.functions)[~self.action_spec.selects]] = True
        self._search: Any = search.Search(games.game, problem, step_mul, allowed)

    def act(
        self,
        observation: Mapping[str, Nest],
        done: Optional[np.ndarray] = None,
        wanted: Optional[np.ndarray] = None,
    ) -> Dict[str, np.ndarray]:
        """See `ScriptedPlayer.act`; the games are in the state of the observation."""
        if wanted is None:
            wanted = np.ones([len(observation['available_actions'])], bool)
        if self._gives_pairs:
            selections, calls = self._pairs.decide(wanted)
            return to_action(self.action_spec, calls, selections)
        self.decisions = self._search.decide(wanted)
        return to_action(self.action_spec, self.decisions.calls)

    def candidates(
        self, count: int, temperature: float
    ) -> Optional[Tuple[Dict[str, np.ndarray], np.ndarray]]:
        """See `ScriptedPlayer.candidates`: a softmax of the values of different first calls."""
        if self._gives_pairs:
            return None
        decisions, margin = self.decisions, self._search.problem.margin
        calls, weights = decisions.distribution(count, temperature, margin)
        flat = to_action(self.action_spec, calls.reshape(-1))
        return {head: choice.reshape(weights.shape) for head, choice in flat.items()}, weights

    def decide(self, observation: Mapping[str, Nest], calls: Calls) -> None:
        """Not used: there are no rules."""

    def _check_fixed(self, fixed: Mapping[str, int]) -> None:
        others = dict(fixed)
        act = others.pop('select_point_act', self.select_point_act)
        if act != self.select_point_act:
            raise ValueError(
                f'fixed_arguments has {act} for select_point_act, expected {self.select_point_act}.'
            )
        super()._check_fixed(others)


def to_action(
    action_spec: ActionSpec, calls: np.ndarray, selections: Optional[np.ndarray] = None
) -> Dict[str, np.ndarray]:
    """Converts calls of the simulator to a batch of actions: int32 [K] by head.

    Args:
      action_spec: the action space.
      calls: CALL [K].
      selections: CALL [K], the calls before them, no_op for none; None for none at all.
    """
    arguments = {}
    for head in action_spec.argument_heads:
        is_point = head + '_x' in (calls.dtype.names or ())
        fields = (head + '_x', head + '_y') if is_point else (head,)
        values = np.stack([calls[field] for field in fields], axis=-1)
        arguments[head] = values if is_point else values[:, 0]
    before = None
    if selections is not None:
        of_first = {name: selections[name] for name in _SELECTION_ARGUMENTS}
        of_first['screen'] = np.stack([selections['screen_x'], selections['screen_y']], axis=-1)
        before = selections['function'], of_first
    return action_spec.encode(calls['function'], arguments, before)


@functools.lru_cache(maxsize=None)
def of_map(map_name: str, name: str = SCRIPTED) -> Optional[Type[ScriptedPlayer]]:
    """Returns the class of a player of a map, None if the map does not have it.

    Args:
      map_name: the map.
      name: one of NAMES.
    """
    if name not in MAPS.get(map_name, ()):
        return None
    problem = _problems(name)[map_name]
    about = {
        'map_name': map_name,
        'name': name,
        'functions': problem.functions,
        'pairs': _PAIRS.get(map_name, ()),
        'select_point_act': problem.select_point_act,
        'screen_size': _SCREEN_SIZES.get(map_name, SearchPlayer.screen_size),
    }
    return type('SearchPlayer', (SearchPlayer,), about)


def _problems(name: str) -> Mapping[str, Any]:
    from sc2impala.sim import search  # It imports numba.

    if name == BASE_POLICY:
        return search.BASE_POLICIES
    return search.UNSCRIPTED if name == UNSCRIPTED else search.PROBLEMS
