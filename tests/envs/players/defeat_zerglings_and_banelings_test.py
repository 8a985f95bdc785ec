import numpy as np

from sc2impala.envs.players.defeat_zerglings_and_banelings import (
    AdvancePlayer,
    OneByOnePlayer,
    PioneersPlayer,
)
from sc2impala.envs.players.unit_types import BANELING, MARINE, ZERGLING
from tests.envs.players import boards

SELECT_ARMY, NOTHING = ('select_army', [[0]]), ('no_op', [])


def marine(y, selected=0, orders=0):
    return boards.unit(MARINE, boards.MINE, 10, y, is_selected=selected, order_length=orders)


def enemy(unit_type, x, y, health=30):
    return boards.unit(unit_type, boards.ENEMY, x, y, health=health)


def select(y):
    return 'select_point', [[0], [10, y]]


def attack(x, y):
    return 'Attack_screen', [[0], [x, y]]


def make(player_class):
    player = boards.make(player_class)

    def call(*rows):
        observation = {
            'feature_units': boards.feature_units(rows),
            'available_actions': np.ones([1, len(player.functions)], bool),
        }
        return boards.calls(player, observation)[0]

    return call


ZERGLINGS = [enemy(ZERGLING, 60, 20, 35), enemy(ZERGLING, 60, 24, 30)]
BANELINGS = [enemy(BANELING, 60, 30), enemy(BANELING, 61, 30), enemy(BANELING, 62, 30)]


class TestOneByOnePlayer:
    def test_one_idle_marine_after_the_other_while_banelings_live(self):
        call, enemies = make(OneByOnePlayer), ZERGLINGS + BANELINGS
        assert call(marine(20, 1), marine(24, 1), *enemies) == select(20)
        assert call(marine(20, 1), marine(24), *enemies) == attack(60, 20)
        assert call(marine(21, 1, 1), marine(24), *enemies) == select(24)
        assert call(marine(22, 0, 1), marine(24, 1), *enemies) == attack(60, 20)
        # All are on their way: from now on together.
        busy = marine(23, 0, 1), marine(24, 1, 1)
        assert call(*busy, *enemies) == SELECT_ARMY
        assert call(*busy, *enemies) == NOTHING
        assert call(marine(23, 1, 1), marine(24, 1, 1), *enemies) == attack(60, 24)

    def test_all_on_the_weakest_zergling_without_banelings(self):
        call = make(OneByOnePlayer)
        assert call(marine(20), marine(24), *ZERGLINGS) == SELECT_ARMY
        assert call(marine(20, 1), marine(24, 1), *ZERGLINGS) == attack(60, 24)
        assert call(marine(20, 1), marine(24, 1)) == NOTHING

    def test_without_zerglings_the_marine_stays(self):
        call = make(OneByOnePlayer)
        assert call(marine(20), *BANELINGS) == select(20)
        assert call(marine(20, 1), *BANELINGS) == NOTHING
        assert call(marine(20, 1), *BANELINGS) == select(20)


class TestPioneersPlayer:
    def test_four_marines_against_the_last_zergling(self):
        call, enemies = make(PioneersPlayer), ZERGLINGS + BANELINGS
        marines = [marine(y) for y in range(20, 26)]
        for y in range(20, 24):
            assert call(*marines, *enemies) == select(y)
            assert call(*marines, *enemies) == attack(60, 24)
            marines[y - 20] = marine(y, 0, 1)
        assert call(*marines, *enemies) == NOTHING
        assert call(*marines, *ZERGLINGS, *BANELINGS[:2]) == select(24)

    def test_all_others_when_few_banelings_are_left(self):
        call = make(PioneersPlayer)
        busy = [marine(y, 0, 1) for y in range(20, 26)]
        assert call(*busy, *ZERGLINGS) == NOTHING
        assert call(*busy, marine(30), *ZERGLINGS) == select(30)
        assert call(*busy, marine(30, 1), *ZERGLINGS) == attack(60, 24)


def test_all_advance_to_the_middle_of_the_enemies():
    call = make(AdvancePlayer)
    assert call(marine(20), enemy(ZERGLING, 60, 20), enemy(BANELING, 63, 30)) == attack(62, 25)
    assert call(marine(20)) == NOTHING
    player = boards.make(AdvancePlayer)
    observation = {
        'feature_units': boards.feature_units([marine(20)] + ZERGLINGS),
        'available_actions': boards.available(player, ['select_army']),
    }
    assert boards.calls(player, observation) == [SELECT_ARMY]
