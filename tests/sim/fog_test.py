import numpy as np
import pytest

from sc2impala.sim import geometry, picking, unit_types
from sc2impala.sim.fog import SEEN, UNSEEN, VISIBLE, Fog
from sc2impala.sim.rendering import Renderer
from sc2impala.sim.units import NO_UNIT, Units
from sc2impala.sim.world import World
from tests.sim import helpers

SCOUT = unit_types.MARINE._replace(unit_type=1, sight=4.5)
BLIND = unit_types.MARINE._replace(unit_type=2, sight=0.0)
TYPES = (SCOUT, unit_types.MARINE, unit_types.ZERGLING, unit_types.BEACON, BLIND)
PLAYABLE = geometry.OPEN_FIELD.playable
ALL = np.array([True, True])


def a_world(*units, num_games=1):
    """Games with the same units, given as (type, owner, x, y)."""
    arena = geometry.OPEN_FIELD
    world = World(
        range(num_games),
        arena,
        Units(num_games, len(units), len(units), TYPES),
        geometry.View((84, 84), geometry.CAMERA_EXTENT),
        geometry.View((64, 64), geometry.MAP_EXTENT),
        [Fog(num_games, TYPES, arena.playable)],
    )
    games = np.arange(num_games)
    world.restart(games)
    for slot, (unit_type, owner, x, y) in enumerate(units):
        point = np.array([x, y], float).reshape(2, 1, 1)
        world.place(games, slice(slot, slot + 1), unit_type, owner, point)
    return world


def marine(x, y):
    return unit_types.MARINE, unit_types.SELF, x, y


def zergling(x, y):
    return unit_types.ZERGLING, unit_types.ENEMY, x, y


def fog_of(world):
    return world.mechanics['fog']


def visibility(world, game=0):
    return fog_of(world).visibility(world)[game]


def step(world, running=None):
    running = np.ones([world.num_games], bool) if running is None else running
    fog_of(world).step(world, running)


def seen_from(*units):
    """Reference visibility of units at (x, y, sight), cell by cell: bool [64, 64]."""
    visible = np.zeros([64, 64], bool)
    for row in range(64):
        for column in range(64):
            inside = 10 <= column < 54 and 12 <= row < 44
            visible[row, column] = inside and any(
                (column - int(x)) ** 2 + (row - int(y)) ** 2 <= sight**2 for x, y, sight in units
            )
    return visible


@pytest.mark.parametrize('x, y', [(32, 28), (32.99, 28.99), (12.3, 14), (50.5, 40.5), (27.2, 13)])
def test_a_marine_sees_the_cells_within_nine(x, y):
    world = a_world(marine(x, y))
    assert visibility(world).dtype == np.uint8
    np.testing.assert_array_equal(visibility(world), VISIBLE * seen_from((x, y, 9)))


def test_every_type_has_its_sight_and_several_units_see_together():
    units = [marine(20, 20), (SCOUT, unit_types.SELF, 36.7, 30.2), marine(24, 35)]
    world = a_world(*units, (BLIND, unit_types.SELF, 45, 40), zergling(40, 20))
    expected = seen_from((20, 20, 9), (36.7, 30.2, 4.5), (24, 35, 9))
    np.testing.assert_array_equal(visibility(world), VISIBLE * expected)


def test_units_on_the_border_see_from_the_outermost_cells():
    world = a_world(marine(PLAYABLE.right, PLAYABLE.top))
    np.testing.assert_array_equal(visibility(world), VISIBLE * seen_from((53, 43, 9)))


def test_what_is_out_of_sight_again_has_been_seen():
    world = a_world(marine(20, 20))
    before = seen_from((20, 20, 9))
    step(world)
    world.units.position[:, 0, 0] = 24, 21
    after = seen_from((24, 21, 9))
    np.testing.assert_array_equal(visibility(world), np.where(after, VISIBLE, SEEN * before))
    world.units.position[:, 0, 0] = 20, 20
    np.testing.assert_array_equal(visibility(world), VISIBLE * before)
    step(world)
    np.testing.assert_array_equal(visibility(world), VISIBLE * before)


def test_where_units_were_between_two_looks_counts_as_seen():
    world = a_world(marine(20, 20))
    for x in (20, 22, 24, 26, 28, 30):
        world.units.position[0, 0, 0] = x
        step(world)
    world.units.position[0, 0, 0] = 32
    passed = seen_from(*[(x, 20, 9) for x in (20, 22, 24, 26, 28, 30)])
    now = seen_from((32, 20, 9))
    np.testing.assert_array_equal(visibility(world), np.where(now, VISIBLE, SEEN * passed))


def test_to_look_changes_nothing_in_the_state():
    world = a_world(marine(20, 20), zergling(25, 20))
    before = world.get_state()
    visibility(world)
    fog_of(world).sees(world)
    for name, array in world.get_state().items():
        np.testing.assert_array_equal(array, before[name], err_msg=name)


def test_time_passes_in_running_games_only():
    world = a_world(marine(20, 20), num_games=2)
    step(world, np.array([True, False]))
    world.units.position[:, :, 0] = np.array([[40], [30]])
    assert (visibility(world, 0) == SEEN).any()
    assert not (visibility(world, 1) == SEEN).any()


def test_the_dead_see_nothing():
    world = a_world(marine(20, 20), marine(40, 30))
    step(world)
    world.kill(np.array([0]), np.array([0]))
    now, before = seen_from((40, 30, 9)), seen_from((20, 20, 9))
    np.testing.assert_array_equal(visibility(world), np.where(now, VISIBLE, SEEN * before))
    world.kill(np.array([0]), np.array([1]))
    np.testing.assert_array_equal(visibility(world), SEEN * (before | now))


def test_a_new_unit_sees_at_once_and_a_new_episode_has_seen_nothing():
    world = a_world(marine(20, 20), num_games=2)
    step(world)
    world.restart(np.array([0]))
    assert (visibility(world, 0) == UNSEEN).all()
    point = np.array([40.0, 30.0]).reshape(2, 1)
    world.put(np.array([0]), np.array([0]), unit_types.MARINE, unit_types.SELF, point)
    np.testing.assert_array_equal(visibility(world, 0), VISIBLE * seen_from((40, 30, 9)))
    np.testing.assert_array_equal(visibility(world, 1), VISIBLE * seen_from((20, 20, 9)))


def test_enemies_are_seen_on_visible_cells_and_all_others_everywhere():
    units = [
        marine(20.9, 20.1),
        zergling(29.9, 20.9),
        zergling(30.0, 20.9),
        zergling(11, 20),
        (unit_types.BEACON, unit_types.NEUTRAL, 40, 30),
        (BLIND, unit_types.SELF, 45, 40),
        zergling(45, 40),
    ]
    world = a_world(*units)
    np.testing.assert_array_equal(
        fog_of(world).sees(world)[0], [True, True, False, True, True, True, False]
    )


@pytest.mark.parametrize('x, y', [(10, 12), (54, 12), (10, 44), (54, 44)])
def test_enemies_on_the_border_are_seen(x, y):
    world = a_world(marine(x, y), zergling(x, y))
    assert fog_of(world).sees(world)[0, 1]


def test_a_restored_world_remembers_what_was_seen():
    world, other = (a_world(marine(20, 20), zergling(40, 30)) for _ in range(2))
    step(world)
    world.units.position[:, 0, 0] = 40, 30
    step(world)
    visibility(other)
    other.set_state(world.get_state())
    np.testing.assert_array_equal(visibility(other), visibility(world))
    assert fog_of(other).sees(other).all()


@pytest.fixture
def scene():
    """A marine, and zerglings that it sees and does not see, all of them on the screen."""
    world = a_world(marine(26, 25), zergling(30, 25), zergling(38, 25))
    renderer = Renderer(world, ['visibility_map', 'player_id'], ['visibility_map', 'player_id'])
    return world, renderer


def test_pictures_follow_the_fog(scene):
    world, renderer = scene
    renderer.draw(world)
    expected = VISIBLE * seen_from((26, 25, 9))
    np.testing.assert_array_equal(renderer.minimap.pictures['visibility_map'][0], expected[::-1])
    column, row = helpers.screen_pixel(world, 37.5, 25.5)
    assert renderer.screen.pictures['visibility_map'][0, row, column] == UNSEEN

    for x in range(26, 34):
        world.units.position[0, 0, 0] = x
        step(world)
    renderer.draw(world)
    np.testing.assert_array_equal(
        renderer.minimap.pictures['visibility_map'][0], visibility(world)[::-1]
    )
    assert renderer.screen.pictures['visibility_map'][0, row, column] == VISIBLE
    column, row = helpers.screen_pixel(world, 20.5, 25.5)
    assert renderer.screen.pictures['visibility_map'][0, row, column] == SEEN


def test_the_ground_is_drawn_again_in_the_games_in_which_the_fog_changed():
    world = a_world(marine(26, 25), num_games=2)
    renderer = Renderer(world, ['visibility_map'], [])
    renderer.draw(world)
    assert not world.terrain_changed.any()
    world.units.position[0, :, 0] = 26.3, 27.0
    fog_of(world).refresh(world)
    np.testing.assert_array_equal(world.terrain_changed, [False, True])


def test_hidden_enemies_are_neither_drawn_nor_clicked(scene):
    world, renderer = scene
    renderer.draw(world)
    for x, shown in ((30, True), (38, False)):
        column, row = helpers.screen_pixel(world, x, 25)
        drawn = renderer.screen.pictures['player_id'][0, row, column]
        assert drawn == unit_types.ENEMY * shown
        pixel = np.array([[column], [row]])
        hit = picking.on_screen(world, np.array([0]), pixel)
        assert hit == (1 if shown else NO_UNIT)

        drawn = renderer.minimap.pictures['player_id'][0, 64 - 25, x]
        assert drawn == unit_types.ENEMY * shown
        hit = picking.on_minimap(world, np.array([0]), np.array([[x], [64 - 25]]))
        assert hit == (1 if shown else NO_UNIT)


def test_lifted_fog_hides_nothing_in_the_region():
    world = a_world(marine(20, 20), (unit_types.ZERGLING, unit_types.ENEMY, 45, 45), num_games=2)
    fog = world.mechanics['fog']
    assert fog.sees(world).tolist() == [[True, False]] * 2
    fog.lift()
    assert fog.sees(world).all()
    across, up = geometry.cells_within(PLAYABLE)
    expected = VISIBLE * (up[:, None] & across)
    np.testing.assert_array_equal(fog.visibility(world)[1] >= VISIBLE, expected > 0)
    fog.restart(world, np.array([0]))
    fog.step(world, ALL)
    assert fog.sees(world).all()
