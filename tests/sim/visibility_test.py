import numpy as np
import pytest

from sc2impala.sim import combat, geometry, rules, unit_types, units, visibility
from sc2impala.sim.compiler import compiled
from sc2impala.sim.games.game import BATTLE
from sc2impala.sim.visibility import SEEN, UNSEEN, VISIBLE
from tests.sim import players

SCOUT = unit_types.MARINE._replace(unit_type=1, sight=4.5)
BLIND = unit_types.MARINE._replace(unit_type=2, sight=0.0)
TYPES = (SCOUT, unit_types.MARINE, unit_types.ZERGLING, unit_types.BEACON, BLIND)
ARENA = geometry.OPEN_FIELD
PLAYABLE = ARENA.playable
RULES = rules.make(TYPES, ARENA, (84, 84), (64, 64), has_fog=True)


class World:
    """A game with units given as (type, owner, x, y), in the order of their slots."""

    def __init__(self, *given):
        self.games = BATTLE.blank()
        self.g = self.games[0]
        for slot, unit in enumerate(given):
            self.create(slot, *unit)
        self.num_units = len(given)

    def create(self, slot, unit_type, owner, x, y):
        _create(self.games, RULES, slot, TYPES.index(unit_type), owner, float(x), float(y))

    def put_at(self, slot, x, y):
        self.g.x[slot], self.g.y[slot] = x, y

    def step(self):
        _look(self.games, RULES)

    def visibility(self):
        """uint8 [64, 64] by y and x."""
        visibility = np.zeros([64, 64], np.uint8)
        _visibility(self.games, RULES, visibility)
        return visibility

    def sees(self):
        """bool, by slot."""
        seen = np.zeros([self.num_units], bool)
        _sees(self.games, RULES, seen)
        return seen.tolist()

    def kill(self, slot):
        _remove(self.games, slot)


@compiled
def _create(games, rules, slot, index, owner, x, y):
    combat.create(games[0], rules[0], slot, index, owner, x, y)


@compiled
def _remove(games, slot):
    units.remove(games[0], slot)


@compiled
def _look(games, rules):
    visibility.look(games[0], rules[0])


@compiled
def _visibility(games, rules, cells):
    visibility.refresh(games[0], rules[0])
    for row in range(64):
        for column in range(64):
            cells[row, column] = visibility.visibility(games[0], column, row)


@compiled
def _sees(games, rules, seen):
    visibility.refresh(games[0], rules[0])
    for i in range(len(seen)):
        seen[i] = visibility.sees(games[0], rules[0], i)


def marine(x, y):
    return unit_types.MARINE, unit_types.SELF, x, y


def zergling(x, y):
    return unit_types.ZERGLING, unit_types.ENEMY, x, y


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
    np.testing.assert_array_equal(World(marine(x, y)).visibility(), VISIBLE * seen_from((x, y, 9)))


def test_every_type_has_its_sight_and_several_units_see_together():
    units = [marine(20, 20), (SCOUT, unit_types.SELF, 36.7, 30.2), marine(24, 35)]
    world = World(*units, (BLIND, unit_types.SELF, 45, 40), zergling(40, 20))
    expected = seen_from((20, 20, 9), (36.7, 30.2, 4.5), (24, 35, 9))
    np.testing.assert_array_equal(world.visibility(), VISIBLE * expected)


def test_units_on_the_border_see_from_the_outermost_cells():
    world = World(marine(PLAYABLE.right, PLAYABLE.top))
    np.testing.assert_array_equal(world.visibility(), VISIBLE * seen_from((53, 43, 9)))


def test_what_is_out_of_sight_again_has_been_seen():
    world = World(marine(20, 20))
    before = seen_from((20, 20, 9))
    world.step()
    world.put_at(0, 24, 21)
    after = seen_from((24, 21, 9))
    np.testing.assert_array_equal(world.visibility(), np.where(after, VISIBLE, SEEN * before))
    world.put_at(0, 20, 20)
    np.testing.assert_array_equal(world.visibility(), VISIBLE * before)
    world.step()
    np.testing.assert_array_equal(world.visibility(), VISIBLE * before)


def test_where_units_were_between_two_looks_counts_as_seen():
    world = World(marine(20, 20))
    for x in (20, 22, 24, 26, 28, 30):
        world.put_at(0, x, 20)
        world.step()
    world.put_at(0, 32, 20)
    passed = seen_from(*[(x, 20, 9) for x in (20, 22, 24, 26, 28, 30)])
    now = seen_from((32, 20, 9))
    np.testing.assert_array_equal(world.visibility(), np.where(now, VISIBLE, SEEN * passed))


def test_to_look_changes_nothing_in_the_state():
    world = World(marine(20, 20), zergling(25, 20))
    before = world.games.copy()
    world.visibility()
    world.sees()
    for name in before.dtype.names:
        if not name.startswith('_'):
            np.testing.assert_array_equal(world.games[name], before[name], err_msg=name)


def test_the_dead_see_nothing():
    world = World(marine(20, 20), marine(40, 30))
    world.step()
    world.kill(0)
    now, before = seen_from((40, 30, 9)), seen_from((20, 20, 9))
    np.testing.assert_array_equal(world.visibility(), np.where(now, VISIBLE, SEEN * before))
    world.kill(1)
    np.testing.assert_array_equal(world.visibility(), SEEN * (before | now))


def test_a_new_unit_sees_at_once():
    world = World(zergling(20, 20))
    assert (world.visibility() == UNSEEN).all()
    world.create(1, *marine(40, 30))
    np.testing.assert_array_equal(world.visibility(), VISIBLE * seen_from((40, 30, 9)))


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
    assert World(*units).sees() == [True, True, False, True, True, True, False]


@pytest.mark.parametrize('x, y', [(10, 12), (54, 12), (10, 44), (54, 44)])
def test_enemies_on_the_border_are_seen(x, y):
    assert World(marine(x, y), zergling(x, y)).sees()[1]


def test_what_is_visible_does_not_depend_on_derived_fields():
    world = World(marine(20, 20), zergling(40, 30))
    world.step()
    world.put_at(0, 40, 30)
    world.step()
    expected = world.visibility()
    other = World()
    for name in world.games.dtype.names:
        if not name.startswith('_'):
            other.games[name] = world.games[name]
    np.testing.assert_array_equal(other.visibility(), expected)


def test_units_can_be_listed_before_the_game_is_observed():
    game = players.make('FindAndDefeatZerglings', [0])
    game.reset()
    rows = game.feature_units()
    assert (rows[0, :, 0] != 0).sum() >= 3  # The marines, and zerglings in their sight.
    game.observe()
    np.testing.assert_array_equal(game.feature_units(), rows)
    x, y = game.games.x, game.games.y
    x[0, :3], y[0, :3] = x[0, 3], y[0, 3]
    game.games.camera_x[0], game.games.camera_y[0] = x[0, 3], y[0, 3]
    rows = game.feature_units()
    assert (rows[0, :, 0] == unit_types.ZERGLING.unit_type).any()
    game.observe()
    np.testing.assert_array_equal(game.feature_units(), rows)


def test_the_ground_is_drawn_again_only_if_the_fog_changed():
    world = World(marine(26, 25))
    world.visibility()
    assert world.g._visibility_changed
    world.g._visibility_changed = False
    world.put_at(0, 26.3, 25.5)
    world.visibility()
    assert not world.g._visibility_changed
    world.put_at(0, 26.3, 27.0)
    world.visibility()
    assert world.g._visibility_changed
