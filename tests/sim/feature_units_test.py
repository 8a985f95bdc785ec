import numpy as np
import pytest

from sc2impala import sim
from sc2impala.sim import feature_units, functions, orders, unit_types
from tests.sim import views

try:
    from pysc2_evolved.lib import actions as pysc2_actions
    from pysc2_evolved.lib import features as pysc2_features
except ImportError:
    pysc2_actions = pytest.importorskip('pysc2.lib.actions')
    pysc2_features = pytest.importorskip('pysc2.lib.features')


def column(rows, name):
    return rows[:, :, feature_units.COLUMNS.index(name)]


def test_columns_are_those_of_pysc2():
    assert tuple(column.name for column in pysc2_features.FeatureUnit) == feature_units.COLUMNS


def test_a_marine():
    scene = views.marines([[[30.2, 25.6], [36, 30]]])
    scene.games.health[0, 0] = 30.7
    scene.games.selected[0, 0] = True
    rows = scene.feature_units()
    assert rows.dtype == np.int32 and rows.shape == (1, sim.MAX_FEATURE_UNITS, 46)
    known = {
        'unit_type': 48,
        'alliance': 1,
        'health': 30,
        'build_progress': 100,
        'health_ratio': int(255 * 30.7 / 45),
        'display_type': 1,
        'owner': 1,
        # 3.5 pixels per cell: 9.2 cells right of the left border, 11.4 below the upper one.
        'x': 32,
        'y': 39,
        'radius': 1,
        'cloak': 3,
        'is_selected': 1,
        'is_on_screen': 1,
    }
    expected = [known.get(name, 0) for name in feature_units.COLUMNS]
    assert rows[0, 0].tolist() == expected
    assert rows[0, 1].any() and not rows[0, 2:].any()


def test_neutral_and_enemy_units():
    scene = views.marines([[[30, 25]]])
    scene.put(0, 1, 35, 25, unit_types.BEACON, unit_types.NEUTRAL)
    scene.games.owner[0, 0] = unit_types.ENEMY
    scene.games.order_kind[0, 0, 0] = orders.MOVE
    rows = scene.feature_units()
    assert column(rows, 'unit_type')[0, :2].tolist() == [48, 317]
    assert column(rows, 'alliance')[0, :2].tolist() == [4, 3]
    assert column(rows, 'owner')[0, :2].tolist() == [2, 16]
    assert column(rows, 'radius')[0, :2].tolist() == [1, 6]
    # Only the orders of own units are known.
    assert column(rows, 'order_length')[0, :2].tolist() == [0, 0]
    assert column(rows, 'order_id_0')[0, :2].tolist() == [0, 0]


def test_every_frame_lists_units_in_another_order():
    game = sim.make('CollectMineralsAndGas', [5], (84, 84), (64, 64))
    game.reset()
    lists = []
    for _ in range(20):
        rows = game.feature_units()[0]
        np.testing.assert_array_equal(rows, game.feature_units()[0])
        rows = rows[column(rows[None], 'unit_type')[0] == unit_types.MINERAL_FIELD.unit_type]
        points = zip(column(rows[None], 'x')[0].tolist(), column(rows[None], 'y')[0].tolist())
        lists.append(tuple(points))
        game.advance(np.array([1]))
    assert len(set(lists)) == 20 and len({frozenset(points) for points in lists}) == 1
    # Every field is at the front at some time: no place in the list belongs to a unit.
    assert len({points[0] for points in lists}) > 6


def test_orders():
    scene = views.marines([[[30, 25], [36, 30]]])
    order_kinds = [orders.MOVE, orders.ATTACK, orders.PATROL, orders.HOLD, orders.MOVE]
    scene.games.order_kind[0, 1, : len(order_kinds)] = order_kinds
    rows = scene.feature_units()
    assert column(rows, 'order_length')[0, :2].tolist() == [0, 5]
    names = [
        pysc2_actions.RAW_FUNCTIONS[int(column(rows, f'order_id_{i}')[0, 1])].name for i in range(4)
    ]
    assert names == [
        'Move_Move_pt',
        'Attack_Attack_pt',
        'Patrol_Patrol_pt',
        'HoldPosition_Hold_quick',
    ]


def test_the_ids_of_orders_are_those_of_what_units_can_do():
    abilities = {
        orders.HOLD: 18,
        orders.MOVE: 16,
        orders.ATTACK: 23,
        orders.PATROL: 17,
        orders.GATHER: 295,
        orders.RETURN: 296,
    }
    known = pysc2_actions.RAW_ABILITY_ID_TO_FUNC_ID
    for order_kind, ability in abilities.items():
        assert feature_units._RAW_FUNCTION_OF_ORDER[order_kind] == known[ability]
    products = {
        unit_type: pysc2_actions.RAW_FUNCTIONS[number].name
        for unit_type, number in feature_units._RAW_FUNCTIONS_OF_PRODUCTS.tolist()
    }
    assert products == {
        18: 'Build_CommandCenter_pt',
        19: 'Build_SupplyDepot_pt',
        20: 'Build_Refinery_pt',
        21: 'Build_Barracks_pt',
        45: 'Train_SCV_quick',
        48: 'Train_Marine_quick',
    }


def names_of_orders(row):
    ids = [row[feature_units.COLUMNS.index(f'order_id_{i}')] for i in range(4)]
    return [pysc2_actions.RAW_FUNCTIONS[int(i)].name for i in ids if i]


def economy(loops):
    """A game in which two workers are trained and one builds a depot, with a queued order to
    harvest."""
    game = sim.make('CollectMineralsAndGas', [3], (84, 84), (64, 64))
    game.reset()
    state = game.get_state()
    state['minerals'][:] = 500
    game.set_state(state)
    for function, arguments in (
        (functions.SELECT_POINT, {'screen': [33, 33]}),
        (functions.TRAIN_SCV_QUICK, {}),
        (functions.TRAIN_SCV_QUICK, {}),
        (functions.SELECT_IDLE_WORKER, {}),
        (functions.BUILD_SUPPLY_DEPOT_SCREEN, {'screen': [50, 50]}),
        (functions.HARVEST_GATHER_SCREEN, {'screen': [7, 36], 'queued': 1}),
    ):
        game.act(np.array([function]), {n: np.array([v]) for n, v in arguments.items()})
        assert game.observe()['action_result'][0] == 0
    game.advance(np.array([loops]))
    return game


def test_an_economy():
    rows = economy(loops=160).feature_units()[0]

    def units(unit_type):
        return [
            dict(zip(feature_units.COLUMNS, row.tolist()), orders=names_of_orders(row))
            for row in rows
            if row[0] == unit_type
        ]

    (centre,) = units(18)
    assert centre['orders'] == ['Train_SCV_quick'] * 2 and centre['order_length'] == 2
    assert centre['order_progress_0'] in (58, 59) and centre['active'] == 1
    assert centre['build_progress'] == 100 and centre['ideal_harvesters'] == 16
    (depot,) = units(19)
    assert 0 < depot['build_progress'] < 33 and depot['health'] < 400
    assert depot['orders'] == [] and depot['order_length'] == 0
    workers = units(45)
    (builder,) = [worker for worker in workers if worker['order_length']]
    assert builder['orders'] == ['Build_SupplyDepot_pt', 'Harvest_Gather_SCV_unit']
    assert len(workers) == 12
    assert [field['mineral_contents'] for field in units(341)] == [1800] * 16
    assert [geyser['vespene_contents'] for geyser in units(342)] == [2250] * 4


def test_the_cooldown_of_weapons():
    game = sim.make('FindAndDefeatZerglings', range(4), (84, 84), (64, 64))
    game.reset()
    army = np.full([4], functions.SELECT_ARMY)
    game.act(army, {})
    zergling = game.feature_units()
    zergling = zergling[np.arange(4), (column(zergling, 'alliance') == 4).argmax(1)]
    x, y = (feature_units.COLUMNS.index(name) for name in 'xy')
    game.act(np.full([4], functions.ATTACK_SCREEN), {'screen': zergling[:, [x, y]]})
    seen = []
    for _ in range(200):
        game.advance(np.ones([4], int))
        rows = game.feature_units()
        mine = column(rows, 'alliance') == 1
        assert not column(rows, 'weapon_cooldown')[~mine].any()
        seen.append(column(rows, 'weapon_cooldown')[mine].max())
    # It is 13.77 frames, give or take the random delay, and counts down to 0.
    assert 12 <= max(seen) <= 16 and {0, 5} < set(seen)


def test_what_is_off_the_screen_is_left_out():
    # The screen shows 21..45 across and 13..37 up; of the second marine only the edge is on it.
    scene = views.marines([[[21.1, 36.9], [20.9, 30], [44.9, 13.1], [45.1, 30], [30, 12.9]]])
    rows = scene.feature_units()
    assert column(rows, 'unit_type')[0, :3].tolist() == [48, 48, 0]
    places = zip(column(rows, 'x')[0, :2].tolist(), column(rows, 'y')[0, :2].tolist())
    assert sorted(places) == [(0, 0), (83, 83)]


def test_the_dead_are_left_out_and_the_rows_close_up():
    scene = views.marines([[[25, 25], [30, 25], [35, 25]]] * 2)
    rows = scene.feature_units()
    scene.games.alive[1, 1] = False
    scene.feature_units(rows)
    assert [sorted(row) for row in column(rows, 'x')[:, :3].tolist()] == [[14, 31, 49], [0, 14, 49]]
    assert column(rows, 'x')[1, 2] == 0


def test_no_more_rows_than_there_are():
    scene = views.marines([[(23 + 0.25 * i, 30) for i in range(70)]])
    buffer = np.zeros([50, len(feature_units.COLUMNS)], np.int32)
    scene.feature_units(buffer[:40].reshape([1, 40, -1]))
    assert column(buffer[None], 'is_on_screen')[0].tolist() == [1] * 40 + [0] * 10


@pytest.mark.parametrize('map_name', sim.MAP_NAMES)
def test_pixels_are_those_of_the_picture(map_name):
    game = sim.make(map_name, range(3), (84, 84), (64, 64), ('player_relative', 'unit_density'))
    game.reset()
    game.advance(np.full([3], 40))
    screen = game.observe()['screen']
    rows = game.feature_units()
    games, index = np.nonzero(column(rows, 'is_on_screen'))
    x, y = column(rows, 'x')[games, index], column(rows, 'y')[games, index]
    assert len(games) >= 6
    assert (screen['unit_density'][games, y, x] > 0).all()
    alone = screen['unit_density'][games, y, x] == 1
    alliance = column(rows, 'alliance')[games, index]
    np.testing.assert_array_equal(
        screen['player_relative'][games, y, x][alone], alliance[alone], err_msg=map_name
    )
