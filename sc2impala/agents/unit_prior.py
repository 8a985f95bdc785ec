"""Prior over points: an untrained agent points at units rather than at any pixel.

Three of 256 pixels show a roach when DefeatRoaches starts. A policy that points anywhere learns
slowly to attack them, and as long as its orders are random it learns to give none.
So points start with a larger logit on the targets of the function: own units for
selections, other units for orders. It is the prior of agents that choose units from a list
instead of pixels (Vinyals et al. 2019, AlphaStar: the target unit). Buildings are placed where
there is no unit: on free ground, if the layer buildable is observed, and otherwise their points
have no prior. The logits are variables like others.

A mask is the limit of a prior: the other pixels have no probability, as those of a pointer over a
list of units. It holds as long as a pixel shows a target, and is not learned.
"""

from typing import Dict, List, Mapping, Optional, Tuple

import numpy as np
import sonnet as snt
import tensorflow.compat.v1 as tf

from sc2impala.agents.policy import mask_unavailable
from sc2impala.envs.actions import FUNCTIONS, SELECT_POINT, ActionSpec
from sc2impala.envs.specs import ObservationSpec
from sc2impala.structs import Nest

NONE, SELF, NUM_RELATIONS = 0, 1, 5
"""Number of values of PySC2's layer player_relative: none, self, ally, neutral, enemy."""

FREE_GROUND, NUM_KINDS = 5, 6
"""Pixels are of these kinds: the relations, and instead of NONE the ground without a unit on
which something can be built. A head whose group does not have GROUND_LAYER knows the relations."""

LAYER = 'player_relative'
GROUND_LAYER = 'buildable'

HEADS = {'screen': 'screen', 'minimap': 'minimap', 'screen2': 'screen'}
"""Group of layers that a point head points at, by its name. screen2 has a prior as the unit that is
selected before an order, and none as the second corner of a rectangle."""

_SELECTIONS = (SELECT_POINT,)
_ON_OWN_UNITS = ('Effect_Heal', 'Effect_Repair', 'Load')
_ON_FREE_GROUND = ('Build_', 'TrainWarp_', 'Land_')
_ANYWHERE = ('Unload', 'select_rect')
_ON_NEUTRAL_UNITS = ('Build_Refinery', 'Build_Assimilator', 'Build_Extractor')


def points_at(function: str) -> np.ndarray:
    """Returns the kinds of pixels that a function points at, 0 or 1, float32 [NUM_KINDS].

    Args:
      function: name of a PySC2 function.
    """
    kinds = np.arange(NUM_KINDS)
    if function in _SELECTIONS or function.startswith(_ON_OWN_UNITS):
        aims = kinds == SELF
    elif function.startswith(_ON_FREE_GROUND) and not function.startswith(_ON_NEUTRAL_UNITS):
        aims = kinds == FREE_GROUND
    elif function.startswith(_ANYWHERE):
        aims = np.zeros_like(kinds)
    else:
        aims = (kinds > SELF) & (kinds < NUM_RELATIONS)
    return aims.astype(np.float32)


def option(strength: float, of_orders: Optional[float], mask: str) -> str:
    """Names the option for a prior or a mask, with its value, in errors."""
    if strength:
        return f'unit_prior={strength:g}'
    return f'order_prior={of_orders:g}' if of_orders else f'unit_mask={mask}'


class UnitPrior(snt.Module):
    """Logits of points by kind of pixel and function, added to the heads' logits, and their mask.

    heads: names of the point heads with such logits.
    """

    def __init__(
        self,
        observation_spec: ObservationSpec,
        action_spec: ActionSpec,
        strength: float,
        of_orders: Optional[float] = None,
        mask: str = 'none',
        name: str = 'unit_prior',
    ):
        """Args:
        observation_spec: `envs.specs.ObservationSpec`.
        action_spec: `envs.actions.ActionSpec`.
        strength: initial logit of pixels with targets of a function.
        of_orders: the same for functions other than selections; None for `strength`.
        mask: one of `agents.UNIT_MASKS`, the points that other pixels are masked for.

        Raises:
          ValueError: if there is no point head of a group with the layer player_relative.
        """
        super().__init__(name=name)
        layers = {
            'screen': [layer.name for layer in observation_spec.screen_layers],
            'minimap': [layer.name for layer in observation_spec.minimap_layers],
        }
        in_use = [head for head in HEADS if head in action_spec.heads]
        if SELECT_POINT not in action_spec.selections:
            in_use = [head for head in in_use if head != 'screen2']
        self.heads = tuple(head for head in in_use if LAYER in layers[HEADS[head]])
        if not self.heads:
            raise ValueError(
                f'{option(strength, of_orders, mask)} needs functions that point at the screen or '
                f'the minimap, and the layer {LAYER} of it'
            )
        self._num_kinds = {
            head: NUM_KINDS if GROUND_LAYER in layers[HEADS[head]] else NUM_RELATIONS
            for head in self.heads
        }
        orders = strength if of_orders is None else of_orders
        self._has_logits = bool(strength or orders)
        tables, targets = [], []
        for id_, first in zip(action_spec.functions, action_spec.selections):
            name = FUNCTIONS[id_].name
            of_points, of_unit = points_at(name), points_at(SELECT_POINT)
            is_selection, has_unit = name in _SELECTIONS, float(first == SELECT_POINT)
            logit = strength if is_selection else orders
            tables.append(_by_head(logit * of_points, has_unit * strength * of_unit))
            is_masked = mask == 'all' or (mask == 'selections' and is_selection)
            targets.append(_by_head(is_masked * of_points, (mask != 'none') * has_unit * of_unit))
        self._initial = _columns(tables, self.heads)
        self._targets = _columns(targets, self.heads)
        self._tables: Dict[str, tf.Variable] = {}

    def kinds(self, observation: Mapping[str, Nest]) -> Dict[str, tf.Tensor]:
        """Returns the kind of each pixel, int32 [..., H * W] by head: a relation, or FREE_GROUND.

        Args:
          observation: with the groups of the heads, layers of [..., H, W].
        """
        found = {}
        for head in self.heads:
            layers = observation[HEADS[head]]
            kind = tf.cast(layers[LAYER], tf.int32)
            if self._num_kinds[head] > NUM_RELATIONS:
                is_ground = tf.cast(layers[GROUND_LAYER], tf.bool)
                is_free = tf.logical_and(is_ground, tf.equal(kind, NONE))
                kind = tf.where(is_free, FREE_GROUND * tf.ones_like(kind), kind)
            found[head] = tf.reshape(kind, tf.concat([tf.shape(kind)[:-2], [-1]], axis=0))
        return found

    def added(
        self, logits: tf.Tensor, head: str, kind: tf.Tensor, function: tf.Tensor
    ) -> tf.Tensor:
        """Returns the logits of one head with prior and mask, float32 [N, H * W].

        Args:
          logits: float32 [N, H * W], of a point head.
          head, kind, function: see `logits`.
        """
        if self._has_logits:
            logits += self.logits(head, kind, function)
        if self._targets[head].any():
            logits = mask_unavailable(logits, self.allowed(head, kind, function))
        return logits

    def logits(self, head: str, kind: tf.Tensor, function: tf.Tensor) -> tf.Tensor:
        """The prior of one head given the function, float32 [N, H * W].

        Args:
          head: one of `heads`.
          kind: int32 [N, H * W], of `kinds`.
          function: int32 [N], an index into the functions of the action space.
        """
        if head not in self._tables:
            initial = self._initial[head][:, : self._num_kinds[head]]
            self._tables[head] = tf.Variable(initial, name=head)
        return self._of_pixels(tf.convert_to_tensor(self._tables[head]), head, kind, function)

    def allowed(self, head: str, kind: tf.Tensor, function: tf.Tensor) -> tf.Tensor:
        """The pixels that the mask leaves to one head, bool [N, H * W].

        All of them if the function has no mask, or no pixel shows a target of it.

        Args:
          head, kind, function: see `logits`.
        """
        targets = tf.constant(self._targets[head][:, : self._num_kinds[head]])
        is_target = self._of_pixels(targets, head, kind, function) > 0
        return is_target | ~tf.reduce_any(is_target, axis=-1, keepdims=True)

    def _of_pixels(
        self, table: tf.Tensor, head: str, kind: tf.Tensor, function: tf.Tensor
    ) -> tf.Tensor:
        """Looks up the value of each pixel in a table [F, kinds], float32 [N, H * W]."""
        # Products with one-hot rows: their gradient is dense, and exact on GPUs.
        by_kind = tf.matmul(tf.one_hot(function, len(self._initial[head])), table)
        one_hot = tf.one_hot(kind, self._num_kinds[head])
        return tf.squeeze(tf.matmul(one_hot, by_kind[:, :, tf.newaxis]), axis=-1)


def _by_head(of_points: np.ndarray, of_unit: np.ndarray) -> Dict[str, np.ndarray]:
    return {'screen': of_points, 'minimap': of_points, 'screen2': of_unit}


def _columns(
    by_function: List[Dict[str, np.ndarray]], heads: Tuple[str, ...]
) -> Dict[str, np.ndarray]:
    """Returns a table of functions and kinds, float32 [F, NUM_KINDS], by head."""
    return {head: np.array([row[head] for row in by_function], np.float32) for head in heads}
