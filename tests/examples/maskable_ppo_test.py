import json
import warnings

import numpy as np
import pytest

pytest.importorskip('sb3_contrib')
pytest.importorskip('gymnasium')

import gymnasium  # noqa: E402

from examples import maskable_ppo  # noqa: E402
from sc2impala import sim  # noqa: E402
from sc2impala.envs import gym  # noqa: E402
from tests.sim import maps  # noqa: E402


@pytest.fixture(autouse=True)
def short_episodes(monkeypatch):
    for map_name in sim.MAP_NAMES:
        maps.short_episodes(monkeypatch, map_name, 64)


@pytest.mark.parametrize('map_name', ['MoveToBeacon', 'BuildMarines'])
def test_the_example_trains_and_evaluates(map_name, capsys):
    sizes = ['--num_envs=2', '--num_steps=8', '--num_timesteps=32', '--batch_size=8']
    result = maskable_ppo.main(
        sizes + ['--map_name=' + map_name, '--num_epochs=1', '--num_episodes=3', '--log_interval=1']
    )
    lines = capsys.readouterr().out.splitlines()
    assert json.loads(lines[-1]) == result
    assert (result['timesteps'], result['episodes']) == (32, 3)
    assert any('ep_rew_mean' in line for line in lines)


def test_episodes_of_the_adapter_are_those_of_the_games():
    games = gymnasium.make_vec(gym.ENV_IDS['MoveToBeacon'], num_envs=2)
    env = maskable_ppo.GamesVecEnv(games, seed=3)
    first = env.reset()
    expected, _ = gymnasium.make(gym.ENV_IDS['MoveToBeacon']).reset(seed=4)
    for name in expected:
        np.testing.assert_array_equal(first[name][1], expected[name])
    np.testing.assert_array_equal(np.stack(env.env_method('action_masks')), games.action_masks())
    for step in range(8):
        _, rewards, dones, infos = env.step(np.zeros([2, 2], np.int64))
        assert rewards.dtype == np.float32
        assert dones.tolist() == [step == 7] * 2
    assert [info['episode']['l'] for info in infos] == [8, 8]
    assert set(infos[0]['terminal_observation']) == set(first)
    second = env.reset()
    layer = 'screen_player_relative'
    assert (second[layer] != first[layer]).any(), 'later resets begin the next episodes'
    env.close()


def test_masked_functions_are_not_chosen():
    games = gymnasium.make_vec(gym.ENV_IDS['MoveToBeacon'], num_envs=4)
    env = maskable_ppo.GamesVecEnv(games, seed=0)
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        model = maskable_ppo.MaskablePPO(
            maskable_ppo.ScreenPolicy,
            env,
            n_steps=2,
            batch_size=8,
            policy_kwargs={'heads': games.action_spec.heads},
            seed=0,
        )
    observation = env.reset()
    functions = []
    for _ in range(20):
        mask = games.action_masks()
        assert not mask[:, 2].any(), 'nothing is selected, so nothing can move'
        action, _ = model.predict(observation, action_masks=mask)
        functions += action[:, 0].tolist()
        observation = env.reset()
    assert set(functions) == {0, 1}
