import numpy as np
import pytest

from sc2impala import sim
from sc2impala.sim import orders
from sc2impala.watch import trace, units


@pytest.fixture
def game():
    game = sim.make('MoveToBeacon', [0, 1], (8, 8), (8, 8))
    game.reset()
    return game


def marine(found, k=0):
    return int(np.flatnonzero(found['owner'][k] == 1)[0])


def test_a_world(game):
    world = units.world_of(game)
    assert world.map_name == 'MoveToBeacon' and world.frames == 1920
    assert [each.name for each in world.unit_types] == ['Marine', 'Beacon']
    assert world.playable == (22.0, 44.0, 20.0, 36.0) and not world.camera_moves
    assert world.view == (20.5, 45.5, 18.5, 37.5) and world.minimap == (0.0, 64.0, 0.0, 64.0)


def test_a_snapshot_has_positions_and_orders(game):
    game.select(np.ones(game.games.alive.shape, bool))
    place = np.array([[30.0, 31.0], [25.0, 26.0]]), np.array([-1, -1])
    game.act(np.array([331, 331]), {}, place)
    found = units.snapshot(game)
    for k in range(2):
        i = marine(found, k)
        assert found['x'][k, i] == round(game.games.x[k, i] * trace.POSITION_SCALE)
        assert found['order'][k, i] == orders.MOVE and found['health'][k, i] == 45
        assert found['flags'][k, i] == trace.SELECTED | trace.SEEN
        assert found['target_x'][k, i] == (30 + k) * trace.POSITION_SCALE
        assert found['target_y'][k, i] == (25 + k) * trace.POSITION_SCALE
    assert (found['type'] != trace.ABSENT).sum() == 4


def test_a_unit_that_fights_aims_at_its_victim():
    game = sim.make('DefeatRoaches', [0], (8, 8), (8, 8))
    game.reset()
    attacker, victim = 8, 0
    game.games.target[0, attacker] = victim
    found = units.snapshot(game)
    assert found['order'][0, attacker] == orders.ATTACK
    assert found['target_x'][0, attacker] == found['x'][0, victim]


def test_units_in_the_fog_are_not_seen():
    game = sim.make('FindAndDefeatZerglings', [0], (8, 8), (8, 8))
    game.reset()
    found = units.snapshot(game)
    seen = (found['flags'] & trace.SEEN) != 0
    assert seen[found['owner'] == 1].all() and not seen[found['owner'] == 2].all()


def test_unused_slots_are_dropped(game):
    first = {name: array[0] for name, array in units.snapshot(game).items()}
    joined = units.join([first, first, first], units.num_mobile(game))
    assert joined.type.shape == (3, 2) and joined.mobile == 1
    assert sorted(joined.owner[0].tolist()) == [1, 16]


def test_names_of_unit_types():
    assert units.type_labels([0, 48, 45, 18, 9999]) == [
        'none', 'Marine', 'SCV', 'Command center', '9999',
    ]  # fmt: skip
