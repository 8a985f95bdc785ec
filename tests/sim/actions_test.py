import numpy as np
import pytest

from sc2impala.sim import functions, geometry, orders, protocol_codes
from sc2impala.sim.units import MAX_ORDERS, NO_UNIT
from tests.sim.scenes import ENEMY, MARINE, NEUTRAL, ROACH, SELF, Scene

UNITS = (MARINE, SELF, 30, 30), (MARINE, SELF, 31, 30), (ROACH, ENEMY, 36, 28)
UNITS += ((ROACH, NEUTRAL, 40, 20),)


def a_scene(**options):
    scene = Scene(*UNITS, **dict({'has_combat': True}, **options))
    scene.select(0)
    return scene


@pytest.mark.parametrize('function', [-1, functions.NUM_FUNCTIONS, 2**62, -(2**62)])
def test_functions_that_do_not_exist_are_not_supported(function):
    scene = a_scene()
    assert scene.call(function) == protocol_codes.NOT_SUPPORTED
    assert scene.g.last_action == functions.NO_OP


def test_functions_that_are_not_available_are_not_supported():
    scene = a_scene()
    scene.available[functions.STOP_QUICK] = False
    assert scene.call(functions.HOLD_POSITION_QUICK) == protocol_codes.OK
    assert scene.g.last_action == functions.HOLD_POSITION_QUICK
    assert scene.call(functions.STOP_QUICK) == protocol_codes.NOT_SUPPORTED
    assert scene.g.last_action == functions.NO_OP
    assert scene.order(0)[0] == orders.HOLD


def test_after_the_end_of_an_episode_nothing_is_supported():
    scene = a_scene()
    scene.g.ended = True
    assert scene.call(functions.NO_OP) == protocol_codes.NOT_SUPPORTED
    assert scene.call(functions.SELECT_ARMY) == protocol_codes.NOT_SUPPORTED
    assert scene.selected() == [0]


def test_a_call_clears_the_alerts():
    scene = a_scene()
    scene.g.alerts[:] = True
    scene.call(functions.NO_OP)
    assert not scene.g.alerts.any()


def test_an_error_is_not_a_last_action():
    scene = a_scene()
    assert scene.call(functions.SELECT_POINT, select_point_act=9) == protocol_codes.ERROR
    assert scene.g.last_action == functions.NO_OP


def test_only_selected_units_that_offer_a_function_obey():
    scene = a_scene()
    scene.g.owner[2] = SELF
    scene.select(0, 2)
    scene.call(functions.MOVE_SCREEN, place=(20, 30))
    assert [scene.order(slot)[0] for slot in range(3)] == [orders.MOVE, orders.IDLE, orders.IDLE]


@pytest.mark.parametrize(
    'function, target, kind',
    [
        (functions.ATTACK_SCREEN, 2, orders.ATTACK),
        (functions.ATTACK_SCREEN, 1, orders.ATTACK),
        (functions.SMART_SCREEN, 2, orders.ATTACK),
        (functions.SMART_MINIMAP, 2, orders.ATTACK),
    ],
)
def test_attacks_on_units(function, target, kind):
    scene = a_scene()
    scene.call(function, place=(20, 30), target=target)
    where = UNITS[target][2:]
    assert scene.order(0) == (kind, where, target)


@pytest.mark.parametrize(
    'function, target, kind',
    [
        (functions.ATTACK_SCREEN, 3, orders.ATTACK),  # Nobody owns it.
        (functions.ATTACK_SCREEN, 0, orders.ATTACK),  # The unit itself.
        (functions.ATTACK_SCREEN, NO_UNIT, orders.ATTACK),
        (functions.SMART_SCREEN, 1, orders.MOVE),
        (functions.SMART_SCREEN, 3, orders.MOVE),
        (functions.SMART_SCREEN, NO_UNIT, orders.MOVE),
        (functions.MOVE_SCREEN, 2, orders.MOVE),
        (functions.PATROL_MINIMAP, 2, orders.PATROL),
    ],
)
def test_orders_to_points(function, target, kind):
    scene = a_scene()
    scene.call(function, place=(20, 30), target=target)
    assert scene.order(0) == (kind, (20, 30), NO_UNIT)


def test_without_combat_attack_orders_go_to_points():
    scene = a_scene(has_combat=False)
    scene.call(functions.ATTACK_SCREEN, place=(20, 30), target=2)
    assert scene.order(0) == (orders.ATTACK, (20, 30), NO_UNIT)
    scene.call(functions.SMART_SCREEN, place=(20, 30), target=2)
    assert scene.order(0) == (orders.MOVE, (20, 30), NO_UNIT)


def test_orders_are_queued_until_a_queue_is_full():
    scene = a_scene()
    for place in range(MAX_ORDERS):
        result = scene.call(functions.MOVE_SCREEN, place=(20 + place, 30), queued=1)
        assert result == protocol_codes.OK
    assert (
        scene.call(functions.MOVE_SCREEN, place=(40, 30), queued=1) == protocol_codes.QUEUE_IS_FULL
    )
    np.testing.assert_array_equal(scene.g.order_x[0], 20 + np.arange(MAX_ORDERS))
    scene.select(0, 1)
    assert (
        scene.call(functions.MOVE_SCREEN, place=(40, 30), queued=1) == protocol_codes.QUEUE_IS_FULL
    )
    assert scene.order(1)[0] == orders.MOVE
    assert scene.call(functions.STOP_QUICK) == protocol_codes.OK
    assert scene.order(0)[0] == orders.IDLE


def test_the_camera_goes_to_the_middle_of_the_pixel_inside_the_playable_region():
    scene = a_scene()
    scene.call(functions.MOVE_CAMERA, minimap=[20, 30])
    assert (scene.g.camera_x, scene.g.camera_y) == (20.5, 33.5)
    scene.call(functions.MOVE_CAMERA, minimap=[-5, 2**40])
    assert (scene.g.camera_x, scene.g.camera_y) == (10, 12)


def test_a_locked_camera_stays():
    scene = a_scene(arena=geometry.SINGLE_SCREEN)
    scene.call(functions.MOVE_CAMERA, minimap=[20, 30])
    assert (scene.g.camera_x, scene.g.camera_y) == geometry.SINGLE_SCREEN.camera
