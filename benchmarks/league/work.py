"""The common work of all peers: observations, network and batch; and the game for returns.

The observations are those of `--backend=synthetic --map_name=Frames`, the network is the deep
residual network of IMPALA with an LSTM. Peers import this module in their own environments, so it
needs NumPy only.
"""

from typing import Tuple

import numpy as np

HEIGHT, WIDTH, CHANNELS = 72, 96, 3
"""Of an observation, uint8."""
NUM_ACTIONS = 9
NUM_OBSERVATIONS = 8
"""Number of different observations of a game, which are returned cyclically."""
EPISODE_STEPS = 200
"""Number of agent steps of an episode."""

SECTIONS = (16, 32, 32)
"""Channels of the sections of the residual network."""
HIDDEN_SIZE, LSTM_SIZE = 256, 256

NUM_ENVS = 32
"""Games of all actors together."""
UNROLL_LENGTH = 20
BATCH_SEQUENCES = 32
BATCH_STEPS = UNROLL_LENGTH * BATCH_SEQUENCES
"""Agent steps of an update; each step is learned once."""

ENV_ID = 'sc2impala.envs.gym:sc2impala/MoveToBeacon-v0'
"""The game of `--return`."""


class Frames:
    """One game that costs next to nothing: random images, a reward in every eighth step."""

    def __init__(self, seed: int, channels_first: bool):
        """Draws the observations.

        Args:
          seed: determines the observations.
          channels_first: whether observations are [C, H, W] instead of [H, W, C].
        """
        shape = shape_of(channels_first)
        rng = np.random.RandomState(seed)
        self._images = rng.randint(256, size=(NUM_OBSERVATIONS,) + shape).astype(np.uint8)
        self._num_steps = 0

    def reset(self) -> np.ndarray:
        """Returns the first observation of an episode, uint8."""
        return self._images[self._num_steps % NUM_OBSERVATIONS]

    def step(self) -> Tuple[np.ndarray, float, bool]:
        """Returns the next observation, the reward, and whether the episode ends."""
        self._num_steps += 1
        reward = float(self._num_steps % NUM_OBSERVATIONS == 0)
        return self.reset(), reward, self._num_steps % EPISODE_STEPS == 0


def shape_of(channels_first: bool) -> Tuple[int, int, int]:
    """Returns the shape of an observation."""
    return (CHANNELS, HEIGHT, WIDTH) if channels_first else (HEIGHT, WIDTH, CHANNELS)
