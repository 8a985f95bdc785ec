"""Combat: target acquisition, attacks and their timing, and the response of units that are hit.

Units that are idle, hold position, patrol or attack-move acquire targets by themselves; units with
an order to attack a unit follow it until it is dead; all others do not fight. The timeline of an
attack is

    start --damage_point--> hit --backswing--> free to walk again
    start --weapon_period and a random delay--> next start

An attack that is interrupted before its damage point, by another order or because its target is
gone, is cancelled and starts no cooldown. After the hit the cooldown runs whatever the unit does.

In a frame of a map with combat, `fight` comes first, then the units that died are removed, and
`respond` lets the others react.
"""

from sc2impala.sim.combat.answers import respond
from sc2impala.sim.combat.fields import FIELDS, NEVER, create, forget
from sc2impala.sim.combat.frame import fight, is_dying

__all__ = ['FIELDS', 'NEVER', 'create', 'fight', 'forget', 'is_dying', 'respond']
