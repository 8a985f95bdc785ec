import numpy as np

from sc2impala.envs.players.defeat_roaches import AdvancePlayer, LowestPlayer, WeakestPlayer
from tests.envs.players import boards

MARINE, ROACH = 48, 110


def roach(x, y, health=145):
    return boards.unit(ROACH, boards.ENEMY, x, y, health=health)


MARINES = [boards.unit(MARINE, boards.MINE, 10, y) for y in (20, 24, 28)]


def observe(player, *games):
    names = player.functions
    return {
        'feature_units': boards.feature_units(*games),
        'available_actions': boards.available(player, *[names] * len(games)),
    }


def test_the_weakest_roach_then_the_highest_on_the_screen():
    player = boards.make(WeakestPlayer)
    observation = observe(
        player,
        MARINES + [roach(60, 20), roach(61, 30, 12), roach(62, 25, 12)],
        MARINES + [roach(60, 24), roach(61, 22)],
        MARINES,
        MARINES + [roach(60, 24)],
    )
    observation['available_actions'][3] = [True, True, False]
    assert boards.calls(player, observation) == [
        ('Attack_screen', [[0], [62, 25]]),
        ('Attack_screen', [[0], [61, 22]]),
        ('no_op', []),
        ('select_army', [[0]]),
    ]


def test_selecting_and_advancing_in_turns():
    player = boards.make(AdvancePlayer)
    observation = observe(
        player, MARINES + [roach(60, 44), roach(58, 31)], MARINES + [roach(60, 7)], MARINES
    )
    select = ('select_army', [[0]])
    attacks = [('Attack_screen', [[0], [58, 11]]), ('Attack_screen', [[0], [60, 0]]), select]
    for _ in range(2):
        assert boards.calls(player, observation) == [select] * 3
        assert boards.calls(player, observation) == attacks


def test_the_lowest_pixel_of_a_roach():
    player = boards.make(LowestPlayer, screen_size=(8, 6))
    picture = np.zeros([3, 6, 8], np.uint8)
    picture[0, 1:3, 1:3] = picture[0, 2:5, 4:6] = boards.ENEMY
    picture[:, 5] = boards.MINE
    picture[2, 0, 0] = boards.ENEMY
    observation = {
        'screen': {'player_relative': picture},
        'available_actions': boards.available(player, *[player.functions] * 2, ['select_army']),
    }
    assert boards.calls(player, observation) == [
        ('Attack_screen', [[0], [4, 4]]),
        ('no_op', []),
        ('select_army', [[0]]),
    ]
