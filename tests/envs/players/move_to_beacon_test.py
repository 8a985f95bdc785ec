import numpy as np

from sc2impala.envs.players.move_to_beacon import MoveToBeaconPlayer
from tests.envs.players import boards


def test_its_rule():
    player = boards.make(MoveToBeaconPlayer, screen_size=(5, 4))
    beacon = np.zeros([3, 4, 5], np.uint8)
    beacon[:2, 1:4, 2:4] = boards.NEUTRAL
    beacon[:2, 0, 0] = boards.MINE
    everything = player.functions
    observation = {
        'screen': {'player_relative': beacon},
        # Not selected; selected; selected and no beacon in sight.
        'available_actions': boards.available(player, everything[:2], everything, everything),
    }
    # The centre (2.5, 2) is rounded to even, as NumPy does for PySC2's agent.
    assert boards.calls(player, observation) == [
        ('select_army', [[0]]),
        ('Move_screen', [[0], [2, 2]]),
        ('no_op', []),
    ]
