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

    def call(*rows, done=None):
        observation = {
            'feature_units': boards.feature_units(rows),
            'available_actions': np.ones([1, len(player.functions)], bool),
        }
        return boards.calls(player, observation, done and np.array([done]))[0]

    return player, call


def point(function, x, y):
    return function, [[0], [PIXELS * x, PIXELS * y]]


def attack(x, y):
    return point('Attack_screen', x, y)


class TestApproach:
    def test_the_line_comes_to_the_height_of_the_roaches_first(self):
        _, call = make()
        roaches = roach(20, 12), roach(20, 14)
        assert call(marine(4, 5, selected=0), marine(4, 7), *roaches) == SELECT_ARMY
        assert call(marine(4, 5), marine(4, 7), *roaches) == attack(10, 13)
        assert call(marine(4, 11), marine(4, 13), *roaches) == attack(20, 13)
        # Too near to go around.
        assert call(marine(10, 5), marine(10, 7), *roaches) == attack(20, 13)
        assert call(marine(4, 5)) == NOTHING

    def test_from_the_right(self):
        _, call = make()
        assert call(marine(20, 5), roach(4, 13)) == attack(14, 13)


class TestFight:
    MARINES = marine(10, 8), marine(10, 9)

    def test_one_order_for_each_number_of_roaches(self):
        _, call = make()
        roaches = roach(15.5, 8), roach(15.5, 9, 60), roach(20, 9)
        assert call(*self.MARINES, *roaches) == attack(15.5, 9)
        assert call(*self.MARINES, *roaches) == NOTHING
        rest = roaches[0], roaches[2]
        assert call(marine(10, 8, selected=0), marine(10, 9), *rest) == SELECT_ARMY
        assert call(*self.MARINES, *rest) == attack(15.5, 8)
        assert call(*self.MARINES, *rest) == NOTHING
        # The next fight and the next episode.
        assert call(*self.MARINES, roach(20, 8)) == attack(20, 8)
        assert call(*self.MARINES, *rest) == attack(15.5, 8)
        assert call(*self.MARINES, *rest, done=True) == attack(15.5, 8)

    def test_an_order_that_was_not_played_is_given_again(self):
        player, call = make()
        rows = (*self.MARINES, roach(15.5, 8))
        assert call(*rows) == attack(15.5, 8)
        player.forget(np.array([True]))
        assert call(*rows) == attack(15.5, 8)
        player.forget(np.array([False]))
        assert call(*rows) == NOTHING

    def test_a_marine_that_the_next_hit_kills_steps_back(self):
        _, call = make()
        one = roach(15, 8)
        call(*self.MARINES, one)
        assert call(marine(10, 8, 13), marine(10, 9), one) == point('select_point', 10, 8)
        assert call(marine(10, 8, 13), marine(10, 9, selected=0), one) == point(
            'Move_screen', 8.5, 8
        )
        # It is no longer the nearest one.
        assert call(marine(9, 8, 13), marine(10, 9, selected=0), one) == NOTHING

    def test_others_stay(self):
        _, call = make()
        one = roach(15, 8)
        call(*self.MARINES, one)
        assert call(marine(10, 8, 14), marine(10, 9, 13), one) == NOTHING
        assert call(marine(10, 8, 13), marine(10, 9), roach(15.5, 8)) == NOTHING

    def test_of_two_the_nearer_one_is_first(self):
        _, call = make()
        roaches = roach(15, 8), roach(14.5, 12)
        call(marine(10, 8), marine(10, 12), *roaches)
        weak = marine(10, 8, 13), marine(10, 12, 13)
        assert call(*weak, *roaches) == point('select_point', 10, 12)
