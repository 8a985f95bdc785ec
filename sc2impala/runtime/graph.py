"""What training and evaluation both put into a graph, and how they open a session."""

import contextlib
from typing import Any, Iterator, Optional, Sequence, Tuple

import tensorflow.compat.v1 as tf

from sc2impala import agents, envs
from sc2impala.runtime import bfloat16, seeds
from sc2impala.runtime import config as config_lib
from sc2impala.runtime.errors import UserError


def make_agent(config: config_lib.Config, observation_spec: Any, action_spec: Any) -> agents.Agent:
    """The agent of a run, with its variables on the GPU if there is one.

    The variables are named alike in every graph in which the agent is made first.
    """
    agent = agents.make_agent(
        config.agent,
        observation_spec,
        action_spec,
        config.max_step_mul,
        config_lib.fixed_step_mul(config),
    )
    with tf.device(gpu_device()):
        agent.create_variables(observation_spec)
    return agent


def make_environment(
    config: config_lib.Config, specs: Tuple[Any, Any], purpose: str, num_envs: int, *stream: int
) -> envs.VectorEnvironment:
    """An environment with games of its own.

    Args:
      config: the settings.
      specs: observation and action spec.
      purpose: 'training' or 'evaluation'.
      num_envs: K.
      *stream: what else tells its games apart.

    Raises:
      UserError: if StarCraft II is to be played and does not run.
    """
    try:
        return envs.make_environment(
            config.backend,
            config.map_name,
            seeds.streams(config.seed, purpose, num_envs, *stream),
            *specs,
            max_step_mul=config_lib.max_step_mul(config),
            game_settings=config_lib.game_settings(config),
        )
    except envs.GameError as error:
        raise UserError(str(error)) from error


@contextlib.contextmanager
def failures_reported(environments: Sequence[envs.VectorEnvironment]) -> Iterator[None]:
    """Turns whatever TensorFlow makes of an environment's failure into what it was.

    Raises:
      UserError: if there is an error in the block and one of the environments has failed.
    """
    try:
        yield
    except Exception as error:
        for env in environments:
            if env.failure is not None:
                raise UserError(str(env.failure)) from error
        raise


def session_config(deterministic: bool, in_bfloat16: bool = False) -> tf.ConfigProto:
    """All cores, no more GPU memory than needed; one thread when deterministic.

    Raises:
      UserError: if bfloat16 is asked for and there is none.
    """
    threads = 1 if deterministic else 0
    result = tf.ConfigProto(
        allow_soft_placement=True,
        intra_op_parallelism_threads=threads,
        inter_op_parallelism_threads=threads,
    )
    result.gpu_options.allow_growth = True
    if in_bfloat16:
        bfloat16.enable(result)
    return result


def gpu_device() -> Optional[str]:
    """The first GPU, or None."""
    return '/gpu:0' if tf.config.experimental.list_physical_devices('GPU') else None
