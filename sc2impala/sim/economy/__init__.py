"""Harvesting, building and training: the mechanics of the two maps with an economy.

The B fixed slots, for resources and then buildings, follow the M slots for units that can move.
Arrays about them have an axis B, with slot M at index 0.

The mechanics process only the few units that have an event in a frame, one by one or as flat lists;
the result of a game never depends on the other games.
"""

from sc2impala.sim.economy.construction import Construction
from sc2impala.sim.economy.ground import Ground
from sc2impala.sim.economy.harvesting import Harvesting
from sc2impala.sim.economy.ledger import Ledger
from sc2impala.sim.economy.navigation import Navigation
from sc2impala.sim.economy.production import Production

__all__ = ['Construction', 'Ground', 'Harvesting', 'Ledger', 'Navigation', 'Production']
