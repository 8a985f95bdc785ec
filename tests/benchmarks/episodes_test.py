"""The returns of the first episode of each game."""

import types

import numpy as np

from benchmarks.episodes import first_returns


class Games:
    """Game i ends an episode every i + 2 steps; episode n of it returns 10 i + n."""

    def __init__(self, number):
        self.index, self.steps = np.arange(number), np.zeros(number, int)
        self.multipliers = []

    def reset(self):
        return {'available_actions': np.ones([len(self.index), 1], bool)}

    def step(self, action, step_mul):
        assert action == 'called'
        self.multipliers.append(step_mul.tolist())
        self.steps += 1
        done = self.steps % (self.index + 2) == 0
        returns = 10.0 * self.index + self.steps // (self.index + 2)
        info = types.SimpleNamespace(episode_return=np.where(done, returns, -1.0))
        return types.SimpleNamespace(observation=self.reset(), done=done, info=info)


class Player:
    def __init__(self):
        self.begins = []

    def act(self, unused_observation, done):
        self.begins.append(done.tolist())
        return 'called'


def test_only_the_first_episode_of_each_game_counts():
    games, player = Games(3), Player()
    assert first_returns(games, player, 6).tolist() == [1.0, 11.0, 21.0]
    assert games.multipliers == [[6, 6, 6]] * 4
    assert player.begins == [
        [True, True, True],
        [False, False, False],
        [True, False, False],
        [False, True, False],
    ]
