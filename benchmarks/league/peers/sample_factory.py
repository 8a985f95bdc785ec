"""Sample Factory: asynchronous PPO with an LSTM.

Its documents advise one worker per core, games in two groups per worker, and asynchronous
collection. Its V-trace is off by default and fails when it is on (2.1.1), so GAE is used.
"""

import os
import tempfile
import time
from typing import Any, List, Optional, Sequence

import gymnasium
import torch
from sample_factory.algo.runners.runner import AlgoObserver
from sample_factory.algo.utils.context import global_model_factory
from sample_factory.algo.utils.misc import ExperimentStatus
from sample_factory.cfg.arguments import parse_full_cfg, parse_sf_args
from sample_factory.envs.env_utils import register_env
from sample_factory.model.actor_critic import create_actor_critic
from sample_factory.model.encoder import Encoder
from sample_factory.train import make_runner

from benchmarks.league import work
from benchmarks.league.peers import games, reporting, torch_networks


class _Progress(AlgoObserver):
    """Reports the steps after each update."""

    def __init__(self) -> None:
        self._reporter = reporting.Reporter()
        self._steps = 0

    def on_training_step(self, runner: Any, training_iteration_since_resume: int) -> None:
        steps = sum(runner.env_steps.values())
        if steps > self._steps:
            self._steps = steps
            self._reporter.steps(steps)


class _PlanesEncoder(Encoder):
    def __init__(self, cfg: Any, obs_space: gymnasium.spaces.Dict):
        super().__init__(cfg)
        self._torso = torch_networks.PlanesTorso(obs_space['obs'].shape)

    def forward(self, obs: Any) -> torch.Tensor:
        return self._torso(obs['obs'])

    def get_out_size(self) -> int:
        return self._torso.num_features


def main(argv: Optional[Sequence[str]] = None) -> None:
    """Trains until the process is stopped.

    Args:
      argv: command-line arguments; None for those of the process.
    """
    arguments = reporting.parse(__doc__, argv)
    flags = _speed_flags if arguments.task == 'speed' else _return_flags
    with tempfile.TemporaryDirectory() as folder:
        words = _common_flags(folder, arguments) + flags()
        for task in reporting.TASKS:
            register_env(task, make_env)
        if arguments.task == 'return':
            global_model_factory().register_encoder_factory(_PlanesEncoder)
        parser, _ = parse_sf_args(argv=words)
        config, runner = make_runner(parse_full_cfg(parser, argv=words))
        runner.register_observer(_Progress())
        if runner.init() == ExperimentStatus.SUCCESS:
            reporting.Reporter().parameters(_num_parameters(config, make_env(arguments.task)))
            runner.run()


def make_env(
    name: str, cfg: Any = None, env_config: Any = None, render_mode: Any = None
) -> gymnasium.Env:
    """Returns a game; its name is that of the task. Worker processes find the function by name."""
    seed = 0 if env_config is None else env_config.env_id
    if name == 'speed':
        return games.FramesEnv(seed)
    game = games.PlanesEnv(seed)
    # Sample Factory does not support a MultiDiscrete space.
    game.action_space = gymnasium.spaces.Tuple(
        [gymnasium.spaces.Discrete(int(number)) for number in game.action_space.nvec]
    )
    return game


def _num_parameters(config: Any, env: gymnasium.Env) -> int:
    """Returns the size of the network that the learner makes from the same settings."""
    space = gymnasium.spaces.Dict({'obs': env.observation_space})
    return torch_networks.num_parameters(create_actor_critic(config, space, env.action_space))


def _common_flags(folder: str, arguments: Any) -> List[str]:
    return [
        f'--env={arguments.task}',
        f'--experiment=league{os.getpid()}_{time.time():.0f}',
        f'--train_dir={folder}',
        '--device=cpu',
        f'--seed={arguments.seed}',
        f'--num_workers={arguments.cores}',
        f'--num_envs_per_worker={work.NUM_ENVS // arguments.cores}',
        '--worker_num_splits=2',
        '--async_rl=True',
        '--serial_mode=False',
        '--with_vtrace=False',
        '--with_wandb=False',
        '--train_for_env_steps=1000000000000',
    ]


def _speed_flags() -> List[str]:
    return [
        f'--rollout={work.UNROLL_LENGTH}',
        f'--recurrence={work.UNROLL_LENGTH}',
        '--use_rnn=True',
        '--rnn_type=lstm',
        f'--rnn_size={work.LSTM_SIZE}',
        f'--batch_size={work.BATCH_STEPS}',
        '--num_batches_per_epoch=1',
        '--num_epochs=1',
        '--encoder_conv_architecture=resnet_impala',
        '--encoder_conv_mlp_layers',
        str(work.HIDDEN_SIZE),
        '--nonlinearity=relu',
        '--normalize_input=False',
        '--normalize_returns=False',
        '--obs_scale=255.0',
    ]


def _return_flags() -> List[str]:
    return [
        '--rollout=32',
        '--use_rnn=False',
        '--batch_size=1024',
        '--num_batches_per_epoch=1',
        '--num_epochs=4',
        '--learning_rate=1e-3',
        '--gamma=0.95',
        '--exploration_loss_coeff=0.003',
        '--normalize_input=False',
        '--normalize_returns=True',
    ]


if __name__ == '__main__':
    main()
