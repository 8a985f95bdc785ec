import math

import numpy as np
import pytest

from sc2impala.sim import layers, unit_types
from sc2impala.sim.rendering import SUBPIXELS, Renderer
from sc2impala.sim.world import World
from tests.sim import helpers

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


def some_world(size):
    """Two games of three marines and a beacon, some on top of each other or half off the screen."""
    positions = [[(30, 30), (30.4, 30.2), (44, 20)], [(21.1, 36.9), (45.2, 25.03), (33, 28)]]
    world = helpers.marines(positions, screen=size, minimap=size)
    beacons = np.array([[(31.3, 30.9)], [(33.4, 27.7)]]).transpose(2, 0, 1)
    world.place(np.arange(2), slice(3, 4), unit_types.BEACON, unit_types.NEUTRAL, beacons)
    world.units.alive[1, 2] = False
    world.units.selected[0, 1] = True
    world.units.health[0, 2] = 11.7
    return world


def renderer_of(world):
    return Renderer(world, list(layers.SCREEN_SCALES), list(layers.MINIMAP_SCALES))


def drawn(world):
    renderer = renderer_of(world)
    renderer.draw(world)
    return renderer.screen.pictures, renderer.minimap.pictures


def units_of(world, game):
    units = world.units
    for slot in np.flatnonzero(units.alive[game]):
        x, y = units.position[:, game, slot]
        unit_type = units.types[units.type[game, slot]]
        health = units.health[game, slot]
        owner = units.owner[game, slot]
        values = {
            'player_id': owner,
            'player_relative': {1: 1, 2: 4, 16: 3}[owner],
            'unit_type': unit_type.unit_type,
            'selected': int(units.selected[game, slot]),
            'unit_hit_points': int(health),
            'unit_hit_points_ratio': int(255 * health / unit_type.health),
        }
        yield x, y, unit_type, values


def round_half_up(number):
    return math.floor(number + 0.5)


def slow_screen(world, game, size):
    """Reference unit layers of the screen, computed pixel by pixel."""
    width, height = size
    pictures = {}
    for x, y, unit_type, values in units_of(world, game):
        across, down = width / 24, height / 24
        wide = max(1, round_half_up(2 * unit_type.radius * across))
        high = max(1, round_half_up(2 * unit_type.radius * down))
        left = round_half_up((x - 21) * across - wide / 2)
        top = round_half_up((37 - y) * down - high / 2)
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


def slow_minimap(world, game, size):
    width, height = size
    pictures = {}
    for x, y, unit_type, values in units_of(world, game):
        wide = max(1, round_half_up(2 * unit_type.minimap_radius * width / 64))
        high = max(1, round_half_up(2 * unit_type.minimap_radius * height / 64))
        left = round_half_up(x * width / 64 - wide / 2)
        top = round_half_up((64 - y) * height / 64 - high / 2)
        for name in ('player_id', 'player_relative', 'selected'):
            picture = pictures.setdefault(name, np.zeros([height, width]))
            picture[max(top, 0) : top + high, max(left, 0) : left + wide] = values[name]
    return pictures


def slow_density_aa(world, game, size):
    width, height = size
    picture = np.zeros([height, width])
    row, column = (np.indices([height * 4, width * 4]) + 0.5) / 4
    for x, y, unit_type, _ in units_of(world, game):
        centre = (x - 21) * width / 24, (37 - y) * height / 24
        centre_x, centre_y = [(math.floor(c * SUBPIXELS) + 0.5) / SUBPIXELS for c in centre]
        dx = (column - centre_x) / (unit_type.radius * width / 24)
        dy = (row - centre_y) / (unit_type.radius * height / 24)
        inside = dx**2 + dy**2 <= 1
        picture += inside.reshape(height, 4, width, 4).sum((1, 3))
    return np.minimum(picture, 255)


@pytest.mark.parametrize('size', SIZES)
def test_units_are_drawn_by_the_rule(size):
    world = some_world(size)
    screen, minimap = drawn(world)
    for game in range(2):
        for pictures, expected in [
            (screen, slow_screen(world, game, size)),
            (minimap, slow_minimap(world, game, size)),
        ]:
            for name, picture in expected.items():
                np.testing.assert_array_equal(pictures[name][game], picture, err_msg=name)


@pytest.mark.parametrize('size', SIZES)
def test_density_aa_counts_covered_points(size):
    world = some_world(size)
    screen, _ = drawn(world)
    for game in range(2):
        np.testing.assert_array_equal(
            screen['unit_density_aa'][game], slow_density_aa(world, game, size)
        )


def test_density_aa_has_the_area_of_the_circle():
    world = helpers.marines([[(30.123, 30.456)]])
    beacon = np.array([33.3, 28.8]).reshape(2, 1, 1)
    world.place(np.array([0]), slice(1, 2), unit_types.BEACON, unit_types.NEUTRAL, beacon)
    screen, _ = drawn(world)
    area = math.pi * (0.375**2 + 1.875**2) * 3.5**2
    assert abs(screen['unit_density_aa'].sum() / 16 / area - 1) < 0.02


def test_many_units_on_a_pixel_do_not_overflow():
    world = helpers.marines([[(30, 30)] * 30])
    screen, _ = drawn(world)
    assert screen['unit_density'].max() == 15
    assert screen['unit_density_aa'].max() == 255


@pytest.mark.parametrize('size', SIZES)
def test_the_ground(size):
    world = some_world(size)
    screen, minimap = drawn(world)
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
    world = some_world((64, 64))
    world.look_at(np.array([1]), np.array([[32.936], [24.998]]))
    _, minimap = drawn(world)
    for game, (left, top) in enumerate([(21, 27), (20, 27)]):
        rows, columns = np.nonzero(minimap['camera'][game])
        assert (columns.min(), columns.max()) == (left, left + 23)
        assert (rows.min(), rows.max()) == (top, top + 23)
        assert len(rows) == 24 * 24


def test_a_camera_that_moves_shows_other_ground_and_units():
    world = some_world((84, 84))
    renderer = renderer_of(world)
    renderer.draw(world)
    before = {name: picture.copy() for name, picture in renderer.screen.pictures.items()}
    world.look_at(np.array([0]), np.array([[31.0], [28.0]]))
    renderer.draw(world)
    pictures = renderer.screen.pictures
    # Two cells to the left and three up are 7 and 10.5 pixels.
    for name in ('unit_density_aa', 'pathable', 'visibility_map'):
        assert (pictures[name][0] != before[name][0]).any()
        np.testing.assert_array_equal(pictures[name][1], before[name][1])
    np.testing.assert_array_equal(
        pictures['pathable'][0, 20:, 7:], before['pathable'][0, 10:-10, :-7]
    )


def test_what_was_drawn_before_is_gone():
    world = some_world((84, 84))
    renderer = renderer_of(world)
    renderer.draw(world)
    world.units.position[:, :, :3] -= 1.7
    world.units.alive[0, 3] = False
    renderer.draw(world)
    fresh = drawn(_copy(world, some_world((84, 84))))
    for pictures, expected in zip((renderer.screen.pictures, renderer.minimap.pictures), fresh):
        for name in pictures:
            np.testing.assert_array_equal(pictures[name], expected[name], err_msg=name)


def _copy(world: World, into: World) -> World:
    into.set_state(world.get_state())
    return into


def test_layers_without_content_are_zero_and_all_have_their_shape():
    screen, minimap = drawn(some_world((48, 24)))
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
    world = some_world((84, 84))
    renderer = Renderer(world, ['unit_density_aa'], ['camera', 'player_id'])
    renderer.draw(world)
    assert list(renderer.screen.pictures) == ['unit_density_aa']
    assert list(renderer.minimap.pictures) == ['camera', 'player_id']
    expected, _ = drawn(some_world((84, 84)))
    np.testing.assert_array_equal(
        renderer.screen.pictures['unit_density_aa'], expected['unit_density_aa']
    )


def test_an_empty_world_can_be_drawn():
    world = some_world((32, 32))
    world.units.alive[:] = False
    screen, minimap = drawn(world)
    assert not screen['unit_density'].any() and not minimap['player_id'].any()
    assert screen['pathable'].any()
