"""PopArt: returns of any size are learned as returns of size 1, outputs being preserved exactly.

Sources: PopArt (van Hasselt et al. 2016, arXiv 1602.07714), and its use with IMPALA (Hessel et al.
2018, arXiv 1809.04474). The agent's baseline is V = mean + scale * n, with n = w h + b the output
of its last layer. Losses of the baseline are divided by scale^2, advantages by scale. After every
update mean and scale follow the targets, and w and b are changed such that V is unchanged.

On several maps each has its own mean, scale and output, as in the second of them: `tasks` are then
the indices of the maps, int32 of the shape of the values, and statistics are float32 [M].

Actors read the variables while they change: a baseline recorded at that moment may be inconsistent.
"""

from typing import Any, Dict, Tuple

import tensorflow.compat.v1 as tf

from sc2impala.agents.agent import Agent


def moments(values: tf.Tensor, weights: tf.Tensor) -> Tuple[tf.Tensor, tf.Tensor]:
    """Weighted mean and variance, float32 [], of float32 [T, B]; the weights must not all be 0."""
    total = tf.reduce_sum(weights)
    mean = tf.reduce_sum(weights * values) / total
    return mean, tf.reduce_sum(weights * tf.math.squared_difference(values, mean)) / total


def moments_by_task(
    values: tf.Tensor, weights: tf.Tensor, tasks: tf.Tensor, num_tasks: int
) -> Tuple[tf.Tensor, tf.Tensor, tf.Tensor]:
    """Weighted mean and variance of the values of each map.

    Args:
      values, weights: float32 [T, B].
      tasks: int32 [T, B].
      num_tasks: M.

    Returns:
      Mean and variance, float32 [M]; and bool [M], the maps with a weight. The others have 0.
    """
    of_task = weights[..., tf.newaxis] * tf.one_hot(tasks, num_tasks)
    total = tf.reduce_sum(of_task, axis=[0, 1])
    some = tf.where(total > 0.0, total, tf.ones_like(total))
    mean = tf.reduce_sum(of_task * values[..., tf.newaxis], axis=[0, 1]) / some
    squares = tf.math.squared_difference(values[..., tf.newaxis], mean)
    return mean, tf.reduce_sum(of_task * squares, axis=[0, 1]) / some, total > 0.0


def mixed(
    mean: tf.Tensor,
    variance: tf.Tensor,
    batch_mean: tf.Tensor,
    batch_variance: tf.Tensor,
    rate: tf.Tensor,
) -> Tuple[tf.Tensor, tf.Tensor]:
    """Mean and variance of a mixture: 1 - rate of the old distribution and rate of the new one.

    Equals moving averages of the first and second moment, without the difference of two large
    squares. All arguments and results are float32 of one shape.
    """
    shift = batch_mean - mean
    between = rate * (1.0 - rate) * tf.square(shift)
    return mean + rate * shift, (1.0 - rate) * variance + rate * batch_variance + between


def rescaled(
    w: tf.Tensor,
    b: tf.Tensor,
    old: Tuple[tf.Tensor, tf.Tensor],
    new: Tuple[tf.Tensor, tf.Tensor],
) -> Tuple[tf.Tensor, tf.Tensor]:
    """The layer for new statistics with which mean + scale * (w h + b) stays the same for every h.

    Args:
      w: float32 [D, 1], or [D, M].
      b: float32 [1], or [M].
      old: mean and scale, float32 [], or [M].
      new: mean and scale after an update.

    Returns:
      The new w and b.
    """
    (mean, scale), (new_mean, new_scale) = old, new
    return w * scale / new_scale, (scale * b + mean - new_mean) / new_scale


class ValueNormalisation:
    """Value normalisation of an agent with `value_statistics`; the identity for other agents."""

    def __init__(self, agent: Agent, rate: float):
        """Args:
        agent: `agents.agent.Agent`, whose variables exist.
        rate: weight of a batch in the statistics. The first batches have larger weights, so that
            all of them count the same.
        """
        self._statistics: Any = getattr(agent, 'value_statistics', None)
        self._rate = rate
        self._mean: Any = None
        self._scale: Any = None
        if self._statistics is not None:
            self._mean = tf.identity(self._statistics.mean)
            self._scale = self._statistics.scale

    def divided(self, values: tf.Tensor, tasks: Any = (), power: int = 1) -> tf.Tensor:
        """Returns values in units of scale^power.

        Args:
          values: float32 of any shape.
          tasks: see above; () on a single map.
          power: 1 or 2.
        """
        if self._scale is None:
            return values
        scale = self._scale if isinstance(tasks, tuple) else tf.gather(self._scale, tasks)
        return values / tf.pow(scale, float(power))

    def followed(
        self,
        train: tf.Operation,
        targets: tf.Tensor,
        weights: tf.Tensor,
        tasks: Any = (),
    ) -> tf.Operation:
        """Returns an operation that runs `train`, and then updates the statistics.

        Args:
          train: operation of the optimizer.
          targets: float32 [T, B], targets of the baseline.
          weights: float32 [T, B], weights of targets; if all are 0, the statistics stay.
          tasks: see above; () on a single map.
        """
        if self._statistics is None:
            return train
        # Other tensors of the same session run use the statistics before the update.
        with tf.control_dependencies([train, self._mean, self._scale]):
            return tf.cond(
                tf.reduce_sum(weights) > 0.0,
                lambda: self._update(targets, weights, tasks),
                tf.no_op,
            )

    def metrics(self) -> Dict[str, tf.Tensor]:
        """`value/mean` and `value/scale` in the units of the rewards, float32 [].

        On several maps there is one of each for every map, with its index: `value/mean_0`.
        """
        if self._statistics is None:
            return {}
        found = {'value/mean': self._mean, 'value/scale': self._scale}
        if not self._statistics.num_tasks:
            return found
        tasks = range(self._statistics.num_tasks)
        return {f'{tag}_{task}': found[tag][task] for tag in found for task in tasks}

    def _update(self, targets: tf.Tensor, weights: tf.Tensor, tasks: Any) -> tf.Operation:
        statistics = self._statistics
        layer = statistics.layer
        mean, variance, num_batches, w, b = (
            variable.read_value()
            for variable in (
                statistics.mean,
                statistics.variance,
                statistics.num_batches,
                layer.w,
                layer.b,
            )
        )
        rate = tf.maximum(self._rate, 1.0 / (num_batches + 1.0))
        counted: Any = 1.0
        if isinstance(tasks, tuple):
            batch_mean, batch_variance = moments(targets, weights)
        else:
            batch_mean, batch_variance, is_present = moments_by_task(
                targets, weights, tasks, statistics.num_tasks
            )
            counted = tf.cast(is_present, tf.float32)
            rate *= counted
        new_mean, new_variance = mixed(mean, variance, batch_mean, batch_variance, rate=rate)
        old = (mean, statistics.scale_for(variance))
        new_w, new_b = rescaled(w, b, old, (new_mean, statistics.scale_for(new_variance)))
        return tf.group(
            statistics.mean.assign(new_mean),
            statistics.variance.assign(new_variance),
            statistics.num_batches.assign(num_batches + counted),
            layer.w.assign(new_w),
            layer.b.assign(new_b),
        )
