"""DefeatZerglingsAndBanelings: marines one by one, so that one explosion hits few, or all at once.

The first two are the rules of published agents.
"""

from typing import Any, Mapping

import numpy as np

from sc2impala.envs.players import sight
from sc2impala.envs.players.calls import Calls
from sc2impala.envs.players.scripted_player import ScriptedPlayer
from sc2impala.envs.players.unit_types import BANELING, ZERGLING


class OneByOnePlayer(ScriptedPlayer):
    """The rule of the agent LH: while banelings live, sends one idle marine after the other against
    the first zergling; otherwise whoever is selected attacks the weakest zergling. The whole army
    is selected once in an episode, by the player, and by the game for every new wave.

    Remembers whether the next call is for the marine that was selected last, and whether the army
    has been selected.
    """

    functions = ('no_op', 'select_point', 'select_army', 'Attack_screen')
    vectors = ('feature_units',)
    remembers = {'sending': False, 'gathered': False}

    def decide(self, observation: Mapping[str, Any], calls: Calls) -> None:
        """See `ScriptedPlayer.decide`."""
        units = sight.Units(observation['feature_units'])
        sending, gathered = self.memory['sending'], self.memory['gathered']
        zerglings = units.enemy & units.of_type(ZERGLING)
        banelings = units.enemy & units.of_type(BANELING)
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
    against the last zergling; with at most two banelings, all others as well.

    Remembers whether the next call is for the marine that was selected last.
    """

    functions = ('no_op', 'select_point', 'Attack_screen')
    vectors = ('feature_units',)
    remembers = {'sending': False}
    max_busy = 3
    max_banelings = 2

    def decide(self, observation: Mapping[str, Any], calls: Calls) -> None:
        """See `ScriptedPlayer.decide`."""
        units = sight.Units(observation['feature_units'])
        zerglings = units.enemy & units.of_type(ZERGLING)
        banelings = (units.enemy & units.of_type(BANELING)).sum(axis=1)
        idle = units.mine & (units.column('order_length') == 0)
        busy = (units.mine & ~idle).sum(axis=1)

        sent = self.memory['sending'].copy()
        last = zerglings.shape[1] - 1 - zerglings[:, ::-1].argmax(axis=1)
        calls.choose(sent & zerglings.any(axis=1), 'Attack_screen', screen=units.pixel_of(last))
        pioneers = (banelings > 0) & (busy <= self.max_busy)
        self.memory['sending'][:] = calls.choose(
            ~sent & idle.any(axis=1) & (pioneers | (banelings <= self.max_banelings)),
            'select_point',
            screen=units.pixel_of(idle.argmax(axis=1)),
        )


class AdvancePlayer(ScriptedPlayer):
    """Sends the army to the middle of its enemies, attacking whatever it meets."""

    functions = ('no_op', 'select_army', 'Attack_screen')
    vectors = ('feature_units',)

    def decide(self, observation: Mapping[str, Any], calls: Calls) -> None:
        """See `ScriptedPlayer.decide`."""
        units = sight.Units(observation['feature_units'])
        middle = sight.mean_pixel(units, units.enemy).round().astype(np.int32)
        calls.choose(units.enemy.any(axis=1), 'Attack_screen', screen=middle)
        calls.choose(~calls.can('Attack_screen'), 'select_army')
