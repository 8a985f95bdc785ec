"""A network over units: embeddings from `feature_units`, attention, an LSTM, and pointers to units.

A unit of a mini-game is about as wide as a pixel of 32 x 32, and a map shows one unit per pixel. A
list of units has all of them, with their exact health and cooldown. As in AlphaStar (Vinyals et al.
2019) their embeddings are related by attention, summarised for the LSTM, scattered into a map, and
compared with a query by the point heads. A point is still a pixel of the screen: the logit of a
pixel is that of `patch_lstm` plus those of the units that are there, so that the action space is
PySC2's.
"""

import functools
from typing import Any, Callable, List, Mapping, NamedTuple, Tuple, Union

import numpy as np
import sonnet as snt
import tensorflow.compat.v1 as tf

from sc2impala.agents import heads, patch_lstm, recurrent
from sc2impala.agents.recurrent import Features
from sc2impala.agents.unit_encoder import ABSENT, EMBEDDING_SIZE, UnitEncoder, Units
from sc2impala.envs.actions import ActionSpec
from sc2impala.envs.specs import ObservationSpec
from sc2impala.structs import Nest

LSTM_SIZE = 256
CHANNELS = 32
"""Channels of maps."""

KEY_SIZE = 32

_VECTOR = 'feature_units'


def make_parts(
    observation_spec: ObservationSpec, action_spec: ActionSpec, num_step_muls: int
) -> tuple:
    """Returns torso, core and heads.

    Raises:
      ValueError: if units are not observed.
    """
    if _VECTOR not in observation_spec.vectors:
        raise ValueError(
            f'agent=units_lstm observes vectors={",".join(observation_spec.vectors)}, expected '
            f'{_VECTOR} among them.'
        )
    factor = patch_lstm.patch_side(observation_spec)
    torso = UnitTorso(observation_spec, factor)
    return (
        torso,
        UnitCore(),
        heads.Heads(
            action_spec,
            num_step_muls,
            functools.partial(UnitPointHead, factor, torso.pixel_size),
            hidden_size=None,
        ),
    )


class Pixels(NamedTuple):
    """Embeddings for the point heads. patches: see `patch_lstm`. units: `Units`."""

    patches: Any
    units: Units


class UnitTorso(snt.Module):
    """Embeds units, and the patches of the layers.

    pixel_size: see `patch_lstm.PatchTorso`.
    """

    def __init__(self, observation_spec: ObservationSpec, factor: int, name: str = 'unit_torso'):
        """Args:
        observation_spec: has `feature_units`.
        factor: F, the side of a patch in pixels.
        """
        super().__init__(name=name)
        self._patches = patch_lstm.PatchTorso(observation_spec, factor)
        self.pixel_size = self._patches.pixel_size
        self._encoder = UnitEncoder(observation_spec, factor)

    def __call__(self, observation: Mapping[str, Nest], last_function: tf.Tensor) -> Features:
        """Maps a nested dict of [N, ...] to `Features` of [N, ...], with `Pixels`."""
        rest = {name: value for name, value in observation.items() if name != _VECTOR}
        features = self._patches(rest, last_function)
        units = self._encoder(observation[_VECTOR])
        return features._replace(pixels=Pixels(features.pixels, units))


class UnitCore(snt.Module):
    """An LSTM over a summary of the units, and the layers after it."""

    def __init__(self, name: str = 'unit_core'):
        super().__init__(name=name)
        self._summary = snt.Linear(LSTM_SIZE, name='summary')
        self._memory = recurrent.LSTM(LSTM_SIZE)
        self._bypass = snt.Linear(LSTM_SIZE, name='bypass')
        self._to_units = snt.Linear(EMBEDDING_SIZE, name='to_units')
        self._of_units = snt.Linear(EMBEDDING_SIZE, name='of_units')
        self._to_map = snt.Linear(CHANNELS, name='to_map')
        self._in_map = snt.Conv2D(CHANNELS, 1, name='in_map')
        self._broadcast = snt.Linear(CHANNELS, name='broadcast')
        self._output = snt.Conv2D(CHANNELS, 3, name='output')
        self._keys = snt.Linear(KEY_SIZE, name='keys')

    def initial_state(self, batch_size: Union[int, tf.Tensor]) -> Nest:
        """Returns the state of the memory at the start of an episode."""
        return self._memory.initial_state(batch_size)

    def unroll(self, features: Features, done: tf.Tensor, state: Nest) -> Tuple[Features, Nest]:
        """Advances the memory over time; see `recurrent.LSTM.unroll`."""
        summary = snt.BatchApply(self._summarise)(features)
        remembered, state = self._memory.unroll(Features((), summary), done, state)
        vector = tf.nn.relu(remembered.vector + snt.BatchApply(self._bypass)(summary))
        return snt.BatchApply(self._relate)(features._replace(vector=vector)), state

    def _summarise(self, features: Features) -> tf.Tensor:
        units = features.pixels.units
        parts: List[tf.Tensor] = [features.vector]
        for relation in tf.unstack(units.relation, axis=-1):
            weight = relation[..., tf.newaxis]
            number = tf.reduce_sum(weight, axis=1)
            parts.append(tf.reduce_sum(weight * units.embedding, axis=1) / tf.maximum(number, 1.0))
            # 0 where there is no such unit.
            largest = tf.reduce_max(units.embedding + (1.0 - weight) * ABSENT, axis=1)
            parts.append(tf.where(number[:, 0] > 0, largest, tf.zeros_like(largest)))
            parts.append(number / 10.0)
        return tf.nn.relu(self._summary(tf.concat(parts, axis=-1)))

    def _relate(self, features: Features) -> Features:
        patches, units = features.pixels
        known = _each(self._of_units, units.embedding)
        known += self._to_units(features.vector)[:, tf.newaxis]
        known = tf.nn.relu(known)
        rows, columns = features.spatial.shape.as_list()[1:3]
        scattered = _scatter(
            _each(self._to_map, known) * units.pointed[..., tf.newaxis], units.patch, rows * columns
        )
        spatial = self._in_map(features.spatial)
        spatial += tf.reshape(scattered, [-1, rows, columns, CHANNELS])
        spatial += self._broadcast(features.vector)[:, tf.newaxis, tf.newaxis]
        spatial = tf.nn.relu(self._output(tf.nn.relu(spatial)))
        units = units._replace(embedding=_each(self._keys, known))
        return Features(spatial, features.vector, Pixels(patches, units))


class UnitPointHead(snt.Module):
    """A point head over pixels, whose logits have terms for the units at a pixel of the screen."""

    def __init__(self, factor: int, pixel_size: int, width: int, height: int, name: str):
        """See `patch_lstm.PixelPointHead`."""
        super().__init__(name=name)
        self._pixels = patch_lstm.PixelPointHead(factor, pixel_size, width, height, name='pixels')
        self._query = snt.Linear(KEY_SIZE, name='query') if name != 'minimap' else None
        self._area = width * height

    def __call__(self, features: Features) -> tf.Tensor:
        """Returns the logits of all pixels, float32 [N, H * W], index y * W + x."""
        patches, units = features.pixels
        logits = self._pixels(features._replace(pixels=patches))
        if self._query is None:
            return logits
        query = self._query(features.vector)[:, tf.newaxis]
        of_units = tf.reduce_sum(units.embedding * query, axis=-1) / np.sqrt(KEY_SIZE)
        of_units = (of_units * units.pointed)[..., tf.newaxis]
        return logits + _scatter(of_units, units.place, self._area)[..., 0]


def _each(layer: Callable[[tf.Tensor], tf.Tensor], inputs: tf.Tensor) -> tf.Tensor:
    """Applies a layer to each unit of [N, U, C]: one product of matrices instead of N."""
    flat = layer(tf.reshape(inputs, [-1, inputs.shape[2]]))
    return tf.reshape(flat, [-1, tf.shape(inputs)[1], flat.shape[1]])


def _scatter(values: tf.Tensor, places: tf.Tensor, size: int) -> tf.Tensor:
    """Adds values at places: float32 [N, U, C], int32 [N, U] -> float32 [N, size, C]."""
    number, channels = tf.shape(values)[0], values.shape[2]
    flat = tf.reshape(places + size * tf.range(number)[:, tf.newaxis], [-1])
    table = tf.unsorted_segment_sum(tf.reshape(values, [-1, channels]), flat, number * size)
    return tf.reshape(table, [-1, size, channels])
