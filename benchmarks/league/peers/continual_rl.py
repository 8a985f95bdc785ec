"""CLEAR of CORA (continual_rl): its actors, learner and replay buffer.

Its code refuses an LSTM. Half of each batch is replayed, so that 16 of 32 sequences are new, and
only these count. Each game has a process of its own, which acts with a batch of one.
"""

import os
import tempfile
from typing import Any, Dict, Optional, Sequence, Tuple

import dotmap
import gym
import numpy as np
import torch
from continual_rl.policies.clear.clear_monobeast import ClearMonobeast
from continual_rl.policies.clear.clear_policy_config import ClearPolicyConfig
from continual_rl.policies.impala.nets import ImpalaNet

from benchmarks.league import work
from benchmarks.league.peers import reporting, torch_networks

_REPLAY_RATIO = 1


class _Image:
    """An observation in the form of continual_rl's `LazyFrames`: a stack of one image."""

    def __init__(self, image: np.ndarray):
        self._image = image

    def to_tensor(self) -> torch.Tensor:
        return torch.as_tensor(self._image).unsqueeze(0)


class FramesEnv(gym.Env):
    """`work.Frames` in the old form of gym."""

    observation_space = gym.spaces.Box(0, 255, (1,) + work.shape_of(True), np.uint8)
    action_space = gym.spaces.Discrete(work.NUM_ACTIONS)

    def __init__(self) -> None:
        self._frames = work.Frames(os.getpid(), channels_first=True)

    def reset(self) -> _Image:
        """Starts an episode."""
        return _Image(self._frames.reset())

    def step(self, action: int) -> Tuple[_Image, float, bool, Dict[str, Any]]:
        """Returns the next observation; the action has no effect."""
        image, reward, done = self._frames.step()
        return _Image(image), reward, done, {}


class _Torso(torch_networks.ResidualTorso):
    output_size = work.HIDDEN_SIZE


class _Network(ImpalaNet):
    def __init__(self, observation_space: Any, action_spaces: Any, model_flags: Any):
        torso = _Torso(observation_space.shape[1:])
        super().__init__(observation_space, action_spaces, model_flags, conv_net=torso)


class _Clear(ClearMonobeast):
    """Reports the steps after each update.

    Actors are forked with one thread each, as monobeast's OMP_NUM_THREADS=1 has it; a process
    forked from one that has used several threads of OpenMP would wait for them forever.
    """

    def learn(self, *args: Any, **kwargs: Any) -> Any:
        torch.set_num_threads(self._model_flags.learner_threads)
        result = super().learn(*args, **kwargs)
        flags = self._model_flags
        flags.learned_steps += flags.batch_size * flags.unroll_length
        flags.reporter.steps(flags.learned_steps)
        return result


def main(argv: Optional[Sequence[str]] = None) -> None:
    """Trains until the process is stopped.

    Args:
      argv: command-line arguments; None for those of the process.
    """
    arguments = reporting.parse(__doc__, argv)
    torch.manual_seed(arguments.seed)
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as folder:
        flags = ClearPolicyConfig()
        settings = {
            'device': 'cpu',
            'num_actors': work.NUM_ENVS,
            'batch_size': work.BATCH_SEQUENCES // (1 + _REPLAY_RATIO),
            'batch_replay_ratio': float(_REPLAY_RATIO),
            'unroll_length': work.UNROLL_LENGTH,
            'num_learner_threads': 1,
            'replay_buffer_frames': 100 * work.BATCH_STEPS,
            'large_file_path': folder,
            'savedir': folder,
            'disable_checkpoint': True,
            # `train` returns after this number of seconds, and learning pauses between calls.
            'seconds_between_yields': 10**7,
            'learned_steps': 0,
            'learner_threads': arguments.cores,
            'reporter': reporting.Reporter(),
        }
        for name, value in settings.items():
            setattr(flags, name, value)
        flags.set_output_dir(folder)
        spaces = {0: FramesEnv.action_space}
        trainer = _Clear(flags, FramesEnv.observation_space, spaces, _Network)
        flags.reporter.parameters(torch_networks.num_parameters(trainer.learner_model))
        task = dotmap.DotMap(action_space_id=0, task_id='frames', mode='train', total_steps=10**9)
        task.env_spec = lambda: FramesEnv()
        for _ in trainer.train(task):
            pass


if __name__ == '__main__':
    main()
