"""PufferLib: its trainer PuffeRL on the CPU, with the settings of its `default.ini`.

pufferlib 3.0.0 itself downloads libraries from GitHub when it is built, so that the peer is
pufferlib-core, a release of vectorisation and trainer alone. Its documents advise `Serial` for
environments that cost little. The default optimiser, Muon, needs a library that compiles its steps;
Adam is used.
"""

import tempfile
from typing import Any, Dict, Optional, Sequence

import gymnasium
import pufferlib.emulation
import pufferlib.models
import pufferlib.vector
import torch
from pufferlib import pufferl
from torch import nn

from benchmarks.league import work
from benchmarks.league.peers import games, reporting, torch_networks

_DEFAULTS: Dict[str, Any] = {
    'env': 'league',
    'device': 'cpu',
    'precision': 'float32',
    'torch_deterministic': True,
    'cpu_offload': False,
    'compile': False,
    'compile_mode': 'max-autotune-no-cudagraphs',
    'compile_fullgraph': True,
    'optimizer': 'adam',
    'adam_beta1': 0.95,
    'adam_beta2': 0.999,
    'adam_eps': 1e-12,
    'learning_rate': 0.015 / 10,
    'anneal_lr': False,
    'total_timesteps': 10**9,
    'checkpoint_interval': 10**9,
    'gamma': 0.995,
    'gae_lambda': 0.90,
    'update_epochs': 1,
    'clip_coef': 0.2,
    'vf_coef': 2.0,
    'vf_clip_coef': 0.2,
    'max_grad_norm': 1.5,
    'ent_coef': 0.001,
    'vtrace_rho_clip': 1.0,
    'vtrace_c_clip': 1.0,
    'prio_alpha': 0.8,
    'prio_beta0': 0.2,
}


class _Policy(nn.Module):
    """Torso and heads in the form that `pufferlib.models.LSTMWrapper` expects."""

    is_continuous = False

    def __init__(self, torso: nn.Module, num_features: int, space: gymnasium.Space):
        super().__init__()
        self.hidden_size = num_features
        is_single = isinstance(space, gymnasium.spaces.Discrete)
        self._heads = [int(space.n)] if is_single else [int(count) for count in space.nvec]
        self._is_single = is_single
        self._torso = torso
        self._actor = nn.Linear(num_features, sum(self._heads))
        self._critic = nn.Linear(num_features, 1)

    def encode_observations(self, observations: torch.Tensor, state: Any = None) -> torch.Tensor:
        return self._torso(observations)

    def decode_actions(self, hidden: torch.Tensor) -> Any:
        logits = self._actor(hidden)
        return logits if self._is_single else logits.split(self._heads, -1), self._critic(hidden)

    def forward_eval(self, observations: torch.Tensor, state: Any = None) -> Any:
        return self.decode_actions(self.encode_observations(observations))

    def forward(self, observations: torch.Tensor, state: Any = None) -> Any:
        return self.forward_eval(observations)


def main(argv: Optional[Sequence[str]] = None) -> None:
    """Trains until the process is stopped.

    Args:
      argv: command-line arguments; None for those of the process.
    """
    arguments = reporting.parse(__doc__, argv)
    torch.set_num_threads(arguments.cores)
    torch.manual_seed(arguments.seed)
    is_speed = arguments.task == 'speed'
    make = games.FramesEnv if is_speed else games.PlanesEnv
    creators = [_creator(make, arguments.seed + index) for index in range(work.NUM_ENVS)]
    envs = pufferlib.vector.make(
        creators,
        env_args=[[] for _ in creators],
        env_kwargs=[{} for _ in creators],
        backend=pufferlib.vector.Serial,
        num_envs=len(creators),
        seed=arguments.seed,
    )
    policy = _speed_policy(envs) if is_speed else _return_policy(envs)
    reporter = reporting.Reporter()
    reporter.parameters(torch_networks.num_parameters(policy))
    with tempfile.TemporaryDirectory() as folder:
        settings = _speed_settings() if is_speed else _return_settings()
        config = dict(_DEFAULTS, seed=arguments.seed, data_dir=folder, **settings)
        trainer = pufferl.PuffeRL(config, envs, policy)
        while True:
            trainer.evaluate()
            trainer.train()
            reporter.steps(trainer.global_step)


def _creator(make: Any, seed: int) -> Any:
    def create(buf: Any = None, seed: int = seed) -> Any:
        return pufferlib.emulation.GymnasiumPufferEnv(make(seed), buf=buf)

    return create


def _speed_policy(envs: Any) -> nn.Module:
    torso = torch_networks.Scaled(torch_networks.ResidualTorso(work.shape_of(True)))
    policy = _Policy(torso, work.LSTM_SIZE, envs.single_action_space)
    return pufferlib.models.LSTMWrapper(envs, policy, work.HIDDEN_SIZE, work.LSTM_SIZE)


def _speed_settings() -> Dict[str, Any]:
    return {
        'use_rnn': True,
        'bptt_horizon': work.UNROLL_LENGTH,
        'batch_size': work.BATCH_STEPS,
        'minibatch_size': work.BATCH_STEPS,
        'max_minibatch_size': work.BATCH_STEPS,
    }


def _return_policy(envs: Any) -> nn.Module:
    torso = torch_networks.PlanesTorso(envs.single_observation_space.shape)
    return _Policy(torso, torso.num_features, envs.single_action_space)


def _return_settings() -> Dict[str, Any]:
    return {
        'use_rnn': False,
        'bptt_horizon': 32,
        'batch_size': 32 * work.NUM_ENVS,
        'minibatch_size': 256,
        'max_minibatch_size': 256,
        'update_epochs': 4,
        'learning_rate': 1e-3,
        'gamma': 0.95,
        'ent_coef': 0.003,
    }


if __name__ == '__main__':
    main()
