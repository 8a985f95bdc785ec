"""What recordings of the real game show, beyond the rules of the maps."""

import numpy as np

from sc2impala.sim import functions, orders
from sc2impala.sim.feature_units import COLUMNS
from tests.sim import players

LAYERS = {'screen_layers': ('player_relative', 'unit_type'), 'minimap_layers': ('player_relative',)}


def make(map_name, seeds=(0,), **layers):
    game = players.make(map_name, list(seeds), **layers)
    game.reset()
    return game


def column(rows, name):
    return rows[..., COLUMNS.index(name)]


def test_mineral_fields_of_build_marines_hold_1500():
    game = make('BuildMarines')
    rows = game.feature_units()[0]
    fields = column(rows, 'unit_type') == 341
    assert fields.sum() == 8
    assert (column(rows, 'mineral_contents')[fields] == 1500).all()
    rows = make('CollectMineralsAndGas').feature_units()[0]
    fields = column(rows, 'unit_type') == 341
    assert (column(rows, 'mineral_contents')[fields] == 1800).all()


def test_a_worker_on_a_mineral_field_is_drawn_over_it_and_clicked():
    game = make('BuildMarines', **LAYERS)
    games = game.games
    field = games.goal_x.shape[1]
    assert games.alive[0, field] and game.rules.unit_type[games.type[0, field]] == 341
    games.x[0, 0], games.y[0, 0] = games.x[0, field], games.y[0, field]
    left, top = game.rules.camera_x - 12, game.rules.camera_y + 12
    pixel = [int((games.x[0, field] - left) * 3.5), int((top - games.y[0, field]) * 3.5)]
    screen = game.observe()['screen']
    assert screen['player_relative'][0, pixel[1], pixel[0]] == 1
    assert screen['unit_type'][0, pixel[1], pixel[0]] == 45
    assert (screen['unit_type'][0] == 341).any()
    game.act(np.array([functions.SELECT_POINT]), {'screen': np.array([pixel])})
    assert np.flatnonzero(games.selected[0]).tolist() == [0]


def test_a_command_center_has_room_for_five():
    rows = make('CollectMineralsAndGas').feature_units()[0]
    is_center = column(rows, 'unit_type') == 18
    assert column(rows, 'cargo_space_max')[is_center].tolist() == [5]
    assert not column(rows, 'cargo_space_max')[~is_center].any()


def test_units_face_where_they_walk():
    game = make('CollectMineralShards')
    for (x, y), facing in {(1, 0.1): 0, (0, 1): 1, (-1, 0.1): 3, (-1, -1): 3, (1, -0.1): 6}.items():
        game.games.order_kind[0, :2, 0] = orders.MOVE
        game.games.goal_x[0, :2] = game.games.order_x[0, :2, 0] = game.games.x[0, :2] + x
        game.games.goal_y[0, :2] = game.games.order_y[0, :2, 0] = game.games.y[0, :2] + y
        game.games.x[0, :2], game.games.y[0, :2] = (30, 35), (28, 28)
        game.games.goal_x[0, :2] = game.games.order_x[0, :2, 0] = game.games.x[0, :2] + x
        game.games.goal_y[0, :2] = game.games.order_y[0, :2, 0] = game.games.y[0, :2] + y
        game.advance(np.array([1]))
        rows = game.feature_units()[0]
        assert (column(rows, 'facing')[column(rows, 'unit_type') == 48] == facing).all(), (x, y)


def test_lists_of_units_have_another_order_in_every_frame():
    """As in 61 successive observations of the game (saschaschramm/sc2-evals)."""
    game = make('BuildMarines', range(20))

    def places():
        rows = game.feature_units()
        is_field = column(rows, 'unit_type') == 341
        return [column(row, 'y')[chosen].tolist() for row, chosen in zip(rows, is_field)]

    before = places()
    assert len({tuple(order) for order in before}) > 10
    assert places() == before
    game.advance(np.ones([20], int))
    after = places()
    assert sum(old == new for old, new in zip(before, after)) <= 1
    assert [sorted(order) for order in after] == [sorted(order) for order in before]
