"""DefeatRoaches: three rules that move all marines together and differ in their target.

The map keeps all marines selected, so that two of the rules can do without `select_army`.
"""

from typing import Mapping

import numpy as np

from sc2impala.envs.players import sight
from sc2impala.envs.players.calls import Calls
from sc2impala.envs.players.scripted_player import ScriptedPlayer
from sc2impala.structs import Nest

_LEAD = 20 / 84
"""Distance of the target above the topmost roach, as a fraction of the screen's height."""


class WeakestPlayer(ScriptedPlayer):
    """The rule of the agent LH: attacks the roach with the least health, of several the topmost."""

    functions = ('no_op', 'select_army', 'Attack_screen')
    optional_functions = ('select_army',)
    vectors = ('feature_units',)

    def decide(self, observation: Mapping[str, Nest], calls: Calls) -> None:
        """See `ScriptedPlayer.decide`."""
        units = sight.Units(observation['feature_units'])
        roach = sight.least(units.enemy, units.column('health'), units.column('y'))
        calls.choose(units.enemy.any(axis=1), 'Attack_screen', screen=units.pixel_of(roach))
        calls.choose(~calls.can('Attack_screen'), 'select_army')


class AdvancePlayer(ScriptedPlayer):
    """The rule of the agent LZ: alternately selects the army and orders an attack-move to a point
    above the topmost roach.

    The state is whether the next call is the attack.
    """

    functions = ('no_op', 'select_army', 'Attack_screen')
    vectors = ('feature_units',)
    initial_state = {'selected': False}
    intentions = ('selected',)

    def decide(self, observation: Mapping[str, Nest], calls: Calls) -> None:
        """See `ScriptedPlayer.decide`."""
        units = sight.Units(observation['feature_units'])
        selected = self.state['selected']
        topmost = sight.least(units.enemy, units.column('y'))
        lead = np.array([0, round(_LEAD * self.seen_size[1])])
        attacks = calls.choose(
            selected & units.enemy.any(axis=1),
            'Attack_screen',
            screen=units.pixel_of(topmost) - lead,
        )
        selecting = calls.choose(~attacks, 'select_army')
        selected[:] = selecting


class LowestPlayer(ScriptedPlayer):
    """Attacks the bottommost roach pixel on the screen: PySC2's DefeatRoaches."""

    functions = ('no_op', 'select_army', 'Attack_screen')
    optional_functions = ('select_army',)
    screen_layers = ('player_relative',)

    def decide(self, observation: Mapping[str, Nest], calls: Calls) -> None:
        """See `ScriptedPlayer.decide`."""
        roaches = observation['screen']['player_relative'] == sight.ENEMY
        rows = roaches.any(axis=2)
        lowest = rows.shape[1] - 1 - rows[:, ::-1].argmax(axis=1)
        column = roaches[np.arange(len(lowest)), lowest].argmax(axis=1)
        target = np.stack([column, lowest], axis=1)
        calls.choose(rows.any(axis=1), 'Attack_screen', screen=target)
        calls.choose(~calls.can('Attack_screen'), 'select_army')
