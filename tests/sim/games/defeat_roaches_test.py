import numpy as np
import pytest

from tests.sim import players


def scores(rule, episodes):
    game = players.make('DefeatRoaches', range(episodes), **rule.layers)
    return players.play(game, rule)


def test_roaches_stand_above_and_below_a_point():
    game = players.make('DefeatRoaches', range(50))
    game.reset()
    x, y = game.games.x[:, :4], game.games.y[:, :4]
    assert (x == x[:, :1]).all()
    np.testing.assert_allclose(y - y.mean(1)[:, None], np.tile([0.5, 1.5, -0.5, -1.5], [50, 1]))


@pytest.mark.parametrize('rule, low, high', [('LH', 60, 130), ('LZ', 8, 40)])
def test_scripted_play_scores_as_in_the_real_game(rule, low, high):
    found = scores(players.Script('DefeatRoaches', rule), 100)
    assert low < found.mean() < high
    # Each score is ten per roach, less one per marine.
    assert found.min() >= -9 and found.max() < 400


def test_random_play_scores_as_in_the_real_game():
    assert -5 < scores(players.RandomPlayer(0), 100).mean() < 4


def test_to_do_nothing_is_safe():
    game = players.make('DefeatRoaches', range(5))
    game.reset()
    before = game.games.x.copy(), game.games.y.copy()
    game.advance(np.full([5], 2000))
    assert (game.game_loop == 1920).all() and not game.score.any()
    np.testing.assert_array_equal((game.games.x, game.games.y), before)
