import numpy as np
import pytest

from sc2impala.sim import functions, orders, unit_types
from sc2impala.sim.games import bases, collect_minerals_and_gas
from tests.sim import players
from tests.sim.economy import helpers

NAME = 'CollectMineralsAndGas'
TYPES = collect_minerals_and_gas.GAME.unit_types


def places(game, unit_type):
    """Positions of the units of a type in the first game: a set of points."""
    g = game.games[0]
    there = (g.alive != 0) & (g.type == TYPES.index(unit_type))
    return set(zip(g.x[there], g.y[there]))


def test_what_stands_there_at_the_beginning():
    game = players.make(NAME, [1])
    game.reset()
    assert places(game, unit_types.COMMAND_CENTER) == {(30.5, 27.5)}
    fields = places(game, unit_types.MINERAL_FIELD)
    assert len(fields) == 16 and {(25, 22.5), (23, 28.5), (43, 26.5), (41, 32.5)} <= fields
    assert {(66 - x, y) for x, y in fields} == fields
    geysers = {(26.5, 20.5), (26.5, 34.5), (39.5, 20.5), (39.5, 34.5)}
    assert places(game, unit_types.VESPENE_GEYSER) == geysers
    contents = game.games[0].contents
    assert sorted(contents[contents > 0]) == [1800] * 16 + [2250] * 4
    seen = game.observe()
    np.testing.assert_array_equal(seen['player'][0], [1, 50, 0, 12, 15, 0, 12, 12, 0, 0, 0])
    assert list(np.flatnonzero(seen['available_actions'][0])) == [0, 1, 2, 3, 4, 6]
    assert game.episode_loops == 6720
    assert game.score == 0


def test_workers_start_on_one_side_by_a_coin_flip():
    game = players.make(NAME, range(2000))
    game.reset()
    x, y = (game.games[axis][:, : bases.NUM_WORKERS] for axis in ('x', 'y'))
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
    before = game.games.x.copy(), game.games.y.copy()
    game.advance(np.full(2, 6720))
    assert game.ended.all() and not game.score.any()
    # Some stand nearer to a field than they can.
    np.testing.assert_allclose((game.games.x, game.games.y), before, atol=0.06)


def test_the_score_is_what_is_brought_home():
    game = players.make(NAME, range(4))
    game.reset()
    for g in game.games:
        for slot in range(12):
            field = bases.NUM_MOBILE + slot % 8
            orders.give(g, slot, orders.GATHER, 0.0, 0.0, False, field, 0)
    for _ in range(200):
        before = game.games.minerals.copy(), game.score
        game.advance(np.full(4, 5))
        gained = game.games.minerals - before[0]
        np.testing.assert_array_equal(game.score - before[1], gained)
        assert not (gained % 5).any()
    assert (game.score >= 300).all()


def test_spending_does_not_lower_the_score():
    base = helpers.Base(helpers.GAS, workers=12)
    base.g.collected_minerals = base.g.collected_vespene = 500
    base.run(1)
    assert base.game.score == 1000
    base.select(base.slot_at(*helpers.COMMAND_CENTER))
    base.act(functions.TRAIN_SCV_QUICK)
    base.run(1)
    assert base.g.minerals == 0 and base.game.score == 1000


def test_a_new_episode_has_full_fields_and_no_new_buildings():
    base = helpers.Base(helpers.GAS, workers=12)
    base.put(unit_types.SUPPLY_DEPOT, 37, 27)
    field = base.slot_at(24, 25.5)
    base.g.contents[field - 200] = 3
    base.kill(base.slot_at(24, 23.5))
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
    assert (base.g.health == base.rules.health[base.g.type])[base.g.alive != 0].all()
