import numpy as np

from sc2impala.sim import functions, unit_types
from sc2impala.sim.economy import economy_observation
from tests.sim import players
from tests.sim.economy import helpers


def test_the_player_at_the_beginning():
    base = helpers.Base(helpers.MARINES, workers=12)
    seen = base.game.observe()
    np.testing.assert_array_equal(seen['player'][0], [1, 50, 0, 12, 15, 0, 12, 0, 0, 0, 0])
    base = helpers.Base(helpers.GAS, workers=12)
    seen = base.game.observe()
    np.testing.assert_array_equal(seen['player'][0], [1, 50, 0, 12, 15, 0, 12, 12, 0, 0, 0])


def test_the_score_counts_what_is_complete_collected_and_spent():
    base = helpers.Base(workers=12, minerals=500)
    base.put(unit_types.BARRACKS, 37.5, 31.5)
    depot = base.put(unit_types.SUPPLY_DEPOT, 37, 27)
    base.units.unfinished[0, depot] = 5
    base.select(base.slot_at(*helpers.COMMAND_CENTER))
    base.act(functions.TRAIN_SCV_QUICK)
    ledger = base.mechanics['ledger']
    ledger.collect(base.world, np.array([0, 0]), np.array([5, 4]), np.array([False, True]))
    ledger.rate[:] = [[700], [90]]
    row = list(base.game.observe()['score_cumulative'][0])
    assert row == [0, 0, 0, 600, 550, 0, 0, 5, 4, 700, 90, 50, 0]


def test_maps_without_an_economy_have_empty_queues():
    game = players.make('MoveToBeacon', [1, 2])
    game.reset()
    seen = game.observe()
    for name, array in economy_observation.no_queues(2).items():
        np.testing.assert_array_equal(seen[name], array)
        assert not array.any() and array.dtype == np.int32
    assert not seen['alerts'].any()


def test_abilities_are_those_of_the_functions():
    ids = {functions.TRAIN_MARINE_QUICK: 48, functions.TRAIN_SCV_QUICK: 45}
    from tests.sim.functions_test import pysc2_actions

    for function, unit_type in ids.items():
        ability = pysc2_actions.FUNCTIONS[function].ability_id
        assert economy_observation.ABILITIES[unit_type] == ability
