import numpy as np

from sc2impala.envs.players.kite import KitePlayer
from sc2impala.envs.players.unit_types import BANELING, MARINE, ZERGLING
from tests.envs.players import boards

PIXELS = 4
"""Per cell."""


def marine(x, y, selected=1):
    return boards.unit(MARINE, boards.MINE, PIXELS * x, PIXELS * y, is_selected=selected)


def enemy(unit_type, x, y, health=30):
    return boards.unit(unit_type, boards.ENEMY, PIXELS * x, PIXELS * y, health=health)


def make():
    player = boards.make(KitePlayer, screen_size=(24 * PIXELS, 24 * PIXELS))

    def call(*rows, done=None):
        observation = {
            'feature_units': boards.feature_units(rows),
            'available_actions': np.ones([1, len(player.functions)], bool),
        }
        return boards.calls(player, observation, done and np.array([done]))[0]

    return call


def attack(x, y):
    return 'Attack_screen', [[0], [PIXELS * x, PIXELS * y]]


def move(x, y):
    return 'Move_screen', [[0], [PIXELS * x, PIXELS * y]]


MARINES = marine(10, 8), marine(10, 10)


def test_all_marines_are_selected_first():
    call = make()
    selection = 'select_army', [[0]]
    assert call(marine(10, 8, 0), marine(10, 10), enemy(BANELING, 20, 9)) == selection
    assert call(*MARINES, enemy(BANELING, 20, 9)) == attack(20, 9)
    assert call(*MARINES) == ('no_op', [])


def test_banelings_come_first_then_what_is_near_and_weak():
    call = make()
    zerglings = enemy(ZERGLING, 16, 9, 35), enemy(ZERGLING, 16, 8, 5)
    assert call(*MARINES, *zerglings, enemy(BANELING, 20, 9)) == attack(20, 9)
    assert call(*MARINES, *zerglings) == attack(16, 8)


def test_marines_fire_once_in_four_calls_and_run_while_a_baneling_is_near():
    call = make()
    near = (*MARINES, enemy(BANELING, 13, 9))
    cycle = [attack(13, 9), move(5, 9), move(5, 9), move(5, 9)]
    assert [call(*near) for _ in range(8)] == 2 * cycle
    far = (*MARINES, enemy(BANELING, 14, 9))
    assert [call(*far) for _ in range(4)] == [attack(14, 9)] * 4
    # The count starts with the fight.
    assert call(*near) == cycle[0]
    assert call(*MARINES, enemy(BANELING, 20, 9)) == attack(20, 9)
    assert [call(*near) for _ in range(4)] == cycle
    call(*near)
    assert call(*near, done=True) == cycle[0]


def test_nobody_runs_from_zerglings():
    call = make()
    rows = (*MARINES, enemy(ZERGLING, 11, 9), enemy(BANELING, 18, 9))
    assert [call(*rows) for _ in range(4)] == [attack(18, 9)] * 4
