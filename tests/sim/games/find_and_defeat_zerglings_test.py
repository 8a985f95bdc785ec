import numpy as np
import pytest

from sc2impala.sim import functions, orders
from tests.sim import players

NAME = 'FindAndDefeatZerglings'
CENTRE = np.array([32.0, 28.0])
MARINES, ZERGLINGS = slice(0, 3), slice(3, 28)


def advance(game, loops=1):
    game.advance(np.full([game.num_games], loops))


def kill(game, *slots):
    """Kills the living units among those in slots within one frame, by missiles of their own."""
    games = game.games
    victims = np.zeros(games.alive.shape, bool)
    for part in slots:
        victims[:, part] = games.alive[:, part]
    games.missile_at[victims] = 0
    games.missile_target[victims] = np.nonzero(victims)[1]
    games.missile_damage[victims] = 1000
    advance(game)


def positions(game):
    """Positions of marines [K, 3, 2] and of zerglings [K, 25, 2]."""
    position = np.stack([game.games.x, game.games.y], axis=-1)
    return position[:, MARINES], position[:, ZERGLINGS]


def distances(points, others):
    """Distances between all points and all others of a game: [K, n, m]."""
    return np.sqrt(np.square(points[:, :, None] - others[:, None]).sum(-1))


def assert_apart(zerglings):
    assert (distances(zerglings, zerglings) + 99 * np.eye(25)).min() >= 5


def assert_in_region(zerglings):
    np.testing.assert_allclose(zerglings.min((0, 1)), (11, 13), atol=0.1)
    np.testing.assert_allclose(zerglings.max((0, 1)), (53, 43), atol=0.1)


def test_spawn_rule_over_ten_thousand_episodes():
    game = players.make(NAME, range(2500))
    centre = np.broadcast_to(CENTRE, (2500, 1, 2))
    angles = np.radians([90, 210, 330])
    expected = CENTRE + np.stack([np.cos(angles), np.sin(angles)], axis=1)
    for _ in range(4):
        game.reset()
        assert game.games.alive[:, :28].all() and not game.games.alive[:, 28:].any()
        assert (game.games.owner[:, :28] == [1] * 3 + [2] * 25).all()
        marines, zerglings = positions(game)
        np.testing.assert_allclose(marines, np.broadcast_to(expected, marines.shape), atol=1e-12)
        assert_apart(zerglings)
        assert_in_region(zerglings)

        off_centre = distances(zerglings, centre)[..., 0]
        for zergling, (low, high) in enumerate([(8, 9), (7.5, 9.5)]):
            np.testing.assert_allclose(off_centre[:, zergling].min(), low, atol=0.01)
            np.testing.assert_allclose(off_centre[:, zergling].max(), high, atol=0.01)
            assert abs(off_centre[:, zergling].mean() - 8.5) < 0.1
        assert 10.5 < off_centre[:, 2:].min() < 10.51
        directions = (zerglings[:, 0] - CENTRE) / off_centre[:, :1]
        np.testing.assert_allclose(directions.mean(0), 0, atol=0.06)
        np.testing.assert_allclose(directions.var(0), 0.5, atol=0.04)


def test_spawn_rule_of_later_zerglings_over_ten_thousand_waves():
    game = players.make(NAME, range(100))
    random = np.random.RandomState(0)
    game.reset()
    waves = []
    for wave in range(100):
        marines = random.uniform((10, 12), (54, 44), size=(100, 3, 2))
        # Marines that leave hardly any room.
        marines[:1] = (24, 33), (40, 21), (17, 19)
        games = game.games
        games.x[:, MARINES], games.y[:, MARINES] = marines[..., 0], marines[..., 1]
        games.goal_x[:, MARINES], games.goal_y[:, MARINES] = marines[..., 0], marines[..., 1]
        games.order_kind[:, MARINES, 0] = orders.HOLD
        games.health[:, MARINES] = 1 + wave % 45
        kill(game, ZERGLINGS)

        assert games.alive[:, :28].all()
        np.testing.assert_array_equal(games.health[:, :28], [[1 + wave % 45] * 3 + [35] * 25] * 100)
        new_marines, zerglings = positions(game)
        stand_free = (distances(marines, marines) + 99 * np.eye(3) > 0.75).all((1, 2))
        np.testing.assert_array_equal(new_marines[stand_free], marines[stand_free])
        assert_apart(zerglings)
        assert distances(zerglings, new_marines).min() >= 9
        waves.append(zerglings)
    waves = np.concatenate(waves)
    assert_in_region(waves)
    # They can appear where the first ones could not.
    assert distances(waves, np.broadcast_to(CENTRE, (10000, 1, 2))).min() < 0.5


def test_where_a_marine_died_zerglings_may_appear():
    game = players.make(NAME, range(300))
    game.reset()
    kill(game, 1, 2)
    kill(game, ZERGLINGS)
    marines, zerglings = positions(game)
    assert distances(zerglings, marines[:, :1]).min() >= 9
    assert distances(zerglings, marines[:, 1:]).min() < 9


def test_a_point_for_a_zergling_and_one_less_for_a_marine():
    game = players.make(NAME, range(2))
    game.reset()
    kill(game, slice(3, 9), 1)
    np.testing.assert_array_equal(game.score, [5, 5])
    advance(game, 20)
    np.testing.assert_array_equal(game.score, [5, 5])
    assert game.games.alive.sum(1).tolist() == [21, 21]
    kill(game, ZERGLINGS)
    np.testing.assert_array_equal(game.score, [24, 24])
    assert game.games.alive.sum(1).tolist() == [27, 27]
    kill(game, 0, ZERGLINGS)
    np.testing.assert_array_equal(game.score, [48, 48])
    assert not game.ended.any()
    kill(game, 2)
    np.testing.assert_array_equal(game.score, [47, 47])
    assert game.ended.all()


def test_the_last_marine_and_the_last_zergling_may_die_together():
    game = players.make(NAME, range(2))
    game.reset()
    kill(game, MARINES, ZERGLINGS)
    assert game.ended.all()
    np.testing.assert_array_equal(game.score, [22, 22])
    assert not game.games.alive.any()
    np.testing.assert_array_equal(game.game_loop, [1, 1])


def test_without_deaths_an_episode_lasts_three_minutes():
    game = players.make(NAME, range(2))
    game.reset()
    assert game.episode_loops == 2880
    advance(game, 2879)
    assert not game.ended.any()
    advance(game)
    assert game.ended.all()


def test_a_new_wave_leaves_selection_and_orders_of_marines_alone():
    game = players.make(NAME, range(2))
    game.reset()
    advance(game)
    game.act(np.full([2], functions.SELECT_UNIT), {'select_unit_id': np.array([1, 1])})
    game.act(np.full([2], functions.MOVE_MINIMAP), {'minimap': np.full([2, 2], 20)})
    kill(game, ZERGLINGS)
    np.testing.assert_array_equal(game.games.selected[:, MARINES], [[0, 1, 0]] * 2)
    np.testing.assert_array_equal(game.games.order_kind[:, MARINES, 0] > 0, [[0, 1, 0]] * 2)


@pytest.mark.parametrize('loops', [1, 8])
def test_marines_are_selected_from_the_second_observation_on(loops):
    game = players.make(NAME, range(2))
    game.reset()
    assert not game.games.selected.any()
    advance(game, loops)
    selected = game.games.selected
    assert selected[:, MARINES].all() and not selected[:, ZERGLINGS].any()
    game.act(np.full([2], functions.SELECT_UNIT), {'select_unit_id': np.array([2, 2])})
    advance(game, loops)
    np.testing.assert_array_equal(game.games.selected.sum(1), [1, 1])
