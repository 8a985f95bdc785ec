"""The fields of a game that belong to combat, and their values for new and removed units."""

from typing import Any

import numpy as np

from sc2impala.sim import units
from sc2impala.sim.compiler import compiled
from sc2impala.sim.state import Field
from sc2impala.sim.units import NO_UNIT, num_mobile

NEVER = 2**30
"""A frame that is never reached."""

MISSILE, DIRECT = 0, 1
"""Rows of `_hit`."""

OWN, FOREIGN = 0, 1
"""Rows of `_side`: the units of player 1, and those of its enemy."""

FIELDS = (
    Field('target', np.int16, ('M',), NO_UNIT),  # The unit that it attacks.
    Field('engaged', np.uint8, ('M',)),  # Whether combat controls its movement.
    # Whether an idle unit has left its home to fight, and the position that it left. `homing`:
    # whether it exceeded the leash and ignores targets on its way back.
    Field('away', np.uint8, ('M',)),
    Field('homing', np.uint8, ('M',)),
    Field('home_x', np.float64, ('M',)),
    Field('home_y', np.float64, ('M',)),
    Field('strike_at', np.int32, ('M',), NEVER),  # Frame of its next hit if an attack has started.
    # First frames in which it may attack, walk, and call its neighbours.
    Field('ready_at', np.int32, ('M',)),
    Field('rest_until', np.int32, ('M',)),
    Field('call_at', np.int32, ('M',)),
    # Its missile: the frame in which it lands, its target and its damage.
    Field('missile_at', np.int32, ('M',), NEVER),
    Field('missile_target', np.int16, ('M',), NO_UNIT),
    Field('missile_damage', np.float64, ('M',)),
    # The remaining fields last for one frame. The slots of living units by side.
    Field('_side', np.uint16, (2, 'U')),
    Field('_num_of_side', np.int32, (2,)),
    Field('_side_x', np.float64, (2, 'U')),
    Field('_side_y', np.float64, (2, 'U')),
    Field('_side_radius', np.float64, (2, 'U')),
    Field('_side_penalty', np.float64, (2, 'U')),  # See `targets.HARMLESS`.
    Field('_fighter', np.uint16, ('M',)),  # Slots of the units that may fight.
    Field('_gap', np.float64, ('M',)),  # From a fighter to its target, edge to edge.
    Field('_due', np.uint8, ('M',)),  # Whether a fighter hits.
    Field('_explodes', np.uint8, ('M',)),
    Field('_hit', np.int16, (2, 'M'), NO_UNIT),  # Victims of a unit, by its missile and directly.
    Field('_is_hurt', np.uint8),  # Whether any unit was hit.
    Field('_is_free', np.uint8, ('M',)),  # Whether a unit can respond to a hit.
)


@compiled
def create(g: Any, rules: Any, i: int, type_index: int, owner: int, x: float, y: float) -> None:
    """Creates an idle unit of full health in slot i."""
    units.put(g, rules, i, type_index, owner, x, y)
    forget(g, i)


@compiled
def forget(g: Any, i: int) -> None:
    """Clears the combat state of a new or removed unit, and removes it as a target.

    Missiles of a dead unit still land; missiles at a dead unit are removed.
    """
    if i < num_mobile(g):
        g.target[i] = NO_UNIT
        g.engaged[i] = False
        g.away[i] = False
        g.homing[i] = False
        g.home_x[i] = 0.0
        g.home_y[i] = 0.0
        g.strike_at[i] = NEVER
        g.ready_at[i] = 0
        g.rest_until[i] = 0
        g.call_at[i] = 0
    for other in range(g.mobile_end):
        if g.target[other] == i:
            g.target[other] = NO_UNIT
            g.strike_at[other] = NEVER
            g.rest_until[other] = 0
        if g.missile_target[other] == i:
            g.missile_at[other] = NEVER
            g.missile_target[other] = NO_UNIT
