"""Accounts of collected and spent resources."""

import numpy as np

from sc2impala.sim.mechanic import Mechanic
from sc2impala.sim.world import World

RATE_LOOPS = 60 * 22.4  # Frames of a minute at "faster" speed. [S] OBS
RATE_MEMORY = 60 * 16.0  # Time constant of the collection rate in frames. [U]

MINERALS, VESPENE = 0, 1


class Ledger(Mechanic):
    """The accounts of K games; the first axis is MINERALS, VESPENE.

    Attributes:
      collected, spent: int64 [2, K]; refunds reduce `spent`.
      rate: float64 [2, K], exponential average of the amount collected per RATE_LOOPS.
    """

    name = 'ledger'
    FIELDS = ('collected', 'spent', 'rate')

    def __init__(self, num_games: int):
        """Creates empty accounts of K games."""
        self.collected = np.zeros([2, num_games], np.int64)
        self.spent = np.zeros([2, num_games], np.int64)
        self.rate = np.zeros([2, num_games])

    def restart(self, world: World, games: np.ndarray) -> None:
        """See Mechanic."""
        for values in (self.collected, self.spent, self.rate):
            values[:, games] = 0

    def step(self, world: World, running: np.ndarray) -> None:
        """Decays the rates."""
        self.rate *= np.where(running, 1 - 1 / RATE_MEMORY, 1)

    def collect(
        self, world: World, games: np.ndarray, amount: np.ndarray, is_gas: np.ndarray
    ) -> None:
        """Adds resources to player 1: games and amount int [n], is_gas bool [n]."""
        for account, stock, mine in (
            (MINERALS, world.minerals, ~is_gas),
            (VESPENE, world.vespene, is_gas),
        ):
            total = np.bincount(games[mine], amount[mine], len(stock)).astype(np.int64)
            stock += total
            self.collected[account] += total
            self.rate[account] += total * (RATE_LOOPS / RATE_MEMORY)

    def pay(self, world: World, game: int, minerals: int, vespene: int) -> None:
        """Subtracts a cost from the resources of player 1; negative costs are refunds."""
        world.minerals[game] -= minerals
        world.vespene[game] -= vespene
        self.spent[MINERALS, game] += minerals
        self.spent[VESPENE, game] += vespene
