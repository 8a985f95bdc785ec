"""Feature layers of games, drawn into reused images.

All layers that are not drawn here are zero, as in the game on these maps: the terrain is flat,
without creep or effects, and no unit has energy, shields or buffs or is cloaked.
"""

from sc2impala.sim.drawing.drawing import (
    Buffers,
    Drawing,
    buffers_of,
    draw,
    draw_terrain,
    draw_units,
    has_changed,
)

__all__ = ['Buffers', 'buffers_of', 'Drawing', 'draw', 'draw_terrain', 'draw_units', 'has_changed']
