"""MoveToBeacon: the rule of PySC2's scripted agent."""

from typing import Mapping

from sc2impala.envs.players import sight
from sc2impala.envs.players.calls import Calls
from sc2impala.envs.players.scripted_player import ScriptedPlayer
from sc2impala.structs import Nest


class MoveToBeaconPlayer(ScriptedPlayer):
    """Selects the marine, then sends it to the centre of the beacon."""

    functions = ('no_op', 'select_army', 'Move_screen')
    screen_layers = ('player_relative',)

    def decide(self, observation: Mapping[str, Nest], calls: Calls) -> None:
        """See `ScriptedPlayer.decide`."""
        beacon = observation['screen']['player_relative'] == sight.NEUTRAL
        calls.choose(beacon.any(axis=(1, 2)), 'Move_screen', screen=sight.centre(beacon))
        calls.choose(~calls.can('Move_screen'), 'select_army')
