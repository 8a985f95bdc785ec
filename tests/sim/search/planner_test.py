"""The search against a slow one, which plays each candidate in a batch of its own."""

import numpy as np
import pytest

from sc2impala import sim
from sc2impala.sim import counter_random, functions
from sc2impala.sim.compiler import compiled
from sc2impala.sim.counter_random import uniform
from sc2impala.sim.functions import CALL
from sc2impala.sim.rollouts import Policy
from sc2impala.sim.search import PROBLEMS, Search, planner
from sc2impala.sim.search import plans as plans_lib
from sc2impala.sim.search.problem import KEEP_ORDERS, Problem

SIDE = 32
FRAMES = 4
MAP = 'DefeatRoaches'


@compiled
def _attack(g, rules, available, memory, random, call):
    """Attacks with everything, at a random pixel of the middle row."""
    if not available[functions.ATTACK_SCREEN]:
        call.function = functions.SELECT_ARMY
        return
    call.function = functions.ATTACK_SCREEN
    call.screen_x = int(SIDE * uniform(random))
    call.screen_y = SIDE // 2


@compiled
def _propose(g, rules, available, plans):
    """Some calls, the last of which is equal to another one; and functions that cannot be called.

    A plan of two calls, too.
    """
    plans_lib.add(plans, functions.NO_OP)
    plans_lib.add(plans, functions.TRAIN_MARINE_QUICK)
    for column in range(3):
        call = plans_lib.add(plans, functions.MOVE_SCREEN)
        call.screen_x = 10 * column
        call.screen_y = 7
    call = plans_lib.add(plans, functions.MOVE_SCREEN)
    plans_lib.aim(g, rules, call, g.camera_x - 100, g.camera_y + 12 - 7.4 / SIDE * 24)
    call = plans_lib.add(plans, functions.SELECT_ARMY)
    call = plans_lib.then(plans, functions.MOVE_SCREEN)
    call.screen_x = SIDE - 1
    plans_lib.add(plans, functions.STOP_QUICK)


@compiled
def _value(g, rules):
    """The health of all units: differs between all the states of a fight."""
    total = 0.0
    for i in range(g.unit_end):
        if g.alive[i]:
            total += g.health[i] * (1 if g.owner[i] == 1 else -0.3) + 0.01 * g.x[i]
    return total


@compiled
def _stage(g, rules):
    """Increases after some time."""
    return g.game_loop // 90


@compiled
def _hide(g, rules, random):
    """Moves a unit somewhat."""
    g.x[0] += uniform(random)


PROBLEM = Problem(
    name='planner_test',
    policy=Policy('planner_test.attack', _attack),
    propose=_propose,
    value=_value,
    functions=('no_op', 'select_army', 'Attack_screen', 'Move_screen'),
    horizon=60,
    draws=2,
    frame_cost=0.25,
)


def make(num_games=3, frames=120, map_name=MAP, first_seed=5):
    """Games in the middle of a fight."""
    game = sim.make(map_name, range(first_seed, first_seed + num_games), (SIDE, SIDE), (SIDE, SIDE))
    game.reset()
    game.advance(np.ones([num_games], int))
    zeros = np.full([num_games, 2], SIDE // 2)
    game.act(np.full([num_games], functions.ATTACK_SCREEN), {'screen': zeros})
    game.advance(frames + 5 * np.arange(num_games))
    return game


def every(game):
    return np.ones([game.num_games], bool)


def call_of(function, x=0, y=0):
    call = np.zeros([1], CALL)
    call['function'], call['screen_x'], call['screen_y'] = function, x, y
    return call


def slow_value(game, k, plan, problem, keys):
    """Plays a plan of calls and then the policy, in a batch of one game."""
    state = {name: array[k : k + 1].copy() for name, array in game.get_state().items()}
    other = sim.make(MAP, [1], (SIDE, SIDE), (SIDE, SIDE))
    other.set_state(state)
    other.games['key'], other.games['counter'] = keys[0], 0
    random = np.zeros([1], dtype=[('key', np.uint64), ('counter', np.uint64)]).view(np.recarray)
    random['key'] = keys[1]
    if problem.hide:
        problem.hide(other.games[0], other.rules, random[0])
    stage = problem.stage(other.games[0], other.rules)
    score, loop = other.score[0], other.game_loop[0]
    for step in range(problem.horizon // FRAMES):
        if other.ended[0]:
            break
        call = np.zeros([1], CALL)
        if step < len(plan):
            call = plan[step]
        else:
            available = other.available_actions()[0]
            problem.policy.decide(
                other.games[0], other.rules, available, None, random[0], call.view(np.recarray)[0]
            )
        points = np.stack([call['screen_x'], call['screen_y']], axis=1)
        other.act(call['function'], {'screen': points})
        other.advance(np.array([FRAMES]))
        now = problem.stage(other.games[0], other.rules)
        if now > stage:
            break
        stage = now
    value = float(other.score[0] - score)
    if other.ended[0]:
        return value - problem.frame_cost * (other.episode_loops - loop)
    value -= problem.frame_cost * (other.game_loop[0] - loop)
    return value + problem.value(other.games[0], other.rules)


def slow_keys(game, k, draw):
    seed = np.uint64(int(game.games[k].key) + 2**12 * int(game.games[k].game_loop) + draw)
    return [counter_random.other_keys(np.array([seed]), stream)[0] for stream in (2, 3)]


@pytest.mark.long
@pytest.mark.parametrize(
    'changes', [{}, {'stage': _stage}, {'hide': _hide}, {'horizon': 2000, 'draws': 1}]
)
def test_values_are_those_of_a_slow_search(changes):
    problem = PROBLEM._replace(name='planner_test' + ''.join(changes), **changes)
    game = make(2)
    found = Search(game, problem, FRAMES).decide(every(game))
    plans = {
        1: [call_of(functions.NO_OP)],
        4: [call_of(functions.MOVE_SCREEN, 10, 7)],
        7: [call_of(functions.SELECT_ARMY), call_of(functions.MOVE_SCREEN, SIDE - 1)],
    }
    for k in range(2):
        plans[0] = [found.candidates[k, :1]]
        for index, plan in plans.items():
            draws = range(problem.draws)
            values = [slow_value(game, k, plan, problem, slow_keys(game, k, d)) for d in draws]
            assert found.draws[k, index] == problem.draws
            np.testing.assert_allclose(found.values[k, index], np.mean(values), rtol=1e-9)


def test_equal_and_impossible_plans_are_not_tried():
    game = make()
    found = Search(game, PROBLEM, FRAMES).decide(every(game))
    for plan in (2, 6):  # Marines cannot be trained; the same pixel as that of plan 3.
        assert not found.draws[:, plan].any() and np.isnan(found.values[:, plan]).all()
    assert found.draws[:, [0, 1, 3, 4, 5, 7, 8]].all()
    np.testing.assert_array_equal(found.candidates['screen_x'][:, 6], 0)


def test_functions_may_be_left_out():
    game = make()
    allowed = np.zeros([functions.NUM_FUNCTIONS], bool)
    allowed[[functions.NO_OP, functions.ATTACK_SCREEN]] = True
    found = Search(game, PROBLEM, FRAMES, allowed).decide(every(game))
    np.testing.assert_array_equal(np.flatnonzero(found.draws.any(axis=0)), [0, 1])


def test_the_best_plan_is_chosen_if_it_exceeds_the_policy_by_the_margin():
    game = make()
    found = Search(game, PROBLEM, FRAMES).decide(every(game))
    best = np.nanmax(found.values, axis=1)
    gains = best - found.values[:, 0]
    assert (gains > 0.1).any()
    np.testing.assert_array_equal(found.chosen, np.nanargmax(found.values, axis=1))
    for k, plan in enumerate(found.chosen):
        assert found.calls[k] == found.candidates[k, plan]
    by_margin = Search(game, PROBLEM._replace(margin=gains.max() - 1e-3), FRAMES)
    chosen = by_margin.decide(every(game)).chosen
    np.testing.assert_array_equal(chosen > 0, gains == gains.max())


def test_games_do_not_change_and_decide_alone():
    game = make()
    before = {name: array.copy() for name, array in game.get_state().items()}
    both = Search(game, PROBLEM, FRAMES).decide(every(game))
    for name, array in game.get_state().items():
        np.testing.assert_array_equal(array, before[name])
    alone = Search(game, PROBLEM, FRAMES, num_threads=1).decide(np.array([False, True, False]))
    assert not alone.draws[[0, 2]].any() and not alone.calls[[0, 2]]['function'].any()
    for name in ('values', 'chosen', 'calls', 'draws', 'steps'):
        np.testing.assert_array_equal(getattr(alone, name)[1], getattr(both, name)[1])


@pytest.mark.long
def test_another_policy_is_compiled_anew():
    """The cache of compiled functions distinguishes problems of the same name by their policy."""
    game = make()
    first = Search(game, PROBLEM, FRAMES).decide(every(game))
    waits = Search(game, PROBLEM._replace(policy=KEEP_ORDERS), FRAMES).decide(every(game))
    assert not waits.candidates['function'][:, 0].any()
    assert first.candidates['function'][:, 0].all()


def test_an_ended_game_is_left_out():
    game = make()
    game.advance(np.array([5000, 0, 0]))
    found = Search(game, PROBLEM, FRAMES).decide(every(game))
    np.testing.assert_array_equal(found.draws.any(axis=1), [False, True, True])


def test_halving_gives_more_draws_to_the_better_half():
    game = make()
    found = Search(game, PROBLEM._replace(draws=1, halvings=2), FRAMES).decide(every(game))
    # 7 plans are tried, 4 of them twice more, and 2 of those four times more; or 3 and the
    # policy's, which is never left out.
    for draws in found.draws:
        assert sorted(draws[draws > 0]) == [1, 1, 1, 3, 3, 7, 7]
        assert draws[0] == 7
    assert (found.draws[np.arange(3), found.chosen] == 7).all()


@compiled
def _propose_nothing(g, rules, available, plans):
    """Leaves the policy's call as the only candidate."""


@pytest.mark.long
def test_a_single_candidate_is_not_tried():
    game = make()
    problem = PROBLEM._replace(name='planner_test.one', propose=_propose_nothing)
    found = Search(game, problem, FRAMES).decide(np.array([True, True, False]))
    assert not found.steps.any() and not found.chosen.any()
    np.testing.assert_array_equal(found.draws[:, 0], [1, 1, 0])
    np.testing.assert_array_equal(found.values[:2, 0], 0)
    np.testing.assert_array_equal(found.calls, found.candidates[:, 0])
    assert found.calls['function'][0] == functions.ATTACK_SCREEN
    _, weights = found.distribution(3, temperature=1.0, margin=0.5)
    np.testing.assert_array_equal(weights, [[1, 0, 0], [1, 0, 0], [0, 0, 0]])


def test_the_future_of_the_game_is_not_known():
    """Decisions are independent of the next random numbers of the game."""
    problem = PROBLEM._replace(horizon=4 * FRAMES)
    game = make()
    first = Search(game, problem, FRAMES).decide(every(game))
    game.games['counter'] += 17
    second = Search(game, problem, FRAMES).decide(every(game))
    np.testing.assert_array_equal(first.values, second.values)
    game.games['key'] += 1
    third = Search(game, problem, FRAMES).decide(every(game))
    assert (first.values[:, 0] != third.values[:, 0]).any()


def test_random_numbers_are_kept_for_the_frames_of_a_problem():
    game = make()
    seeds = []
    for period in range(3):
        game.games.game_loop[:] = 80 + period * FRAMES
        seeds.append(planner._seeds(game, 2, frames=2 * FRAMES))
    np.testing.assert_array_equal(seeds[0], seeds[1])
    assert len(np.unique([seeds[0], seeds[2]])) == 4 * game.num_games


class TestDistribution:
    def test_is_a_softmax_of_the_best_values(self):
        game = make()
        found = Search(game, PROBLEM, FRAMES).decide(np.array([True, True, False]))
        calls, weights = found.distribution(4, temperature=2.0, margin=1.5)
        assert calls.shape == weights.shape == (3, 4) and not weights[2].any()
        for k in range(2):
            values = found.values[k].copy()
            values[0] += 1.5
            order = np.argsort(np.where(np.isnan(values), np.inf, -values), kind='stable')[:4]
            np.testing.assert_array_equal(calls[k], found.candidates[k, order])
            wanted = np.exp((values[order] - values[order[0]]) / 2.0)
            np.testing.assert_allclose(weights[k], wanted / wanted.sum(), rtol=1e-5)

    def test_equal_first_calls_count_once(self):
        game = make(1)
        found = Search(game, PROBLEM, FRAMES).decide(every(game))
        found.candidates[0, 7] = found.candidates[0, 1]
        calls, weights = found.distribution(10, temperature=1.0, margin=0.0)
        tried = np.flatnonzero(weights[0] > 0)
        assert len(tried) == len(np.unique(calls[0, tried])) == 6
        better = max(found.values[0, 7], found.values[0, 1])
        place = int(np.flatnonzero(calls[0] == found.candidates[0, 1])[0])
        ratio = np.exp(better - np.nanmax(found.values))
        np.testing.assert_allclose(weights[0, place] / weights[0, 0], ratio, rtol=1e-5)


def test_more_plans_than_there_is_room_for_are_left_out():
    plans = plans_lib.make()
    for index in range(plans_lib.MAX_PLANS + 5):
        call = plans_lib.add(plans, functions.MOVE_SCREEN)
        call.screen_x = index
        for column in range(plans_lib.MAX_CALLS + 3):
            plans_lib.then(plans, functions.STOP_QUICK).screen_y = column
    assert plans.size[0] == plans_lib.MAX_PLANS
    kept = plans.calls[: plans_lib.MAX_PLANS, : plans_lib.MAX_CALLS]
    np.testing.assert_array_equal(kept['screen_x'][:, 0], np.arange(plans_lib.MAX_PLANS))
    np.testing.assert_array_equal(kept['screen_y'][0], [0, 0, 1, 2])
    assert plans.lengths.max() == plans_lib.MAX_CALLS


def test_wrong_arguments_are_refused():
    game = make(1)
    with pytest.raises(ValueError, match='frames is 0'):
        Search(game, PROBLEM, 0)
    remembers = PROBLEM.policy._replace(memory=np.dtype([('steps', np.int32)]))
    with pytest.raises(ValueError, match='has a memory'):
        Search(game, PROBLEM._replace(policy=remembers), FRAMES)


@pytest.mark.slow
@pytest.mark.parametrize(
    'map_name, least', [('DefeatRoaches', 400), ('DefeatZerglingsAndBanelings', 1000)]
)
def test_scores(map_name, least):
    game = sim.make(map_name, range(100, 106), (SIDE, SIDE), (SIDE, SIDE))
    game.reset()
    search = Search(game, PROBLEMS[map_name], FRAMES)
    while not game.ended.all():
        calls = search.decide(~game.ended).calls
        points = np.stack([calls['screen_x'], calls['screen_y']], axis=1)
        game.act(calls['function'], {'screen': points})
        game.advance(np.full([6], FRAMES))
    assert game.score.mean() > least
