import numpy as np

from sc2impala.sim.games import move_to_beacon
from tests.sim import players

SCRIPT = players.Script('MoveToBeacon', 'PySC2')
PLAYERS = [SCRIPT, players.RandomPlayer(2)]


def positions(game):
    """Positions of marine and beacon of every game: [K, 2] each."""
    position = np.stack([game.games.x, game.games.y], axis=-1)
    return position[:, move_to_beacon.MARINE], position[:, move_to_beacon.BEACON]


def distance(one, other):
    return np.hypot(*(one - other).T)


def assert_spawn_rule(marine, beacon):
    assert (np.abs(beacon - (33, 28)) <= (9.5, 6.5)).all()
    assert (distance(beacon, np.array([33, 28])) >= 4 - 1e-9).all()
    assert (distance(beacon, marine) >= 5 - 1e-9).all()


def test_spawn_rule_over_ten_thousand_episodes():
    game = players.make('MoveToBeacon', range(2500))
    marines, beacons = [], []
    for _ in range(4):
        game.reset()
        marine, beacon = positions(game)
        assert_spawn_rule(marine, beacon)
        marines.append(marine)
        beacons.append(beacon)
    marines, beacons = np.concatenate(marines), np.concatenate(beacons)
    np.testing.assert_allclose(marines.min(0), (22, 20), atol=0.05)
    np.testing.assert_allclose(marines.max(0), (44, 36), atol=0.05)
    np.testing.assert_allclose(marines.mean(0), (33, 28), atol=0.3)
    np.testing.assert_allclose(beacons.min(0), (23.5, 21.5), atol=0.05)
    np.testing.assert_allclose(beacons.max(0), (42.5, 34.5), atol=0.05)
    assert distance(beacons, np.array([33, 28])).min() < 4.1
    assert distance(beacons, marines).min() < 5.1


def test_a_point_for_every_touch_and_for_nothing_else():
    for player in PLAYERS:
        game = players.make('MoveToBeacon', range(20), screen_layers=('player_relative',))
        game.reset()
        touches = 0
        for loop in range(600):
            if loop % 8 == 0:
                game.act(*player(game))
            _, before = positions(game)
            score = game.score
            game.advance(np.ones([20], int))
            marine, after = positions(game)
            touched = distance(marine, before) <= 1.25
            np.testing.assert_array_equal(game.score - score, touched)
            np.testing.assert_array_equal((before != after).any(1), touched)
            assert_spawn_rule(marine[touched], after[touched])
            touches += touched.sum()
        assert touches > 0


def test_the_marine_keeps_its_order_when_the_beacon_jumps():
    game = players.make('MoveToBeacon', range(30), screen_layers=('player_relative',))
    game.reset()
    game.act(*SCRIPT(game))
    game.act(*SCRIPT(game))
    goal = game.games.goal_x.copy(), game.games.goal_y.copy()
    while not (game.score > 0).all():
        game.advance(np.ones([30], int))
        assert (game.game_loop < 400).all()
    np.testing.assert_array_equal((game.games.goal_x, game.games.goal_y), goal)


def test_scripted_play_scores_as_in_the_real_game():
    game = players.make('MoveToBeacon', range(40), **SCRIPT.layers)
    scores = players.play(game, SCRIPT)
    assert 25.3 < scores.mean() < 27.3
    assert scores.min() >= 19 and scores.max() <= 35


def test_random_play_scores_as_in_the_real_game():
    scores = players.play(players.make('MoveToBeacon', range(100)), players.RandomPlayer(0))
    assert 0.5 < scores.mean() < 1.5
