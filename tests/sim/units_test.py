import numpy as np

from sc2impala.sim import functions, orders, units
from tests.sim import players
from tests.sim.helpers import Marines


def test_ends_are_beyond_every_living_unit():
    world = Marines((30, 30), (31, 30), (32, 30))
    assert (world.g.unit_end, world.g.mobile_end) == (3, 3)
    world.remove(1)
    assert (world.g.unit_end, world.g.mobile_end) == (3, 3)


def test_a_removed_unit_leaves_selection_groups_and_orders():
    world = Marines((30, 30), (31, 30))
    g = world.g
    world.give(orders.MOVE, 35, 30, units=(0, 1))
    world.give(orders.MOVE, 35, 35, queued=True, units=(0, 1))
    g.selected[:2] = True
    g.control_groups[3, :2] = True
    g.busy[:2] = g.bound[:2] = g.inside[:2] = True
    g.solid[:2] = False
    world.remove(0)
    assert g.alive[:2].tolist() == [0, 1] and g._died[:2].tolist() == [1, 0]
    assert g.selected[:2].tolist() == [0, 1]
    assert g.control_groups[3, :2].tolist() == [0, 1]
    assert (g.order_kind[0] == orders.IDLE).all() and (g.order_kind[1, :2] == orders.MOVE).all()
    assert not (g.busy[0] or g.bound[0] or g.inside[0]) and g.solid[0]
    assert g.busy[1] and g.bound[1] and g.inside[1] and not g.solid[1]
    assert (g.goal_x[0], g.goal_y[0]) == world.where(0)
    assert g.health[0] == 0


def test_a_new_unit_in_the_slot_of_a_dead_one_is_idle_and_healthy():
    game = players.make('DefeatRoaches', [0])
    game.reset()
    for _ in range(2):
        game.act(np.array([functions.SELECT_ARMY]), {})
        game.act(np.array([functions.MOVE_SCREEN]), {'screen': np.array([[3, 3]])})
        game.reset()
    g = game.games[0]
    living = g.alive != 0
    assert (g.order_kind[living] == orders.IDLE).all() and not g.selected.any()
    assert (g.order_target[living] == units.NO_UNIT).all()
    assert (g.health[living] == game.rules.health[g.type[living]]).all()
    assert (g.goal_x[living] == g.x[living]).all()
