"""Several epochs over the minibatches of one batch, as a loop in the graph: one session call.

The loop contains one copy of the network, whatever the number of epochs. Each round begins
after the previous step of the optimizer, and reads the updated variables.
"""

from typing import Callable, Dict, NamedTuple

import tensorflow.compat.v1 as tf


class Round(NamedTuple):
    """Results of one minibatch.

    train: operation, the step of the optimizer.
    grad_norm: float32 [], before clipping.
    divergence: float32 [], summed over steps.
    counted: float32 [], number of steps in `divergence`.
    clipped: float32 [], number of steps without gradient due to clipping.
    valid: float32 [], number of steps with a loss.
    smallest_ratio, largest_ratio: float32 [].
    """

    train: tf.Operation
    grad_norm: tf.Tensor
    divergence: tf.Tensor
    counted: tf.Tensor
    clipped: tf.Tensor
    valid: tf.Tensor
    smallest_ratio: tf.Tensor
    largest_ratio: tf.Tensor


class Totals(NamedTuple):
    """Results of an update so far, and loop variables.

    rounds: int32 [], number of rounds.
    divergence, counted: sums over the last epoch.
    grad_norm, clipped, valid: sums over all rounds.
    smallest_ratio, largest_ratio: of all rounds.
    """

    rounds: tf.Tensor
    divergence: tf.Tensor
    counted: tf.Tensor
    grad_norm: tf.Tensor
    clipped: tf.Tensor
    valid: tf.Tensor
    smallest_ratio: tf.Tensor
    largest_ratio: tf.Tensor

    @property
    def mean_divergence(self) -> tf.Tensor:
        """Mean divergence over the last epoch, float32 []."""
        return tf.math.divide_no_nan(self.divergence, self.counted)

    def metrics(self) -> Dict[str, tf.Tensor]:
        """float32 [] by tag, see `docs/reference/summaries.md`."""
        rounds = tf.cast(self.rounds, tf.float32)
        return {
            'grad_norm': self.grad_norm / rounds,
            'appo/minibatches': rounds,
            'appo/kl': self.mean_divergence,
            'appo/clipped': tf.math.divide_no_nan(self.clipped, self.valid),
            'appo/ratio_min': self.smallest_ratio,
            'appo/ratio_max': self.largest_ratio,
        }


def start() -> Totals:
    """Returns the totals before the first round; extremes of ratios start at 1."""
    zero, one = tf.constant(0.0), tf.constant(1.0)
    return Totals(tf.constant(0), zero, zero, zero, zero, zero, one, one)


def add(totals: Totals, found: Round, is_first: tf.Tensor) -> Totals:
    """Adds a round to the totals.

    Args:
      totals: totals of previous rounds.
      found: result of this round.
      is_first: bool [], whether it is the first of its epoch.
    """
    keep = 1.0 - tf.cast(is_first, tf.float32)
    return Totals(
        rounds=totals.rounds + 1,
        divergence=keep * totals.divergence + found.divergence,
        counted=keep * totals.counted + found.counted,
        grad_norm=totals.grad_norm + found.grad_norm,
        clipped=totals.clipped + found.clipped,
        valid=totals.valid + found.valid,
        smallest_ratio=tf.minimum(totals.smallest_ratio, found.smallest_ratio),
        largest_ratio=tf.maximum(totals.largest_ratio, found.largest_ratio),
    )


def run(
    update: Callable[[tf.Tensor], Round], orders: tf.Tensor, minibatches: int, max_kl: float
) -> Totals:
    """Runs `update` for every row of `orders`, one after the other.

    Args:
      update: builds the update of one minibatch, from its row.
      orders: int32 [epochs * minibatches, ...].
      minibatches: number per epoch.
      max_kl: skip the remaining epochs once the mean divergence over an epoch, each
        minibatch being measured before its own step, is above it; 0 runs all.

    Returns:
      Totals. They depend on the last step of the optimizer.
    """
    num_rounds = tf.shape(orders)[0]

    def goes_on(*values: tf.Tensor) -> tf.Tensor:
        totals = Totals(*values)
        more = totals.rounds < num_rounds
        if not max_kl:
            return more
        is_end = tf.equal(totals.rounds % minibatches, 0)
        too_far = tf.logical_and(is_end, totals.mean_divergence > max_kl)
        return tf.logical_and(more, tf.logical_not(too_far))

    def one_round(*values: tf.Tensor) -> Totals:
        # Variables are not inputs of a round: without this it might read them before they change.
        number = tf.identity(values[0])
        with tf.control_dependencies([number]):
            found = update(orders[number])
            totals = add(Totals(*values), found, tf.equal(number % minibatches, 0))
        with tf.control_dependencies([found.train]):
            return tf.nest.map_structure(tf.identity, totals)

    return Totals(
        *tf.while_loop(goes_on, one_round, start(), parallel_iterations=1, back_prop=False)
    )
