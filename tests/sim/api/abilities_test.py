import numpy as np
import pytest

from sc2impala import sim
from sc2impala.envs import pysc2_api
from sc2impala.sim import functions
from sc2impala.sim.api import abilities
from tests.sim.api import helpers

actions = pysc2_api.actions
WAYS = {
    actions.cmd_quick: abilities.QUICK,
    actions.cmd_screen: abilities.SCREEN,
    actions.cmd_minimap: abilities.MINIMAP,
}


def commands():
    """The functions of the simulator that are orders by an ability."""
    ids = {value for name, value in vars(functions).items() if isinstance(value, int)}
    ids -= {functions.NUM_FUNCTIONS}
    found = [actions.FUNCTIONS[id_] for id_ in sorted(ids)]
    return [function for function in found if function.function_type in WAYS]


def test_every_order_of_the_simulator_is_known_by_its_ability():
    for function in commands():
        way = WAYS[function.function_type]
        assert abilities.function_of(function.ability_id, way) == function.id, function.name
    assert len(commands()) == 25


def test_special_abilities_mean_the_same_as_their_general_ones():
    for special, general in abilities.GENERAL.items():
        assert {function.general_id for function in actions.ABILITY_IDS[special]} == {general}
        for way in WAYS.values():
            assert abilities.function_of(special, way) == abilities.function_of(general, way)


def test_what_is_unknown_stands_for_nothing():
    assert abilities.function_of(999999, abilities.QUICK) is None
    assert abilities.function_of(abilities.ATTACK, abilities.QUICK) is None


def test_pysc2_offers_what_the_simulator_offers():
    everything = np.ones([functions.NUM_FUNCTIONS], bool)
    offered = abilities.offered(everything)
    assert len(offered) == len(set(offered)) == 19
    for ability, needs_point in offered:
        kinds = actions.POINT_REQUIRED_FUNCS[needs_point]
        usable = [f for f in actions.ABILITY_IDS[ability] if f.function_type in kinds]
        assert usable, ability
    assert not abilities.offered(np.zeros([functions.NUM_FUNCTIONS], bool))


@pytest.mark.long
def test_orders_of_units_are_those_of_the_list_of_units():
    """The ids of raw functions in `feature_units` and the abilities here name the same orders."""
    client = helpers.Client().start('CollectMineralsAndGas', seed=4, raw=True)
    game = sim.make('CollectMineralsAndGas', [4], (helpers.SIZE,) * 2, (helpers.SIZE,) * 2)
    game.reset()
    units = game.feature_units()[0]
    x, y = units[units[:, 0] == 341][0, 12:14].tolist()
    calls = [
        (functions.SELECT_IDLE_WORKER, {'select_worker': [2]}),
        (functions.HARVEST_GATHER_SCREEN, {'screen': [[x, y]]}),
        (functions.MOVE_SCREEN, {'screen': [[3, 3]], 'queued': [1]}),
        (functions.PATROL_SCREEN, {'screen': [[9, 3]], 'queued': [1]}),
        (functions.BUILD_SUPPLY_DEPOT_SCREEN, {'screen': [[8, 12]], 'queued': [1]}),
    ]
    for function, arguments in calls:
        named = {name: np.array(value) for name, value in arguments.items()}
        game.act(np.array([function]), named)
        client.session._match._game.act(np.array([function]), named)
    game.advance(np.array([3]))
    client.step(3)
    rows = game.feature_units()[0]
    expected = [row[[27, 28, 38, 39]].tolist() for row in rows if row[0]]
    shown = client.observe().observation.raw_data.units
    found = [[actions.RAW_ABILITY_ID_TO_FUNC_ID[o.ability_id] for o in u.orders] for u in shown]
    assert [(row + [0] * 4)[:4] for row in found] == expected
    assert [359, 547, 551, 0] in expected
    assert [len(u.orders) for u in shown] == [row[26] for row in rows if row[0]]
