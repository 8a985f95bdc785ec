import numpy as np
import pytest

from sc2impala.sim import geometry, picking, unit_types
from sc2impala.sim.fog import Fog
from sc2impala.sim.rendering import Renderer
from sc2impala.sim.units import NO_UNIT, Units
from sc2impala.sim.world import World

# Hit points increase with the slot, which identifies the units in the images.
TYPES = (unit_types.MARINE, unit_types.ZERGLING, unit_types.ROACH, unit_types.BEACON)
NUM_GAMES, NUM_UNITS = 2, 12


@pytest.fixture(params=[(84, 64), (32, 32), (48, 20)])
def world(request):
    """Crowds of units of all types and owners, half of them in the fog or beyond the screen."""
    screen, minimap = request.param
    arena = geometry.OPEN_FIELD
    world = World(
        range(NUM_GAMES),
        arena,
        Units(NUM_GAMES, NUM_UNITS, NUM_UNITS, TYPES),
        geometry.View((screen, screen), geometry.CAMERA_EXTENT),
        geometry.View((minimap, minimap), geometry.MAP_EXTENT),
        [Fog(NUM_GAMES, TYPES, arena.playable)],
    )
    games = np.arange(NUM_GAMES)
    world.restart(games)
    random = np.random.RandomState(0)
    for slot in range(NUM_UNITS):
        points = random.uniform((20, 16), (48, 28), size=(NUM_GAMES, 2)).T
        owner = (unit_types.ENEMY, unit_types.ENEMY, unit_types.NEUTRAL)[slot % 3]
        owner = unit_types.SELF if slot == 0 else owner
        world.put(games, np.full(NUM_GAMES, slot), TYPES[slot % 4], owner, points)
    world.units.position[:, :, 7] = world.units.position[:, :, 1] + 0.3
    world.units.position[:, :, 1] = world.units.position[:, :, 0] + 1
    world.units.health[:] = 1 + np.arange(NUM_UNITS)
    world.kill(games, np.full(NUM_GAMES, 2))
    world.look_at(games, np.array([[30.0, 36.0], [24.0, 25.0]]))
    return world


def pixels(view):
    columns, rows = view.size
    return np.stack(np.meshgrid(np.arange(columns), np.arange(rows))).reshape(2, -1)


def picked(world, pick, view):
    """Slots of the units under all pixels of every game: [K, height * width]."""
    return np.array(
        [
            [pick(world, np.array([game]), pixel[:, None])[0] for pixel in pixels(view).T]
            for game in range(NUM_GAMES)
        ]
    )


def test_on_the_screen_a_unit_is_where_it_is_drawn(world):
    renderer = Renderer(world, ['unit_hit_points'], [])
    renderer.draw(world)
    drawn = renderer.screen.pictures['unit_hit_points'].reshape(NUM_GAMES, -1)
    slots = picked(world, picking.on_screen, world.screen)
    np.testing.assert_array_equal(np.where(slots == NO_UNIT, 0, slots + 1), drawn)
    assert len(np.unique(slots)) > 5


def test_on_the_minimap_a_unit_is_where_it_is_drawn(world):
    renderer = Renderer(world, [], ['player_id'])
    renderer.draw(world)
    drawn = renderer.minimap.pictures['player_id'].reshape(NUM_GAMES, -1)
    slots = picked(world, picking.on_minimap, world.minimap)
    owner = np.take_along_axis(world.units.owner, np.maximum(slots, 0), axis=1)
    np.testing.assert_array_equal(np.where(slots == NO_UNIT, 0, owner), drawn)
    assert len(np.unique(slots)) > 5


def test_pixels_of_several_games_at_once(world):
    games = np.array([1, 0])
    units = world.units
    corner = geometry.screen_corner(world.camera[:, games])
    # The beacons are large, and nothing is drawn over those in the last slot.
    centre = world.screen.to_pixels(units.position[:, games, NUM_UNITS - 1], corner)
    pixel = np.floor(centre).astype(np.int64)
    on_screen = ((pixel >= 0) & (pixel < world.screen.size[0])).all(0)
    assert on_screen.any()
    found = picking.on_screen(world, games, pixel)
    assert (found[on_screen] == NUM_UNITS - 1).all()


def test_boxes_are_those_of_the_discs(world):
    corner, size = picking.screen_boxes(world, np.array([1]))
    assert corner.shape == size.shape == (2, 1, NUM_UNITS)
    scale = world.screen.scale[0]
    widths = np.floor(2 * np.array([t.radius for t in TYPES]) * scale + 0.5)
    np.testing.assert_array_equal(size[0, 0], np.tile(np.maximum(widths, 1), 3))
    middle = geometry.screen_corner(world.camera[:, 1])[:, None]
    centre = world.screen.to_pixels(world.units.position[:, 1], middle)
    assert (np.abs(corner[:, 0] + size[:, 0] / 2 - centre) <= 0.5).all()
