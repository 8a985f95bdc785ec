"""The encoder of `units_lstm`: embeddings of the units in `feature_units`, related by attention."""

from typing import Any, List, NamedTuple, Sequence, Tuple

import numpy as np
import sonnet as snt
import tensorflow.compat.v1 as tf

from sc2impala.agents.unit_prior import NUM_RELATIONS, SELF
from sc2impala.envs import pysc2_api
from sc2impala.envs.specs import ObservationSpec

MAX_UNITS = 96
"""Further units of the list are left out."""

NUM_GROUPS, MIN_GROUP = 4, 8
"""Attention takes the time of the longest list, squared. Batches are therefore encoded in up to
NUM_GROUPS groups of similar lengths, of at least MIN_GROUP observations each."""

EMBEDDING_SIZE = 64
"""Size of the embedding of a unit."""

NUM_BLOCKS, NUM_HEADS = 2, 4
"""Of attention."""

SCREEN_CELLS = 24.0
"""Cells that the screen shows along its shorter side; distances are in cells."""

_NUM_TYPES, _TYPE_SIZE = 2048, 12
_NUM_ORDERS, _ORDER_SIZE = 1024, 8
_NUM_FACINGS = 7
"""PySC2 rounds radians down."""

_FAR = 30.0

ABSENT = -1e9
"""Logit of a unit that is not there."""

_SINGLE = (
    'alliance',
    'x',
    'y',
    'is_selected',
    'unit_type',
    'order_id_0',
    'facing',
    'health',
    'weapon_cooldown',
)
"""Columns of the list that are encoded one by one; the first four are the place of a unit."""

_RATIOS = {
    'health_ratio': 255,
    'is_selected': 1,
    'build_progress': 100,
    'active': 1,
    'order_length': 4,
    'assigned_harvesters': 16,
    'ideal_harvesters': 16,
    'mineral_contents': 1800,
    'vespene_contents': 2250,
    'radius': 4,
    'order_progress_0': 100,
    'display_type': 4,
}
"""Columns that are divided by a number."""


class Units(NamedTuple):
    """The units of N observations.

    embedding: float32 [N, U, D].
    relation: float32 [N, U, 3], whether it is an own unit, another one, and a selected one.
    place: int32 [N, U], index of its pixel, y * width + x; of its patch: patch.
    pointed: float32 [N, U], whether it is a unit on the screen.
    """

    embedding: Any
    relation: Any
    place: Any
    patch: Any
    pointed: Any


class UnitEncoder(snt.Module):
    """Maps `feature_units` to embeddings, related by attention."""

    def __init__(self, observation_spec: ObservationSpec, factor: int, name: str = 'unit_encoder'):
        super().__init__(name=name)
        self._size = observation_spec.screen_size
        self._seen_size = observation_spec.units_size or observation_spec.screen_size
        self._factor = factor
        self._types = snt.Embed(_NUM_TYPES, _TYPE_SIZE, name='type')
        self._orders = snt.Embed(_NUM_ORDERS, _ORDER_SIZE, name='order')
        self._hidden = snt.Linear(EMBEDDING_SIZE, name='hidden')
        self._embedding = snt.Linear(EMBEDDING_SIZE, name='embedding')
        self._blocks = [Block(name=f'block_{index}') for index in range(NUM_BLOCKS)]

    def __call__(self, rows: tf.Tensor) -> Units:
        """Maps int32 [N, rows, 46] to `Units` of [N, U]."""
        lengths = _lengths(_column(rows, 'alliance')[:, :MAX_UNITS])
        listed = rows[:, : tf.maximum(tf.reduce_max(lengths), 1)]
        columns = [int(pysc2_api.features.FeatureUnit[name]) for name in (*_SINGLE, *_RATIOS)]
        listed = tf.gather(listed, columns, axis=-1)
        return self._places(listed)._replace(embedding=self._embed(listed, lengths))

    def _places(self, rows: tf.Tensor) -> Units:
        """Maps int32 [N, U, columns] to `Units` without embeddings."""
        alliance, x, y, is_selected = tf.unstack(rows[..., :4], axis=-1)
        is_present, is_own = alliance > 0, tf.equal(alliance, SELF)
        relation = tf.stack([is_own, is_present & ~is_own, is_selected > 0], axis=-1)
        (width, height), on_screen = self._size, is_present
        pixel = []
        # Pixels of the list may be finer than those of the agent.
        for at, seen, size in zip((x, y), self._seen_size, (width, height)):
            scaled = tf.cast(tf.floor((tf.cast(at, tf.float32) + 0.5) * (size / seen)), tf.int32)
            on_screen &= (scaled >= 0) & (scaled < size)
            pixel.append(tf.clip_by_value(scaled, 0, size - 1))
        columns = -(-width // self._factor)
        return Units(
            None,
            tf.cast(relation, tf.float32),
            pixel[1] * width + pixel[0],
            pixel[1] // self._factor * columns + pixel[0] // self._factor,
            tf.cast(on_screen, tf.float32),
        )

    def _embed(self, rows: tf.Tensor, lengths: tf.Tensor) -> tf.Tensor:
        """Maps int32 [N, U, columns] to embeddings, float32 [N, U, D].

        Args:
          rows: of all units.
          lengths: int32 [N], lengths of the lists.
        """
        number = rows.shape.as_list()[0]
        num_groups = min(NUM_GROUPS, (number or 0) // MIN_GROUP)
        if num_groups < 2:
            (embeddings,) = self._encode([rows])
            return embeddings
        order = tf.argsort(lengths)
        bounds = [number * index // num_groups for index in range(num_groups + 1)]
        ends = tf.gather(order, [bound - 1 for bound in bounds[1:]])
        longest = tf.unstack(tf.maximum(tf.gather(lengths, ends), 1))
        groups = [
            tf.gather(rows, members)[:, :length]
            for members, length in zip(tf.split(order, np.diff(bounds)), longest)
        ]
        return _ungrouped(self._encode(groups), tf.argsort(order))

    def _encode(self, groups: Sequence[tf.Tensor]) -> List[tf.Tensor]:
        """Maps int32 [n, U, columns] of groups to embeddings, float32 [n, U, D].

        Only pairs of units are computed by group. All else is one operation for the units of all
        groups: the graph of a training has this network about ten times, and is built faster.
        """
        scale = np.array([SCREEN_CELLS / size for size in self._seen_size], np.float32)
        pairs, near = zip(*(_relate_pairs(group, scale) for group in groups))
        rows = _joined([tf.reshape(group, [-1, group.shape[2]]) for group in groups])
        inputs = tf.concat([self._describe(rows, scale), _joined(near)], axis=-1)
        embedding = self._embedding(tf.nn.relu(self._hidden(inputs)))
        for block in self._blocks:
            embedding = block(embedding, pairs)
        return [
            tf.reshape(each, [-1, of_group.length, EMBEDDING_SIZE])
            for each, of_group in zip(_split(embedding, pairs), pairs)
        ]

    def _describe(self, rows: tf.Tensor, scale: np.ndarray) -> tf.Tensor:
        """Features of each unit by itself, int32 [M, columns] -> float32 [M, any].

        Args:
          rows: of all units.
          scale: of the pixels of the list, in cells.
        """
        single, ratios = tf.split(rows, [len(_SINGLE), len(_RATIOS)], axis=-1)
        alliance, _, _, _, unit_type, order, facing, health, cooldown = tf.unstack(single, axis=-1)
        knots = np.linspace(0, SCREEN_CELLS, 9)
        # Steps of a hit: numbers close to each other have to be told apart.
        of_health = np.array([0, 6, 12, 18, 24, 30, 36, 45, 60, 80, 110, 145, 400, 1500])
        parts = [
            tf.one_hot(alliance, NUM_RELATIONS),
            self._types(tf.math.floormod(unit_type, _NUM_TYPES)),
            self._orders(tf.math.floormod(order, _NUM_ORDERS)),
            tf.one_hot(facing, _NUM_FACINGS),
            _hats(tf.cast(health, tf.float32), of_health),
            _hats(tf.cast(cooldown, tf.float32), np.array([0, 2, 5, 10, 16])),
            tf.cast(ratios, tf.float32) / np.array(list(_RATIOS.values()), np.float32),
            tf.reshape(_hats(_cells(single, scale), knots), [-1, 2 * len(knots)]),
        ]
        return tf.concat(parts, axis=-1)


class Pairs(NamedTuple):
    """The pairs of units within n lists of U units.

    terms: float32 [2, n * U * U], distance in cells, and whether the second unit is absent.
    length: int32 [], U.
    number: int32 [], n * U.
    """

    terms: Any
    length: Any
    number: Any


class Block(snt.Module):
    """Attention between units, which can depend on distances, and a feed-forward layer."""

    def __init__(self, name: str):
        super().__init__(name=name)
        size = EMBEDDING_SIZE
        self._before = snt.LayerNorm(-1, True, True, name='norm_attention')
        self._middle = snt.LayerNorm(-1, True, True, name='norm_hidden')
        self._projected = snt.Linear(3 * size, with_bias=False, name='projected')
        self._attended = snt.Linear(size, name='attended')
        self._hidden = snt.Linear(2 * size, name='hidden')
        self._output = snt.Linear(size, name='output')

    def __call__(self, embedding: tf.Tensor, pairs: Sequence[Pairs]) -> tf.Tensor:
        """Maps float32 [M, D], the units of all groups one after the other, to the same shape.

        Args:
          embedding: of units.
          pairs: of each group.
        """
        self._create()
        # A product of matrices with `Pairs.terms`, as products that are broadcast take longer.
        weights = tf.stack([-self._nearness, np.full([NUM_HEADS], ABSENT, np.float32)], axis=1)
        projected = _split(self._projected(self._before(embedding)), pairs)
        attended = [self._attend(*of_group, weights) for of_group in zip(projected, pairs)]
        embedding += self._attended(_joined(attended))
        hidden = tf.nn.relu(self._hidden(self._middle(embedding)))
        return embedding + self._output(hidden)

    def _attend(self, projected: tf.Tensor, pairs: Pairs, weights: tf.Tensor) -> tf.Tensor:
        """Attends within the lists of a group, float32 [n * U, 3 * D] -> [n * U, D].

        Args:
          projected: queries, keys and values.
          pairs: of the group.
          weights: float32 [heads, 2], of `pairs.terms`.
        """
        size, length = EMBEDDING_SIZE // NUM_HEADS, pairs.length
        projected = tf.reshape(projected, [-1, length, 3, NUM_HEADS, size])
        query, key, value = tf.unstack(tf.transpose(projected, [2, 3, 0, 1, 4]))
        logits = tf.matmul(query / np.sqrt(size), key, transpose_b=True)
        bias = tf.matmul(weights, pairs.terms)
        logits += tf.reshape(bias, [NUM_HEADS, -1, length, length])
        attended = tf.matmul(tf.nn.softmax(logits), value)
        return tf.reshape(tf.transpose(attended, [1, 2, 0, 3]), [-1, EMBEDDING_SIZE])

    @snt.once
    def _create(self) -> None:
        # From any distance to a few cells.
        initial = np.linspace(0.0, 1.0, NUM_HEADS).astype(np.float32)
        self._nearness = tf.Variable(initial, name='nearness')


def _column(rows: tf.Tensor, name: str) -> tf.Tensor:
    return rows[..., int(pysc2_api.features.FeatureUnit[name])]


def _lengths(alliance: tf.Tensor) -> tf.Tensor:
    """Returns the lengths of the lists of int32 [N, rows], int32 [N]."""
    index = tf.range(1, alliance.shape[1] + 1)
    return tf.reduce_max(tf.cast(alliance > 0, tf.int32) * index, axis=1)


def _ungrouped(groups: Sequence[tf.Tensor], places: tf.Tensor) -> tf.Tensor:
    """Joins embeddings of groups, the last of which has the longest lists.

    Args:
      groups: float32 [n, U, D], with another U each. Shorter lists are padded with zeros.
      places: int32 [N], place of each observation in the joined groups.
    """
    longest = tf.shape(groups[-1])[1]
    padded = [
        tf.pad(group, [[0, 0], [0, longest - tf.shape(group)[1]], [0, 0]]) for group in groups
    ]
    return tf.gather(tf.concat(padded, axis=0), places)


def _joined(groups: Sequence[tf.Tensor]) -> tf.Tensor:
    """Joins [n * U, C] of all groups, [M, C]."""
    return tf.concat(groups, axis=0) if len(groups) > 1 else groups[0]


def _split(joined: tf.Tensor, pairs: Sequence[Pairs]) -> Sequence[tf.Tensor]:
    """Splits [M, C] into [n * U, C] of each group."""
    if len(pairs) == 1:
        return [joined]
    return tf.split(joined, tf.stack([each.number for each in pairs]), num=len(pairs))


def _cells(rows: tf.Tensor, scale: np.ndarray) -> tf.Tensor:
    """Coordinates in cells, int32 [..., columns] -> float32 [..., 2]."""
    return (tf.cast(rows[..., 1:3], tf.float32) + 0.5) * scale


def _relate_pairs(rows: tf.Tensor, scale: np.ndarray) -> Tuple[Pairs, tf.Tensor]:
    """Returns the pairs of int32 [n, U, columns], and the nearest other units, [n * U, any]."""
    alliance = rows[..., 0]
    is_own, is_present = tf.equal(alliance, SELF), alliance > 0
    offset_x, offset_y, distance = _offsets(*tf.unstack(_cells(rows, scale), axis=-1))
    near = _nearest_other(offset_x, offset_y, distance, is_own, is_present)
    absent = tf.expand_dims(tf.cast(~is_present, tf.float32), 1) * tf.ones_like(distance)
    terms = tf.stack([tf.reshape(distance, [-1]), tf.reshape(absent, [-1])])
    pairs = Pairs(terms, tf.shape(rows)[1], tf.size(alliance))
    return pairs, tf.reshape(near, [-1, near.shape[2]])


def _hats(values: tf.Tensor, knots: np.ndarray) -> tf.Tensor:
    """Linear B-splines: a linear layer of them is piecewise linear.

    Args:
      values: float32 [...].
      knots: increasing, [k].

    Returns:
      float32 [..., k], at most two of which are not 0, and whose sum is 1.
    """
    knots = np.asarray(knots, np.float32)
    values = tf.expand_dims(tf.clip_by_value(values, knots[0], knots[-1]), -1)
    before = np.concatenate([[1.0], np.diff(knots)]).astype(np.float32)
    after = np.concatenate([np.diff(knots), [1.0]]).astype(np.float32)
    offset = values - knots
    return tf.nn.relu(1.0 - tf.nn.relu(offset) / after - tf.nn.relu(-offset) / before)


def _offsets(x: tf.Tensor, y: tf.Tensor) -> Tuple[tf.Tensor, tf.Tensor, tf.Tensor]:
    """Returns offsets from unit i to unit j, and their length: float32 [N, U, U] each."""
    offset_x = tf.expand_dims(x, 1) - tf.expand_dims(x, 2)
    offset_y = tf.expand_dims(y, 1) - tf.expand_dims(y, 2)
    return offset_x, offset_y, tf.sqrt(tf.square(offset_x) + tf.square(offset_y) + 1e-6)


def _nearest_other(
    offset_x: tf.Tensor,
    offset_y: tf.Tensor,
    distance: tf.Tensor,
    is_own: tf.Tensor,
    is_present: tf.Tensor,
) -> tf.Tensor:
    """Describes the nearest unit of the other side, float32 [N, U, any]."""
    other = tf.logical_xor(tf.expand_dims(is_own, 2), tf.expand_dims(is_own, 1))
    other &= tf.expand_dims(is_present, 1) & tf.expand_dims(is_present, 2)
    far = tf.fill(tf.shape(distance), _FAR)
    distance = tf.where(other, distance, far)
    nearest = tf.reduce_min(distance, axis=-1, keepdims=True)
    is_nearest = tf.cast(tf.equal(distance, nearest) & other, tf.float32)
    number = tf.maximum(tf.reduce_sum(is_nearest, axis=-1, keepdims=True), 1.0)
    to_x = tf.reduce_sum(is_nearest * offset_x, axis=-1, keepdims=True) / number
    to_y = tf.reduce_sum(is_nearest * offset_y, axis=-1, keepdims=True) / number
    scale = tf.maximum(nearest, 0.5)
    in_reach = [
        tf.reduce_sum(tf.cast(distance < reach, tf.float32), axis=-1, keepdims=True) / 4.0
        for reach in (4.0, 5.2, 6.2, 8.0)
    ]
    knots = np.array([0, 2, 4, 5, 6, 7, 9, 13, 20, _FAR])
    return tf.concat([_hats(nearest[..., 0], knots), to_x / scale, to_y / scale, *in_reach], -1)
