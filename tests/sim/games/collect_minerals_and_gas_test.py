import numpy as np
import pytest

from sc2impala.sim import functions, orders, unit_types
from sc2impala.sim.games import bases
from sc2impala.sim.games.collect_minerals_and_gas import CollectMineralsAndGas
from tests.sim import players
from tests.sim.economy import helpers

NAME = 'CollectMineralsAndGas'
TYPES = CollectMineralsAndGas.unit_types


def places(game, unit_type):
    """Positions of the units of a type in the first game: a set of points."""
    units = game._world.units
    there = units.alive[0] & (units.type[0] == TYPES.index(unit_type))
    return set(map(tuple, units.position[:, 0, there].T))


def test_what_stands_there_at_the_beginning():
    game = players.make(NAME, [1])
    game.reset()
    assert places(game, unit_types.COMMAND_CENTER) == {(30.5, 27.5)}
    fields = places(game, unit_types.MINERAL_FIELD)
    assert len(fields) == 16 and {(25, 22.5), (23, 28.5), (43, 26.5), (41, 32.5)} <= fields
    assert {(66 - x, y) for x, y in fields} == fields
    geysers = {(26.5, 20.5), (26.5, 34.5), (39.5, 20.5), (39.5, 34.5)}
    assert places(game, unit_types.VESPENE_GEYSER) == geysers
    contents = game._world.mechanics['harvesting'].contents[0]
    assert sorted(contents[contents > 0]) == [1800] * 16 + [2250] * 4
    seen = game.observe()
    np.testing.assert_array_equal(seen['player'][0], [1, 50, 0, 12, 15, 0, 12, 12, 0, 0, 0])
    assert list(np.flatnonzero(seen['available_actions'][0])) == [0, 1, 2, 3, 4, 6]
    assert game.episode_loops == 6720
    assert game.score == 0


def test_workers_start_on_one_side_by_a_coin_flip():
    game = players.make(NAME, range(2000))
    game.reset()
    x, y = game._world.units.position[:, :, : bases.NUM_WORKERS]
    offset = np.round(x - 29.825, 9)
    side = np.sign(offset[:, 0])
    assert (np.sign(offset) == side[:, None]).all()
    assert 0.46 < (side > 0).mean() < 0.54
    np.testing.assert_allclose(np.sort(np.abs(offset), 1), [[3.5] * 6 + [4.5] * 6] * 2000)
    rows = np.sort(np.round(y - 28.008, 9), 1)
    np.testing.assert_allclose(rows, [np.repeat([-2.5, -1.5, -0.5, 0.5, 1.5, 2.5], 2)] * 2000)


def test_nothing_happens_by_itself():
    game = players.make(NAME, [1, 2])
    game.reset()
    before = game._world.units.position.copy()
    game.advance(np.full(2, 6720))
    assert game.ended.all() and not game.score.any()
    # Some stand nearer to a field than they can.
    np.testing.assert_allclose(game._world.units.position, before, atol=0.06)


def test_the_score_is_what_is_brought_home():
    game = players.make(NAME, range(4))
    game.reset()
    world = game._world
    for slot in range(12):
        choice = np.arange(bases.NUM_MOBILE) == slot
        orders.give(
            world.units,
            np.arange(4),
            chosen=np.broadcast_to(choice, (4, bases.NUM_MOBILE)),
            order_kind=np.full([4, 1], orders.GATHER),
            point=np.zeros([2, 4, bases.NUM_MOBILE]),
            queued=np.zeros([4], bool),
            target=np.full([4, 1], bases.NUM_MOBILE + slot % 8),
        )
    for _ in range(200):
        before = world.minerals.copy(), game.score
        game.advance(np.full(4, 5))
        gained = world.minerals - before[0]
        np.testing.assert_array_equal(game.score - before[1], gained)
        assert not (gained % 5).any()
    assert (game.score >= 300).all()


def test_spending_does_not_lower_the_score():
    base = helpers.Base(helpers.GAS, workers=12)
    base.mechanics['ledger'].collected[:] = 500
    base.run(1)
    assert base.game.score == 1000
    base.select(base.slot_at(*helpers.COMMAND_CENTER))
    base.act(functions.TRAIN_SCV_QUICK)
    base.run(1)
    assert base.world.minerals == 0 and base.game.score == 1000


def test_a_new_episode_has_full_fields_and_no_new_buildings():
    base = helpers.Base(helpers.GAS, workers=12)
    base.put(unit_types.SUPPLY_DEPOT, 37, 27)
    field = base.slot_at(24, 25.5)
    base.mechanics['harvesting'].contents[0, field - 200] = 3
    base.world.kill(np.array([0]), np.array([base.slot_at(24, 23.5)]))
    base.run(10)
    used = base.game
    used.reset()
    fresh = players.make(NAME, [0])
    fresh.reset()
    fresh.reset()
    expected = fresh.get_state()
    for name, array in used.get_state().items():
        np.testing.assert_array_equal(array, expected[name], err_msg=name)


@pytest.mark.parametrize('function', [functions.ATTACK_SCREEN, functions.PATROL_SCREEN])
def test_there_is_no_combat(function):
    base = helpers.Base(helpers.GAS, workers=12)
    base.select(0)
    base.act(function, helpers.COMMAND_CENTER)
    base.run(300)
    assert (base.units.health == base.units.stats.health[base.units.type])[base.units.alive].all()
