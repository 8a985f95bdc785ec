"""One function call for each game of a batch, decided by rules in the order of their urgency."""

from typing import Any, Dict

import numpy as np

from sc2impala.envs.actions import FUNCTIONS, ActionSpec

_NO_OP = int(FUNCTIONS.no_op.id)


class Calls:
    """K calls to be; a game whose call no rule decides does nothing.

    undecided: bool [K], the games that wait for a rule.
    """

    def __init__(self, action_spec: ActionSpec, available: np.ndarray):
        """Args:
        action_spec: how a call is spelt; no_op is one of its functions.
        available: bool [K, F], which of its functions can be called.
        """
        self.undecided = np.ones([len(available)], bool)
        self._action_spec = action_spec
        self._available = available
        self._function_ids = np.full([len(available)], _NO_OP)
        self._arguments = {}

    def can(self, function: str) -> np.ndarray:
        """In which games a function can be called: bool [K]."""
        return self._available[:, self._action_spec.functions.index(FUNCTIONS[function].id)]

    def choose(self, where: np.ndarray, function: str, **arguments: Any) -> np.ndarray:
        """Decides undecided games, unless the function cannot be called there.

        Args:
          where: bool [K], where the rule applies.
          function: name of a PySC2 function.
          **arguments: by PySC2's names, ints or [K], points (x, y) or [K, 2]; points outside the
            picture are moved to its border.

        Returns:
          bool [K], the games that have been decided.
        """
        chosen = where & self.undecided & self.can(function)
        self.undecided &= ~chosen
        self._function_ids[chosen] = FUNCTIONS[function].id
        for name, value in arguments.items():
            size = self._picture_size(name)
            shape = chosen.shape if size is None else chosen.shape + (2,)
            values = self._arguments.setdefault(name, np.zeros(shape, np.int32))
            given = np.broadcast_to(value, shape)[chosen]
            values[chosen] = given if size is None else np.clip(given, 0, np.array(size) - 1)
        return chosen

    def encode(self) -> Dict[str, np.ndarray]:
        """The calls as actions: dict of int32 [K]."""
        return self._action_spec.encode(self._function_ids, self._arguments)

    def _picture_size(self, argument):
        """Size in pixels of what the argument is a point of, or None."""
        if argument == 'minimap':
            return self._action_spec.minimap_size
        return self._action_spec.screen_size if argument in ('screen', 'screen2') else None
