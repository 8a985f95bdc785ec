import numpy as np

from sc2impala.envs.players.collect_mineral_shards import GroupPlayer, OneByOnePlayer
from tests.envs.players import boards

MARINE, SHARD = 48, 1680


def marine(x, y, selected=0):
    return boards.unit(MARINE, boards.MINE, x, y, is_selected=selected)


def shard(x, y):
    return boards.unit(SHARD, boards.NEUTRAL, x, y)


class TestOneByOnePlayer:
    def make(self):
        player = boards.make(OneByOnePlayer)

        def call(*rows, done=None):
            observation = {
                'feature_units': boards.feature_units(rows),
                'available_actions': np.ones([1, 3], bool),
            }
            return boards.calls(player, observation, done and np.array([done]))[0]

        return call

    def test_marines_take_turns_and_never_share_a_shard(self):
        call = self.make()
        shards = [shard(20, 10), shard(50, 10), shard(12, 12)]
        assert call(marine(10, 10), marine(60, 10), *shards) == ('select_point', [[0], [10, 10]])
        moved = marine(10, 10, 1), marine(60, 10)
        assert call(*moved, *shards) == ('Move_screen', [[0], [12, 12]])
        assert call(*moved, *shards) == ('select_point', [[0], [60, 10]])
        # The shard that the first one goes to is nearest to the second one as well.
        near = marine(10, 10), marine(12, 14, 1)
        assert call(*near, *shards) == ('Move_screen', [[0], [20, 10]])
        assert call(*near, *shards) == ('select_point', [[0], [10, 10]])

    def test_without_a_free_shard_it_waits(self):
        call = self.make()
        call(marine(10, 10), marine(60, 10), shard(9, 9))
        call(marine(10, 10, 1), marine(60, 10), shard(9, 9))
        call(marine(10, 10, 1), marine(60, 10), shard(9, 9))
        rows = marine(10, 10), marine(60, 10, 1), shard(9, 9)
        assert call(*rows) == ('no_op', [])
        assert call(*rows, shard(80, 80)) == ('Move_screen', [[0], [80, 80]])

    def test_a_new_episode_begins_with_the_first_marine(self):
        call = self.make()
        call(marine(10, 10), marine(60, 10), shard(9, 9))
        rows = marine(10, 10, 1), marine(60, 10), shard(9, 9)
        assert call(*rows) == ('Move_screen', [[0], [9, 9]])
        rows = marine(10, 10), marine(60, 10), shard(9, 9)
        assert call(*rows, done=True) == ('select_point', [[0], [10, 10]])
        rows = marine(10, 10, 1), marine(60, 10), shard(9, 9)
        assert call(*rows) == ('Move_screen', [[0], [9, 9]])


def test_the_group_goes_to_the_pixel_nearest_to_its_middle():
    player = boards.make(GroupPlayer, screen_size=(8, 6))
    picture = np.zeros([3, 6, 8], np.uint8)
    picture[:, 2, 1] = picture[:, 2, 5] = boards.MINE
    picture[:2, 0, 0] = picture[:2, 4, 4] = picture[:2, 5, 4] = boards.NEUTRAL
    observation = {
        'screen': {'player_relative': picture},
        'available_actions': boards.available(player, ['select_army'], *[player.functions] * 2),
    }
    assert boards.calls(player, observation) == [
        ('select_army', [[0]]),
        ('Move_screen', [[0], [4, 4]]),
        ('no_op', []),
    ]
