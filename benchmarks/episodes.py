"""The returns of players, one episode of each game."""

from typing import Any

import numpy as np

from sc2impala.envs.vector import VectorEnvironment


def first_returns(env: VectorEnvironment, player: Any, step_mul: int) -> np.ndarray:
    """Steps all games until the first episode of each has ended.

    Args:
      env: of K games.
      player: has `act(observation, done)`, as scripted and random players do.
      step_mul: environment frames per step.

    Returns:
      Returns of the first episodes, float64 [K].
    """
    observation = env.reset()
    done = np.ones([len(observation['available_actions'])], bool)
    playing, returns = done.copy(), np.zeros(done.shape)
    while playing.any():
        action = player.act(observation, done)
        output = env.step(action, np.full(done.shape, step_mul, np.int32))
        observation, done = output.observation, output.done
        returns = np.where(playing & done, output.info.episode_return, returns)
        playing &= ~done
    return returns
