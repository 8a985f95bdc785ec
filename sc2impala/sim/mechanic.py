"""What a mechanic is: a part of the game that only some maps have, such as fighting or harvesting.

A map's rules name the mechanics it needs. Each keeps its own arrays about the units, is told when a
slot changes hands, and acts once per game loop before units walk.
"""

from typing import TYPE_CHECKING, Dict, Tuple

import numpy as np

if TYPE_CHECKING:
    from sc2impala.sim.world import World


class Mechanic:
    """Base of all mechanics; every method may be left out.

    name: by which `World.mechanics` knows it. FIELDS: names of the arrays that a restart needs.
    """

    name = ''
    FIELDS: Tuple[str, ...] = ()

    def restart(self, world: 'World', games: np.ndarray) -> None:
        """Clears everything for the games int [n], which have no units yet."""

    def forget(self, games: np.ndarray, slots: np.ndarray) -> None:
        """Clears what is known of the units in slots, int [n] each: they are new, or gone."""

    def step(self, world: 'World', running: np.ndarray) -> None:
        """Acts for one game loop in the games `running`, bool [K]."""

    def restrict(self, world: 'World', available: np.ndarray) -> None:
        """Takes functions that cannot be called now out of `available`, bool [K, 573], and adds
        those that depend on more than the types of what is selected.
        """

    def columns(
        self, world: 'World', games: np.ndarray, slots: np.ndarray
    ) -> Dict[str, np.ndarray]:
        """What is known of the units in slots, int [n] each, for columns of `feature_units`."""
        return {}
