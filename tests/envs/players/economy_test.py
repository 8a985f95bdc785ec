import numpy as np

from sc2impala.envs.players import unit_types
from sc2impala.envs.players.economy import Economy
from tests.envs.players import boards

BUILDING = 222


def scv(x, y, order=unit_types.GATHERING):
    return boards.unit(unit_types.SCV, boards.MINE, x, y, order_length=order > 0, order_id_0=order)


def depot(x, y, progress):
    return boards.unit(
        unit_types.SUPPLY_DEPOT, boards.MINE, x, y, radius=4, build_progress=progress
    )


def see(rows, player=(1, 0, 0, 0, 0), scale=1.0):
    vector = np.array([list(player) + [0] * 6])
    observation = {'feature_units': boards.feature_units(rows), 'player': vector}
    return Economy(observation, scale)


def test_what_there_is():
    rows = [scv(20, 20), scv(25, 20, 0), depot(30, 30, 100), scv(28, 20)]
    economy = see(rows, (1, 75, 0, 12, 15))
    assert (economy.minerals, economy.food_used, economy.food_left) == ([75], [12], [3])
    assert economy.number(unit_types.SCV) == [3]
    assert np.flatnonzero(economy.idle(unit_types.SCV)).tolist() == [1]
    assert economy.first(economy.all(unit_types.SCV)).tolist() == [[20, 20]]
    assert economy.least_busy(unit_types.SCV).tolist() == [[25, 20]]


def builders(rows, **kwargs):
    return np.flatnonzero(see(rows, **kwargs).builders()).tolist()


def test_idle_and_harvesting_workers_can_build():
    rows = [scv(20, 20), scv(25, 20, 0), scv(27, 20, unit_types.RETURNING)]
    assert builders(rows) == [0, 1, 2]
    enemy = boards.unit(unit_types.SCV, boards.ENEMY, 5, 5)
    assert builders([enemy] + rows) == [1, 2, 3]


def test_a_worker_at_an_unfinished_building_is_busy():
    rows = [scv(20, 20), scv(33, 37, BUILDING), depot(30, 30, 50)]
    assert builders(rows) == [0]
    assert builders(rows[:2] + [depot(30, 30, 100)]) == [1]


def test_a_worker_on_its_way_is_the_only_builder():
    rows = [scv(20, 20), scv(50, 37, BUILDING), depot(30, 30, 50)]
    assert builders(rows) == [1]
    # A larger screen has larger distances.
    assert builders([scv(20, 20), scv(30, 39, BUILDING), depot(30, 30, 50)]) == [1]
    assert builders([scv(20, 20), scv(30, 39, BUILDING), depot(30, 30, 50)], scale=1.5) == [0]


def test_every_field_has_its_turn_and_nothing_else():
    fields = [
        boards.unit(unit_types.MINERAL_FIELD, boards.NEUTRAL, x, 40, radius=4) for x in (5, 20, 60)
    ]
    drawn = [
        tuple(see([scv(20, 20)] + fields, (1, minerals, 0, 12, 15)).some_field()[0])
        for minerals in range(0, 500, 5)
    ]
    assert set(drawn) == {(5, 40), (20, 40), (60, 40)}
    assert min(map(drawn.count, set(drawn))) > 20


def test_equal_games_draw_different_fields():
    row = [boards.unit(unit_types.MINERAL_FIELD, boards.NEUTRAL, x, 40) for x in range(8)]
    observation = {
        'feature_units': np.repeat(boards.feature_units(row), 64, axis=0),
        'player': np.repeat([[1, 50, 0, 12, 15] + [0] * 6], 64, axis=0),
    }
    assert len(np.unique(Economy(observation).some_field()[:, 0])) == 8
