import numpy as np

from sc2impala.envs.players.pull_back import PullBackPlayer
from sc2impala.envs.players.unit_types import MARINE, ROACH
from tests.envs.players import boards

PIXELS = 4
"""Per cell."""

SELECT_ARMY, NOTHING = ('select_army', [[0]]), ('no_op', [])


def marine(x, y, health=45, selected=1):
    x, y = PIXELS * x, PIXELS * y
    return boards.unit(MARINE, boards.MINE, x, y, health=health, is_selected=selected)


def roach(x, y, health=145):
    return boards.unit(ROACH, boards.ENEMY, PIXELS * x, PIXELS * y, health=health)


def make():
    player = boards.make(PullBackPlayer, screen_size=(24 * PIXELS, 24 * PIXELS))

    def call(*rows):
        observation = {
            'feature_units': boards.feature_units(rows),
            'available_actions': np.ones([1, len(player.functions)], bool),
        }
        return boards.calls(player, observation)[0]

    return call


def point(function, x, y):
    return function, [[0], [PIXELS * x, PIXELS * y]]


def attack(x, y):
    return point('Attack_screen', x, y)


class TestApproach:
    def test_all_marines_attack_where_the_roaches_are(self):
        call = make()
        roaches = roach(20, 12), roach(20, 14)
        assert call(marine(4, 5, selected=0), marine(4, 7), *roaches) == SELECT_ARMY
        assert call(marine(4, 5), marine(4, 7), *roaches) == attack(20, 13)
        # Too far away to be hit.
        assert call(marine(4, 5, 13), marine(4, 7), *roaches) == attack(20, 13)
        assert call(marine(4, 5)) == NOTHING


class TestFight:
    MARINES = marine(10, 8), marine(10, 9)

    def test_attacks_what_is_weak_then_what_is_near_with_the_whole_army(self):
        call = make()
        roaches = roach(15.5, 8), roach(17, 9, 60), roach(20, 9)
        assert call(*self.MARINES, *roaches) == attack(17, 9)
        assert call(*self.MARINES, *roaches) == attack(17, 9)
        rest = roaches[0], roaches[2]
        assert call(marine(10, 8, selected=0), marine(10, 9), *rest) == SELECT_ARMY
        assert call(*self.MARINES, *rest) == attack(15.5, 8)

    def test_a_marine_that_the_next_hit_kills_steps_back(self):
        call = make()
        one = roach(15, 8)
        assert call(marine(10, 8, 13), marine(10, 9), one) == point('select_point', 10, 8)
        assert call(marine(10, 8, 13), marine(10, 9, selected=0), one) == point(
            'Move_screen', 8.5, 8
        )
        # On the other side it is the other way.
        assert call(marine(20, 8, 13), marine(20, 9, selected=0), roach(15, 8)) == point(
            'Move_screen', 21.5, 8
        )
        # It is no longer the nearest one.
        assert call(marine(9, 8, 13), marine(10, 9, selected=0), one) == SELECT_ARMY

    def test_others_stay(self):
        call = make()
        one = roach(15, 8)
        assert call(marine(10, 8, 14), marine(10, 9, 13), one) == attack(15, 8)
        assert call(marine(10, 8, 13), marine(10, 9), roach(15.5, 8)) == attack(15.5, 8)

    def test_of_two_the_nearer_one_is_first(self):
        call = make()
        roaches = roach(15, 8), roach(14.5, 12)
        weak = marine(10, 8, 13), marine(10, 12, 13)
        assert call(*weak, *roaches) == point('select_point', 10, 12)
