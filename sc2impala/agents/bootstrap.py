"""Bootstrapped heads: several versions of all heads on one torso and core.

Bootstrapped DQN (Osband et al. 2016, arXiv 1602.04621): the heads start from different weights and
learn from different data, and the one that acts in an episode explores by its own values, for the
whole episode. H is the number of versions. Where one dimension contains the columns
of all of them, version h of column b is at b * H + h.
"""

import copy
from typing import Any, Callable, List, Optional

import sonnet as snt
import tensorflow.compat.v1 as tf

from sc2impala import hashing
from sc2impala.agents.heads import HeadOutputs
from sc2impala.agents.recurrent import Features
from sc2impala.structs import Nest


class BootstrappedHeads(snt.Module):
    """H versions of the heads of an agent, which share only their inputs.

    num_versions: H.
    """

    def __init__(
        self,
        heads: Callable[[Features], HeadOutputs],
        num_versions: int,
        name: str = 'bootstrapped_heads',
    ):
        """Args:
        heads: `Features` -> `HeadOutputs`; they must create their variables when called.
        num_versions: H.

        Raises:
          ValueError: if they have variables already.
        """
        super().__init__(name=name)
        self.num_versions = num_versions
        try:
            others = [copy.deepcopy(heads) for _ in range(num_versions - 1)]
        except NotImplementedError:
            # The error of TensorFlow for a variable in a graph.
            raise ValueError(
                'heads that make variables before they are called cannot be bootstrapped'
            ) from None
        self._versions: List[Any] = [heads, *others]

    def __call__(self, features: Features) -> HeadOutputs:
        """Maps `Features` of [N, ...] to `HeadOutputs` of [N, H, ...]."""
        outputs = [version(features) for version in self._versions]
        return tf.nest.map_structure(lambda *ts: tf.stack(ts, axis=1), *outputs)


def mean(outputs: Nest) -> Nest:
    """The mean of all versions: a nest of [N, H, ...] to [N, ...].

    Action values are linear in all outputs, so the mean has the mean action values.
    """
    return tf.nest.map_structure(lambda t: tf.reduce_mean(t, axis=1), outputs)


def select(outputs: Nest, version: tf.Tensor) -> Nest:
    """Selects one version for each element: a nest of [N, H, ...] and int32 [N] to [N, ...]."""
    index = tf.stack([tf.range(tf.size(version)), version], axis=1)
    return tf.nest.map_structure(lambda t: tf.gather_nd(t, index), outputs)


def fold(outputs: Nest) -> Nest:
    """Returns versions as separate columns: a nest of [T, B, H, ...] to [T, B * H, ...]."""

    def fold_one(t: tf.Tensor) -> tf.Tensor:
        shape = tf.shape(t)
        result = tf.reshape(t, tf.concat([shape[:1], [-1], shape[3:]], axis=0))
        result.set_shape([t.shape[0], None, *t.shape[3:]])
        return result

    return tf.nest.map_structure(fold_one, outputs)


def versions_of_episodes(
    seed: Optional[tf.Tensor], done: tf.Tensor, episode_steps: tf.Tensor, num_versions: int
) -> tf.Tensor:
    """Returns the version that acts in each of K games, drawn at the start of each episode.

    It is a function of the first step of the episode and the game.

    Args:
      seed: int64 [2], a stream and the number of this step.
      done: bool [K], whether an episode starts here.
      episode_steps: int32 [K], steps of the episode so far; at a start, of the previous one.
      num_versions: H.

    Returns:
      int32 [K].

    Raises:
      ValueError: if there is no seed.
    """
    if seed is None:
        raise ValueError('bootstrapped heads need a seed for whole episodes')
    steps = tf.where(done, tf.zeros_like(episode_steps), episode_steps)
    start = seed[1] - tf.cast(steps, tf.int64)
    game = tf.range(tf.size(steps, out_type=tf.int64))
    uniform = hashing.uniform([seed[0], start, game])
    return tf.cast(uniform * num_versions, tf.int32)
