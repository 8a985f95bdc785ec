"""A teacher that copies the game: search by roll-outs. See `planner`; a problem for each map."""

from typing import Dict

from sc2impala.sim.functions import NUM_FUNCTIONS
from sc2impala.sim.search import (
    build_marines,
    collect_mineral_shards,
    collect_minerals_and_gas,
    defeat_roaches,
    defeat_zerglings_and_banelings,
    find_and_defeat_zerglings,
)
from sc2impala.sim.search.pairs import Pairs
from sc2impala.sim.search.planner import Decisions, Search
from sc2impala.sim.search.problem import Problem

PROBLEMS: Dict[str, Problem] = {
    'CollectMineralShards': collect_mineral_shards.PROBLEM,
    'DefeatRoaches': defeat_roaches.PROBLEM,
    'DefeatZerglingsAndBanelings': defeat_zerglings_and_banelings.PROBLEM,
    'CollectMineralsAndGas': collect_minerals_and_gas.PROBLEM,
    'BuildMarines': build_marines.PROBLEM,
    'FindAndDefeatZerglings': find_and_defeat_zerglings.PROBLEM,
}
"""Problems by the name of the map; their roll-outs follow a script."""

UNSCRIPTED: Dict[str, Problem] = {
    'DefeatRoaches': defeat_roaches.UNSCRIPTED,
    'DefeatZerglingsAndBanelings': defeat_zerglings_and_banelings.UNSCRIPTED,
}
"""Problems without any hand-written rules: in roll-outs units carry on with their orders."""

BASE_POLICIES: Dict[str, Problem] = {
    map_name: problem._replace(has_candidates=False) for map_name, problem in PROBLEMS.items()
}
"""Problems without a search: the call is that of the script."""

__all__ = [
    'BASE_POLICIES',
    'NUM_FUNCTIONS',
    'PROBLEMS',
    'UNSCRIPTED',
    'Decisions',
    'Pairs',
    'Problem',
    'Search',
]
