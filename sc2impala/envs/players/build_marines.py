"""BuildMarines: first workers and barracks, then marines.

The rules of two published agents, and a build order. The agents have twenty workers and seven
barracks and differ in the building sites and in the worker that builds. They build a depot whenever
no supply is left, and train no marine before there are seven barracks.
"""

import itertools
from typing import Sequence

import numpy as np

from sc2impala.envs.players.build_order import NOTHING, BuildOrderPlayer, Town
from sc2impala.envs.players.calls import Calls
from sc2impala.envs.players.economy import Economy
from sc2impala.envs.players.tactics import Tactic, TacticsPlayer
from sc2impala.envs.players.unit_types import (
    BARRACKS,
    COMMAND_CENTER,
    COST,
    MARINE,
    SCV,
    SUPPLY_DEPOT,
)

NUM_BARRACKS = 7
NUM_WORKERS = 20

SUPPLY_OF_DEPOT = 8
_FIELDS = (7, 29)
"""The middle of the mineral fields."""

_GOLDEN = np.array([0.7548776662466927, 0.5698402909980532])
"""Multiples of these, modulo 1, fill a square evenly: 1 / x and 1 / x**2 with x**3 = x + 1."""


class FirstWorkerPlayer(TacticsPlayer):
    """The rule of the agent LH: the first worker constructs all buildings."""

    functions = (
        'no_op',
        'select_point',
        'select_idle_worker',
        'Harvest_Gather_screen',
        'Train_SCV_quick',
        'Train_Marine_quick',
        'Build_SupplyDepot_screen',
        'Build_Barracks_screen',
    )
    barracks_sites = np.array(list(itertools.product((62, 75), (7, 22, 37, 52))))
    depot_sites = np.array(list(itertools.product((20, 28, 36, 42, 50), (6, 12, 20, 48, 56))))

    def tactics(self, economy: Economy) -> Sequence[Tactic]:
        """See `TacticsPlayer.tactics`."""
        minerals = economy.minerals
        barracks, depots = economy.number(BARRACKS), economy.number(SUPPLY_DEPOT)
        idle = economy.idle(SCV)
        supply = (minerals >= COST[SUPPLY_DEPOT]) & (economy.food_left == 0)
        supply &= self._more_depots(depots)
        build = (minerals >= COST[BARRACKS]) & (barracks < NUM_BARRACKS)
        marine = (minerals >= COST[MARINE]) & (economy.food_left > 0) & (barracks >= NUM_BARRACKS)
        worker = (minerals >= COST[SCV]) & (economy.food_left > 0)
        worker &= economy.number(SCV) < NUM_WORKERS
        builder = economy.first(self._builders(economy))
        mineral = economy.some_field()
        return (
            Tactic('Harvest_Gather_screen', idle.any(axis=1), None, mineral),
            Tactic('Build_SupplyDepot_screen', supply, builder, self._depot_site(economy, depots)),
            Tactic(
                'Build_Barracks_screen', build, builder, self.site(self.barracks_sites, barracks)
            ),
            Tactic('Train_Marine_quick', marine, economy.least_busy(BARRACKS), None),
            Tactic('Train_SCV_quick', worker, economy.least_busy(COMMAND_CENTER), None),
        )

    def _more_depots(self, depots: np.ndarray) -> np.ndarray:
        """Returns whether there is a site for another depot: bool [K]."""
        return depots < len(self.depot_sites)

    def _depot_site(self, economy: Economy, depots: np.ndarray) -> np.ndarray:
        """Returns the sites of the depots with the indices `depots`, int [K]: pixels int [K, 2]."""
        return self.site(self.depot_sites, depots)

    def _builders(self, economy: Economy) -> np.ndarray:
        """Returns the workers, bool [K, N], of which the first one builds."""
        return economy.builders()


class IdleWorkerPlayer(FirstWorkerPlayer):
    """The rule of the agent LZ: an idle worker builds, if there is one. When all sites for depots
    are used up, it tries points around the command centre, here a low-discrepancy sequence.

    The state includes the number of agent steps, which is the index in this sequence.
    """

    barracks_sites = np.array(list(itertools.product((56, 69, 72), (7, 22, 37, 52))))
    depot_sites = np.array(list(itertools.product((22, 30, 38, 46), (12, 20, 46, 54))))
    initial_state = dict(TacticsPlayer.initial_state, steps=0)

    def _more_depots(self, depots: np.ndarray) -> np.ndarray:
        return np.ones(depots.shape, bool)

    def _depot_site(self, economy: Economy, depots: np.ndarray) -> np.ndarray:
        units = economy.units
        self.state['steps'] += 1
        centre = economy.all(COMMAND_CENTER).argmax(axis=1)
        radius = units.column('radius')[np.arange(len(centre)), centre, np.newaxis]
        # From four radii to the left to one to the right, and from four above to four below.
        spread = (self.state['steps'][:, np.newaxis] * _GOLDEN) % 1 * (5, 8) - 4
        around = (units.pixel_of(centre) + radius * spread).astype(np.int32)
        used_up = depots >= len(self.depot_sites)
        return np.where(used_up[:, np.newaxis], around, self.site(self.depot_sites, depots))

    def _builders(self, economy: Economy) -> np.ndarray:
        idle = economy.idle(SCV)
        return np.where(idle.any(axis=1, keepdims=True), idle, economy.builders())


class SixBarracksPlayer(BuildOrderPlayer):
    """Workers all the time, six barracks as soon as possible, and depots before supply runs out.

    While it saves for a building it trains no marines. The number of workers is that at which the
    mineral fields yield most, which six barracks just spend.
    """

    functions = FirstWorkerPlayer.functions
    sites = {
        SUPPLY_DEPOT: np.array(
            [(35, 3), (45, 3), (35, 56), (45, 56), (35, 14), (45, 14), (45, 45), (35, 45)]
            + [(24, 3), (24, 56), (56, 3), (56, 56), (56, 14), (56, 45), (56, 24), (56, 35)]
            + [(45, 24), (45, 35), (14, 3), (14, 56), (82, 8), (82, 54)]
        ),
        BARRACKS: np.array(
            [(65, 22), (65, 40), (82, 22), (82, 40), (65, 8), (65, 54), (82, 8), (82, 54)]
        ),
    }
    max_workers = 25
    max_barracks = 6

    def next_building(self, town: Town) -> np.ndarray:
        """See `BuildOrderPlayer.next_building`."""
        barracks = town.number(BARRACKS)
        depots, complete = town.number(SUPPLY_DEPOT), town.complete(SUPPLY_DEPOT).sum(axis=1)
        supply = town.food_left + SUPPLY_OF_DEPOT * (depots - complete)
        # What all barracks use in the time that a depot takes.
        needs_supply = supply < 3 + 3 * barracks // 2
        expands = (complete > 0) & (barracks < self.max_barracks)
        return np.select([needs_supply, expands], [SUPPLY_DEPOT, BARRACKS], NOTHING)

    def work(self, town: Town) -> np.ndarray:
        """See `BuildOrderPlayer.work`."""
        return self.nearest_field(town, _FIELDS)

    def train(self, town: Town, calls: Calls, building: np.ndarray) -> None:
        """See `BuildOrderPlayer.train`."""
        super().train(town, calls, building)
        self.fill_queues(town, calls, building == NOTHING, BARRACKS, 'Train_Marine_quick', 1)
