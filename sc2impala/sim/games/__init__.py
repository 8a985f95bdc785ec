"""The mini-games, one module each. A new map is a module and an entry here."""

from sc2impala.sim.games import (
    build_marines,
    collect_mineral_shards,
    collect_minerals_and_gas,
    defeat_roaches,
    defeat_zerglings_and_banelings,
    find_and_defeat_zerglings,
    move_to_beacon,
)

GAMES = {
    module.GAME.name: module.GAME
    for module in (
        move_to_beacon,
        collect_mineral_shards,
        find_and_defeat_zerglings,
        defeat_roaches,
        defeat_zerglings_and_banelings,
        collect_minerals_and_gas,
        build_marines,
    )
}
"""Map name -> Game."""
