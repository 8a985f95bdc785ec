"""Selections and orders in one action, against the policy that gives one call after the other."""

import numpy as np
import pytest

from sc2impala import sim
from sc2impala.sim import functions
from sc2impala.sim.compiler import compiled
from sc2impala.sim.functions import CALL
from sc2impala.sim.rollouts import Policy
from sc2impala.sim.search import BASE_POLICIES, Pairs, Search

SELECTIONS = functions.SELECT_POINT, functions.SELECT_ARMY, functions.SELECT_IDLE_WORKER
K = 6


def make(map_name):
    batch = sim.make(map_name, range(K), screen_size=(32, 32), minimap_size=(32, 32))
    batch.reset()
    return batch


def call(batch, calls):
    """Executes CALL [K], whose other arguments are 0."""
    arguments = {
        name: np.stack([calls[name + '_x'], calls[name + '_y']], axis=-1)
        for name in ('screen', 'minimap')
    }
    arguments.update((name, calls[name]) for name in ('select_point_act', 'select_worker'))
    batch.act(calls['function'], arguments)


def play(batch, pairs, frames):
    """Makes one step, and returns both calls of each game."""
    selections, calls = pairs.decide(np.ones([K], bool))
    call(batch, selections)
    call(batch, calls)
    batch.advance(np.full([K], frames, np.int32))
    return selections, calls


@pytest.mark.parametrize(
    'map_name',
    ['CollectMineralShards', 'DefeatRoaches', 'FindAndDefeatZerglings', 'CollectMineralsAndGas'],
)
def test_the_order_is_what_the_policy_calls_after_the_selection(map_name):
    batch, problem = make(map_name), BASE_POLICIES[map_name]
    pairs = Pairs(batch, problem.policy)
    single = Search(batch, problem, 8)
    kinds = set()
    for _ in range(60):
        state = batch.get_state()
        selections, calls = pairs.decide(np.ones([K], bool))
        selects = np.isin(selections['function'], SELECTIONS)
        assert (selects | (selections['function'] == functions.NO_OP)).all()
        assert not np.isin(calls['function'], SELECTIONS).any()
        call(batch, selections)
        after = single.decide(np.ones([K], bool)).calls
        np.testing.assert_array_equal(after[selects], calls[selects])
        batch.set_state(state)
        play(batch, pairs, 8)
        kinds.update(zip(selections['function'], calls['function']))
    assert len({order for first, order in kinds if first in SELECTIONS}) >= 1
    assert len(kinds) >= 2


def test_games_are_left_as_they_are_and_those_not_wanted_are_left_out():
    batch = make('DefeatRoaches')
    pairs = Pairs(batch, BASE_POLICIES['DefeatRoaches'].policy)
    for _ in range(15):
        play(batch, pairs, 8)
    before = batch.get_state()
    selections, calls = pairs.decide(np.ones([K], bool))
    some = np.arange(K) % 2 == 0
    of_some = pairs.decide(some)
    for every, found in zip((selections, calls), of_some):
        np.testing.assert_array_equal(found[some], every[some])
        np.testing.assert_array_equal(found[~some], np.zeros([K // 2], CALL))
    assert selections['function'].all() and calls['function'].all()
    np.testing.assert_equal(batch.get_state(), before)


@compiled
def _select_for_ever(g, rules, available, memory, random, call):
    call.function = functions.SELECT_ARMY


@compiled
def _train(g, rules, available, memory, random, call):
    """A call that needs a selection, but is not available."""
    call.function = functions.TRAIN_MARINE_QUICK


@pytest.mark.parametrize('decide', [_select_for_ever, _train])
def test_a_policy_that_orders_nothing_waits(decide):
    batch = make('DefeatRoaches')
    pairs = Pairs(batch, Policy(decide.__name__, decide))
    for calls in pairs.decide(np.ones([K], bool)):
        np.testing.assert_array_equal(calls, np.zeros([K], CALL))


def test_a_policy_with_a_memory_is_refused():
    policy = Policy('remembers', _train, memory=np.dtype([('x', np.int32)]))
    with pytest.raises(ValueError, match="'remembers' has a memory"):
        Pairs(make('DefeatRoaches'), policy)
