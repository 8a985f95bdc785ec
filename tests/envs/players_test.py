import numpy as np
import pytest

from sc2impala import envs
from sc2impala.envs import players


def observation_of(player_relative, available):
    return {
        'screen': {'player_relative': np.array(player_relative, np.uint8)},
        'available_actions': np.array(available, np.bool_),
    }


class TestRandomPlayer:
    def make(self, functions='all', seed=0):
        _, action_spec = envs.make_specs('MoveToBeacon', functions, (5, 3), (4, 2))
        return players.RandomPlayer(action_spec, np.random.RandomState(seed)), action_spec

    def test_actions_are_valid_and_available(self):
        player, action_spec = self.make()
        rng = np.random.RandomState(1)
        for _ in range(50):
            available = rng.uniform(size=[40, 573]) < 0.01
            available[:, 0] = True
            action = player.act({'available_actions': available})
            action_spec.decode(action)
            assert {index.dtype for index in action.values()} == {np.dtype(np.int32)}
            assert available[np.arange(40), action['function']].all()

    def test_functions_and_arguments_are_uniform(self):
        player, action_spec = self.make(['no_op', 'select_army', 'Move_screen', 'Stop_quick'])
        available = np.tile([True, False, True, True], [60000, 1])
        action = player.act({'available_actions': available})
        # Five standard deviations of a count.
        for head, choices in action_spec.heads.items():
            expected = np.full([choices], 60000 / choices)
            if head == 'function':
                expected = np.array([20000, 0, 20000, 20000])
            counts = np.bincount(action[head], minlength=choices)
            np.testing.assert_array_less(np.abs(counts - expected), 5 * np.sqrt(expected) + 1)

    def test_the_seed_decides(self):
        available = {'available_actions': np.ones([200, 573], np.bool_)}
        first, again, other = (self.make(seed=seed)[0].act(available) for seed in (1, 1, 2))
        for head in first:
            np.testing.assert_array_equal(first[head], again[head])
        assert (first['function'] != other['function']).any()


class TestMoveToBeaconPlayer:
    def make(self, **kwargs):
        specs = envs.make_specs('MoveToBeacon', **dict({'screen_size': (5, 4)}, **kwargs))
        return players.SCRIPTED_PLAYERS['MoveToBeacon'](*specs), specs[1]

    def test_its_rule(self):
        player, action_spec = self.make()
        beacon = np.zeros([3, 4, 5], np.uint8)
        beacon[:2, 1:4, 2:4] = 3
        beacon[:2, 0, 0] = 1
        # Not selected; selected; selected and no beacon in sight.
        action = player.act(observation_of(beacon, [[1, 1, 0], [1, 1, 1], [1, 1, 1]]))
        calls = [
            action_spec.to_function_call({head: index[k] for head, index in action.items()})
            for k in range(3)
        ]
        # The centre (2.5, 2) is rounded to even, as NumPy does for PySC2's agent.
        assert calls == [(7, [[0]]), (331, [[0], [2, 2]]), (0, [])]

    def test_functions_may_come_in_any_order(self):
        player, action_spec = self.make(functions=['Move_screen', 'select_rect', 7, 'no_op'])
        action = player.act(observation_of(np.full([1, 4, 5], 3), [[1, 1, 1, 1]]))
        call = action_spec.to_function_call({head: index[0] for head, index in action.items()})
        assert call == (331, [[0], [2, 2]])

    @pytest.mark.parametrize(
        'kwargs,complaint',
        [
            ({'functions': ['no_op', 'select_army']}, 'functions is .*, expected Move_screen'),
            ({'functions': ['no_op', 'Move_screen']}, 'functions is .*, expected select_army'),
            ({'screen_layers': ['selected']}, 'screen_layers is .*, expected player_relative'),
        ],
    )
    def test_it_says_what_is_lacking(self, kwargs, complaint):
        with pytest.raises(ValueError, match=complaint):
            self.make(**kwargs)

    def test_it_plays_as_well_as_published(self):
        specs = envs.make_specs('MoveToBeacon', screen_size=(84, 84))
        returns = {'scripted': [], 'random': []}
        for name, player in (
            ('scripted', players.MoveToBeaconPlayer(*specs)),
            ('random', players.RandomPlayer(specs[1], np.random.RandomState(0))),
        ):
            env = envs.SimulatedEnvironment('MoveToBeacon', range(32), *specs, max_step_mul=8)
            observation, done = env.reset(), np.zeros([32], np.bool_)
            while not done.all():
                output = env.step(player.act(observation), np.full([32], 8, np.int32))
                observation, done = output.observation, output.done
            returns[name] = output.info.episode_return
        # Published: 26.3 over 300 episodes for this rule, and 1 for random play (SC2LE paper).
        assert 25 < returns['scripted'].mean() < 27.6
        assert returns['random'].mean() < 3
