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
    return (state['units/alive'] & (state['units/owner'] == owner)).sum(1)


def harvestable(state):
    """Sum of the contents of resources and the cargo of workers, minerals and gas: [K]."""
    carried = state['harvesting/cargo'].astype(int).sum(1)
    return state['harvesting/contents'].sum(1) + carried


def points_of_a_beacon(before, after):
    beacon = before['units/owner'] == unit_types.NEUTRAL
    jumped = (before['units/position'] != after['units/position']).any(0) & beacon
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
        return state['units/alive'] & (state['unit_ids'] == unit_types.MARINE.unit_type)

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
    left, right, bottom, top = trace.rules.arena.playable
    for _, state in trace.pairs():
        x, y = state['units/position'][:, state['units/alive']]
        assert x.min() >= left and x.max() <= right and y.min() >= bottom and y.max() <= top


DEPTH = 0.2
"""Permanently allowed overlap of units in cells; most have a diameter of 0.75."""
MOMENT = 16
"""Number of frames for which a larger overlap is allowed."""


def test_no_unit_is_inside_another_for_more_than_a_moment(trace):
    mobile = slice(0, trace.rules.num_mobile)
    for states in trace.phases:
        used = np.flatnonzero(np.any([s['units/alive'][:, mobile] for s in states], axis=(0, 1)))
        since = np.zeros([Trace.NUM_GAMES, len(used), len(used)], int)
        for state in states:
            solid = state['units/alive'][:, used] & state['units/solid'][:, used]
            radius = trace.stats.radius[state['units/type'][:, used]]
            position = state['units/position'][:, :, used]
            apart = np.sqrt(np.square(position[..., None] - position[:, :, None]).sum(0))
            deep = radius[..., None] + radius[:, None] - apart > DEPTH
            deep &= solid[..., None] & solid[:, None] & ~np.eye(len(used), dtype=bool)
            since = np.where(deep, since + 1, 0)
            assert since.max() <= MOMENT


def test_no_unit_is_inside_a_building_for_more_than_a_moment(trace):
    first = trace.rules.num_mobile
    if not trace.stats.footprint.any():
        pytest.skip('nothing there covers the ground')
    for states in trace.phases:
        since = np.zeros([Trace.NUM_GAMES, first, trace.rules.num_units - first], int)
        for state in states:
            alive, position = state['units/alive'], state['units/position']
            solid = alive[:, :first] & state['units/solid']
            half = np.moveaxis(trace.stats.footprint[state['units/type'][:, first:]], -1, 0) / 2
            away = np.abs(position[:, :, :first, None] - position[:, :, None, first:])
            inside = (away < half[:, :, None] - DEPTH).all(0)
            inside &= solid[:, :, None] & alive[:, None, first:]
            since = np.where(inside, since + 1, 0)
            assert since.max() <= MOMENT


def test_units_hold_no_more_health_than_they_can_and_the_dead_are_not_selected(trace):
    for _, state in trace.pairs():
        alive = state['units/alive']
        limit = trace.stats.health[state['units/type']]
        assert (state['units/health'][alive] > 0).all()
        assert (state['units/health'] <= limit)[alive].all()
        own = alive & (state['units/owner'] == unit_types.SELF)
        assert not (state['units/selected'] & ~own).any()


@pytest.fixture
def economy(trace):
    if not trace.stats.contents.any():
        pytest.skip('nothing is harvested there')
    return trace


def test_what_is_harvested_is_conserved(economy):
    """Resources are in fields, carried, in stock, or spent on existing units."""
    first, stats = economy.rules.num_mobile, economy.stats
    harvested = ordered = 0
    for before, after in economy.pairs():
        queued = queued_units(after, stats) - queued_units(before, stats)
        queued += after['production/trained'] - before['production/trained']
        was, now = before['units/alive'][:, first:], after['units/alive'][:, first:]
        begun = stock = 0
        for cost, name in ((stats.minerals, 'minerals'), (stats.vespene, 'vespene')):
            begun = (now & ~was) * cost[after['units/type'][:, first:]]
            own = before['units/owner'][:, first:] == unit_types.SELF
            # 75% of the cost of a cancelled building is refunded.
            back = (was & ~now & own) * (3 * cost[before['units/type'][:, first:]] // 4)
            spent = (queued * cost).sum(1) + begun.sum(1) - back.sum(1)
            stock = stock + after[name] - before[name] + spent
            ordered += (spent > 0).sum()
        np.testing.assert_array_equal(stock, harvestable(before) - harvestable(after))
        harvested += stock.sum()
        assert (after['minerals'] >= 0).all() and (after['vespene'] >= 0).all()
        assert (after['harvesting/contents'] >= 0).all()
    assert harvested and ordered


def queued_units(state, stats):
    """Number of units of each type in queues of player 1's buildings: [K, T]."""
    types = np.arange(len(stats.unit_type))
    return (state['production/queue'][..., None] == types).sum((1, 2))


def test_supply_is_that_of_the_units_and_never_exceeds_what_buildings_provide(economy):
    stats = economy.stats
    trained = 0
    for before, after in economy.pairs():
        own = after['units/alive'] & (after['units/owner'] == unit_types.SELF)
        food = stats.food[after['units/type']] * own
        in_training = after['production/ready_at'] > 0
        training = in_training * stats.food[after['production/queue'][:, :, 0]]
        finished = own & (after['units/unfinished'] == 0)
        provided = (stats.food_provided[after['units/type']] * finished).sum(1)
        used, limit = after['player'][:, 3], after['player'][:, 4]
        np.testing.assert_array_equal(used, food.sum(1) + training.sum(1))
        np.testing.assert_array_equal(limit, np.minimum(provided, 200))
        assert (used <= limit).all()
        new = after['production/trained'] - before['production/trained']
        of_type = [(own & (after['units/type'] == t)).sum(1) for t in range(len(stats.food))]
        had = before['units/alive'] & (before['units/owner'] == unit_types.SELF)
        had = [(had & (before['units/type'] == t)).sum(1) for t in range(len(stats.food))]
        mobile = ~stats.is_structure
        np.testing.assert_array_equal(
            (np.transpose(of_type) - np.transpose(had))[:, mobile], new[:, mobile]
        )
        trained += new.sum()
    assert trained
