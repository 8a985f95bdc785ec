"""The problem of FindAndDefeatZerglings."""

import numpy as np
import pytest

from sc2impala import sim
from sc2impala.envs import maps
from sc2impala.sim import functions
from sc2impala.sim.rollouts import Rollouts
from sc2impala.sim.search import PROBLEMS, Search
from sc2impala.sim.search import find_and_defeat_zerglings as problem_lib

MAP = 'FindAndDefeatZerglings'
PROBLEM = PROBLEMS[MAP]
AGENT = maps.MAP_DEFAULTS[MAP].demonstrated
SIZE = AGENT['screen_size']
FRAMES = 4
ZERGLINGS = slice(3, 28)


def make(num_games=2):
    game = sim.make(MAP, range(100, 100 + num_games), SIZE, SIZE)
    game.reset()
    return game


def play(game, steps):
    """Follows the search; returns the last decisions."""
    search = Search(game, PROBLEM, FRAMES)
    for _ in range(steps):
        decisions = search.decide(np.ones(game.num_games, bool))
        calls = decisions.calls
        minimap = np.stack([calls['minimap_x'], calls['minimap_y']], axis=1)
        game.act(calls['function'], {'minimap': minimap})
        game.advance(np.full(game.num_games, FRAMES))
    return decisions


def hidden(game, draw):
    """Copies the first game and draws what is hidden in it."""
    copy = game.games[:1].copy().view(np.recarray)
    random = np.zeros(1, [('key', np.uint64), ('counter', np.uint64)]).view(np.recarray)[0]
    random.key = np.uint64(draw)
    problem_lib._hide(copy[0], game.rules, random)
    return copy[0]


def cells_in_sight(game):
    """bool [64, 64], by y and x."""
    columns = np.arange(64, dtype=np.uint64)
    return (game.games._visible[0][:, np.newaxis] >> columns) & np.uint64(1) != 0


def in_sight(game, x, y):
    return cells_in_sight(game)[y.astype(int), x.astype(int)]


@pytest.mark.long
def test_candidates_are_calls_of_the_agent():
    decisions = play(make(), 25)
    assert set(PROBLEM.functions) <= set(AGENT['functions'])
    ids = {
        functions.NO_OP,
        functions.MOVE_CAMERA,
        functions.SELECT_ARMY,
        functions.ATTACK_MINIMAP,
        functions.MOVE_MINIMAP,
    }
    tried = decisions.candidates[decisions.draws > 0]
    assert set(tried['function']) <= ids
    for axis, size in zip(('minimap_x', 'minimap_y'), AGENT['minimap_size']):
        assert tried[axis].min() >= 0 and tried[axis].max() < size
    for name in ('queued', 'select_add', 'has_place'):
        assert not tried[name].any()
    assert (decisions.draws > 0).sum(axis=1).min() > 5


@pytest.mark.long
def test_the_policy_alone_scores_nearly_as_much_as_the_script():
    game = make(20)
    rollouts = Rollouts(game, PROBLEM.policy, 20)
    rollouts.copy(np.arange(20))
    rollouts.run(game.episode_loops // FRAMES, FRAMES)
    assert rollouts.games.score.mean() > 56


@pytest.mark.parametrize(
    'point, expected',
    [
        ((20.0, 39.0), (28.0, 39.0)),
        ((45.0, 41.0), (49.0, 35.0)),
        ((53.0, 30.0), (49.0, 22.0)),
        ((40.0, 14.0), (32.0, 17.0)),
        ((16.0, 20.0), (15.0, 28.0)),
        ((15.0, 36.0), (20.0, 39.0)),
    ],
)
def test_the_path_leads_clockwise(point, expected):
    assert problem_lib.next_on_path(*point) == pytest.approx(expected)


class TestHide:
    def game_in_fog(self):
        game = make(1)
        play(game, 60)
        assert 3 < (game.games.alive[0, ZERGLINGS] != 0).sum() < 25
        return game

    def test_what_is_visible_stays(self):
        game = self.game_in_fog()
        before, after = game.games[0], hidden(game, 5)
        seen = (before.alive != 0) & in_sight(game, before.x, before.y)
        assert seen[:3].any()
        for name in ('x', 'y', 'health', 'target', 'ready_at', 'order_kind', 'goal_x', 'goal_y'):
            np.testing.assert_array_equal(before[name][seen], after[name][seen])
        for name in ('alive', 'score', 'game_loop', 'seen', 'camera_x', 'type', 'owner'):
            np.testing.assert_array_equal(before[name], after[name])

    def test_hidden_zerglings_are_drawn_where_no_marine_has_been(self):
        """In the first wave."""
        game = self.game_in_fog()
        before, columns = game.games[0], np.arange(64, dtype=np.uint64)
        was_seen = (before.seen[:, np.newaxis] >> columns) & np.uint64(1) != 0
        places = []
        for draw in range(20):
            after = hidden(game, draw)
            moved = np.flatnonzero((before.x != after.x) | (before.y != after.y))
            x, y = after.x[moved].astype(int), after.y[moved].astype(int)
            assert not cells_in_sight(game)[y, x].any() and not was_seen[y, x].any()
            assert (before.alive[moved] != 0).all() and moved.min() >= 3
            places.append(np.stack([after.x, after.y], axis=1)[moved])
        assert len({len(place) for place in places}) == 1 and len(places[0]) > 3
        assert np.concatenate(places).std() > 1

    @pytest.mark.long
    def test_the_true_places_have_no_influence(self):
        game = self.game_in_fog()
        first = hidden(game, 5)
        second_game = self.game_in_fog()
        g = second_game.games[0]
        unseen = (first.x != g.x) | (first.y != g.y)
        places = np.stack([g.x, g.y], axis=1)[unseen]
        g.x[unseen], g.y[unseen] = places[::-1].T
        second = hidden(second_game, 5)
        np.testing.assert_array_equal(first.x[unseen], second.x[unseen])
        np.testing.assert_array_equal(first.y[unseen], second.y[unseen])

    def test_later_zerglings_are_not_drawn_near_dead_ones(self):
        game = make(1)
        play(game, 3)
        g = game.games[0]
        g.score = 40
        g.seen[:] = np.uint64(2**64 - 1)
        g.alive[3:8] = False
        g.x[3:8], g.y[3:8] = np.linspace(15, 45, 5), 39.0
        g.x[8], g.y[8] = 15.0, 35.0  # It was seen.
        g.x[9], g.y[9] = 31.0, 14.0
        after = hidden(game, 1)
        assert (after.x[8], after.y[8]) == (15.0, 35.0)
        assert (after.x[9], after.y[9]) != (31.0, 14.0)
        moved = np.flatnonzero((after.x != g.x) | (after.y != g.y))
        for i in range(3, 8):
            away = np.hypot(after.x[moved] - g.x[i], after.y[moved] - g.y[i])
            assert away.min() >= problem_lib._EXPLORED
