"""Invariants of every frame of a game for arbitrary actions."""

import numpy as np
import pytest

from sc2impala import sim
from sc2impala.sim import unit_types
from tests.sim.traces import Trace


@pytest.fixture(scope='module', params=sim.MAP_NAMES)
def trace(request):
    return Trace(request.param)


def count(state, owner):
    """Number of living units of an owner: [K]."""
    return (state['alive'] & (state['owner'] == owner)).sum(1)


def harvestable(state):
    """Sum of the contents of resources and the cargo of workers, minerals and gas: [K]."""
    carried = state['cargo'].astype(int).sum(1)
    return state['contents'].sum(1) + carried


def points_of_a_beacon(before, after):
    beacon = before['owner'] == unit_types.NEUTRAL
    moved = (before['x'] != after['x']) | (before['y'] != after['y'])
    jumped = moved & beacon
    return jumped.any(1)


def points_of_shards(before, after):
    left, now = (count(state, unit_types.NEUTRAL) for state in (before, after))
    return np.where(now > left, left, left - now)


def points_of_deaths(reward, new_marines):
    """Of enemies, and of marines less one; when the enemies are dead new ones come."""

    def points(before, after):
        enemies, enemies_now = (count(state, unit_types.ENEMY) for state in (before, after))
        marines, marines_now = (count(state, unit_types.SELF) for state in (before, after))
        new_wave = enemies_now > enemies
        killed = np.where(new_wave, enemies, enemies - enemies_now)
        lost = marines + new_marines * new_wave - marines_now
        assert (killed >= 0).all() and (lost >= 0).all()
        return reward * killed - lost

    return points


def points_of_harvest(before, after):
    """What left the fields and is carried no more."""
    return harvestable(before) - harvestable(after)


def points_of_new_marines(before, after):
    def marines(state):
        return state['alive'] & (state['unit_ids'] == unit_types.MARINE.unit_type)

    return (marines(after) & ~marines(before)).sum(1)


POINTS = {
    'MoveToBeacon': points_of_a_beacon,
    'CollectMineralShards': points_of_shards,
    'FindAndDefeatZerglings': points_of_deaths(1, 0),
    'DefeatRoaches': points_of_deaths(10, 5),
    'DefeatZerglingsAndBanelings': points_of_deaths(5, 4),
    'CollectMineralsAndGas': points_of_harvest,
    'BuildMarines': points_of_new_marines,
}


def test_rewards_come_from_the_stated_events_only(trace):
    changes = 0
    for before, after in trace.pairs():
        points = POINTS[trace.map_name](before, after)
        change = after['score'] - before['score']
        np.testing.assert_array_equal(change, points)
        changes += (change != 0).sum()
    assert changes


def test_nothing_leaves_the_playable_region(trace):
    left, right, bottom, top = trace.playable
    for _, state in trace.pairs():
        x, y = (state[axis][state['alive']] for axis in ('x', 'y'))
        assert x.min() >= left and x.max() <= right and y.min() >= bottom and y.max() <= top


DEPTH = 0.2
"""Permanently allowed overlap of units in cells; most have a diameter of 0.75."""
MOMENT = 24
"""Number of frames for which a larger overlap is allowed, as in a group that gathers at a point."""


def test_no_unit_is_inside_another_for_more_than_a_moment(trace):
    for states in trace.phases:
        used = used_slots(states, range(trace.num_mobile))
        since = np.zeros([Trace.NUM_GAMES, len(used), len(used)], int)
        for state in states:
            solid = state['alive'][:, used] & state['solid'][:, used]
            radius = trace.rules.radius[state['type'][:, used]]
            x, y = (state[axis][:, used] for axis in ('x', 'y'))
            apart = np.hypot(x[..., None] - x[:, None], y[..., None] - y[:, None])
            deep = radius[..., None] + radius[:, None] - apart > DEPTH
            deep &= solid[..., None] & solid[:, None] & ~np.eye(len(used), dtype=bool)
            since = np.where(deep, since + 1, 0)
            assert since.max() <= MOMENT


def used_slots(states, slots):
    """Those of the slots that hold a living unit in any state."""
    slots = np.array(slots)
    return slots[np.any([state['alive'][:, slots] for state in states], axis=(0, 1))]


def test_no_unit_is_inside_a_building_for_more_than_a_moment(trace):
    first = trace.num_mobile
    if not trace.rules.footprint.any():
        pytest.skip('nothing there covers the ground')
    for states in trace.phases:
        units = used_slots(states, range(first))
        buildings = used_slots(states, range(first, states[0]['alive'].shape[1]))
        since = np.zeros([Trace.NUM_GAMES, len(units), len(buildings)], int)
        for state in states:
            inside = state['alive'][:, units, None] & state['solid'][:, units, None]
            inside = inside & state['alive'][:, None, buildings]
            half = trace.rules.footprint[state['type'][:, None, buildings]] / 2
            for side, axis in enumerate(('x', 'y')):
                away = np.abs(state[axis][:, units, None] - state[axis][:, None, buildings])
                inside = inside & (away < half[..., side] - DEPTH)
            since = np.where(inside, since + 1, 0)
            assert since.max() <= MOMENT


def test_units_hold_no_more_health_than_they_can_and_the_dead_are_not_selected(trace):
    for _, state in trace.pairs():
        alive = state['alive']
        limit = trace.rules.health[state['type']]
        assert (state['health'][alive] > 0).all()
        assert (state['health'] <= limit)[alive].all()
        own = alive & (state['owner'] == unit_types.SELF)
        assert not (state['selected'] & ~own).any()


@pytest.fixture
def economy(trace):
    if not trace.rules.contents.any():
        pytest.skip('nothing is harvested there')
    return trace


def test_what_is_harvested_is_conserved(economy):
    """Resources are in fields, carried, in stock, or spent on existing units."""
    first, stats = economy.num_mobile, economy.rules
    harvested = ordered = 0
    for before, after in economy.pairs():
        queued = queued_units(after, stats) - queued_units(before, stats)
        queued += after['trained'] - before['trained']
        was, now = before['alive'][:, first:], after['alive'][:, first:]
        begun = stock = 0
        for cost, name in ((stats.minerals, 'minerals'), (stats.vespene, 'vespene')):
            begun = (now & ~was) * cost[after['type'][:, first:]]
            own = before['owner'][:, first:] == unit_types.SELF
            # 75% of the cost of a cancelled building is refunded.
            back = (was & ~now & own) * (3 * cost[before['type'][:, first:]] // 4)
            spent = (queued * cost).sum(1) + begun.sum(1) - back.sum(1)
            stock = stock + after[name] - before[name] + spent
            ordered += (spent > 0).sum()
        np.testing.assert_array_equal(stock, harvestable(before) - harvestable(after))
        harvested += stock.sum()
        assert (after['minerals'] >= 0).all() and (after['vespene'] >= 0).all()
        assert (after['contents'] >= 0).all()
    assert harvested and ordered


def queued_units(state, stats):
    """Number of units of each type in queues of player 1's buildings: [K, T]."""
    types = np.arange(len(stats.unit_type))
    return (state['queue'][..., None] == types).sum((1, 2))


def test_supply_is_that_of_the_units_and_never_exceeds_what_buildings_provide(economy):
    stats = economy.rules
    trained = 0
    for before, after in economy.pairs():
        own = after['alive'] & (after['owner'] == unit_types.SELF)
        food = stats.food[after['type']] * own
        in_training = after['training_until'] > 0
        training = in_training * stats.food[after['queue'][:, :, 0]]
        finished = own & (after['unfinished'] == 0)
        provided = (stats.food_provided[after['type']] * finished).sum(1)
        used, limit = after['player'][:, 3], after['player'][:, 4]
        np.testing.assert_array_equal(used, food.sum(1) + training.sum(1))
        np.testing.assert_array_equal(limit, np.minimum(provided, 200))
        assert (used <= limit).all()
        new = after['trained'] - before['trained']
        of_type = [(own & (after['type'] == t)).sum(1) for t in range(len(stats.food))]
        had = before['alive'] & (before['owner'] == unit_types.SELF)
        had = [(had & (before['type'] == t)).sum(1) for t in range(len(stats.food))]
        mobile = stats.is_structure == 0
        np.testing.assert_array_equal(
            (np.transpose(of_type) - np.transpose(had))[:, mobile], new[:, mobile]
        )
        trained += new.sum()
    assert trained
