import numpy as np
import pytest

from sc2impala.sim import results, selection, unit_types
from tests.sim import helpers

GAME = np.array([0])
SELECT, TOGGLE, ALL_OF_TYPE, ADD_ALL_OF_TYPE = range(4)


@pytest.fixture
def world():
    """Three marines of player 1, of which the first two stand close together, and a beacon."""
    world = helpers.marines([[(30, 30), (30.75, 30), (35, 25)]])
    beacon = np.array([40.0, 30.0]).reshape(2, 1, 1)
    world.place(GAME, slice(3, 4), unit_types.BEACON, unit_types.NEUTRAL, beacon)
    return world


def selected(world):
    return list(np.flatnonzero(world.units.selected[0]))


def choose(world, *units):
    world.units.selected[0] = np.isin(np.arange(4), units)


def click(world, x, y, act=SELECT):
    pixel = helpers.screen_pixel(world, x, y)
    return selection.select_point(world, GAME, np.array([act]), pixel[:, None])[0]


def drag(world, first, second, add=0):
    pixels = [helpers.screen_pixel(world, *corner)[:, None] for corner in (first, second)]
    return selection.select_rect(world, GAME, np.array([add]), *pixels)[0]


def panel(world, act, index):
    return selection.select_unit(world, GAME, np.array([act]), np.array([index]))[0]


def group(world, act, index):
    return selection.control_group(world, GAME, np.array([act]), np.array([index]))[0]


def test_a_click_selects_the_unit_under_it(world):
    choose(world, 0, 1)
    assert click(world, 35, 25) == results.OK
    assert selected(world) == [2]


def test_a_click_hits_every_drawn_pixel_of_a_unit_and_no_other(world):
    row, column = np.mgrid[:84, :84]
    for pixel in np.stack([column.ravel(), row.ravel()], axis=1):
        choose(world)
        selection.select_point(world, GAME, np.array([SELECT]), pixel[:, None])
        near = np.abs(pixel - helpers.screen_pixel(world, 35, 25)).max() <= 1
        assert (2 in selected(world)) == near


def test_on_a_shared_pixel_the_last_unit_is_hit(world):
    world.units.position[:, 0, 1] = world.units.position[:, 0, 0]
    click(world, 30, 30)
    assert selected(world) == [1]


@pytest.mark.parametrize('x, y', [(40, 30), (25, 25), (22, 14)])
@pytest.mark.parametrize('act', [SELECT, TOGGLE, ALL_OF_TYPE, ADD_ALL_OF_TYPE])
def test_a_click_on_no_unit_of_ours_changes_nothing(world, x, y, act):
    choose(world, 0, 2)
    assert click(world, x, y, act) == results.OK
    assert selected(world) == [0, 2]


def test_toggle_adds_and_removes(world):
    choose(world, 0)
    click(world, 35, 25, TOGGLE)
    assert selected(world) == [0, 2]
    click(world, 30, 30, TOGGLE)
    assert selected(world) == [2]
    click(world, 35, 25, TOGGLE)
    assert selected(world) == []


def test_all_of_type_means_those_on_the_screen(world):
    world.units.position[:, 0, 1] = (50, 30)
    click(world, 35, 25, ALL_OF_TYPE)
    assert selected(world) == [0, 2]
    choose(world, 1)
    click(world, 35, 25, ADD_ALL_OF_TYPE)
    assert selected(world) == [0, 1, 2]


def test_unknown_acts_are_errors(world):
    choose(world, 0)
    for act in (-1, 4, 2**62):
        assert click(world, 35, 25, act) == results.ERROR
        assert panel(world, act, 0) == results.ERROR
        assert group(world, act + (act == 4), 0) == results.ERROR
    assert selected(world) == [0]
    assert not world.units.control_groups.any()


def test_a_rectangle_selects_what_it_touches_whatever_its_first_corner(world):
    for corners in [((29, 31), (31, 29)), ((31, 29), (29, 31)), ((29, 29), (31, 31))]:
        choose(world, 2)
        assert drag(world, *corners) == results.OK
        assert selected(world) == [0, 1]


def test_a_rectangle_of_one_pixel_at_the_rim_of_a_unit_touches_it(world):
    drag(world, (35.375, 24.625), (35.375, 24.625))
    assert selected(world) == [2]


def test_a_rectangle_can_add_and_an_empty_one_changes_nothing(world):
    choose(world, 2)
    drag(world, (29, 31), (30.2, 29), add=1)
    assert selected(world) == [0, 2]
    drag(world, (24, 24), (26, 26))
    assert selected(world) == [0, 2]


def test_select_army(world):
    world.units.owner[0, 1] = unit_types.ENEMY
    assert selection.select_army(world, GAME, np.array([0]))[0] == results.OK
    assert selected(world) == [0, 2]
    choose(world, 1)
    selection.select_army(world, GAME, np.array([1]))
    assert selected(world) == [0, 1, 2]


def test_the_panel_counts_selected_units_only(world):
    choose(world, 0, 2)
    assert panel(world, 0, 1) == results.OK
    assert selected(world) == [2]


def test_the_panel_deselects(world):
    choose(world, 0, 1, 2)
    assert panel(world, 1, 1) == results.OK
    assert selected(world) == [0, 2]


def test_the_panel_knows_types(world):
    choose(world, 0, 1)
    assert panel(world, 2, 0) == results.OK
    assert selected(world) == [0, 1]
    assert panel(world, 3, 0) == results.OK
    assert selected(world) == []


@pytest.mark.parametrize('index', [-1, 2, 499, 2**62])
def test_the_panel_refuses_an_index_beyond_the_selection(world, index):
    choose(world, 0, 2)
    for act in range(4):
        assert panel(world, act, index) == results.ERROR
    assert selected(world) == [0, 2]


def members(world, index):
    return list(np.flatnonzero(world.units.control_groups[0, index]))


def test_control_groups_are_set_recalled_and_appended_to(world):
    choose(world, 0)
    assert group(world, 1, 3) == results.OK
    choose(world, 2)
    group(world, 2, 3)
    assert members(world, 3) == [0, 2]
    choose(world, 1)
    assert group(world, 0, 3) == results.OK
    assert selected(world) == [0, 2]
    choose(world, 1)
    group(world, 1, 3)
    assert members(world, 3) == [1]


def test_control_groups_can_steal(world):
    choose(world, 0, 1)
    group(world, 1, 0)
    choose(world, 1)
    group(world, 1, 4)
    group(world, 3, 5)
    assert [members(world, index) for index in (0, 4, 5)] == [[0], [], [1]]
    choose(world, 0)
    group(world, 4, 5)
    assert [members(world, index) for index in (0, 4, 5)] == [[], [], [0, 1]]


def test_a_group_that_appends_what_it_holds_by_stealing_keeps_it(world):
    choose(world, 0, 1)
    group(world, 1, 2)
    choose(world, 1)
    group(world, 4, 2)
    assert members(world, 2) == [0, 1]


def test_empty_groups_are_not_recalled_and_nothing_makes_no_group(world):
    choose(world, 0)
    group(world, 1, 2)
    group(world, 0, 7)
    assert selected(world) == [0]
    choose(world)
    group(world, 1, 2)
    assert members(world, 2) == [0]


@pytest.mark.parametrize('index', [-1, 10, 2**62])
def test_there_are_ten_groups(world, index):
    choose(world, 0)
    assert group(world, 1, index) == results.ERROR
    assert not world.units.control_groups.any()


def test_games_are_selected_in_apart():
    world = helpers.marines([[(30, 30), (35, 25)]] * 3)
    selection.select_army(world, np.array([0, 2]), np.array([0, 0]))
    np.testing.assert_array_equal(world.units.selected.sum(1), [2, 0, 2])
    act, index = np.array([1, 0]), np.array([0, 1])
    selection.select_unit(world, np.array([0, 2]), act, index)
    np.testing.assert_array_equal(world.units.selected[:, :2], [[0, 1], [0, 0], [0, 1]])
