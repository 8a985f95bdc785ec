"""scalable_agent, IMPALA's first public code: its `experiment.train` on one machine.

Actors are threads with dynamic batching, each with a game in a process of its own, as in its
README. The network is its own: besides the common one it has an LSTM over an instruction, which is
empty here, and the last action and reward as inputs of the core.
"""

import multiprocessing.pool  # noqa: F401  # py_process expects it to have been imported.
import tempfile
from typing import Any, List, Optional, Sequence, Tuple

import environments
import experiment
import numpy as np
import py_process
import tensorflow as tf

from benchmarks.league import work
from benchmarks.league.peers import reporting


class FramesProcess:
    """`work.Frames` in the form of `environments.PyProcessDmLab`."""

    def __init__(self, seed: int):
        """Args: seed: of the observations."""
        self._frames = work.Frames(seed, channels_first=False)

    def initial(self) -> List[Any]:
        """Returns the first image and the instruction."""
        return [self._frames.reset(), b'']

    def step(self, action: np.ndarray) -> Tuple[np.ndarray, np.ndarray, List[Any]]:
        """Returns reward, done, and the next image with the instruction."""
        image, reward, done = self._frames.step()
        return np.array(reward, np.float32), np.array(done), [image, b'']

    @staticmethod
    def _tensor_specs(method: str, unused_kwargs: Any, constructor_kwargs: Any) -> Any:
        spec = tf.contrib.framework.TensorSpec
        observation = [spec(list(work.shape_of(False)), tf.uint8), spec([], tf.string)]
        if method == 'initial':
            return observation
        return spec([], tf.float32), spec([], tf.bool), observation


class _Progress(py_process.PyProcessHook):
    """Starts the processes, and reports the steps after each update."""

    def __init__(self) -> None:
        self._reporter = reporting.Reporter()
        self._steps = 0

    def begin(self) -> None:
        super().begin()
        shapes = [variable.shape.num_elements() for variable in tf.trainable_variables()]
        self._reporter.parameters(sum(shapes))

    def before_run(self, run_context: Any) -> Any:
        return tf.train.SessionRunArgs(tf.train.get_global_step())

    def after_run(self, run_context: Any, run_values: Any) -> None:
        steps = int(run_values.results)
        if steps > self._steps:
            self._steps = steps
            self._reporter.steps(steps)


def create_environment(level_name: str, seed: int, is_test: bool = False) -> Any:
    """Takes the place of `experiment.create_environment`."""
    process = py_process.PyProcess(FramesProcess, seed)
    return environments.FlowEnvironment(process.proxy)


def main(argv: Optional[Sequence[str]] = None) -> None:
    """Trains until the process is stopped.

    Args:
      argv: command-line arguments; None for those of the process.
    """
    arguments = reporting.parse(__doc__, argv)
    experiment.create_environment = create_environment
    experiment.py_process.PyProcessHook = _Progress
    with tempfile.TemporaryDirectory() as folder:
        experiment.FLAGS(
            [
                'experiment.py',
                f'--logdir={folder}',
                f'--num_actors={work.NUM_ENVS}',
                f'--batch_size={work.BATCH_SEQUENCES}',
                f'--unroll_length={work.UNROLL_LENGTH}',
                '--num_action_repeats=1',
                f'--seed={arguments.seed}',
            ]
        )
        experiment.train(environments.DEFAULT_ACTION_SET, ['frames'])


if __name__ == '__main__':
    main()
