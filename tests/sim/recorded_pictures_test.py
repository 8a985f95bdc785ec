"""Compares images of the base in BuildMarines with a recorded observation of the game."""

import numpy as np

from sc2impala.sim import feature_units, geometry, unit_types
from tests.sim import views

FIELDS = [(25, 22.5), (24, 23.5), (24, 25.5), (23, 26.5), (23, 28.5), (24, 29.5), (24, 31.5)]
"""In the recording the eighth field is exhausted."""
SCREEN_LAYERS = [
    'height_map',
    'visibility_map',
    'player_id',
    'player_relative',
    'unit_type',
    'unit_hit_points',
    'unit_hit_points_ratio',
    'unit_density',
]


def draw(*units):
    """A scene of units, given as (type, owner, x, y), and images of its screen and minimap."""
    types = tuple({unit_type: None for unit_type, *_ in units})
    scene = views.Scene(types=types, arena=geometry.SINGLE_SCREEN_WITH_BASE)
    for slot, (unit_type, owner, x, y) in enumerate(units):
        scene.put(0, slot, x, y, unit_type, owner)
    drawing = scene.drawing(SCREEN_LAYERS, ['visibility_map', 'camera', 'player_id'])
    screen, minimap = scene.draw(drawing)
    first = [{name: picture[0] for name, picture in found.items()} for found in (screen, minimap)]
    return scene, first[0], first[1]


def box(picture):
    """First and last column, first and last row of the nonzero pixels."""
    rows, columns = np.nonzero(picture)
    return columns.min(), columns.max(), rows.min(), rows.max()


def command_center():
    return unit_types.COMMAND_CENTER, unit_types.SELF, 30.5, 27.5


def fields():
    return [(unit_types.MINERAL_FIELD, unit_types.NEUTRAL, x, y) for x, y in FIELDS]


def test_what_is_visible():
    _, screen, minimap = draw(command_center())
    assert box(screen['visibility_map']) == (4, 80, 3, 58)
    assert (screen['visibility_map'][3:59, 4:81] == 2).all()
    assert box(minimap['visibility_map']) == (22, 43, 28, 43)
    assert (minimap['visibility_map'][28:44, 22:44] == 2).all()
    assert not screen['height_map'].any()


def test_the_camera():
    _, _, minimap = draw(command_center())
    assert box(minimap['camera']) == (20, 43, 27, 50)
    assert minimap['camera'].sum() == 24 * 24


def test_the_command_center():
    scene, screen, minimap = draw(command_center())
    unit = scene.feature_units()[0, 0]
    columns = {name: index for index, name in enumerate(feature_units.COLUMNS)}
    assert unit[[columns['x'], columns['y'], columns['radius']]].tolist() == [33, 33, 9]
    # Nineteen pixels wide, around that pixel.
    assert box(screen['unit_density']) == (24, 42, 24, 42)
    assert box(minimap['player_id']) == (28, 32, 34, 38)
    assert (minimap['player_id'][34:39, 28:33] == 1).all()


def test_the_pixels_of_each_type():
    for unit_type, pixels, diameter in [
        (unit_types.MARINE, 9, 3),
        (unit_types.SCV, 9, 3),
        (unit_types.ZERGLING, 9, 3),
        (unit_types.BANELING, 9, 3),
        (unit_types.SUPPLY_DEPOT, 69, 9),
        (unit_types.BARRACKS, 137, 13),
        (unit_types.MINERAL_FIELD, 52, 8),
        (unit_types.BEACON, 137, 13),
        (unit_types.ROACH, 12, 4),
        (unit_types.MINERAL_SHARD, 12, 4),
    ]:
        for x, y in ((30.5, 27.5), (33.1, 30.9), (28.77, 24.25)):
            _, screen, _ = draw((unit_type, unit_types.SELF, x, y))
            assert screen['unit_density'].sum() == pixels, unit_type
            left, right, top, bottom = box(screen['unit_density'])
            assert (right - left + 1, bottom - top + 1) == (diameter, diameter), unit_type


def test_the_mineral_fields():
    _, screen, minimap = draw(command_center(), *fields())
    of_fields = screen['unit_type'] == 341
    covered = sum(draw(field)[1]['unit_density'] for field in fields())
    command_centers = draw(command_center())[1]['unit_density']
    np.testing.assert_array_equal(screen['unit_density'], covered + command_centers)
    np.testing.assert_array_equal(of_fields, covered > 0)
    assert covered.sum() == 7 * 52
    for name, value in [
        ('player_id', 16),
        ('player_relative', 3),
        ('unit_hit_points', 10000),
        ('unit_hit_points_ratio', 255),
    ]:
        assert (screen[name][of_fields] == value).all(), name
    # The southernmost field covers three columns and two rows of the map.
    assert (minimap['player_id'] == 16).any()
    alone = draw(fields()[0])[2]['player_id']
    assert box(alone) == (24, 25, 41, 42)


def test_command_center_and_fields_have_the_values_of_their_types():
    _, screen, _ = draw(command_center(), *fields())
    centre = screen['unit_type'] == 18
    assert centre.sum() == (draw(command_center())[1]['unit_density'] > 0).sum()
    assert (screen['player_relative'][centre] == 1).all()
    assert (screen['unit_hit_points'][centre] == 1500).all()
