"""From core output to the logits of every head and the baseline."""

import collections
from typing import Any, Optional

import sonnet as snt
import tensorflow.compat.v1 as tf

from sc2impala.agents.recurrent import Features

HeadOutputs = collections.namedtuple(
    'HeadOutputs', ['action_logits', 'step_mul_logits', 'baseline']
)
"""action_logits: dict head -> float32 [N, choices]; step_mul_logits: float32 [N, max_step_mul];
baseline: float32 [N]."""

BASELINE_HIDDEN = 64
"""The critic has a layer of its own, so that pre-training it has something to train."""


class ConvPointHead(snt.Module):
    """A point as one distribution over all pixels: a 1 x 1 convolution of the spatial features."""

    def __init__(self, width: int, height: int, name: str):
        super().__init__(name=name)
        self._size = (height, width)
        self._conv = snt.Conv2D(1, 1, name='pixels')

    def __call__(self, spatial: tf.Tensor, hidden: tf.Tensor) -> tf.Tensor:
        """float32 [N, h, w, C] -> logits, float32 [N, H * W], index y * W + x."""
        logits = self._conv(spatial)
        if tuple(logits.shape.as_list()[1:3]) != self._size:
            logits = tf.image.resize_bilinear(logits, self._size)
        return snt.flatten(logits)


class FactoredPointHead(snt.Module):
    """A point as independent distributions of row and column: logit(x, y) = a(x) + b(y)."""

    def __init__(self, width: int, height: int, name: str):
        super().__init__(name=name)
        self._column = snt.Linear(width, name='x')
        self._row = snt.Linear(height, name='y')

    def __call__(self, spatial: tf.Tensor, hidden: tf.Tensor) -> tf.Tensor:
        """float32 [N, D] -> logits, float32 [N, H * W], index y * W + x."""
        return snt.flatten(
            self._row(hidden)[:, :, tf.newaxis] + self._column(hidden)[:, tf.newaxis, :]
        )


class Heads(snt.Module):
    """A hidden layer over everything, and a head for each part of the output."""

    def __init__(
        self,
        action_spec: Any,
        num_step_muls: int,
        point_head: Any,
        hidden_size: Optional[int] = 256,
        name: str = 'heads',
    ):
        """Args:
        action_spec: `ActionSpec`.
        num_step_muls: choices of the step multiplier head; 1 makes no head.
        point_head: class of the point heads, built with (width, height, name).
        hidden_size: units of the hidden layer; None for none, where a core has made the vector.
        """
        super().__init__(name=name)
        self._hidden = snt.Linear(hidden_size, name='hidden') if hidden_size else None
        self._points, self._linears = {}, {}
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
        self._baseline = snt.nets.MLP([BASELINE_HIDDEN, 1], name='baseline')

    def __call__(self, features: Features) -> HeadOutputs:
        """`Features` of [N, ...] -> `HeadOutputs`."""
        hidden = features.vector
        if self._hidden is not None:
            flat = tf.concat([snt.flatten(features.spatial), hidden], axis=-1)
            hidden = tf.nn.relu(self._hidden(flat))
        action_logits = {head: layer(hidden) for head, layer in self._linears.items()}  # type: Dict[str, tf.Tensor]
        for head, layer in self._points.items():
            action_logits[head] = layer(features.spatial, hidden)
        if self._step_mul is None:
            step_mul_logits = tf.zeros([tf.shape(hidden)[0], 1])
        else:
            step_mul_logits = self._step_mul(hidden)
        return HeadOutputs(
            action_logits, step_mul_logits, tf.squeeze(self._baseline(hidden), axis=-1)
        )
