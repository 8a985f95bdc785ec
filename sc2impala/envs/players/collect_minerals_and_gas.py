"""CollectMineralsAndGas: a second command centre, then as many workers as possible.

The rules of two published agents, and a build order. Both agents build the command centre when they
have more minerals than it costs, send every idle worker to a mineral field, and never harvest gas.
"""

import itertools
from typing import Sequence, Tuple

import numpy as np

from sc2impala.envs.players import sight
from sc2impala.envs.players.build_order import BuildOrderPlayer, Town, first_missing
from sc2impala.envs.players.economy import Economy
from sc2impala.envs.players.tactics import Tactic, TacticsPlayer
from sc2impala.envs.players.unit_types import (
    COMMAND_CENTER,
    COST,
    REFINERY,
    SCV,
    SUPPLY_DEPOT,
    VESPENE_GEYSER,
)

MINERALS_TO_EXPAND = 450
MAX_DEPOTS = 3

WORKERS_PER_REFINERY = 3
WORKERS_BEFORE_GAS = 18
"""About two for each of the mineral fields on the left."""

_LEFT_FIELDS, _RIGHT_FIELDS = (7, 29), (77, 29)


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

        The side is toward the farther border of the screen.
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


class TwoBasesPlayer(BuildOrderPlayer):
    """A depot, the second command centre, and all four refineries as soon as there are workers.

    Idle workers fill the refineries, three in each; the others harvest the minerals on the left
    until the second command centre is complete, and those on the right from then on.
    """

    functions = FirstWorkerPlayer.functions + ('Build_Refinery_screen',)
    sites = {
        COMMAND_CENTER: np.array([(51, 33)]),
        SUPPLY_DEPOT: np.array([(38, 7), (49, 7), (38, 59), (49, 59)]),
    }
    order = (
        (SUPPLY_DEPOT, 1, 0),
        (COMMAND_CENTER, 2, 0),
        (REFINERY, 1, 17),
        (REFINERY, 2, 19),
        (SUPPLY_DEPOT, 2, 32),
        (REFINERY, 3, 36),
        (REFINERY, 4, 38),
        (SUPPLY_DEPOT, 3, 40),
    )
    """Entries as for `build_order.first_missing`."""

    def next_building(self, town: Town) -> np.ndarray:
        """See `BuildOrderPlayer.next_building`."""
        return first_missing(town, self.order)

    def work(self, town: Town) -> np.ndarray:
        """See `BuildOrderPlayer.work`."""
        expanded = town.complete(COMMAND_CENTER).sum(axis=1) >= 2
        fields = np.where(
            expanded[:, np.newaxis],
            self.nearest_field(town, _RIGHT_FIELDS),
            self.nearest_field(town, _LEFT_FIELDS),
        )
        harvesters = town.units.column('assigned_harvesters')
        open_refineries = town.complete(REFINERY) & (harvesters < WORKERS_PER_REFINERY)
        gas = open_refineries.any(axis=1) & (town.workers >= WORKERS_BEFORE_GAS)
        refinery = self._leftmost(town, open_refineries)
        return np.where(gas[:, np.newaxis], refinery, fields)

    def site_of(
        self, town: Town, where: np.ndarray, unit_type: int
    ) -> Tuple[np.ndarray, np.ndarray]:
        """See `BuildOrderPlayer.site_of`; refineries stand on geysers without one."""
        if unit_type != REFINERY:
            return super().site_of(town, where, unit_type)
        geysers = town.units.select_type(VESPENE_GEYSER)
        refineries = town.all(REFINERY)
        pixels = town.units.pixel
        for game in np.flatnonzero(where):
            for refinery in pixels[game, refineries[game]]:
                geysers[game] &= (pixels[game] != refinery).any(axis=1)
        return self._leftmost(town, geysers), where & geysers.any(axis=1)

    def _leftmost(self, town: Town, among: np.ndarray) -> np.ndarray:
        """Returns the pixel of the leftmost unit among these, the upper one of two."""
        units = town.units
        return units.pixel_of(sight.least(among, units.column('x'), units.column('y')))
