"""What a player has collected and spent."""

import numpy as np

from sc2impala.sim.mechanic import Mechanic
from sc2impala.sim.world import World

RATE_LOOPS = 60 * 22.4  # A minute as the game's players know it, at "faster" speed. [S] OBS
RATE_MEMORY = 60 * 16.0  # Loops over which a collection rate fades to 1/e. [U]

MINERALS, VESPENE = 0, 1


class Ledger(Mechanic):
    """The accounts of K games; the first axis is MINERALS, VESPENE.

    Attributes:
      collected, spent: int64 [2, K]; what is paid back counts as not spent.
      rate: float64 [2, K], collected per RATE_LOOPS, of late.
    """

    name = 'ledger'
    FIELDS = ('collected', 'spent', 'rate')

    def __init__(self, num_games: int):
        """Makes empty accounts of K games."""
        self.collected = np.zeros([2, num_games], np.int64)
        self.spent = np.zeros([2, num_games], np.int64)
        self.rate = np.zeros([2, num_games])

    def restart(self, world: World, games: np.ndarray) -> None:
        """See Mechanic."""
        for values in (self.collected, self.spent, self.rate):
            values[:, games] = 0

    def step(self, world: World, running: np.ndarray) -> None:
        """Lets the rates fade."""
        self.rate *= np.where(running, 1 - 1 / RATE_MEMORY, 1)

    def collect(
        self, world: World, games: np.ndarray, amount: np.ndarray, is_gas: np.ndarray
    ) -> None:
        """Adds to what player 1 has: games and amount int [n], is_gas bool [n]."""
        for account, stock, mine in (
            (MINERALS, world.minerals, ~is_gas),
            (VESPENE, world.vespene, is_gas),
        ):
            total = np.bincount(games[mine], amount[mine], len(stock)).astype(np.int64)
            stock += total
            self.collected[account] += total
            self.rate[account] += total * (RATE_LOOPS / RATE_MEMORY)

    def pay(self, world: World, game: int, minerals: int, vespene: int) -> None:
        """Takes away from what player 1 has in a game; gives back what is negative."""
        world.minerals[game] -= minerals
        world.vespene[game] -= vespene
        self.spent[MINERALS, game] += minerals
        self.spent[VESPENE, game] += vespene
