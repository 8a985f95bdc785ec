"""sc2impala: IMPALA with CLEAR replay for StarCraft II, on PySC2 or on the built-in simulator.

Importing the package itself loads neither TensorFlow nor Sonnet, so that environments in separate
processes and the simulated game server start in a fraction of a second. No import changes the
mode of TensorFlow: a program calls `sc2impala.tf_setup.enable` before it builds an agent, as
`experiment` does, and `load`.

    agent = sc2impala.load('runs/roaches')

loads a trained agent, see docs/guides/agents_in_python.md.
"""

import os
from typing import TYPE_CHECKING, Optional, Union

from sc2impala import tf_setup

if TYPE_CHECKING:
    from sc2impala.evaluation.loaded_agent import LoadedAgent

__version__ = '0.1.0'


def load(
    path: Union[str, 'os.PathLike[str]'],
    checkpoint: Union[str, int, 'os.PathLike[str]'] = 'latest',
    policy: str = 'sampled',
    temperature: Optional[float] = None,
    eval_max_step_mul: Optional[int] = None,
    seed: Optional[int] = None,
) -> 'LoadedAgent':
    """Loads a trained agent, with the policy of an evaluation of its run.

    Args:
      path: folder of a run, its folder `best`, a checkpoint in one of them, or an agent that comes
        with the package, such as `zoo:MoveToBeacon`.
      checkpoint: checkpoint of a run: 'latest'; 'best'; its number of frames; or its path.
      policy: 'sampled' or 'greedy' actions.
      temperature: temperature of sampled actions; None for the run's.
      eval_max_step_mul: largest number of frames of a step, 0 for the steps of the training;
        None for the run's.
      seed: seed of sampled actions; None draws one.

    Returns:
      `LoadedAgent`, with the methods `initial_state`, `act`, `compute`, `make_vec` and `export`.

    Raises:
      errors.UserError: if there is no such run or checkpoint, or a value is not valid.
    """
    tf_setup.enable()
    from sc2impala.evaluation import loading

    return loading.load(path, checkpoint, policy, temperature, eval_max_step_mul, seed)
