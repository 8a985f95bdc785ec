"""The problem of DefeatRoaches: the rules of its roll-outs."""

import numpy as np
import pytest

from sc2impala import sim
from sc2impala.sim import functions, orders
from sc2impala.sim.rollouts import Rollouts
from sc2impala.sim.search import PROBLEMS
from sc2impala.sim.search import defeat_roaches as problem_lib
from sc2impala.sim.search import plans as plans_lib
from sc2impala.sim.unit_types import ENEMY, SELF

MAP = 'DefeatRoaches'
SIZE = (32, 32)


class Fight:
    """Marines in a column, and roaches at a distance to the right of it."""

    def __init__(self, distance, num_marines=6):
        self.batch = sim.make(MAP, [0], SIZE, SIZE)
        self.batch.reset()
        self.game = self.batch.games.view(np.recarray)[0]
        g = self.game
        mobile = np.arange(len(g.x)) < g.mobile_end
        self.marines = np.flatnonzero(mobile & (g.alive != 0) & (g.owner == SELF))
        self.roaches = np.flatnonzero(mobile & (g.alive != 0) & (g.owner == ENEMY))
        g.alive[self.marines[num_marines:]] = 0
        self.marines = self.marines[:num_marines]
        g.x[self.marines] = 26.0
        g.y[self.marines] = 28.0 + np.arange(num_marines)
        g.x[self.roaches] = 26.0 + distance
        g.y[self.roaches] = 29.0 + np.arange(len(self.roaches))
        self.select(self.marines)

    def select(self, marines):
        self.game.selected[:] = 0
        self.game.selected[marines] = 1

    def decide(self):
        call = plans_lib.make().calls[0, 0]
        available = np.ones(functions.NUM_FUNCTIONS, np.uint8)
        problem_lib.decide(self.game, self.batch.rules, available, None, None, call)
        return call

    def pixel(self, x, y):
        """The pixel of the screen at a place."""
        column = np.floor((x - self.game.camera_x + 12) / 24 * SIZE[0])
        return column, np.floor((self.game.camera_y + 12 - y) / 24 * SIZE[1])

    def place(self, unit):
        return self.game.x[unit], self.game.y[unit]


def test_all_marines_are_selected_first():
    fight = Fight(distance=5)
    fight.select(fight.marines[:3])
    assert fight.decide().function == functions.SELECT_ARMY


def test_a_damaged_roach_in_range_of_many_is_attacked():
    fight = Fight(distance=4)
    fight.game.health[fight.roaches] = [145, 100, 145, 145]
    call = fight.decide()
    assert call.function == functions.ATTACK_SCREEN
    assert (call.screen_x, call.screen_y) == fight.pixel(*fight.place(fight.roaches[1]))
    # Out of range a small difference in health does not matter.
    fight.game.health[fight.roaches] = [145, 144, 145, 145]
    fight.game.x[fight.roaches[1]] += 4
    call = fight.decide()
    assert (call.screen_x, call.screen_y) != fight.pixel(*fight.place(fight.roaches[1]))


@pytest.mark.parametrize('health, is_weak', [(14, False), (13, True)])
def test_a_marine_that_the_next_hit_kills_steps_aside(health, is_weak):
    fight = Fight(distance=4)
    weak = fight.marines[3]
    fight.game.health[weak] = health
    call = fight.decide()
    if not is_weak:
        assert call.function == functions.ATTACK_SCREEN
        return
    assert call.function == functions.SELECT_POINT
    assert (call.screen_x, call.screen_y) == fight.pixel(*fight.place(weak))
    fight.select([weak])
    call = fight.decide()
    assert call.function == functions.MOVE_SCREEN
    x, y = fight.place(weak)
    assert (call.screen_x, call.screen_y) == fight.pixel(x - 1.5, y)


def test_weak_marines_out_of_reach_stay():
    fight = Fight(distance=6.5)
    fight.game.health[fight.marines[3]] = 10
    assert fight.decide().function == functions.ATTACK_SCREEN


def test_weak_marines_are_sent_behind_the_others_before_the_fight():
    fight = Fight(distance=10)
    weak = fight.marines[2]
    fight.game.health[weak] = 10
    fight.game.x[weak] += 0.5
    call = fight.decide()
    assert call.function == functions.SELECT_POINT
    assert (call.screen_x, call.screen_y) == fight.pixel(*fight.place(weak))
    fight.select([weak])
    call = fight.decide()
    assert call.function == functions.MOVE_SCREEN
    assert call.screen_x < fight.pixel(*fight.place(weak))[0]
    # It is on its way.
    fight.game.order_kind[weak, 0] = orders.MOVE
    assert fight.decide().function == functions.SELECT_ARMY
    # It is there.
    fight.game.order_kind[weak, 0] = orders.IDLE
    fight.game.x[weak] -= 2
    assert fight.decide().function == functions.SELECT_ARMY


@pytest.mark.parametrize('distance, num_marines', [(7.5, 6), (12, 6), (10, 1)])
def test_at_other_times_nobody_is_sent_behind(distance, num_marines):
    """Too late, too early, or all of them are weak."""
    fight = Fight(distance, num_marines)
    fight.game.health[fight.marines[0]] = 10
    fight.game.x[fight.marines[0]] += 0.5
    assert fight.decide().function == functions.ATTACK_SCREEN


@pytest.mark.long
def test_the_policy_alone_scores_more_than_the_script():
    game = sim.make(MAP, range(20), SIZE, SIZE)
    game.reset()
    rollouts = Rollouts(game, PROBLEMS[MAP].policy, 20)
    rollouts.copy(np.arange(20))
    rollouts.run(game.episode_loops // 2, 2)
    assert rollouts.games.score.mean() > 270
