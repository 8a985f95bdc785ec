import numpy as np
import pytest

from sc2impala.sim import picking, pixels
from sc2impala.sim.compiler import compiled
from sc2impala.sim.units import NO_UNIT
from tests.sim.scenes import BEACON, ENEMY, MARINE, NEUTRAL, ROACH, SELF, ZERGLING, Scene

TYPES = (MARINE, ZERGLING, ROACH, BEACON)
NUM_UNITS = 12


@pytest.fixture(params=[((84, 84), (64, 64)), ((32, 32), (32, 32)), ((48, 30), (20, 40))])
def scene(request):
    """A crowd of units of all types and owners, half of them in the fog or beyond the screen."""
    random = np.random.RandomState(0)
    given = []
    for slot in range(NUM_UNITS):
        x, y = random.uniform((20, 16), (48, 28))
        owner = SELF if slot == 0 else (ENEMY, ENEMY, NEUTRAL)[slot % 3]
        given.append((TYPES[slot % 4], owner, x, y))
    screen, minimap = request.param
    scene = Scene(*given, screen=screen, minimap=minimap, has_fog=True)
    g = scene.g
    g.x[7], g.y[7] = g.x[1] + 0.3, g.y[1] + 0.3
    g.x[1], g.y[1] = g.x[0] + 1, g.y[0] + 1
    g.alive[2] = False
    g.camera_x, g.camera_y = 30.0, 24.0
    return scene


def seen(scene):
    """Slots that player 1 sees, worked out from the distance between cells."""
    g = scene.g
    cells = np.floor([g.x[:NUM_UNITS], g.y[:NUM_UNITS]])
    near = np.hypot(*(cells - cells[:, :1])) <= scene.rules.sight[g.type[0]]
    return np.flatnonzero((g.alive[:NUM_UNITS] != 0) & (near | (g.owner[:NUM_UNITS] != ENEMY)))


@pytest.mark.long
def test_on_the_screen_a_unit_is_where_it_is_drawn(scene):
    g, rules = scene.g, scene.rules
    width, height = rules.screen_width, rules.screen_height
    expected = np.full([height, width], NO_UNIT)
    for slot in seen(scene):
        box = [int(size[g.type[slot]]) for size in (rules.disc_width, rules.disc_height)]
        centre = (g.x[slot] - 18) * width / 24, (36 - g.y[slot]) * height / 24
        left, top = (int(np.floor(c - d / 2 + 0.5)) for c, d in zip(centre, box))
        covered = [
            [pixels.disc_covers(column - left, row - top, *box) for column in range(width)]
            for row in range(height)
        ]
        expected[np.array(covered)] = slot
    found = np.empty([height, width], np.int64)
    _pick_all(scene.games, scene.all_rules, found, True)
    np.testing.assert_array_equal(found, expected)
    assert len(np.unique(found)) > 5


@pytest.mark.long
def test_on_the_minimap_a_unit_is_where_it_is_drawn(scene):
    g, rules = scene.g, scene.rules
    width, height = rules.minimap_width, rules.minimap_height
    expected = np.full([height, width], NO_UNIT)
    for slot in seen(scene):
        box = [int(size[g.type[slot]]) for size in (rules.square_width, rules.square_height)]
        centre = g.x[slot] * width / 64, (64 - g.y[slot]) * height / 64
        left, top = (int(np.floor(c - d / 2 + 0.5)) for c, d in zip(centre, box))
        expected[top : top + box[1], left : left + box[0]] = slot
    found = np.empty([height, width], np.int64)
    _pick_all(scene.games, scene.all_rules, found, False)
    np.testing.assert_array_equal(found, expected)
    assert len(np.unique(found)) > 5


@compiled
def _pick_all(games, rules, found, of_screen):
    for row in range(found.shape[0]):
        for column in range(found.shape[1]):
            if of_screen:
                found[row, column] = picking.on_screen(games[0], rules[0], column, row)
            else:
                found[row, column] = picking.on_minimap(games[0], rules[0], column, row)
