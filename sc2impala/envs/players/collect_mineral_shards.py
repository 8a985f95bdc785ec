"""CollectMineralShards: the rules of PySC2's two scripted agents."""

from typing import Mapping

import numpy as np

from sc2impala.envs.players import sight
from sc2impala.envs.players.calls import Calls
from sc2impala.envs.players.scripted_player import ScriptedPlayer
from sc2impala.structs import Nest


class OneByOnePlayer(ScriptedPlayer):
    """Alternately selects each marine and sends it to the nearest shard that is not the other's
    target: PySC2's CollectMineralShardsFeatureUnits.

    The state is whether the next call is for the selected marine, and the latest target.
    """

    functions = ('no_op', 'select_point', 'Move_screen')
    vectors = ('feature_units',)
    initial_state = {'selected': False, 'target': (-1, -1)}
    intentions = ('selected', 'target')

    def decide(self, observation: Mapping[str, Nest], calls: Calls) -> None:
        """See `ScriptedPlayer.decide`."""
        units = sight.Units(observation['feature_units'])
        selected, target = self.state['selected'], self.state['target']
        is_selected = units.column('is_selected') == 1
        preferred = units.mine & (is_selected == selected[:, np.newaxis])
        marine = np.where(preferred.any(axis=1), preferred.argmax(axis=1), units.mine.argmax(1))
        pixel = units.pixel_of(marine)
        idle = ~is_selected[np.arange(len(marine)), marine]

        selecting = calls.choose(idle & units.mine.any(axis=1), 'select_point', screen=pixel)
        selected[selecting] = True

        free = units.neutral & (units.pixel != target[:, np.newaxis]).any(axis=2)
        nearest = sight.least(free, sight.squared_distance(units.pixel, pixel))
        shard = units.pixel_of(nearest)
        moving = calls.choose(~idle & free.any(axis=1), 'Move_screen', screen=shard)
        selected[moving] = False
        target[moving] = shard[moving]


class GroupPlayer(ScriptedPlayer):
    """Sends both marines together to the shard pixel nearest to their mean position: PySC2's
    CollectMineralShards."""

    functions = ('no_op', 'select_army', 'Move_screen')
    screen_layers = ('player_relative',)

    def decide(self, observation: Mapping[str, Nest], calls: Calls) -> None:
        """See `ScriptedPlayer.decide`."""
        player_relative = observation['screen']['player_relative']
        shards = player_relative == sight.NEUTRAL
        middle = sight.centre(player_relative == sight.SELF)
        nearest = sight.nearest_pixel(shards, middle)
        calls.choose(shards.any(axis=(1, 2)), 'Move_screen', screen=nearest)
        calls.choose(~calls.can('Move_screen'), 'select_army')
