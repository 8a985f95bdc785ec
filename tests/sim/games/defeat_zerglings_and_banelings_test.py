import numpy as np

from tests.sim import players


def scores(rule, episodes):
    game = players.make('DefeatZerglingsAndBanelings', range(episodes), **rule.layers)
    return players.play(game, rule)


def test_zerg_stand_around_one_point_without_touching():
    game = players.make('DefeatZerglingsAndBanelings', range(50))
    game.reset()
    x, y = game.games.x[:, :10], game.games.y[:, :10]
    assert (game.games.type[:, :10] == [1] * 6 + [2] * 4).all()
    apart = np.hypot(x[:, :, None] - x[:, None], y[:, :, None] - y[:, None])
    assert apart[:, np.triu_indices(10, 1)[0], np.triu_indices(10, 1)[1]].min() > 0.75 - 1e-5
    assert np.hypot(x - x[:, :1], y - y[:, :1]).max() < 2


def test_scripted_play_scores_as_in_the_real_game():
    found = scores(players.Script('DefeatZerglingsAndBanelings', 'LH'), 100)
    assert 85 < found.mean() < 149
    assert found.max() < 500


def test_random_play_scores_as_in_the_real_game():
    assert 13 < scores(players.RandomPlayer(0), 100).mean() < 32
