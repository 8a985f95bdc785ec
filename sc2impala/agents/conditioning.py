"""Argument heads that depend on the chosen function.

Without conditioning the logits of an argument are the same whatever the function is: where to
attack and where to build are one distribution over the screen. With it the joint policy is
pi(function) pi(arguments | function), and the function has to be chosen first.
"""

from typing import Any, Dict, Tuple

import sonnet as snt
import tensorflow.compat.v1 as tf

from sc2impala.agents.heads import HeadOutputs, Heads
from sc2impala.agents.recurrent import Features


class ConditionedHeads(snt.Module):
    """Modulates the inputs of the argument heads by the function (FiLM, arXiv 1709.07871).

    An embedding of the function scales every channel of the spatial features, and scales and shifts
    every unit of the hidden layer. A constant that is added to a channel would add the same number
    to the logits of all pixels, so there is no shift of channels. The embeddings start at zero,
    where the heads are the unconditioned ones.
    """

    def __init__(self, heads: Heads, num_functions: int, name: str = 'conditioned_heads'):
        """Args:
        heads: compute the logits from the modulated features; they make no difference between the
            function head, the step multiplier and the baseline, which are not conditioned.
        num_functions: F.
        """
        super().__init__(name=name)
        self._heads = heads
        self._num_functions = num_functions
        self._modulations: Dict[str, snt.Linear] = {}

    @property
    def baseline_layer(self) -> snt.Linear:
        """The last layer of the baseline."""
        return self._heads.baseline_layer

    def __call__(self, features: Features) -> Tuple[HeadOutputs, Features]:
        """Everything that does not depend on the function.

        Args:
          features: of [N, ...].

        Returns:
          `HeadOutputs` of [N, ...] with the logits of the function head only, and what
          `argument_logits` needs, of [N, ...].
        """
        hidden = self._heads.hidden(features)
        function_logits = self._heads.action_logits(['function'], features.spatial, hidden)
        outputs = self._heads.with_step_mul_and_baseline(function_logits, hidden)
        return outputs, Features(features.spatial, hidden)

    def argument_logits(self, features: Features, function: tf.Tensor) -> Dict[str, tf.Tensor]:
        """Logits of the arguments given the function.

        Args:
          features: as `__call__` returns them, of [N, ...].
          function: int32 [N].

        Returns:
          float32 [N, choices] for every head but the function.
        """
        one_hot = tf.one_hot(function, self._num_functions)
        hidden = features.vector * (1.0 + self._embed('hidden_scale', one_hot, features.vector))
        hidden += self._embed('hidden_shift', one_hot, features.vector)
        spatial = features.spatial
        if isinstance(spatial, tf.Tensor):
            scale = self._embed('spatial_scale', one_hot, spatial)
            spatial *= 1.0 + scale[:, tf.newaxis, tf.newaxis, :]
        names = [name for name in self._heads.names if name != 'function']
        return self._heads.action_logits(names, spatial, hidden)

    def _embed(self, name: str, one_hot: tf.Tensor, modulated: Any) -> tf.Tensor:
        """The embedding of the function for the last dimension of `modulated`, float32 [N, C]."""
        if name not in self._modulations:
            # A product with a one-hot row: the gradient is dense, and exact on GPUs.
            self._modulations[name] = snt.Linear(
                modulated.shape.as_list()[-1],
                with_bias=False,
                w_init=snt.initializers.Zeros(),
                name=name,
            )
        return self._modulations[name](one_hot)
