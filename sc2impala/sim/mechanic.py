"""Base class of mechanics: parts of the game that only some maps have, such as combat or
harvesting.

The rules of a map list the mechanics that it needs. Each mechanic has its own arrays about the
units, is notified when a slot is reused, and steps once per frame before units walk.
"""

from typing import TYPE_CHECKING, Dict, Tuple

import numpy as np

if TYPE_CHECKING:
    from sc2impala.sim.world import World


class Mechanic:
    """Base class of all mechanics; every method is optional.

    Attributes:
      name: key in `World.mechanics`.
      FIELDS: names of the arrays that belong to the state of the world.
    """

    name = ''
    FIELDS: Tuple[str, ...] = ()

    def restart(self, world: 'World', games: np.ndarray) -> None:
        """Clears all state of the games int [n], which have no units yet."""

    def forget(self, games: np.ndarray, slots: np.ndarray) -> None:
        """Clears the state of new or removed units in slots, int [n] each."""

    def step(self, world: 'World', running: np.ndarray) -> None:
        """Advances the games `running`, bool [K], by one frame."""

    def restrict(self, world: 'World', available: np.ndarray) -> None:
        """Updates `available`, bool [K, 573], the functions that can be called now.

        Clears functions whose conditions are not met and sets those that depend on more than the
        types of the selected units.
        """

    def columns(
        self, world: 'World', games: np.ndarray, slots: np.ndarray
    ) -> Dict[str, np.ndarray]:
        """Returns columns of `feature_units` for the units in slots: arrays [n] by column name.

        Args:
          world: the games.
          games, slots: int [n].
        """
        return {}
