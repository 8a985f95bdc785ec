"""Harvesting, building and training: the mechanics of the two maps with an economy.

Slots for what stays in its place come after those for units that move: resources first, then
buildings. Arrays about them have one entry for each of these B fixed slots, that of slot M first.

Everything here handles the few units to which something happens in a loop, one after the other or
as flat lists; what happens in a game never depends on the other games.
"""

from sc2impala.sim.economy.construction import Construction
from sc2impala.sim.economy.ground import Ground
from sc2impala.sim.economy.harvesting import Harvesting
from sc2impala.sim.economy.ledger import Ledger
from sc2impala.sim.economy.navigation import Navigation
from sc2impala.sim.economy.production import Production

__all__ = ['Construction', 'Ground', 'Harvesting', 'Ledger', 'Navigation', 'Production']
