"""DefeatZerglingsAndBanelings: nine marines against ten zerg, and again with four more. [S] MAP"""

from sc2impala.sim import unit_types
from sc2impala.sim.games.defeat_roaches import LEFT, RIGHT
from sc2impala.sim.games.waves import Waves

DEFEAT_ZERGLINGS_AND_BANELINGS = Waves(
    name='DefeatZerglingsAndBanelings',
    boxes=(LEFT, RIGHT),
    zerg=(unit_types.ZERGLING,) * 6 + (unit_types.BANELING,) * 4,
    zerg_offsets=(0.0,) * 10,  # All at one point. The game spreads them to free places. [A]
    reward=5,
    new_marines=4,
)
