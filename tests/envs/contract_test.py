"""The contract check itself must detect every violation."""

import numpy as np
import pytest

from sc2impala import envs
from tests.envs import contract, fake_game


class NeverDone(envs.SimulatedEnvironment):
    def step(self, action, step_mul):
        output = super().step(action, step_mul)
        return output._replace(done=np.zeros_like(output.done))


class SharedBuffers(envs.SimulatedEnvironment):
    def _observe(self):
        observation = super()._observe()
        self.kept = getattr(self, 'kept', observation)
        self.kept['player'][:] = observation['player']
        return dict(observation, player=self.kept['player'])


class LastObservation(envs.SimulatedEnvironment):
    def step(self, action, step_mul):
        output = super().step(action, step_mul)
        if output.done.any():
            output.observation['game_loop'][output.done] = 20
        return output


class ReturnOfAllEpisodes(envs.SimulatedEnvironment):
    def step(self, action, step_mul):
        output = super().step(action, step_mul)
        self.total = getattr(self, 'total', 0) + output.reward
        return output._replace(info=output.info._replace(episode_return=self.total))


class FramesOfTheChoice(envs.SimulatedEnvironment):
    def step(self, action, step_mul):
        output = super().step(action, step_mul)
        frames = output.info.episode_frames + output.done.astype(np.int32) * 20
        return output._replace(info=output.info._replace(episode_frames=frames))


class WideReward(envs.SimulatedEnvironment):
    def step(self, action, step_mul):
        output = super().step(action, step_mul)
        return output._replace(reward=output.reward.astype(np.float64))


class Unseeded(envs.SimulatedEnvironment):
    def step(self, action, step_mul):
        output = super().step(action, step_mul)
        output.observation['player'][:] = id(self) % 1000003
        return output


class AcceptsAnything(envs.SimulatedEnvironment):
    def step(self, action, step_mul):
        return super().step(action, np.clip(step_mul, 1, self.max_step_mul))


@pytest.mark.parametrize(
    'broken',
    [
        NeverDone,
        SharedBuffers,
        LastObservation,
        ReturnOfAllEpisodes,
        FramesOfTheChoice,
        WideReward,
        Unseeded,
        AcceptsAnything,
    ],
)
def test_a_violation_is_detected(monkeypatch, broken):
    fake_game.install(monkeypatch)
    observation_spec, action_spec = envs.make_specs('MoveToBeacon', vectors=('player', 'game_loop'))
    made = []

    def make_env():
        made.append(broken('MoveToBeacon', [1, 2], observation_spec, action_spec, 8))
        return made[-1]

    with pytest.raises((AssertionError, pytest.fail.Exception)):
        contract.check_vector_environment(make_env, max_steps=60)
