import numpy as np
import pytest

from sc2impala import sim
from sc2impala.sim import functions, orders
from sc2impala.sim.compiler import compiled
from sc2impala.sim.counter_random import uniform
from sc2impala.sim.rollouts import Policy, Rollouts
from sc2impala.sim.units import NO_UNIT
from tests.sim import players

SIDE = 32
COUNT = np.dtype([('steps', np.int32), ('drawn', np.float64)])


@compiled
def _wander(g, rules, available, memory, random, call):
    """Selects the army, or everything, and then moves to other points; counts its steps."""
    memory.steps += 1
    memory.drawn = uniform(random)
    if available[functions.MOVE_SCREEN]:
        call.function = functions.MOVE_SCREEN
        call.screen_x = memory.steps * 7 % SIDE
        call.screen_y = memory.steps * 5 % SIDE
    elif available[functions.SELECT_ARMY]:
        call.function = functions.SELECT_ARMY
    else:
        call.function = functions.SELECT_RECT
        call.screen2_x = SIDE - 1
        call.screen2_y = SIDE - 1


@compiled
def _charge(g, rules, available, memory, random, call):
    """Orders all marines to attack the first enemy."""
    target = NO_UNIT
    for i in range(g.unit_end):
        if target == NO_UNIT and g.alive[i] and g.owner[i] == 2:
            target = i
    for i in range(g.mobile_end):
        if target != NO_UNIT and g.alive[i] and g.owner[i] == 1:
            orders.give(g, i, orders.ATTACK, g.x[target], g.y[target], False, target, 0)


WANDER = Policy('rollouts_test.wander', _wander, COUNT)
CHARGE = Policy('rollouts_test.charge', _charge, calls=False)


def make(map_name, num_games=3, steps=25):
    """Games that have been played for a while."""
    game = players.make(map_name, range(num_games), SIDE, SIDE)
    game.reset()
    choose = players.RandomPlayer(1, SIDE, SIDE)
    for _ in range(steps):
        game.act(*choose(game))
        game.advance(np.full([num_games], 6))
        game.reset(game.ended)
    return game


def call(num_games, function, **arguments):
    filled = {name: np.tile(value, (num_games, 1)) for name, value in arguments.items()}
    return functions.calls(np.full([num_games], function), filled, num_games)


def wander(game, step):
    """The call of `_wander`, for all games."""
    available = game.available_actions()
    moves = available[:, functions.MOVE_SCREEN]
    selects = np.where(available[:, functions.SELECT_ARMY], 7, 3)
    screen = np.where(moves[:, None], [step * 7 % SIDE, step * 5 % SIDE], 0)
    screen2 = np.where(~moves[:, None] & (selects == 3)[:, None], SIDE - 1, [0, 0])
    game.act(np.where(moves, 331, selects), {'screen': screen, 'screen2': screen2})


def assert_copies(copies, game, sources):
    for name, array in game.get_state().items():
        np.testing.assert_array_equal(copies.games[name], array[sources], err_msg=name)


@pytest.mark.parametrize(
    'map_name',
    [
        name if name == 'DefeatRoaches' else pytest.param(name, marks=pytest.mark.long)
        for name in sim.MAP_NAMES
    ],
)
def test_copies_play_like_their_games(map_name):
    game = make(map_name)
    sources = np.array([2, 0, 0, 1])
    copies = Rollouts(game, WANDER, len(sources))
    copies.copy(sources)
    assert_copies(copies, game, sources)
    first = call(4, functions.SELECT_RECT, screen2=[SIDE - 1, 20])
    copies.run(12, 8, first)
    game.act(np.full([3], 3), {'screen2': np.tile([SIDE - 1, 20], (3, 1))})
    game.advance(np.full([3], 8))
    for step in range(1, 12):
        ended = np.array(game.ended)
        at_the_end = game.games[ended]
        wander(game, step)
        # Copies are not called once they have ended; in a game a call leaves an error.
        game.games[ended] = at_the_end
        game.advance(np.full([3], 8))
    assert_copies(copies, game, sources)
    assert set(copies.memory.steps) <= set(range(12))


def test_copies_with_equal_draws_play_equally_and_others_do_not():
    game = make('DefeatRoaches', 1, steps=1)
    copies = Rollouts(game, CHARGE, 5)
    sources = np.zeros(5, int)
    draws = np.array([7, 7, 8, 9, 10])
    copies.copy(sources, draws)
    assert not (copies.games.key == game.games.key[0]).any()
    copies.run(40, 4)
    results = [tuple(health) for health in copies.games.health]
    assert results[0] == results[1]
    assert len(set(results)) == 4
    copies.copy(sources, draws)
    copies.run(40, 4)
    assert [tuple(health) for health in copies.games.health] == results


def test_policies_draw_numbers_of_their_own():
    game = make('DefeatRoaches', 1, steps=1)
    copies = Rollouts(game, WANDER, 3)
    copies.copy(np.zeros(3, int), np.array([1, 2, 1]))
    copies.run(1, 1)
    drawn = copies.memory.drawn
    assert drawn[0] == drawn[2] != drawn[1]
    copies.copy(np.zeros(3, int), np.array([1, 2, 1]))
    assert not copies.memory.steps.any()


def test_copies_stop_at_the_end_of_an_episode():
    game = make('DefeatRoaches', 2, steps=1)
    game.games.game_loop = [game.episode_loops - 20, game.episode_loops - 100]
    copies = Rollouts(game, WANDER, 2)
    copies.copy(np.arange(2))
    np.testing.assert_array_equal(copies.run(np.array([9, 3]), np.array([8, 2])), [3, 3])
    np.testing.assert_array_equal(copies.games.ended, [1, 0])
    np.testing.assert_array_equal(copies.run(5, 8), [0, 5])


def test_wrong_arguments_are_refused():
    game = make('DefeatRoaches', 2, steps=0)
    with pytest.raises(ValueError, match='num_copies is 0; expected at least 1'):
        Rollouts(game, WANDER, 0)
    copies = Rollouts(game, WANDER, 2)
    with pytest.raises(ValueError, match='sources holds 0 to 2; expected 0 to 1'):
        copies.copy(np.array([0, 2]))
    with pytest.raises(ValueError, match=r'sources is an array of .* \[3\]; .*\[2\]'):
        copies.copy(np.zeros(3, int))
    with pytest.raises(ValueError, match='steps holds -1; expected at least 0'):
        copies.run(-1, 8)
    with pytest.raises(ValueError, match='frames is an array of float64'):
        copies.run(1, 8.0)
    with pytest.raises(ValueError, match='first is an array of .*expected function calls'):
        copies.run(1, 8, call(3, 0))
