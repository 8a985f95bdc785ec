"""One function call per game of a batch, decided by rules in decreasing order of priority."""

from typing import Dict, Optional, Sequence, Tuple, Union

import numpy as np

from sc2impala.envs.actions import FUNCTIONS, ActionSpec

_NO_OP = int(FUNCTIONS.no_op.id)


class Calls:
    """The next calls of K games; a game for which no rule decides calls no_op.

    undecided: bool [K], the games for which no rule has decided yet.
    """

    def __init__(
        self,
        action_spec: ActionSpec,
        available: np.ndarray,
        screen_size: Optional[Tuple[int, int]] = None,
    ):
        """Starts with all games undecided.

        Args:
          action_spec: the action space; no_op must be one of its functions.
          available: bool [K, F], which of its functions can be called.
          screen_size: (width, height) of the screen in whose pixels its points are given; None for
            the action space's.
        """
        self._screen_size = screen_size or action_spec.screen_size
        self.undecided = np.ones([len(available)], bool)
        self._action_spec = action_spec
        self._available = available
        self._function_ids = np.full([len(available)], _NO_OP)
        self._arguments: Dict[str, np.ndarray] = {}

    def can(self, function: str) -> np.ndarray:
        """Returns in which games a function can be called, none if there is no such function.

        Returns:
          bool [K].
        """
        if function not in self._action_spec.function_names:
            return np.zeros_like(self.undecided)
        return self._available[:, self._action_spec.function_names.index(function)]

    def choose(
        self, where: np.ndarray, function: str, **arguments: Union[int, Sequence[int], np.ndarray]
    ) -> np.ndarray:
        """Decides the calls of undecided games in which the function can be called.

        Args:
          where: bool [K], where the rule applies.
          function: name of a PySC2 function.
          **arguments: by PySC2's names, int or [K]; for points (x, y) or [K, 2], which are clipped
            to the screen or minimap.

        Returns:
          bool [K], the games that this call has decided.
        """
        chosen = where & self.undecided & self.can(function)
        self.undecided &= ~chosen
        self._function_ids[chosen] = FUNCTIONS[function].id
        for name, value in arguments.items():
            size = self._image_size(name)
            shape = chosen.shape if size is None else chosen.shape + (2,)
            values = self._arguments.setdefault(name, np.zeros(shape, np.int32))
            given = np.broadcast_to(value, shape)[chosen]
            values[chosen] = given if size is None else self._to_pixel(name, given, np.array(size))
        return chosen

    def encode(self) -> Dict[str, np.ndarray]:
        """Returns the calls as actions: dict of int32 [K]."""
        return self._action_spec.encode(self._function_ids, self._arguments)

    def _to_pixel(self, argument: str, point: np.ndarray, size: np.ndarray) -> np.ndarray:
        """Returns the pixels of an image of the action space that points (x, y) are in."""
        if argument != 'minimap':
            point = np.floor((np.trunc(point) + 0.5) * size / self._screen_size)
        return np.clip(point, 0, size - 1)

    def _image_size(self, argument: str) -> Optional[Tuple[int, int]]:
        """Returns (width, height) of the image that a point argument refers to, or None."""
        if argument == 'minimap':
            return self._action_spec.minimap_size
        return self._action_spec.screen_size if argument in ('screen', 'screen2') else None
