"""CollectMineralsAndGas: a second command centre, then as many workers as possible, on minerals.

The rules of two published agents. Both build the command centre when they have more minerals than
it costs, send every idle worker to a mineral field, and never harvest gas.
"""

import itertools
from typing import Sequence

import numpy as np

from sc2impala.envs.players.economy import Economy
from sc2impala.envs.players.tactics import Tactic, TacticsPlayer
from sc2impala.envs.players.unit_types import (
    COMMAND_CENTER,
    COST,
    SCV,
    SUPPLY_DEPOT,
)

MINERALS_TO_EXPAND = 450
MAX_DEPOTS = 3


class FirstWorkerPlayer(TacticsPlayer):
    """The rule of the agent LH: the first worker constructs all buildings."""

    functions = (
        'no_op',
        'select_point',
        'select_idle_worker',
        'Harvest_Gather_screen',
        'Train_SCV_quick',
        'Build_SupplyDepot_screen',
        'Build_CommandCenter_screen',
    )
    depot_sites = np.array(list(itertools.product((20, 28, 36, 42, 50), (6, 12, 20, 48, 56))))

    def tactics(self, economy: Economy) -> Sequence[Tactic]:
        """See `TacticsPlayer.tactics`."""
        centres = economy.number(COMMAND_CENTER)
        depots = economy.number(SUPPLY_DEPOT)
        idle = economy.idle(SCV)
        expand = (economy.minerals >= MINERALS_TO_EXPAND) & (centres < 2)
        supply = (
            (economy.minerals >= COST[SUPPLY_DEPOT])
            & (depots < MAX_DEPOTS)
            & (centres >= 2)
            & (economy.food_left == 0)
        )
        train = (economy.minerals >= COST[SCV]) & (economy.food_left > 0) & (centres > 0)
        builder = economy.first(self._builders(economy))
        mineral = economy.some_field()
        centre = economy.least_busy(COMMAND_CENTER)
        return (
            Tactic('Build_CommandCenter_screen', expand, builder, self._beside_centre(economy)),
            Tactic(
                'Build_SupplyDepot_screen', supply, builder, self.site(self.depot_sites, depots)
            ),
            Tactic('Harvest_Gather_screen', idle.any(axis=1), None, mineral),
            Tactic('Train_SCV_quick', train, centre, None),
        )

    def _builders(self, economy: Economy) -> np.ndarray:
        """Returns the workers, bool [K, N], of which the first one builds."""
        return economy.builders()

    def _beside_centre(self, economy: Economy) -> np.ndarray:
        """Returns pixels [K, 2] one diameter left or right of the command centre.

        The side is that of the farther border of the screen.
        """
        units = economy.units
        first = economy.all(COMMAND_CENTER).argmax(axis=1)
        x, y = units.pixel_of(first).T
        diameter = 2 * units.column('radius')[np.arange(len(first)), first]
        # A coarser pixel of the action space must not bring the site nearer to the minerals.
        distance = diameter - (self.seen_size[0] // self.action_spec.screen_size[0]) // 2
        on_the_left = x < self.seen_size[0] / 2
        return np.stack([np.where(on_the_left, x + distance, x - distance), y], axis=1)


class IdleWorkerPlayer(FirstWorkerPlayer):
    """The rule of the agent LZ: an idle worker builds, if there is one; other sites for depots."""

    depot_sites = np.array(list(itertools.product((22, 30, 38, 46), (12, 20, 46, 54))))

    def _builders(self, economy: Economy) -> np.ndarray:
        idle = economy.idle(SCV)
        return np.where(idle.any(axis=1, keepdims=True), idle, economy.builders())
