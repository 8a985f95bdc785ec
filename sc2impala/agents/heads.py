"""Heads: map the output of the core to the logits of the policy and to the baseline."""

from typing import Any, Callable, Dict, Iterable, Mapping, NamedTuple, Optional, Tuple

import sonnet as snt
import tensorflow.compat.v1 as tf

from sc2impala.agents.recurrent import Features
from sc2impala.envs.actions import ActionSpec


class HeadOutputs(NamedTuple):
    """Outputs of the heads for N observations.

    action_logits: dict from head name to float32 [N, choices].
    step_mul_logits: float32 [N, max_step_mul].
    baseline: float32 [N].
    auxiliary: nest of [N, ...] of auxiliary heads, for further terms of the loss; or ().
    """

    action_logits: Any
    step_mul_logits: tf.Tensor
    baseline: tf.Tensor
    auxiliary: Any = ()


BASELINE_HIDDEN = 64
"""Units of the baseline's own hidden layer, which critic pre-training trains."""


class ConvPointHead(snt.Module):
    """A point head with one distribution over all pixels: a 1 x 1 convolution of the features."""

    def __init__(self, width: int, height: int, name: str):
        super().__init__(name=name)
        self._size = (height, width)
        self._conv = snt.Conv2D(1, 1, name='pixels')

    def __call__(self, features: Features) -> tf.Tensor:
        """Returns the logits of all pixels, float32 [N, H * W], index y * W + x.

        Args:
          features: `Features` of [N, ...]; only `spatial` is used.
        """
        logits = self._conv(features.spatial)
        if tuple(logits.shape.as_list()[1:3]) != self._size:
            logits = tf.image.resize_bilinear(logits, self._size)
        return snt.flatten(logits)


class SubpixelPointHead(snt.Module):
    """A point head with one distribution over all pixels, for features that cover several pixels.

    A 1 x 1 convolution gives each pixel of the features as many logits as there are pixels of the
    image in it (Shi et al. 2016, arXiv 1609.05158): points are exact without a map of full size.
    """

    def __init__(self, width: int, height: int, name: str):
        super().__init__(name=name)
        self._size = (height, width)

    def __call__(self, features: Features) -> tf.Tensor:
        """Returns the logits of all pixels, float32 [N, H * W], index y * W + x.

        Args:
          features: `Features` of [N, ...]; only `spatial` is used.
        """
        height, width = self._size
        rows, columns = features.spatial.shape.as_list()[1:3]
        factor = max(-(-height // rows), -(-width // columns))
        logits = self._conv(factor)(features.spatial)
        if factor > 1:
            logits = tf.depth_to_space(logits, factor)
        if (rows, columns) == (-(-height // factor), -(-width // factor)):
            return snt.flatten(logits[:, :height, :width])
        return snt.flatten(tf.image.resize_bilinear(logits, self._size))

    @snt.once
    def _create(self, factor: int) -> None:
        self._pixels = snt.Conv2D(factor**2, 1, name='pixels')

    def _conv(self, factor: int) -> snt.Conv2D:
        self._create(factor)
        return self._pixels


class FactoredPointHead(snt.Module):
    """A point head with independent distributions of row and column: logit(x, y) = a(x) + b(y)."""

    def __init__(self, width: int, height: int, name: str):
        super().__init__(name=name)
        self._column = snt.Linear(width, name='x')
        self._row = snt.Linear(height, name='y')

    def __call__(self, features: Features) -> tf.Tensor:
        """Returns the logits of all pixels, float32 [N, H * W], index y * W + x.

        Args:
          features: `Features` of [N, ...]; only `vector` is used.
        """
        hidden = features.vector
        return snt.flatten(
            self._row(hidden)[:, :, tf.newaxis] + self._column(hidden)[:, tf.newaxis, :]
        )


class Heads(snt.Module):
    """A hidden layer over all features, followed by one head for each part of the output.

    point_logit_scale: factor on the logits of points. An update of Adam changes all
        weights by about the learning rate, and a few channels must separate one pixel from all
        others: a larger scale lets them do so in fewer updates.
    """

    def __init__(
        self,
        action_spec: ActionSpec,
        num_step_muls: int,
        point_head: Callable[..., snt.Module],
        hidden_size: Optional[int] = 256,
        name: str = 'heads',
    ):
        """Args:
        action_spec: `ActionSpec`.
        num_step_muls: choices of the step multiplier head; with 1 there is no such head.
        point_head: class of the point heads, constructed with (width, height, name).
        hidden_size: units of the hidden layer; None for no hidden layer, if the vector is the
          output of a recurrent core.
        """
        super().__init__(name=name)
        self.point_logit_scale = 1.0
        self._hidden = snt.Linear(hidden_size, name='hidden') if hidden_size else None
        self._points: Dict[str, snt.Module] = {}
        self._linears: Dict[str, snt.Module] = {}
        sizes = {
            'screen': action_spec.screen_size,
            'screen2': action_spec.screen_size,
            'minimap': action_spec.minimap_size,
        }
        for head, choices in sorted(action_spec.heads.items()):
            if head in sizes:
                self._points[head] = point_head(sizes[head][0], sizes[head][1], name=head)
            else:
                self._linears[head] = snt.Linear(choices, name=head)
        self._step_mul = snt.Linear(num_step_muls, name='step_mul') if num_step_muls > 1 else None
        self._has_baseline = True
        self._set_baselines(1)

    def predict_no_baseline(self) -> None:
        """Leaves out the baseline, whose outputs are then 0; before variables are created."""
        self._has_baseline = False

    def predict_each_task(self, num_tasks: int) -> None:
        """Lets the baseline have an output for each map; before variables are created.

        The baseline of the `HeadOutputs` is then float32 [N, num_tasks].
        """
        self._set_baselines(num_tasks)

    def _set_baselines(self, number: int) -> None:
        self._num_baselines = number
        self._baseline = snt.nets.MLP([BASELINE_HIDDEN, number], name='baseline')

    def __call__(self, features: Features) -> HeadOutputs:
        """Maps `Features` of [N, ...] to `HeadOutputs` of [N, ...]."""
        hidden = self.hidden(features)
        action_logits = self.action_logits(self.names, features._replace(vector=hidden))
        return self.with_step_mul_and_baseline(action_logits, hidden)

    @property
    def baseline_layer(self) -> snt.Linear:
        """The last layer of the baseline."""
        layers = [m for m in self._baseline.submodules if isinstance(m, snt.Linear)]
        return next(layer for layer in layers if layer.output_size == self._num_baselines)

    @property
    def names(self) -> Tuple[str, ...]:
        """Names of all action heads, the points last."""
        return tuple(self._linears) + tuple(self._points)

    def hidden(self, features: Features) -> tf.Tensor:
        """The input of all heads that are not points, float32 [N, D]."""
        if self._hidden is None:
            return features.vector
        flat = tf.concat([snt.flatten(features.spatial), features.vector], axis=-1)
        return tf.nn.relu(self._hidden(flat))

    def action_logits(self, names: Iterable[str], features: Features) -> Dict[str, tf.Tensor]:
        """Logits of some heads, float32 [N, choices] by name.

        Args:
          names: names of the heads.
          features: `Features` of [N, ...], with the output of `hidden` as `vector`.
        """
        return {
            name: self._linears[name](features.vector)
            if name in self._linears
            else self._points[name](features) * self.point_logit_scale
            for name in names
        }

    def with_step_mul_and_baseline(
        self, action_logits: Mapping[str, tf.Tensor], hidden: tf.Tensor
    ) -> HeadOutputs:
        """Adds the logits of the step multiplier and the baseline; `hidden` is float32 [N, D]."""
        if self._step_mul is None:
            step_mul_logits = tf.zeros([tf.shape(hidden)[0], 1])
        else:
            step_mul_logits = self._step_mul(hidden)
        return HeadOutputs(action_logits, step_mul_logits, self.baseline(hidden), ())

    def baseline(self, hidden: tf.Tensor) -> tf.Tensor:
        """The baseline, float32 [N], or [N, num_tasks] with `predict_each_task`.

        Args:
          hidden: float32 [N, D], the output of `hidden`.
        """
        if not self._has_baseline:
            return tf.zeros([tf.shape(hidden)[0]])
        baseline = self._baseline(hidden)
        return tf.squeeze(baseline, axis=-1) if self._num_baselines == 1 else baseline
