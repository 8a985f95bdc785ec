"""Argument heads that depend on the chosen function, and on the arguments chosen before them.

Without conditioning the logits of an argument are the same whatever the function is: where to
attack and where to build are one distribution over the screen. With it the joint policy is
autoregressive, as AlphaStar's (Vinyals et al. 2019),

    pi(a) = pi(function) prod_i pi(argument_i | function, argument_1 .. argument_{i - 1}),

where categorical arguments come first, in alphabetical order, and points last: a click's target may
depend on its kind. By default a point affects later ones by its column and row only, which says
nothing about what is there. Related points depend on the features of the point that was chosen
before, and on direction and distance from it; units are then selected before they are ordered.
"""

from typing import Any, Dict, Iterator, List, Mapping, Tuple

import numpy as np
import sonnet as snt
import tensorflow.compat.v1 as tf

from sc2impala.agents import point_relation
from sc2impala.agents.heads import HeadOutputs, Heads
from sc2impala.agents.recurrent import Features
from sc2impala.envs.actions import SELECTED, ActionSpec

SCREEN = ('screen', SELECTED)
"""Heads of points on the same pixels."""


class ConditionedHeads(snt.Module):
    """Modulates the inputs of the argument heads by the choices so far (FiLM, arXiv 1709.07871).

    Embeddings of the choices scale every channel of the spatial features, and scale and shift every
    unit of the hidden layer; embeddings of several choices are added. A constant that is added to a
    channel would add the same number to the logits of all pixels, so there is no shift of channels.
    The embeddings start at zero, where the heads are unconditioned.
    """

    def __init__(
        self,
        heads: Heads,
        action_spec: ActionSpec,
        related_points: bool = False,
        name: str = 'conditioned_heads',
    ):
        """Args:
        heads: compute the logits; for arguments, from modulated features. The
            function head, the step multiplier and the baseline are not conditioned.
        action_spec: `envs.actions.ActionSpec`.
        related_points: whether points depend on what is at the points before them.
        """
        super().__init__(name=name)
        self._heads = heads
        self._sizes = dict(action_spec.heads)
        self._sizes_of_points = {
            'minimap': action_spec.minimap_size,
            **dict.fromkeys(SCREEN, action_spec.screen_size),
        }
        # Functions that use a head, float32 [F].
        self._used = {
            head: action_spec.head_used[:, column].astype(np.float32)
            for column, head in enumerate(action_spec.argument_heads)
        }
        self._embeddings: Dict[str, snt.Linear] = {}
        self._related_points = related_points
        self._relations: Dict[str, point_relation.PointRelation] = {}

    def __call__(self, features: Features) -> Tuple[HeadOutputs, Features]:
        """Computes all outputs that do not depend on the function.

        Args:
          features: of [N, ...].

        Returns:
          `HeadOutputs` of [N, ...] with the logits of the function head only, and the
          features for `arguments`, of [N, ...].
        """
        hidden = self._heads.hidden(features)
        features = features._replace(vector=hidden)
        function_logits = self._heads.action_logits(['function'], features)
        outputs = self._heads.with_step_mul_and_baseline(function_logits, hidden)
        return outputs, features

    def arguments(
        self, features: Features, action: Mapping[str, tf.Tensor]
    ) -> Iterator[Tuple[str, tf.Tensor]]:
        """Yields name and logits, float32 [N, choices], of each argument in order.

        Args:
          features: features from `__call__`, of [N, ...].
          action: int32 [N] by head. It has the function; the caller adds the choice of an argument
            before the next one.
        """
        names = self._order()
        scale: Any = 0.0
        shift: Any = 0.0
        channels: Any = 0.0
        last = 'function'
        for place, name in enumerate(names):
            if last == 'function' or any(self._together(last, later) for later in names[place:]):
                choice = self._describe(last, features, action)
                scale += self._embed('hidden_scale', last, choice, features.vector)
                shift += self._embed('hidden_shift', last, choice, features.vector)
                if isinstance(features.spatial, tf.Tensor):
                    channels += self._embed('spatial_scale', last, choice, features.spatial)
            spatial = features.spatial
            if isinstance(spatial, tf.Tensor):
                spatial *= 1.0 + channels[:, tf.newaxis, tf.newaxis, :]
            hidden = features.vector * (1.0 + scale) + shift
            modulated = features._replace(spatial=spatial, vector=hidden)
            logits = self._heads.action_logits([name], modulated)[name]
            for before in self._related(name, names[:place]):
                logits += self._relate(before, name, modulated, action)
            yield name, logits
            last = name

    def _order(self) -> List[str]:
        """Returns the argument heads in the order in which they are chosen."""
        names = [name for name in self._heads.names if name != 'function']
        if self._related_points:
            # What is selected comes before where it goes.
            names.sort(key=lambda name: (name in self._sizes_of_points, name != SELECTED))
        return names

    def _related(self, name: str, before: List[str]) -> List[str]:
        """Returns the heads out of `before` that are points on the same pixels as `name`."""
        if not self._related_points or name not in SCREEN:
            return []
        return [other for other in before if other in SCREEN and self._together(other, name)]

    def _relate(
        self, before: str, name: str, features: Features, action: Mapping[str, tf.Tensor]
    ) -> tf.Tensor:
        """Returns the terms of a point's logits for its offset from another, float32 [N, H * W]."""
        key = f'{name}_from_{before}'
        if key not in self._relations:
            self._relations[key] = point_relation.PointRelation(
                self._sizes_of_points[name], name=key
            )
        added = self._relations[key](features.vector, action[before])
        return added * self._is_used(before, action) * self._heads.point_logit_scale

    def _together(self, head: str, other: str) -> bool:
        """Returns whether a function uses both arguments."""
        return bool((self._used[head] * self._used[other]).any())

    def _is_used(self, name: str, action: Mapping[str, tf.Tensor]) -> tf.Tensor:
        """Returns 1 where the chosen function uses an argument, else 0: float32 [N, 1]."""
        return tf.gather(self._used[name], action['function'])[:, tf.newaxis]

    def _describe(
        self, name: str, features: Features, action: Mapping[str, tf.Tensor]
    ) -> tf.Tensor:
        """Describes the choice of a head: float32 [N, any], 0 if the head is not used.

        Choices are one-hot, of points the column and the row. Related points add the features of
        their pixel.
        """
        size, choice = self._sizes[name], action[name]
        if name == 'function':
            return tf.one_hot(choice, size)
        used = self._is_used(name, action)
        if name not in self._sizes_of_points:
            return used * tf.one_hot(choice, size)
        width, height = self._sizes_of_points[name]
        parts = [tf.one_hot(choice % width, width), tf.one_hot(choice // width, height)]
        if self._related_points and name in SCREEN and isinstance(features.spatial, tf.Tensor):
            parts.append(point_relation.at_point(features.spatial, choice, (width, height)))
        return used * tf.concat(parts, -1)

    def _embed(self, what: str, source: str, choice: tf.Tensor, modulated: tf.Tensor) -> tf.Tensor:
        """The embedding of a choice for the last dimension of `modulated`, float32 [N, C]."""
        name = what if source == 'function' else f'{what}_by_{source}'
        if name not in self._embeddings:
            # A product with a one-hot row: the gradient is dense, and exact on GPUs.
            self._embeddings[name] = snt.Linear(
                modulated.shape.as_list()[-1],
                with_bias=False,
                w_init=snt.initializers.Zeros(),
                name=name,
            )
        return self._embeddings[name](choice)
