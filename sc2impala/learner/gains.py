"""Rewards for what the player gains: workers that are ordered, buildings, parts of the map seen.

A step from an observation x_t to x_{t+1} gets Phi(x_{t+1}) - Phi(x_t) besides its reward, where Phi
is a weighted sum of counts that the game shows its player: supply, resources, PySC2's score. A
worker is then paid for when it is ordered, and not by what it collects a thousand frames later.

This is the potential-based shaping of Ng, Harada and Russell 1999 (ICML, equation 2) without its
discount: the undiscounted return changes by Phi at the end of the episode minus Phi at its start
and by nothing in between, so what is gained and lost again does not pay. With the discount of an
agent step, gamma Phi(x_{t+1}) - Phi(x_t), every step costs (1 - gamma) Phi; as long as the
baseline does not know that, a policy that chooses its step multiplier learns to take the shortest.

T is the unroll length, B the batch size.
"""

from typing import Any, Dict, Mapping, Sequence, Tuple

import tensorflow.compat.v1 as tf

from sc2impala.learner import counts


def observed(observation: Mapping[str, Any]) -> Dict[str, Any]:
    """The part of an observation that `pairs` reads, for a copy that needs no other."""
    found: Dict[str, Any] = {
        name: observation[name] for name in counts.COLUMNS if name in observation
    }
    minimap = observation.get('minimap', {})
    layers = {name: minimap[name] for name in counts.SHARES.values() if name in minimap}
    return dict(found, minimap=layers) if layers else found


def pairs(observation: Mapping[str, Any]) -> Dict[str, Tuple[tf.Tensor, tf.Tensor]]:
    """What can be gained, of an observation of [T + 1, B].

    Returns:
      By vector int32 [T, B, columns]: before each step, and after it; and by name of those
      `counts.SHARES` whose layer is observed, float32 [T, B].
    """
    found = observed(observation)
    minimap = found.pop('minimap', {})
    for count, layer in counts.SHARES.items():
        if layer in minimap:
            shares = tf.reduce_mean(tf.cast(minimap[layer] > 0, tf.float32), axis=[-2, -1])
            found[count] = 100.0 * shares
    return {name: (values[:-1], values[1:]) for name, values in found.items()}


def share(decay: float, schedule: Any) -> tf.Tensor:
    """The present factor of the rewards, float32 [].

    Args:
      decay: the part of the phase over which it falls linearly from 1 to 0; 0 for never.
      schedule: `optimization.Schedule` of the phase.
    """
    return schedule.linear(1.0, 0.0, part=decay) if decay else tf.constant(1.0)


def rewards(
    vectors: Mapping[str, Tuple[tf.Tensor, tf.Tensor]],
    weights: Sequence[Tuple[str, float]],
    done: tf.Tensor,
) -> tf.Tensor:
    """Phi(x_{t+1}) - Phi(x_t), float32 [T, B]; 0 with which an episode ends.

    Args:
      vectors: result of `pairs`.
      weights: names of counts with the reward for one more of each, at least one.
      done: bool [T, B], whether x_{t+1} is the first observation of another episode.

    Raises:
      KeyError: a count that there is not, or one of a vector that is not observed.
    """

    def potential(moment: int) -> tf.Tensor:
        terms = []
        for count, weight in weights:
            if count in counts.SHARES:
                value = vectors[count][moment]
            else:
                vector, column = counts.COUNTS[count]
                value = tf.cast(vectors[vector][moment][..., column], tf.float32)
            terms.append(weight * value)
        return tf.add_n(terms)

    gained = potential(1) - potential(0)
    return tf.stop_gradient(tf.where(done, tf.zeros_like(gained), gained))
