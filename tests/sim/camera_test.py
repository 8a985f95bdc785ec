import numpy as np
import pytest

from sc2impala.sim import functions, geometry, protocol_codes
from tests.sim import players

OPEN, LOCKED = 'FindAndDefeatZerglings', 'MoveToBeacon'
LAYERS = {
    'screen_layers': ('player_id', 'selected', 'pathable', 'visibility_map', 'unit_density'),
    'minimap_layers': ('camera',),
}


def a_game(num_games=1, map_name=OPEN, **sizes):
    game = players.make(map_name, range(num_games), **dict(LAYERS, **sizes))
    game.reset()
    return game


def act(game, function, **arguments):
    batch = [game.num_games]
    arguments = {
        name: np.tile(np.array(value), batch + [1] * np.ndim(value))
        for name, value in arguments.items()
    }
    game.act(np.full(batch, function), arguments)
    assert (game.observe()['action_result'] == protocol_codes.OK).all()


def look_at(game, x, y):
    """Calls move_camera with the pixel of a point of the map, 64 x 64 on the minimap."""
    act(game, functions.MOVE_CAMERA, minimap=[int(x), 63 - int(y)])


def camera(game):
    return np.stack([game.games.camera_x, game.games.camera_y], axis=1).tolist()


def screen_pixel(game, x, y):
    """The (column, row) that shows a point of the world in the first game."""
    (left, top), scale = camera(game)[0], 84 / geometry.CAMERA_EXTENT
    left, top = left - geometry.CAMERA_EXTENT / 2, top + geometry.CAMERA_EXTENT / 2
    return np.floor([(x - left) * scale, (top - y) * scale]).astype(int)


def advance(game, loops=1):
    game.advance(np.full([game.num_games], loops))


def test_the_camera_goes_to_the_middle_of_the_pixel():
    game = a_game(2)
    assert camera(game) == [[32, 25]] * 2
    pixels = np.array([[20, 30], [45, 39]])
    game.act(np.full([2], functions.MOVE_CAMERA), {'minimap': pixels})
    assert camera(game) == [[20.5, 33.5], [45.5, 24.5]]
    game = a_game(minimap=16)
    act(game, functions.MOVE_CAMERA, minimap=[6, 8])
    assert camera(game) == [[26, 30]]


@pytest.mark.parametrize(
    'pixel, middle',
    [((0, 0), (10, 44)), ((63, 63), (54, 12)), ((-5, 2**40), (10, 12)), ((3, 30), (10, 33.5))],
)
def test_the_middle_of_the_screen_stays_in_the_playable_region(pixel, middle):
    game = a_game()
    act(game, functions.MOVE_CAMERA, minimap=pixel)
    assert camera(game) == [list(middle)]


def test_a_locked_camera_stays():
    game = a_game(map_name=LOCKED)
    look_at(game, 30, 30)
    assert camera(game) == [[33, 25]]


def test_the_minimap_shows_the_camera():
    game = a_game(2)
    game.observe()
    pixels = np.array([[26, 33], [11, 60]])
    game.act(np.full([2], functions.MOVE_CAMERA), {'minimap': pixels})
    frames = game.observe()['minimap']['camera']
    for frame, (left, right, top, bottom) in zip(frames, [(14, 37, 21, 44), (0, 22, 40, 63)]):
        rows, columns = np.nonzero(frame)
        assert (columns.min(), columns.max()) == (left, right)
        assert (rows.min(), rows.max()) == (top, bottom)
        assert len(rows) == (right - left + 1) * (bottom - top + 1)


def test_units_and_ground_are_drawn_as_the_camera_sees_them():
    game = a_game()
    before = {name: picture.copy() for name, picture in game.observe()['screen'].items()}
    # Four cells, 14 pixels, to the left and two, 7 pixels, down; a cell has a middle.
    camera = {'camera_x': np.array([28.0]), 'camera_y': np.array([23.0])}
    game.set_state(dict(game.get_state(), **camera))
    moved = game.observe()['screen']
    assert (before['player_id'] == 1).sum() == 3 * 9
    for name in ('player_id', 'visibility_map', 'pathable', 'unit_density'):
        np.testing.assert_array_equal(
            moved[name][:, :-7, 14:], before[name][:, 7:, :-14], err_msg=name
        )


def test_selecting_goes_through_the_camera():
    game = a_game()
    look_at(game, 26, 30)
    pixel = screen_pixel(game, 32, 29)
    assert game.observe()['screen']['player_id'][0, pixel[1], pixel[0]] == 1
    act(game, functions.SELECT_POINT, screen=pixel)
    assert np.flatnonzero(game.games.selected[0]).tolist() == [0]
    act(game, functions.SELECT_RECT, screen=pixel + [-5, 1], screen2=pixel + [5, 8])
    assert np.flatnonzero(game.games.selected[0]).tolist() == [0, 1, 2]


def test_units_that_are_not_on_the_screen_cannot_be_clicked():
    game = a_game()
    look_at(game, 12, 40)
    advance(game)
    for pixel in ([0, 0], [83, 83], [83, 0], [42, 42]):
        act(game, functions.SELECT_POINT, screen=pixel)
    act(game, functions.SELECT_RECT, screen=[0, 0], screen2=[83, 83], select_add=0)
    assert game.games.selected[0].sum() == 3


@pytest.mark.parametrize('function', [functions.MOVE_SCREEN, functions.ATTACK_SCREEN])
def test_orders_go_through_the_camera(function):
    game = a_game()
    look_at(game, 26, 30)
    act(game, functions.SELECT_POINT, screen=screen_pixel(game, 32, 29))
    act(game, function, screen=[60, 50])
    g = game.games[0]
    point = g.order_x[0, 0], g.order_y[0, 0]
    np.testing.assert_allclose(point, (14.5 + 60.5 / 3.5, 42.5 - 50.5 / 3.5))


def test_selecting_and_ordering_leave_the_camera_where_it_is():
    game = a_game()
    look_at(game, 26, 30)
    act(game, functions.SELECT_ARMY)
    act(game, functions.SELECT_CONTROL_GROUP, control_group_act=1)
    act(game, functions.ATTACK_MINIMAP, minimap=[50, 50])
    advance(game, 20)
    act(game, functions.SELECT_CONTROL_GROUP, control_group_act=0)
    assert camera(game) == [[26.5, 30.5]]


def test_a_new_episode_begins_with_the_camera_at_its_place():
    game = a_game()
    look_at(game, 12, 40)
    game.reset()
    assert camera(game) == [[32, 25]]
