"""RLlib: APPO with V-trace on its current API.

Two environment runners are its default, and one for each core here; the learner is in the main
process, as its documents advise for a single machine. The circular buffer, which learns each batch
several times, is off. Its `Frames` observations are floats in [0, 1] from the torso on only.
"""

import dataclasses
from typing import Any, Dict, Optional, Sequence, Tuple

import ray
import torch
from ray import tune
from ray.rllib.algorithms.appo import APPOConfig
from ray.rllib.algorithms.appo.torch.default_appo_torch_rl_module import DefaultAPPOTorchRLModule
from ray.rllib.algorithms.ppo.ppo_catalog import PPOCatalog
from ray.rllib.core.columns import Columns
from ray.rllib.core.models.base import ENCODER_OUT, Encoder
from ray.rllib.core.models.configs import ModelConfig
from ray.rllib.core.models.torch.base import TorchModel
from ray.rllib.core.rl_module.rl_module import RLModuleSpec

from benchmarks.league import work
from benchmarks.league.peers import games, reporting, torch_networks

_TRAINED = 'num_env_steps_trained_lifetime'


@dataclasses.dataclass
class _TorsoConfig(ModelConfig):
    """Configuration of a `_Torso`, which depends on the shape of the observation only."""

    @property
    def output_dims(self) -> Tuple[int]:
        return (_make_torso(self.input_dims)[1],)

    def build(self, framework: str = 'torch') -> Any:
        return _Torso(self)


class _Torso(TorchModel, Encoder):
    def __init__(self, config: _TorsoConfig):
        TorchModel.__init__(self, config)
        Encoder.__init__(self, config)
        self._torso = _make_torso(config.input_dims)[0]

    def _forward(self, inputs: Dict[str, torch.Tensor], **unused: Any) -> Dict[str, torch.Tensor]:
        return {ENCODER_OUT: self._torso(inputs[Columns.OBS])}


class _Catalog(PPOCatalog):
    @classmethod
    def _get_encoder_config(
        cls, observation_space: Any, model_config_dict: Any, action_space: Any = None
    ) -> Any:
        if model_config_dict['use_lstm']:
            return super()._get_encoder_config(observation_space, model_config_dict, action_space)
        return _TorsoConfig(input_dims=observation_space.shape)


def main(argv: Optional[Sequence[str]] = None) -> None:
    """Trains until the process is stopped.

    Args:
      argv: command-line arguments; None for those of the process.
    """
    arguments = reporting.parse(__doc__, argv)
    torch.set_num_threads(arguments.cores)
    for task in reporting.TASKS:
        tune.register_env(task, _speed_game if task == 'speed' else _return_game)
    # Runners and the main process count as one each, however many cores there are.
    ray.init(num_cpus=arguments.cores + 1, include_dashboard=False, log_to_driver=False)
    algorithm = make_config(arguments).build_algo()
    reporter = reporting.Reporter()
    network = algorithm.get_module()
    reporter.parameters(torch_networks.num_parameters(network))
    steps = 0
    while True:
        learners = algorithm.train().get('learners', {})
        trained = int(learners.get('__all_modules__', {}).get(_TRAINED, 0))
        # A sequence has the step after its unroll as well, for the bootstrap value.
        trained = trained * work.UNROLL_LENGTH // (work.UNROLL_LENGTH + 1)
        if trained > steps:
            steps = trained
            reporter.steps(steps)


def make_config(arguments: Any) -> APPOConfig:
    """Returns the configuration of a task."""
    is_speed = arguments.task == 'speed'
    config = (
        APPOConfig()
        .environment(arguments.task)
        .env_runners(
            num_env_runners=arguments.cores,
            num_envs_per_env_runner=work.NUM_ENVS // arguments.cores,
            rollout_fragment_length=work.UNROLL_LENGTH,
        )
        .learners(num_learners=0, num_gpus_per_learner=0)
        .reporting(min_time_s_per_iteration=1)
        .debugging(seed=arguments.seed, log_level='ERROR')
        .rl_module(
            rl_module_spec=RLModuleSpec(
                module_class=DefaultAPPOTorchRLModule,
                catalog_class=_Catalog,
                model_config={
                    'use_lstm': is_speed,
                    'lstm_cell_size': work.LSTM_SIZE,
                    # The step that RLlib appends for the bootstrap value would otherwise be a
                    # sequence of its own, padded to the length of the others.
                    'max_seq_len': work.UNROLL_LENGTH + 1,
                    'head_fcnet_hiddens': [],
                    'vf_share_layers': True,
                },
            )
        )
        .training(
            train_batch_size_per_learner=work.BATCH_STEPS,
            num_epochs=1,
            use_circular_buffer=False,
        )
    )
    if not is_speed:
        config.training(lr=1e-3, gamma=0.95, entropy_coeff=0.003)
    return config


def _make_torso(shape: Sequence[int]) -> Tuple[torch.nn.Module, int]:
    """Returns the torso for observations of a shape, and the size of its output."""
    if tuple(shape) == work.shape_of(True):
        return torch_networks.Scaled(torch_networks.ResidualTorso(tuple(shape))), work.HIDDEN_SIZE
    planes = torch_networks.PlanesTorso(tuple(shape))
    return planes, planes.num_features


def _speed_game(config: Any) -> Any:
    return games.FramesEnv(_seed(config))


def _return_game(config: Any) -> Any:
    return games.PlanesEnv(_seed(config))


def _seed(config: Any) -> int:
    """A seed for each game: RLlib numbers runners and the games of each."""
    return 1000 * config.worker_index + config.vector_index


if __name__ == '__main__':
    main()
