"""DefeatZerglingsAndBanelings: marines one by one, so that an explosion hits few, or all together.

The first two players implement the rules of published agents.
"""

from typing import Mapping

import numpy as np

from sc2impala.envs.players import sight
from sc2impala.envs.players.calls import Calls
from sc2impala.envs.players.scripted_player import ScriptedPlayer
from sc2impala.envs.players.unit_types import BANELING, ZERGLING
from sc2impala.structs import Nest


class OneByOnePlayer(ScriptedPlayer):
    """The rule of the agent LH: while there are banelings, sends one idle marine after the other
    against the first zergling; otherwise the selected marines attack the weakest zergling. The
    player selects the whole army once in an episode, and the game does so for every new wave.

    The state is whether the next call is for the marine that was selected last, and whether the
    army has been selected.
    """

    functions = ('no_op', 'select_point', 'select_army', 'Attack_screen')
    vectors = ('feature_units',)
    initial_state = {'sending': False, 'gathered': False}
    intentions = ('sending', 'gathered')

    def decide(self, observation: Mapping[str, Nest], calls: Calls) -> None:
        """See `ScriptedPlayer.decide`."""
        units = sight.Units(observation['feature_units'])
        sending, gathered = self.state['sending'], self.state['gathered']
        zerglings = units.enemy & units.select_type(ZERGLING)
        banelings = units.enemy & units.select_type(BANELING)
        idle = units.mine & (units.column('order_length') == 0)

        sent = sending.copy()
        first = units.pixel_of(zerglings.argmax(axis=1))
        calls.choose(sent & zerglings.any(axis=1), 'Attack_screen', screen=first)
        sending[:] = calls.choose(
            ~sent & banelings.any(axis=1) & idle.any(axis=1),
            'select_point',
            screen=units.pixel_of(idle.argmax(axis=1)),
        )
        gathered |= calls.choose(~sent & ~gathered, 'select_army')
        leader = units.mine.argmax(axis=1)
        leads = units.column('is_selected')[np.arange(len(leader)), leader] == 1
        weakest = units.pixel_of(sight.least(zerglings, units.column('health')))
        calls.choose(~sent & leads & zerglings.any(axis=1), 'Attack_screen', screen=weakest)


class PioneersPlayer(ScriptedPlayer):
    """The rule of the agent LZ: while there are banelings, sends up to four marines one by one
    against the last zergling; with at most two banelings, also all others.

    The state is whether the next call is for the marine that was selected last.
    """

    functions = ('no_op', 'select_point', 'Attack_screen')
    vectors = ('feature_units',)
    initial_state = {'sending': False}
    intentions = ('sending',)
    max_busy = 3
    max_banelings = 2

    def decide(self, observation: Mapping[str, Nest], calls: Calls) -> None:
        """See `ScriptedPlayer.decide`."""
        units = sight.Units(observation['feature_units'])
        zerglings = units.enemy & units.select_type(ZERGLING)
        banelings = (units.enemy & units.select_type(BANELING)).sum(axis=1)
        idle = units.mine & (units.column('order_length') == 0)
        busy = (units.mine & ~idle).sum(axis=1)

        sent = self.state['sending'].copy()
        last = zerglings.shape[1] - 1 - zerglings[:, ::-1].argmax(axis=1)
        calls.choose(sent & zerglings.any(axis=1), 'Attack_screen', screen=units.pixel_of(last))
        pioneers = (banelings > 0) & (busy <= self.max_busy)
        self.state['sending'][:] = calls.choose(
            ~sent & idle.any(axis=1) & (pioneers | (banelings <= self.max_banelings)),
            'select_point',
            screen=units.pixel_of(idle.argmax(axis=1)),
        )


class AdvancePlayer(ScriptedPlayer):
    """Orders the army to attack-move to the mean position of its enemies."""

    functions = ('no_op', 'select_army', 'Attack_screen')
    vectors = ('feature_units',)

    def decide(self, observation: Mapping[str, Nest], calls: Calls) -> None:
        """See `ScriptedPlayer.decide`."""
        units = sight.Units(observation['feature_units'])
        middle = sight.mean_pixel(units, units.enemy).round().astype(np.int32)
        calls.choose(units.enemy.any(axis=1), 'Attack_screen', screen=middle)
        calls.choose(~calls.can('Attack_screen'), 'select_army')
