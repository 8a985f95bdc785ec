"""Common rules of DefeatRoaches and DefeatZerglingsAndBanelings."""

import numpy as np
import pytest

from sc2impala.sim import functions, orders
from sc2impala.sim.games import waves
from tests.sim import players

MAPS = {'DefeatRoaches': (4, 10, 5), 'DefeatZerglingsAndBanelings': (10, 5, 4)}
"""Zerg of a wave, reward of each, new marines."""
every_map = pytest.mark.parametrize('map_name', MAPS)
LINE = np.array([0, 1, -1, 2, -2, 3, -3, 4, -4])


def started(map_name, seeds=range(4)):
    game = players.make(map_name, seeds)
    game.reset()
    return game


def fill(game, value):
    return np.full([game.num_games], value)


def kill(game, slots, in_game=0):
    """Kills units within one frame, by missiles of their own."""
    games = game.games
    games.missile_at[in_game, slots] = 0
    games.missile_target[in_game, slots] = slots
    games.missile_damage[in_game, slots] = 1000
    game.advance((np.arange(game.num_games) == in_game).astype(int))


def zerg_of(map_name):
    """Slots of the zerg; the marines have the slots after them."""
    return slice(0, MAPS[map_name][0])


def marines_of(map_name):
    return slice(MAPS[map_name][0], None)


@pytest.fixture(params=MAPS)
def game(request):
    found = started(request.param)
    found.map_name = request.param
    found.advance(fill(found, 1))
    return found


@every_map
def test_the_player_finds_the_marines_selected_at_the_second_observation(map_name):
    game = started(map_name)
    assert not game.observe()['multi_select_count'].any()
    assert not game.observe()['available_actions'][:, functions.ATTACK_SCREEN].any()
    game.advance(fill(game, 8))
    assert (game.observe()['multi_select_count'] == 9).all()
    assert game.observe()['available_actions'][:, functions.ATTACK_SCREEN].all()


@every_map
def test_what_the_player_selects_before_that_stays_selected(map_name):
    game = started(map_name, [3])
    units = game.feature_units()[0]
    marine = units[units[:, 1] == 1][0]
    pixel = np.array([marine[[12, 13]]])
    game.act(fill(game, functions.SELECT_POINT), {'screen': pixel})
    assert game.observe()['single_select_count'] == 1
    game.advance(fill(game, 8))
    assert game.observe()['single_select_count'] == 1


def test_the_dead_count(game):
    num_zerg, reward, _ = MAPS[game.map_name]
    before = game.score
    kill(game, [num_zerg, num_zerg + 5, 1])
    np.testing.assert_array_equal(game.score - before, [reward - 2, 0, 0, 0])
    assert not game.ended.any()


def test_an_episode_ends_with_the_last_marine(game):
    num_zerg, _, _ = MAPS[game.map_name]
    kill(game, [num_zerg + index for index in range(9) if index != 1], in_game=2)
    assert not game.ended.any()
    kill(game, [num_zerg + 1], in_game=2)
    np.testing.assert_array_equal(game.ended, [False, False, True, False])
    np.testing.assert_array_equal(game.score, [0, 0, -9, 0])


def test_losing_the_last_marine_with_the_last_zerg_ends_the_episode(game):
    num_zerg, reward, _ = MAPS[game.map_name]
    kill(game, list(range(num_zerg + 9)))
    np.testing.assert_array_equal(game.ended, [True, False, False, False])
    assert game.score[0] == num_zerg * reward - 9
    assert not game.games.alive[0].any()


def test_a_new_wave(game):
    num_zerg, _, num_new = MAPS[game.map_name]
    zerg = list(range(num_zerg))
    slots = marines_of(game.map_name)
    game.act(fill(game, functions.MOVE_SCREEN), {'screen': np.full([4, 2], 42)})
    game.advance(fill(game, 9))
    g = game.games[0]
    g.health[num_zerg + 4] = 7.5
    g.selected[:] = False
    kill(game, [num_zerg + 1, num_zerg + 6] + zerg[:-1])
    assert g.alive[slots].sum() == 7
    others = game.games.x[1:].copy()
    kill(game, zerg[-1:])

    marines = num_zerg + np.flatnonzero(g.alive[slots])
    assert len(marines) == 7 + num_new and g.alive[zerg].all()
    # Survivors keep their health; new ones take the free slots.
    assert marines.tolist() == list(range(num_zerg, num_zerg + 7 + num_new))
    expected = np.full([7 + num_new], 45.0)
    expected[4] = 7.5
    np.testing.assert_array_equal(g.health[marines], expected)
    np.testing.assert_array_equal(g.health[zerg], game.rules.health[g.type[zerg]])
    # All stand in line, without orders, and selected.
    x, y = g.x[marines], g.y[marines]
    assert len(set(x)) == 1
    index = np.arange(len(marines))
    offsets = (index + 1) // 2 * np.where(index % 2, 1, -1)
    inside = (y[0] + offsets >= 20) & (y[0] + offsets <= 36)
    np.testing.assert_allclose(y[inside], (y[0] + offsets)[inside])
    assert abs(x[0] - g.x[zerg].mean()) > 9
    assert (g.order_kind == orders.IDLE).all()
    np.testing.assert_array_equal(np.flatnonzero(g.selected), marines)
    np.testing.assert_array_equal(game.games.x[1:], others)


@every_map
def test_both_sides_change_by_the_toss_of_a_coin(map_name):
    game = players.make(map_name, range(300))
    left = []
    for _ in range(2):
        game.reset()
        left.append(game.games.x[:, 0] < 33)
    assert 0.4 < left[0].mean() < 0.6
    assert 0.4 < (left[0] == left[1]).mean() < 0.6


@every_map
def test_new_marines_come_with_every_wave(map_name):
    num_zerg, _, num_new = MAPS[map_name]
    game = started(map_name, range(2))
    game.map_name = map_name
    game.advance(fill(game, 1))
    zerg = list(range(num_zerg))
    for _ in range(24):
        kill(game, zerg)
    g = game.games[0]
    assert g.alive[marines_of(map_name)].sum() == 9 + 24 * num_new
    assert g.selected.sum() == 9 + 24 * num_new
    x, y = g.x[g.alive > 0], g.y[g.alive > 0]
    assert x.min() >= 22 and x.max() <= 44 and y.min() >= 20 and y.max() <= 36
    apart = np.hypot(x[:, None] - x, y[:, None] - y)[np.triu_indices(len(x), 1)]
    assert apart.min() > 0.75 - 1e-5
    assert game.games.alive[1].sum() == 9 + num_zerg


@every_map
def test_no_more_marines_come_than_there_is_room_for(map_name):
    num_zerg, _, num_new = MAPS[map_name]
    game = started(map_name, [0])
    game.advance(fill(game, 1))
    before = waves.MAX_MARINES - num_new + 1
    game.games.alive[0, num_zerg : num_zerg + before] = True
    kill(game, list(range(num_zerg)))
    g = game.games[0]
    assert g.alive[marines_of(map_name)].sum() == waves.MAX_MARINES
    assert g.alive[zerg_of(map_name)].all()
    assert g.mobile_end == game.rules.num_units <= len(g.alive)


@every_map
def test_points_are_for_deaths_and_nothing_else(map_name):
    num_zerg, reward, _ = MAPS[map_name]
    game = started(map_name, range(20))
    rule = players.Script(map_name, 'LH')
    seen = 0
    for loop in range(800):
        if loop % 8 == 0:
            game.act(*rule(game))
        before = game.score
        game.advance(fill(game, 1))
        died = game.games._died.astype(int)
        points = reward * died[:, zerg_of(map_name)].sum(1)
        points -= died[:, marines_of(map_name)].sum(1)
        np.testing.assert_array_equal(game.score - before, points * (game.game_loop == loop + 1))
        seen += died.sum()
    assert seen > 20 * num_zerg


@every_map
def test_a_fight_goes_on_exactly_alone_and_restored(map_name):
    """Covers fights that random play may not reach."""
    seeds = [5, 6, 7]
    rule = players.Script(map_name, 'LH')
    game = started(map_name, seeds)
    calls = []
    for step in range(60):
        calls.append(rule(game))
        game.act(*calls[-1])
        game.advance(fill(game, 8))
        if step == 12:
            middle = game.get_state()
            assert (middle['target'] >= 0).any() and (game.score <= 40).all()
    assert (game.score > 10).any()
    end = game.get_state()

    restored = players.make(map_name, [0] * 3)
    restored.set_state(middle)
    for call in calls[13:]:
        restored.act(*call)
        restored.advance(fill(restored, 8))
    for name, array in restored.get_state().items():
        np.testing.assert_array_equal(array, end[name], err_msg=name)

    for index, seed in enumerate(seeds):
        alone = started(map_name, [seed])
        for function, arguments in calls:
            one = slice(index, index + 1)
            alone.act(function[one], {name: value[one] for name, value in arguments.items()})
            for _ in range(8):
                alone.advance(np.array([1]))
        for name, array in alone.get_state().items():
            np.testing.assert_array_equal(array[0], end[name][index], err_msg=name)
