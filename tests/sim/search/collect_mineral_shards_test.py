"""The problem of CollectMineralShards."""

import numpy as np
import pytest

from sc2impala import sim
from sc2impala.envs import maps
from sc2impala.sim import functions, pixels
from sc2impala.sim.rollouts import Rollouts
from sc2impala.sim.search import PROBLEMS, Pairs, Search
from sc2impala.sim.search import collect_mineral_shards as problem_lib

MAP = 'CollectMineralShards'
PROBLEM = PROBLEMS[MAP]
SIDE = maps.MAP_DEFAULTS[MAP].screen_size[0]
FRAMES = 2
SHARDS = slice(2, 22)


def make(num_games=4):
    game = sim.make(MAP, range(100, 100 + num_games), (SIDE, SIDE), (SIDE, SIDE))
    game.reset()
    return game


def play(game, steps):
    """Follows the search; returns the last decisions."""
    search = Search(game, PROBLEM, FRAMES)
    for _ in range(steps):
        decisions = search.decide(np.ones(game.num_games, bool))
        calls = decisions.calls
        screen = np.stack([calls['screen_x'], calls['screen_y']], axis=1)
        game.act(calls['function'], {'screen': screen})
        game.advance(np.full(game.num_games, FRAMES))
    return decisions


def hidden(record, rules, draw):
    """Copies a game and draws what is hidden in it."""
    copy = np.array([record]).view(np.recarray)
    random = np.zeros(1, [('key', np.uint64), ('counter', np.uint64)]).view(np.recarray)[0]
    random.key = np.uint64(draw)
    problem_lib._hide(copy[0], rules, random)
    return copy[0]


def place(game, marine, shard, goal):
    """A game with one shard; the first marine walks to a goal, and the other one is far away."""
    g = game.games[0]
    g.alive[SHARDS] = False
    g.alive[2] = True
    g.x[2], g.y[2] = shard
    for m, point in enumerate((marine, (43.0, 35.0))):
        g.x[m], g.y[m] = point
        g.goal_x[m], g.goal_y[m] = point
    g.order_kind[0, 0] = 2
    g.order_x[0, 0], g.order_y[0, 0] = goal
    g.goal_x[0], g.goal_y[0] = goal
    g.heading_x[0], g.heading_y[0] = np.subtract(goal, marine)
    return g


@pytest.mark.long
def test_candidates_are_calls_of_the_agent():
    game = make()
    decisions = play(game, 30)
    of_agent = maps.MAP_DEFAULTS[MAP].functions
    assert set(PROBLEM.functions) <= set(of_agent)
    ids = {functions.NO_OP, functions.SELECT_POINT, functions.MOVE_SCREEN}
    tried = decisions.candidates[decisions.draws > 0]
    assert set(tried['function']) <= ids
    for axis in ('screen_x', 'screen_y'):
        assert tried[axis].min() >= 0 and tried[axis].max() < SIDE
    for name in ('queued', 'select_point_act', 'select_add', 'has_place'):
        assert not tried[name].any()
    assert (decisions.draws > 0).sum(axis=1).min() > 5


def test_the_policy_alone_scores_more_than_the_script():
    game = make(10)
    rollouts = Rollouts(game, PROBLEM.policy, 10)
    rollouts.copy(np.arange(10))
    rollouts.run(game.episode_loops // FRAMES, FRAMES)
    assert rollouts.games.score.mean() > 195


def test_in_pairs_marines_go_to_the_pixel_of_a_shard_and_on_when_it_has_disappeared():
    game = make(6)
    pairs = Pairs(game, PROBLEM.policy_in_pairs)
    goals = -np.ones((6, 2), int)
    left_early = orders = waits = 0
    for _ in range(game.episode_loops // 8):
        selections, calls = pairs.decide(np.ones(6, bool))
        for k in np.flatnonzero(calls['function'] == functions.MOVE_SCREEN):
            g, call = game.games[k], calls[k]
            shards = np.flatnonzero(g.alive[SHARDS]) + SHARDS.start
            columns = np.floor(pixels.screen_column(g, game.rules, g.x[shards]))
            rows = np.floor(pixels.screen_row(g, game.rules, g.y[shards]))
            at = (columns == call['screen_x']) & (rows == call['screen_y'])
            if not at.any():
                waits += 1
                continue
            x = pixels.screen_column(g, game.rules, g.x[:2]) - selections['screen_x'][k] - 0.5
            y = pixels.screen_row(g, game.rules, g.y[:2]) - selections['screen_y'][k] - 0.5
            marine = np.hypot(x, y).argmin()
            left_early += goals[k, marine] in shards
            orders += 1
            goals[k, marine] = shards[at.argmax()]
        for chosen in (selections, calls):
            screen = np.stack([chosen['screen_x'], chosen['screen_y']], axis=1)
            game.act(chosen['function'], {'screen': screen})
        game.advance(np.full(6, 8))
    assert game.score.mean() > 160
    # Marines wait when there is no shard for them.
    assert orders > 500 and max(left_early, waits) < 0.2 * orders


@pytest.mark.long
def test_the_search_sends_each_marine_its_own_way():
    game = make(8)
    play(game, 150)
    g = game.games
    apart = np.hypot(g.x[:, 0] - g.x[:, 1], g.y[:, 0] - g.y[:, 1])
    assert apart.mean() > 5
    assert game.score.mean() > 28


@pytest.mark.parametrize(
    'start, goal, shard, expected',
    [
        ((0, 0), (10, 0), (4, 0), (2.0, 6.0)),
        ((0, 0), (5, 0), (4, 0), (2.0, problem_lib._FAR)),
        ((3, 0), (10, 0), (4, 0), (-1.0, 3.0)),
        ((0, 0), (10, 0), (4, 3), (problem_lib._FAR, problem_lib._FAR)),
        ((7, 0), (10, 0), (4, 0), (problem_lib._FAR, problem_lib._FAR)),
        ((0, 0), (1, 0), (4, 0), (problem_lib._FAR, problem_lib._FAR)),
        ((3, 0), (3, 0), (4, 0), (0.0, problem_lib._FAR)),
        ((0, 0), (0, 0), (4, 0), (problem_lib._FAR, problem_lib._FAR)),
    ],
)
def test_the_way_in_reach_of_a_shard(start, goal, shard, expected):
    assert problem_lib.in_reach(*start, *goal, *shard, 2.0) == pytest.approx(expected)


def test_a_marine_is_free_when_it_has_passed_the_shards_on_its_way():
    game = make(1)
    g = place(game, (25.0, 28.0), (30.0, 28.0), (40.0, 28.0))
    found = problem_lib.look(g, game.rules, problem_lib._STAY)
    speed, reach = game.rules.speed[0], game.rules.shard_reach
    np.testing.assert_array_equal(found.by, [0])
    stay = (5 - reach) / speed + problem_lib._STAY
    np.testing.assert_allclose(found.free, [stay, 0])
    np.testing.assert_allclose([found.free_x[0], found.free_y[0]], [25 + speed * stay, 28])
    g = place(game, (25.0, 28.0), (30.0, 28.0 + 0.98 * reach), (40.0, 28.0))
    assert problem_lib.look(g, game.rules, problem_lib._STAY).by[0] == -1, (
        'not long enough in reach'
    )


class TestHide:
    def test_all_that_is_seen_stays(self):
        game = make(1)
        play(game, 40)
        before = game.games[0]
        after = hidden(before, game.rules, 5)
        differ = [n for n in before.dtype.names if not np.array_equal(before[n], after[n])]
        assert set(differ) <= {'try_at', 'taken_at'}

    def test_the_true_frames_have_no_influence(self):
        game = make(1)
        play(game, 40)
        first = hidden(game.games[0], game.rules, 5)
        game.games.try_at += 3
        game.games.taken_at[0, :5] = game.game_loop[0] + 1
        second = hidden(game.games[0], game.rules, 5)
        left = np.flatnonzero(first.alive[SHARDS])
        np.testing.assert_array_equal(first.try_at[left], second.try_at[left])
        np.testing.assert_array_equal(first.taken_at[left], second.taken_at[left])

    @pytest.mark.parametrize('away, first, last', [(5.0, 1, 8), (1.8, 1, 8), (1.2, -1, 4)])
    def test_a_shard_looks_within_a_period_of_the_time_when_marines_came(self, away, first, last):
        """A marine 0.675 cells in reach came 4 frames ago; one far away may come at any time."""
        game = make(1)
        g = place(game, (30.0 - away, 28.0), (30.0, 28.0), (40.0, 28.0))
        now = int(game.game_loop[0])
        looks = []
        for draw in range(200):
            after = hidden(g, game.rules, draw)
            taken = after.taken_at[0] < problem_lib.NEVER
            looks.append(after.taken_at[0] - game.rules.shard_delay if taken else after.try_at[0])
            assert not taken or after.taken_at[0] > now
        assert min(looks) - now == first and max(looks) - now == last
