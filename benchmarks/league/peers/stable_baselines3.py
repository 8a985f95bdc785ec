"""Stable-Baselines3: RecurrentPPO and MaskablePPO of sb3-contrib.

--variant=recurrent_ppo has the LSTM, shared by policy and value as in the other peers;
--variant=maskable_ppo has none, since MaskablePPO knows no recurrent policy. The games are in a
`DummyVecEnv`, which the documents advise for environments that cost little. For the
return, MaskablePPO is the peer's entry.
"""

from typing import Any, Optional, Sequence

import gymnasium
import torch
from sb3_contrib import MaskablePPO, RecurrentPPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from stable_baselines3.common.vec_env import DummyVecEnv

from benchmarks.league import work
from benchmarks.league.peers import games, reporting, torch_networks
from examples import maskable_ppo

_ENDLESS = 10**9


class _Torso(BaseFeaturesExtractor):
    def __init__(self, observation_space: gymnasium.spaces.Box):
        super().__init__(observation_space, work.HIDDEN_SIZE)
        self.torso = torch_networks.ResidualTorso(observation_space.shape)

    def forward(self, observations: torch.Tensor) -> torch.Tensor:
        return self.torso(observations)


class _ReportingVecEnv(maskable_ppo.GamesVecEnv):
    """Reports the returns of finished episodes."""

    def __init__(self, env: Any, seed: int):
        super().__init__(env, seed)
        self._reporter = reporting.Reporter()

    def step_wait(self) -> Any:
        step = super().step_wait()
        for info in step[3]:
            if 'episode' in info:
                self._reporter.episode(info['episode']['r'])
        return step


class _Progress(BaseCallback):
    """Reports the steps after each update."""

    def __init__(self, reporter: reporting.Reporter):
        super().__init__()
        self._reporter = reporter

    def _on_step(self) -> bool:
        return True

    def _on_rollout_start(self) -> None:
        if self.num_timesteps:
            self._reporter.steps(self.num_timesteps)


def main(argv: Optional[Sequence[str]] = None) -> None:
    """Trains until the process is stopped.

    Args:
      argv: command-line arguments; None for those of the process.
    """
    arguments = reporting.parse(__doc__, argv)
    torch.set_num_threads(arguments.cores)
    if arguments.task == 'speed':
        model = speed_model(arguments.variant == 'recurrent_ppo', arguments.seed)
    else:
        model = return_model(arguments.seed)
    reporter = reporting.Reporter()
    reporter.parameters(torch_networks.num_parameters(model.policy))
    model.learn(_ENDLESS, callback=_Progress(reporter))


def speed_model(recurrent: bool, seed: int, num_envs: int = work.NUM_ENVS) -> Any:
    """Returns the model of the common work."""
    env = DummyVecEnv([lambda i=i: games.FramesEnv(seed + i) for i in range(num_envs)])
    policy: Any = {'features_extractor_class': _Torso, 'net_arch': []}
    common: Any = {
        'n_steps': work.UNROLL_LENGTH,
        'batch_size': work.UNROLL_LENGTH * num_envs,
        'n_epochs': 1,
        'seed': seed,
    }
    if not recurrent:
        return MaskablePPO('CnnPolicy', env, policy_kwargs=policy, **common)
    policy.update(lstm_hidden_size=work.LSTM_SIZE, shared_lstm=True, enable_critic_lstm=False)
    return RecurrentPPO('CnnLstmPolicy', env, policy_kwargs=policy, **common)


def return_model(seed: int) -> Any:
    """Returns the model for MoveToBeacon: that of `examples/maskable_ppo.py`.

    The learning rate falls to its 20th part within 200,000 agent steps, and stays there.
    """
    num_envs, steps = 32, 200000
    env = _ReportingVecEnv(gymnasium.make_vec(work.ENV_ID, num_envs=num_envs), seed)
    return MaskablePPO(
        maskable_ppo.ScreenPolicy,
        env,
        learning_rate=lambda left: 1e-3 * max(0.05, 1 - (1 - left) * _ENDLESS / steps),
        n_steps=32,
        batch_size=256,
        n_epochs=4,
        gamma=0.95,
        ent_coef=0.003,
        policy_kwargs={'heads': env.games.action_spec.heads},
        seed=seed,
    )


if __name__ == '__main__':
    main()
