import numpy as np
import pytest

from sc2impala.sim import functions, geometry, protocol_codes
from tests.sim.scenes import BEACON, ENEMY, MARINE, NEUTRAL, SELF, Scene

SELECT, TOGGLE, ALL_OF_TYPE, ADD_ALL_OF_TYPE = range(4)


@pytest.fixture
def scene():
    """Three marines of player 1, of which the first two stand close together, and a beacon."""
    return Scene(
        (MARINE, SELF, 30, 30),
        (MARINE, SELF, 30.75, 30),
        (MARINE, SELF, 35, 25),
        (BEACON, NEUTRAL, 40, 30),
        arena=geometry.SINGLE_SCREEN,
    )


def click(scene, x, y, act=SELECT):
    pixel = scene.screen_pixel(x, y)
    return scene.call(functions.SELECT_POINT, select_point_act=act, screen=pixel)


def drag(scene, first, second, add=0):
    corners = {'screen': scene.screen_pixel(*first), 'screen2': scene.screen_pixel(*second)}
    return scene.call(functions.SELECT_RECT, select_add=add, **corners)


def panel(scene, act, index):
    return scene.call(functions.SELECT_UNIT, select_unit_act=act, select_unit_id=index)


def group(scene, act, index):
    arguments = {'control_group_act': act, 'control_group_id': index}
    return scene.call(functions.SELECT_CONTROL_GROUP, **arguments)


def army(scene, add=0):
    return scene.call(functions.SELECT_ARMY, select_add=add)


def test_a_click_selects_the_unit_under_it(scene):
    scene.select(0, 1)
    assert click(scene, 35, 25) == protocol_codes.OK
    assert scene.selected() == [2]


@pytest.mark.long
def test_a_click_hits_every_drawn_pixel_of_a_unit_and_no_other(scene):
    row, column = np.mgrid[:84, :84]
    for pixel in np.stack([column.ravel(), row.ravel()], axis=1):
        scene.select()
        scene.call(functions.SELECT_POINT, screen=pixel)
        near = np.abs(pixel - scene.screen_pixel(35, 25)).max() <= 1
        assert (2 in scene.selected()) == near


def test_on_a_shared_pixel_the_last_unit_is_hit(scene):
    scene.g.x[1] = scene.g.x[0]
    click(scene, 30, 30)
    assert scene.selected() == [1]


@pytest.mark.parametrize('x, y', [(40, 30), (25, 25), (22, 14)])
@pytest.mark.parametrize('act', [SELECT, TOGGLE, ALL_OF_TYPE, ADD_ALL_OF_TYPE])
def test_a_click_on_no_unit_of_ours_changes_nothing(scene, x, y, act):
    scene.select(0, 2)
    assert click(scene, x, y, act) == protocol_codes.OK
    assert scene.selected() == [0, 2]


def test_toggle_adds_and_removes(scene):
    scene.select(0)
    click(scene, 35, 25, TOGGLE)
    assert scene.selected() == [0, 2]
    click(scene, 30, 30, TOGGLE)
    assert scene.selected() == [2]
    click(scene, 35, 25, TOGGLE)
    assert scene.selected() == []


def test_all_of_type_means_those_on_the_screen(scene):
    scene.g.x[1] = 50
    click(scene, 35, 25, ALL_OF_TYPE)
    assert scene.selected() == [0, 2]
    scene.select(1)
    click(scene, 35, 25, ADD_ALL_OF_TYPE)
    assert scene.selected() == [0, 1, 2]


def test_unknown_acts_are_errors(scene):
    scene.select(0)
    for act in (-1, 4, 2**62):
        assert click(scene, 35, 25, act) == protocol_codes.ERROR
        assert panel(scene, act, 0) == protocol_codes.ERROR
        assert group(scene, act + (act == 4), 0) == protocol_codes.ERROR
    assert scene.selected() == [0]
    assert not scene.g.control_groups.any()


def test_a_rectangle_selects_what_it_touches_whatever_its_first_corner(scene):
    for corners in [((29, 31), (31, 29)), ((31, 29), (29, 31)), ((29, 29), (31, 31))]:
        scene.select(2)
        assert drag(scene, *corners) == protocol_codes.OK
        assert scene.selected() == [0, 1]


def test_a_rectangle_of_one_pixel_at_the_rim_of_a_unit_touches_it(scene):
    drag(scene, (35.375, 24.625), (35.375, 24.625))
    assert scene.selected() == [2]


def test_a_rectangle_can_add_and_an_empty_one_changes_nothing(scene):
    scene.select(2)
    drag(scene, (29, 31), (30.2, 29), add=1)
    assert scene.selected() == [0, 2]
    drag(scene, (24, 24), (26, 26))
    assert scene.selected() == [0, 2]


def test_a_rectangle_reaches_to_the_border_of_the_screen_only(scene):
    scene.call(functions.SELECT_RECT, screen=[-1000, 2**40], screen2=[2**40, -1000])
    assert scene.selected() == [0, 1, 2]
    scene.select()
    scene.g.x[:2] = 46
    scene.call(functions.SELECT_RECT, screen=[0, 0], screen2=[2**40, 2**40])
    assert scene.selected() == [2]


def test_units_inside_a_building_cannot_be_clicked(scene):
    scene.g.inside[2] = True
    click(scene, 35, 25)
    drag(scene, (34, 26), (36, 24))
    assert scene.selected() == []


def test_select_army(scene):
    scene.g.owner[1] = ENEMY
    assert army(scene) == protocol_codes.OK
    assert scene.selected() == [0, 2]
    scene.select(2)
    scene.g.alive[0] = False
    scene.g.owner[1] = SELF
    army(scene, add=1)
    assert scene.selected() == [1, 2]


def test_the_panel_counts_selected_units_only(scene):
    scene.select(0, 2)
    assert panel(scene, 0, 1) == protocol_codes.OK
    assert scene.selected() == [2]


def test_the_panel_deselects(scene):
    scene.select(0, 1, 2)
    assert panel(scene, 1, 1) == protocol_codes.OK
    assert scene.selected() == [0, 2]


def test_the_panel_knows_types(scene):
    scene.select(0, 1, 3)
    assert panel(scene, 2, 0) == protocol_codes.OK
    assert scene.selected() == [0, 1]
    scene.select(0, 1, 3)
    assert panel(scene, 3, 0) == protocol_codes.OK
    assert scene.selected() == [3]


@pytest.mark.parametrize('index', [-1, 2, 499, 2**62])
def test_the_panel_refuses_an_index_beyond_the_selection(scene, index):
    scene.select(0, 2)
    for act in range(4):
        assert panel(scene, act, index) == protocol_codes.ERROR
    assert scene.selected() == [0, 2]


def members(scene, index):
    return np.flatnonzero(scene.g.control_groups[index]).tolist()


def test_control_groups_are_set_recalled_and_appended_to(scene):
    scene.select(0)
    assert group(scene, 1, 3) == protocol_codes.OK
    scene.select(2)
    group(scene, 2, 3)
    assert members(scene, 3) == [0, 2]
    scene.select(1)
    assert group(scene, 0, 3) == protocol_codes.OK
    assert scene.selected() == [0, 2]
    scene.select(1)
    group(scene, 1, 3)
    assert members(scene, 3) == [1]


def test_control_groups_can_steal(scene):
    scene.select(0, 1)
    group(scene, 1, 0)
    scene.select(1)
    group(scene, 1, 4)
    group(scene, 3, 5)
    assert [members(scene, index) for index in (0, 4, 5)] == [[0], [], [1]]
    scene.select(0)
    group(scene, 4, 5)
    assert [members(scene, index) for index in (0, 4, 5)] == [[], [], [0, 1]]


def test_a_group_that_appends_what_it_holds_by_stealing_keeps_it(scene):
    scene.select(0, 1)
    group(scene, 1, 2)
    scene.select(1)
    group(scene, 4, 2)
    assert members(scene, 2) == [0, 1]


def test_empty_groups_are_not_recalled_and_nothing_makes_no_group(scene):
    scene.select(0)
    group(scene, 1, 2)
    group(scene, 0, 7)
    assert scene.selected() == [0]
    scene.select()
    group(scene, 1, 2)
    assert members(scene, 2) == [0]


@pytest.mark.parametrize('index', [-1, 10, 2**62])
def test_there_are_ten_groups(scene, index):
    scene.select(0)
    assert group(scene, 1, index) == protocol_codes.ERROR
    assert not scene.g.control_groups.any()
