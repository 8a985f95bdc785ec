"""The mini-games, one module each. A new one is a module and a line here.

The rules of a map are an object with

* name: PySC2's name of the map;
* episode_loops: int, game loops of a whole episode;
* arena: Arena;
* unit_types: the UnitTypes that can occur;
* num_units, num_mobile: slots for units, and how many of them (the first) are for units that move;
* mechanics(num_games): new Mechanics, in the order in which they act in a loop;
* start(world, games): places the units of a new episode of the games int [n];
* step(world, running): what the map's triggers do at the end of a loop, in the games bool [K]:
  they may read `world.died`, and set `world.ended` where an episode is over before its time.
"""

from sc2impala.sim.games.build_marines import BuildMarines
from sc2impala.sim.games.collect_mineral_shards import CollectMineralShards
from sc2impala.sim.games.collect_minerals_and_gas import CollectMineralsAndGas
from sc2impala.sim.games.defeat_roaches import DEFEAT_ROACHES
from sc2impala.sim.games.defeat_zerglings_and_banelings import DEFEAT_ZERGLINGS_AND_BANELINGS
from sc2impala.sim.games.find_and_defeat_zerglings import FindAndDefeatZerglings
from sc2impala.sim.games.move_to_beacon import MoveToBeacon

GAMES = {
    rules.name: rules
    for rules in (
        MoveToBeacon(),
        CollectMineralShards(),
        FindAndDefeatZerglings(),
        DEFEAT_ROACHES,
        DEFEAT_ZERGLINGS_AND_BANELINGS,
        CollectMineralsAndGas(),
        BuildMarines(),
    )
}
"""Map name -> rules."""
