"""DefeatRoaches: nine marines against four roaches, and again with five more. [S] MAP"""

from sc2impala.sim import unit_types
from sc2impala.sim.games.waves import Waves
from sc2impala.sim.geometry import Rectangle

LEFT = Rectangle(left=23.97, right=27.98, bottom=25.06, top=31.05)  # [S] MAP
RIGHT = Rectangle(left=38.02, right=42.04, bottom=25.04, top=31.08)  # [S] MAP

DEFEAT_ROACHES = Waves(
    name='DefeatRoaches',
    boxes=(LEFT, RIGHT),
    zerg=(unit_types.ROACH,) * 4,
    zerg_offsets=(0.5, 1.5, -0.5, -1.5),
    reward=10,
    new_marines=5,
)
