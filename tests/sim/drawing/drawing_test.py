import math

import numpy as np
import pytest

from sc2impala.sim import layers, unit_types
from tests.sim import views

SIZES = [(84, 84), (64, 64), (32, 32), (48, 24), (16, 16), (7, 11), (1, 1)]
ALWAYS_ZERO = [
    'height_map',
    'creep',
    'power',
    'unit_energy',
    'unit_energy_ratio',
    'unit_shields',
    'unit_shields_ratio',
    'effects',
    'hallucinations',
    'cloaked',
    'blip',
    'buffs',
    'buff_duration',
    'active',
    'build_progress',
    'placeholder',
]


def some_scene(size):
    """Two games of three marines and a beacon, some on top of each other or half off the screen."""
    positions = [[(30, 30), (30.4, 30.2), (44, 20)], [(21.1, 36.9), (45.2, 25.03), (33, 28)]]
    scene = views.marines(positions, screen=size, minimap=size)
    for k, (x, y) in enumerate([(31.3, 30.9), (33.4, 27.7)]):
        scene.put(k, 3, x, y, unit_types.BEACON, unit_types.NEUTRAL)
    scene.games.alive[1, 2] = False
    scene.games.selected[0, 1] = True
    scene.games.health[0, 2] = 11.7
    return scene


def units_of(scene, k):
    g = scene.games[k]
    for slot in np.flatnonzero(g.alive):
        unit_type = scene.types[g.type[slot]]
        owner, health = g.owner[slot], g.health[slot]
        values = {
            'player_id': owner,
            'player_relative': {1: 1, 2: 4, 16: 3}[owner],
            'unit_type': unit_type.unit_type,
            'selected': g.selected[slot],
            'unit_hit_points': math.ceil(health),
            'unit_hit_points_ratio': int(255 * health / unit_type.health),
            'active': g.active[slot],
        }
        yield g.x[slot], g.y[slot], unit_type, values


def round_half_up(number):
    return math.floor(number + 0.5)


def slow_screen(scene, game, size):
    """Reference unit layers of the screen, computed pixel by pixel."""
    width, height = size
    pictures = {}
    for x, y, unit_type, values in units_of(scene, game):
        across, down = width / 24, height / 24
        wide = max(1, round_half_up(2 * unit_type.radius * across))
        high = max(1, round_half_up(2 * unit_type.radius * down))
        left = math.trunc((x - 21) * across - wide / 2 + 0.5)
        top = math.trunc((37 - y) * down - high / 2 + 0.5)
        for row in range(height):
            for column in range(width):
                dx = (column + 0.5 - left - wide / 2) / (wide / 2)
                dy = (row + 0.5 - top - high / 2) / (high / 2)
                if dx**2 + dy**2 <= 1:
                    for name, value in values.items():
                        pictures.setdefault(name, np.zeros([height, width]))[row, column] = value
                    density = pictures.setdefault('unit_density', np.zeros([height, width]))
                    density[row, column] += 1
    return pictures


def slow_minimap(scene, game, size):
    width, height = size
    pictures = {}
    for x, y, unit_type, values in units_of(scene, game):
        wide = max(1, round_half_up(2 * unit_type.minimap_radius * width / 64))
        high = max(1, round_half_up(2 * unit_type.minimap_radius * height / 64))
        left = math.trunc(x * width / 64 - wide / 2 + 0.5)
        top = math.trunc((64 - y) * height / 64 - high / 2 + 0.5)
        for name in ('player_id', 'player_relative', 'selected'):
            picture = pictures.setdefault(name, np.zeros([height, width]))
            picture[max(top, 0) : top + high, max(left, 0) : left + wide] = values[name]
    return pictures


def slow_density_aa(scene, game, size):
    width, height = size
    picture = np.zeros([height, width])
    row, column = (np.indices([height * 4, width * 4]) + 0.5) / 4
    for x, y, unit_type, _ in units_of(scene, game):
        centre = (x - 21) * width / 24, (37 - y) * height / 24
        centre_x, centre_y = centre
        dx = (column - centre_x) / (unit_type.radius * width / 24)
        dy = (row - centre_y) / (unit_type.radius * height / 24)
        inside = dx**2 + dy**2 <= 1
        picture += inside.reshape(height, 4, width, 4).sum((1, 3))
    return np.minimum(picture, 255)


@pytest.mark.parametrize('size', SIZES)
def test_units_are_drawn_by_the_rule(size):
    scene = some_scene(size)
    screen, minimap = scene.draw()
    for game in range(2):
        for pictures, expected in [
            (screen, slow_screen(scene, game, size)),
            (minimap, slow_minimap(scene, game, size)),
        ]:
            for name, picture in expected.items():
                np.testing.assert_array_equal(pictures[name][game], picture, err_msg=name)


@pytest.mark.parametrize('size', SIZES)
def test_density_aa_counts_covered_points(size):
    scene = some_scene(size)
    screen, _ = scene.draw()
    for game in range(2):
        np.testing.assert_array_equal(
            screen['unit_density_aa'][game], slow_density_aa(scene, game, size)
        )


def test_density_aa_has_the_area_of_the_circle():
    scene = views.marines([[(30.123, 30.456)]])
    scene.put(0, 1, 33.3, 28.8, unit_types.BEACON, unit_types.NEUTRAL)
    screen, _ = scene.draw()
    area = math.pi * (0.375**2 + 1.875**2) * 3.5**2
    assert abs(screen['unit_density_aa'].sum() / 16 / area - 1) < 0.02


def test_many_units_on_a_pixel_do_not_overflow():
    scene = views.marines([[(30, 30)] * 30])
    screen, _ = scene.draw()
    assert screen['unit_density'].max() == 15
    assert screen['unit_density_aa'].max() == 255


@pytest.mark.parametrize('size', SIZES)
def test_the_ground(size):
    scene = some_scene(size)
    screen, minimap = scene.draw()
    width, height = size
    for row in range(height):
        for column in range(width):
            x, y = 21 + (column + 0.5) * 24 / width, 37 - (row + 0.5) * 24 / height
            playable = 22 <= x < 44 and 20 <= y < 36
            assert screen['visibility_map'][0, row, column] == 2 * playable
            assert screen['pathable'][0, row, column] == playable
            assert screen['buildable'][1, row, column] == playable
            x, y = (column + 0.5) * 64 / width, 64 - (row + 0.5) * 64 / height
            playable = 22 <= x < 44 and 20 <= y < 36
            assert minimap['visibility_map'][1, row, column] == 2 * playable
            assert minimap['pathable'][0, row, column] == playable
            assert minimap['buildable'][0, row, column] == playable


def test_the_camera_on_the_minimap():
    scene = some_scene((64, 64))
    scene.games.camera_x[1], scene.games.camera_y[1] = 32.936, 24.998
    _, minimap = scene.draw()
    for game, (left, top) in enumerate([(21, 27), (20, 27)]):
        rows, columns = np.nonzero(minimap['camera'][game])
        assert (columns.min(), columns.max()) == (left, left + 23)
        assert (rows.min(), rows.max()) == (top, top + 23)
        assert len(rows) == 24 * 24


def test_the_camera_at_a_corner_of_the_map():
    scene = some_scene((64, 64))
    scene.games.camera_x[0], scene.games.camera_y[0] = 2, 62
    screen, minimap = scene.draw()
    expected = np.zeros([64, 64])
    expected[:14, :14] = 1
    np.testing.assert_array_equal(minimap['camera'][0], expected)
    assert not screen['unit_density_aa'][0].any() and not screen['pathable'][0].any()


def test_a_camera_that_moves_shows_other_ground_and_units():
    scene = some_scene((84, 84))
    drawing = scene.drawing()
    pictures, _ = scene.draw(drawing)
    before = {name: picture.copy() for name, picture in pictures.items()}
    scene.games.camera_x[0], scene.games.camera_y[0] = 31.0, 28.0
    scene.games._camera_changed[0] = True
    scene.draw(drawing)
    # Two cells to the left and three up are 7 and 10.5 pixels.
    for name in ('unit_density_aa', 'pathable', 'visibility_map'):
        assert (pictures[name][0] != before[name][0]).any()
        np.testing.assert_array_equal(pictures[name][1], before[name][1])
    np.testing.assert_array_equal(
        pictures['pathable'][0, 20:, 7:], before['pathable'][0, 10:-10, :-7]
    )


@pytest.mark.parametrize('size', SIZES)
def test_what_was_drawn_before_is_gone(size):
    random = np.random.RandomState(0)
    scene = some_scene(size)
    drawing = scene.drawing()
    for _ in range(20):
        games = scene.games
        games.x[:, :4] += random.normal(size=[2, 4])
        games.y[:, :4] += random.normal(size=[2, 4])
        games.alive[:, :4] = random.rand(2, 4) < 0.7
        games.selected[:, :4] = games.alive[:, :4] * (random.rand(2, 4) < 0.5)
        games.active[:, :4] = random.rand(2, 4) < 0.2
        reused = scene.draw(drawing)
        for pictures, expected in zip(reused, scene.draw()):
            for name in pictures:
                np.testing.assert_array_equal(pictures[name], expected[name], err_msg=name)


def test_layers_without_content_are_zero_and_all_have_their_shape():
    screen, minimap = some_scene((48, 24)).draw()
    assert set(screen) == set(layers.SCREEN_SCALES)
    assert set(minimap) == set(layers.MINIMAP_SCALES)
    for pictures, scales in ((screen, layers.SCREEN_SCALES), (minimap, layers.MINIMAP_SCALES)):
        for name, picture in pictures.items():
            assert picture.shape == (2, 24, 48)
            assert picture.dtype == layers.dtype_of_scale(scales[name])
            assert picture.max() < scales[name]
    assert not any(screen[name].any() for name in ALWAYS_ZERO)
    assert not any(minimap[name].any() for name in ('height_map', 'creep', 'unit_type', 'alerts'))


def test_layers_that_are_not_asked_for_are_not_drawn():
    scene = some_scene((84, 84))
    screen, minimap = scene.draw(scene.drawing(['unit_density_aa'], ['camera', 'player_id']))
    assert list(screen) == ['unit_density_aa'] and list(minimap) == ['camera', 'player_id']
    expected, _ = scene.draw()
    np.testing.assert_array_equal(screen['unit_density_aa'], expected['unit_density_aa'])
    assert expected['unit_density_aa'].any()


def test_an_empty_game_can_be_drawn():
    scene = some_scene((32, 32))
    scene.games.alive[:] = False
    screen, minimap = scene.draw()
    assert not screen['unit_density'].any() and not minimap['player_id'].any()
    assert screen['pathable'].any()


def test_of_units_on_the_same_pixel_the_last_one_is_visible():
    scene = views.marines([[(30, 30), (30, 30)]])
    scene.games.selected[0, 0] = True
    scene.games.health[0, 1] = 5
    screen, _ = scene.draw()
    shown = screen['unit_density'][0] == 2
    assert shown.sum() == 9
    assert not screen['selected'].any()
    assert (screen['unit_hit_points'][0][shown] == 5).all()


def test_refuses_unknown_layers():
    scene = some_scene((32, 32))
    with pytest.raises(ValueError, match=r"\['shape'\] are unknown.*'unit_type'"):
        scene.drawing(['height_map', 'shape'], [])
    with pytest.raises(ValueError, match=r"\['power'\] are unknown.*'camera'"):
        scene.drawing([], ['power'])
