import numpy as np

from sc2impala.envs.players.stutter_step import StutterStepPlayer
from sc2impala.envs.players.unit_types import MARINE, ZERGLING
from tests.envs.players import boards

PIXELS = 4
"""Of the screen per cell; one of the minimap is one cell."""

ARMY = (30, 25)
ON_PATH = [38, 25]


class Game:
    """A player, and what it sees; the screen shows 24 x 24 cells with the army at its middle."""

    def __init__(self):
        self.player = boards.make(StutterStepPlayer, screen_size=(24 * PIXELS, 24 * PIXELS))
        self.functions = self.player.functions

    def call(self, loop, *zerglings, marines=3, off_centre=(0, 0), done=False):
        """`zerglings`: ((x, y) from the army in cells, health). Returns function and point."""
        shown = np.zeros([1, 64, 64])
        shown[0, ARMY[1], ARMY[0]] = boards.MINE
        x, y = PIXELS * (12 + np.array(off_centre))
        units = [boards.unit(MARINE, boards.MINE, x, y) for _ in range(marines)]
        for (right, down), health in zerglings:
            shown[0, ARMY[1] + down, ARMY[0] + right] = boards.ENEMY
            at = x + PIXELS * right, y + PIXELS * down
            if max(at) < 24 * PIXELS:
                units.append(boards.unit(ZERGLING, boards.ENEMY, *at, health=health))
        observation = {
            'minimap': {'player_relative': shown},
            'feature_units': boards.feature_units(units or [np.zeros(46)]),
            'game_loop': np.array([[loop]], np.int32),
            'available_actions': boards.available(self.player, self.functions),
        }
        function, arguments = boards.calls(self.player, observation, np.array([done]))[0]
        return function, arguments[-1]


def attack(right, down):
    return 'Attack_minimap', [ARMY[0] + right, ARMY[1] + down]


def walk(right, down):
    return 'Move_minimap', [ARMY[0] + right, ARMY[1] + down]


def test_selects_the_army_moves_the_camera_and_searches():
    game = Game()
    assert game.call(0, off_centre=(3.5, 0)) == ('move_camera', list(ARMY))
    assert game.call(2, marines=0) == ('move_camera', list(ARMY))
    assert game.call(4, off_centre=(0, 2.5)) == ('Attack_minimap', ON_PATH)
    game.functions = ['no_op', 'select_army', 'move_camera']
    assert game.call(6, off_centre=(3.5, 0)) == ('select_army', [0])


def test_walks_on_after_a_full_volley_until_the_weapons_are_ready():
    game = Game()
    assert game.call(0, ((5, 0), 35)) == attack(5, 0)
    for loop, health in ((2, 29), (4, 23)):
        assert game.call(loop, ((5, 0), health)) == attack(5, 0)
    for loop in range(6, 16, 2):
        assert game.call(loop, ((4, 0), 17)) == ('Move_minimap', ON_PATH)
    assert game.call(16, ((4, 0), 17)) == attack(4, 0)
    # It regenerates.
    assert game.call(18, ((4, 0), 18)) == attack(4, 0)


def test_walks_towards_the_next_zergling():
    game = Game()
    others = ((5, 2), 35), ((-2, 7), 35), ((0, -12), 35)
    assert game.call(0, ((5, 0), 35), *others) == attack(5, 0)
    # The one at (5, 2) may be another pixel of the first one.
    assert game.call(2, ((5, 0), 17), *others) == walk(-2, 7)


def test_steps_of_other_lengths():
    for step, last in ((1, 9), (3, 6), (4, 4), (8, 0)):
        game = Game()
        assert game.call(100, ((5, 0), 35), done=True) == attack(5, 0)
        walked = [
            game.call(loop, ((5, 0), 17)) == ('Move_minimap', ON_PATH)
            for loop in range(100 + step, 100 + step + 20, step)
        ]
        assert walked == [step * i <= last for i in range(len(walked))]


def test_a_volley_has_a_hit_of_each_marine():
    for marines, health, full in ((2, 23, True), (2, 17, False), (1, 29, True), (3, 23, False)):
        game = Game()
        game.call(0, ((5, 0), 35), marines=marines)
        walks = game.call(2, ((5, 0), health), marines=marines) == ('Move_minimap', ON_PATH)
        assert walks == full


def test_does_not_walk_away_from_healthy_or_far_zerglings():
    game = Game()
    game.call(0, ((5, 0), 17))
    # The wounded one has died: its death was a hit.
    assert game.call(2, ((6, 0), 35)) == attack(6, 0)
    game = Game()
    game.call(0, ((8, 0), 35))
    assert game.call(2, ((8, 0), 17)) == attack(8, 0)


def test_a_new_episode_forgets_the_last_one():
    game = Game()
    game.call(100, ((5, 0), 35))
    assert game.call(102, ((5, 0), 17))[0] == 'Move_minimap'
    assert game.call(104, ((5, 0), 17))[0] == 'Move_minimap'
    game.call(0, ((5, 0), 35), done=True)
    assert game.call(2, ((5, 0), 35)) == attack(5, 0)
    assert game.player.state['hit_at'][0] < 0


def test_its_state_keeps_the_dtypes_with_which_it_starts():
    game = Game()
    started = {name: array.dtype for name, array in game.player.get_state(1).items()}
    game.call(100, ((5, 0), 35))
    game.call(102, ((5, 0), 17))
    assert {name: array.dtype for name, array in game.player.get_state(1).items()} == started
