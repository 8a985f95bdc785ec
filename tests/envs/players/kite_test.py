import itertools

import numpy as np
import pytest

from sc2impala import envs
from sc2impala.envs.players.kite import KitePlayer
from sc2impala.envs.players.unit_types import BANELING, MARINE, ZERGLING
from tests.envs.players import boards

PIXELS = 4
"""Per cell."""


def marine(x, y, selected=1, cooldown=0):
    columns = dict(is_selected=selected, weapon_cooldown=cooldown)
    return boards.unit(MARINE, boards.MINE, PIXELS * x, PIXELS * y, **columns)


def enemy(unit_type, x, y, health=30):
    return boards.unit(unit_type, boards.ENEMY, PIXELS * x, PIXELS * y, health=health)


def make(step=4):
    """A function of units that returns the call of the script, one step after the one before."""
    loops = itertools.count(step, step)
    player = boards.make(KitePlayer, screen_size=(24 * PIXELS, 24 * PIXELS))

    def call(*rows, done=None):
        observation = {
            'feature_units': boards.feature_units(rows),
            'game_loop': np.array([[next(loops)]], np.int32),
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
    assert call(*MARINES, enemy(BANELING, 15, 9)) == attack(15, 9)
    assert call(*MARINES) == ('no_op', [])


def test_banelings_come_first_and_of_those_the_near_and_weak():
    call = make()
    zerglings = enemy(ZERGLING, 15, 8, 35), enemy(ZERGLING, 15, 10, 5)
    assert call(*MARINES, *zerglings, enemy(BANELING, 20, 9)) == attack(20, 9)
    two = enemy(BANELING, 16, 9), enemy(BANELING, 16, 10, 5)
    assert call(*MARINES, *zerglings, *two) == attack(16, 10)


def test_marines_attack_the_ground_behind_zerglings_and_behind_enemies_that_are_far():
    call = make()
    assert call(*MARINES, enemy(ZERGLING, 15, 8), enemy(ZERGLING, 15, 10)) == attack(19, 9)
    assert call(*MARINES, enemy(BANELING, 17.5, 9)) == attack(21.5, 9)
    assert call(*MARINES, enemy(BANELING, 17.5, 9), enemy(ZERGLING, 16.5, 9)) == attack(17.5, 9)
    # The ground is inside the map.
    assert call(*MARINES, enemy(BANELING, 20, 9)) == attack(22.5, 9)


NEAR = enemy(BANELING, 13, 9)


def fired(*cooldowns):
    """Marines with the frames until they can fire again."""
    return [marine(10, 8 + 2 * index, cooldown=value) for index, value in enumerate(cooldowns)]


@pytest.mark.parametrize('step', [2, 4, 8])
def test_marines_run_from_banelings_while_most_of_them_reload(step):
    call = make(step)
    assert call(*fired(0, 0), NEAR) == attack(13, 9)
    assert call(*fired(14, 0), NEAR) != move(1.25, 9)
    assert call(*fired(14, 12), NEAR) == move(1.25, 9)
    assert call(*fired(5, 5), NEAR) == move(1.25, 9)
    assert call(*fired(1, 5), NEAR) == attack(13, 9)
    # Not if nobody can reach an enemy, and not from zerglings.
    assert call(*fired(14, 12), enemy(BANELING, 16.1, 9)) == attack(16, 9)
    assert call(*fired(14, 12), enemy(ZERGLING, 13, 9)) == attack(17, 9)


@pytest.mark.parametrize('step, attacks', [(2, False), (4, False), (8, True)])
def test_in_long_steps_weapons_are_ready_within_the_step(step, attacks):
    call = make(step)
    assert call(*fired(0, 0), NEAR) == attack(13, 9)
    assert call(*fired(14, 14), NEAR) == move(1.25, 9)
    assert call(*fired(4, 4), NEAR) == (attack(13, 9) if attacks else move(1.25, 9))


def test_an_order_to_attack_is_held_until_the_volley_has_left():
    call = make(2)
    other = enemy(BANELING, 12, 9)
    calls = [call(*fired(0, 0), NEAR), call(*fired(0, 0), other), call(*fired(0, 0), other)]
    assert calls == [attack(13, 9), ('no_op', []), attack(12, 9)]
    # Another episode has no order.
    assert call(*fired(0, 0), NEAR, done=True) == attack(13, 9)
    # Out of reach an order is repeated.
    far = enemy(BANELING, 20, 9)
    assert [call(*MARINES, far, done=True), call(*MARINES, far)] == [attack(22.5, 9)] * 2


def test_nobody_runs_from_zerglings():
    call = make()
    rows = (*MARINES, enemy(ZERGLING, 11, 9), enemy(BANELING, 18, 9))
    assert [call(*rows) for _ in range(4)] == [attack(18, 9)] * 4


@pytest.mark.parametrize('rules', [{'facing': 1}, {'marine.damage_point': 2}])
def test_short_steps_do_not_cancel_slow_attacks(rules):
    map_name, games = 'DefeatZerglingsAndBanelings', 4
    observation_spec, action_spec = envs.make_specs(
        map_name, screen_size=(32, 32), vectors=KitePlayer.vectors
    )
    player = KitePlayer(observation_spec, action_spec)
    with envs.make_environment(
        'simulator', map_name, range(games), observation_spec, action_spec, 2, rules=rules
    ) as env:
        observation, done, returns = env.reset(), None, 0
        for _ in range(240):
            output = env.step(player.act(observation, done), np.full([games], 2, np.int32))
            observation, done = output.observation, output.done
            returns += output.reward
            assert not done.any()
    assert returns.min() > 50
