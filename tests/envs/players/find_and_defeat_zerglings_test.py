import numpy as np

from sc2impala.envs.players.find_and_defeat_zerglings import (
    CirclePlayer,
    ExplorerPlayer,
    PatrolPlayer,
)
from tests.envs.players import boards

ATTACK, MOVE = 'Attack_minimap', 'Move_minimap'


class TestExplorerPlayer:
    """On a minimap of 16 x 16: what is playable is columns 3 to 12 and rows 5 to 12."""

    def make(self):
        player = boards.make(ExplorerPlayer, minimap_size=(16, 16))

        def call(hidden, enemies=(), army=(8, 8), score=0, marines=3, functions=None):
            """`hidden` pixels (x, y) cannot be seen."""
            visible, shown = np.full([1, 16, 16], 2), np.zeros([1, 16, 16])
            for x, y in hidden:
                visible[0, y, x] = 1
            for x, y in enemies:
                shown[0, y, x] = boards.ENEMY
            shown[0, army[1], army[0]] = boards.MINE
            vectors = np.zeros([1, 13], np.int32)
            observation = {
                'minimap': {'visibility_map': visible, 'player_relative': shown},
                'player': vectors + marines * (np.arange(13) == 8),
                'score_cumulative': vectors + score * (np.arange(13) == 0),
                'available_actions': boards.available(player, functions or player.functions),
            }
            return boards.calls(player, observation)[0]

        return call

    def test_selects_then_attacks_the_nearest_in_sight(self):
        call = self.make()
        enemies = [(12, 8), (8, 11), (3, 6)]
        assert call([], enemies, functions=['select_army']) == ('select_army', [[0]])
        assert call([], enemies) == (ATTACK, [[0], [8, 11]])

    def test_goes_where_it_has_not_looked_and_not_outside(self):
        call = self.make()
        assert call([(10, 8), (5, 5), (8, 4), (8, 13)]) == (ATTACK, [[0], [10, 8]])
        # It has been seen now, although it is hidden again.
        assert call([(5, 5)]) == (ATTACK, [[0], [5, 5]])
        assert call([(5, 5), (10, 8)]) == (ATTACK, [[0], [5, 5]])

    def test_a_zergling_that_was_passed_by_is_not_forgotten(self):
        call = self.make()
        assert call([(5, 5)], enemies=[(10, 8)]) == (ATTACK, [[0], [10, 8]])
        assert call([(5, 5), (10, 8)]) == (ATTACK, [[0], [10, 8]])

    def test_looks_again_when_new_ones_have_come(self):
        call = self.make()
        call([(5, 5)])
        for score, marines in ((24, 3), (23, 2)):
            hidden = [(5, 5), (10, 8)]
            assert call(hidden, score=score, marines=marines) == (ATTACK, [[0], [5, 5]])
        # 25 are dead, of whom one took a marine with it.
        hidden = [(5, 5), (10, 8)]
        assert call(hidden, score=24, marines=2) == (ATTACK, [[0], [10, 8]])

    def test_looks_again_when_it_has_seen_everything(self):
        call = self.make()
        call([(5, 5)])
        hidden = [(10, 8)]
        assert call(hidden) == (ATTACK, [[0], [10, 8]])


class TestCirclePlayer:
    """The path on a minimap of 64 x 64 has columns 15 to 49 and rows 25 to 47."""

    def make(self):
        player = boards.make(CirclePlayer)

        def call(army, enemies=(), functions=None):
            shown = np.zeros([1, 64, 64])
            for x, y in enemies:
                shown[0, y, x] = boards.ENEMY
            shown[0, army[1], army[0]] = boards.MINE
            observation = {
                'minimap': {'player_relative': shown},
                'available_actions': boards.available(player, functions or player.functions),
            }
            return boards.calls(player, observation)[0]

        return call

    def test_walks_clockwise_and_around_corners(self):
        call = self.make()
        for army, target in (
            ((20, 25), [28, 25]),
            ((20, 22), [28, 25]),
            ((45, 25), [49, 29]),
            ((49, 35), [49, 43]),
            ((30, 47), [22, 47]),
            ((15, 40), [15, 32]),
            ((15, 27), [20, 25]),
        ):
            assert call(army) == (ATTACK, [[0], target])

    def test_a_round_passes_everything(self):
        call = self.make()
        place, visited = (32, 36), []
        for _ in range(40):
            place = tuple(call(place)[1][1])
            visited.append(place)
        for corner in ((15, 25), (49, 25), (49, 47), (15, 47)):
            assert min(np.hypot(*np.subtract(corner, p)) for p in visited) < 6

    def test_selects_then_attacks_the_nearest_in_sight(self):
        call = self.make()
        assert call((20, 25), functions=['select_army']) == ('select_army', [[0]])
        assert call((20, 25), enemies=[(20, 30), (23, 25)]) == (ATTACK, [[0], [23, 25]])


class TestPatrolPlayer:
    """Pathable is columns 10 to 53 and rows 20 to 51: corners at 19, 44 and 26, 45."""

    def make(self):
        player = boards.make(PatrolPlayer)

        def call(army, enemies=()):
            pathable, shown = np.zeros([1, 64, 64]), np.zeros([1, 64, 64])
            pathable[0, 20:52, 10:54] = 1
            for x, y in enemies:
                shown[0, y, x] = boards.ENEMY
            shown[0, army[1], army[0]] = boards.MINE
            observation = {
                'minimap': {'pathable': pathable, 'player_relative': shown},
                'available_actions': np.ones([1, len(player.functions)], bool),
            }
            return boards.calls(player, observation)[0]

        return call

    def test_from_corner_to_corner(self):
        call = self.make()
        assert call((32, 36)) == ('select_army', [[0]])
        assert call((32, 36)) == (MOVE, [[0], [19, 26]])
        assert call((22, 26)) == (MOVE, [[0], [19, 26]])
        assert call((21, 27)) == (MOVE, [[0], [19, 45]])
        assert call((21, 27)) == (MOVE, [[0], [19, 45]])
        assert call((19, 45)) == (MOVE, [[0], [44, 45]])
        assert call((44, 45)) == (MOVE, [[0], [44, 26]])
        assert call((44, 26)) == (MOVE, [[0], [19, 26]])

    def test_zerglings_first(self):
        call = self.make()
        call((32, 36))
        # Being at a corner counts for nothing while it fights.
        assert call((19, 26), [(30, 30), (20, 30)]) == (ATTACK, [[0], [20, 30]])
        assert call((22, 30)) == (MOVE, [[0], [19, 26]])
