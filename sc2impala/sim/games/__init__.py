"""The mini-games, one module each. A new map is a module and an entry here.

The rules of a map are an object with

* name: PySC2's name of the map;
* episode_loops: int, frames of a full episode;
* arena: Arena;
* unit_types: the UnitTypes that can occur;
* num_units, num_mobile: number of unit slots, and of the leading ones for units that can move;
* mechanics(num_games): new Mechanics, in the order in which they step in a frame;
* start(world, games): places the units of a new episode of the games int [n];
* step(world, running): executes the map's triggers at the end of a frame in the games bool [K];
  it may read `world.died`, and set `world.ended` to end an episode early.
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
