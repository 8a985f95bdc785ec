"""A U-Net with an LSTM at its narrowest place, for point arguments that depend on the whole screen.

The convolutions of FullyConv see a few pixels around each pixel, which is not enough for 'the shard
nearest to the selected marine'. Here the screen is reduced to a small map. An LSTM gets all
of it; its output is added to every pixel on the way up, and maps of the way down to maps
of the same size (Ronneberger et al. 2015, arXiv 1505.04597), so that points stay exact. The large
maps are passed once, without recurrence, and none is much larger than MAX_SIDE: the first
convolution reduces larger screens, and the point heads give each pixel of the screen its logit.

The choice of a function often depends on the presence of an object anywhere, such as a marine
that the next hit kills. So the largest map, with local and global features, is
searched by detectors. Their maxima over all pixels join the output of the LSTM.
"""

from typing import Callable, List, Optional, Sequence, Tuple, Union

import sonnet as snt
import tensorflow.compat.v1 as tf

from sc2impala.agents import attention, detectors, heads, recurrent, torsos
from sc2impala.agents.entities import map_sizes
from sc2impala.agents.recurrent import Features
from sc2impala.envs.actions import ActionSpec
from sc2impala.envs.specs import ObservationSpec
from sc2impala.structs import Nest

MAX_SIDE = 32
"""Maximum of the shorter side of the largest map."""

FULL_CHANNELS = 16
"""Channels of the largest map, if it is as large as the screen."""

CHANNELS = 32
"""Channels of all other maps."""

LSTM_SIZE = 256

NUM_DETECTORS = 64


def make_parts(
    observation_spec: ObservationSpec, action_spec: ActionSpec, num_step_muls: int
) -> tuple:
    """Returns torso, core and heads."""
    width, height = observation_spec.screen_size
    stride = -(-min(width, height) // MAX_SIDE)
    largest = (FULL_CHANNELS, 3, 1) if stride == 1 else (CHANNELS, 2 * stride, stride)
    return (
        torsos.ConvTorso(observation_spec, [largest]),
        UNetCore(map_sizes(-(-height // stride), -(-width // stride)), largest[0]),
        heads.Heads(action_spec, num_step_muls, heads.SubpixelPointHead, hidden_size=None),
    )


class UNetCore(snt.Module):
    """Down to a small map, an LSTM over all of it, and up again."""

    def __init__(
        self,
        sizes: Sequence[Tuple[int, int]],
        channels: int,
        make_double: Optional[Callable[..., snt.Module]] = None,
        name: str = 'unet_core',
    ):
        """Args:
        sizes: (height, width) of the maps, from the largest to the smallest.
        channels: channels of the largest map on the way up.
        make_double: function of (channels, size, name) that makes a module which doubles a map to
            this size, (height, width), and number of channels; None for transposed convolutions.
        """
        super().__init__(name=name)
        self._down = [
            snt.Conv2D(CHANNELS, 4, stride=2, name=f'down_{index}')
            for index in range(len(sizes) - 1)
        ]
        self._before = attention.ResidualModule(1, CHANNELS, name='before')
        self._summary = snt.Linear(LSTM_SIZE, name='summary')
        self._lstm = recurrent.LSTM(LSTM_SIZE)
        self._bypass = snt.Linear(LSTM_SIZE, name='bypass')
        self._broadcast = snt.Linear(CHANNELS, with_bias=False, name='broadcast')
        self._after = attention.ResidualModule(1, CHANNELS, name='after')
        numbers = [channels] + [CHANNELS] * (len(sizes) - 1)
        make_double = make_double or _make_transposed
        self._up = [
            _Up(make_double, size, number, name='up') for size, number in zip(sizes[:-1], numbers)
        ]
        self._detectors = detectors.Detectors(NUM_DETECTORS)
        self._position = PositionBias(sizes[0], channels if len(sizes) > 1 else CHANNELS)

    def initial_state(self, batch_size: Union[int, tf.Tensor]) -> Nest:
        """Returns the state of the LSTM at the start of an episode."""
        return self._lstm.initial_state(batch_size)

    def unroll(self, features: Features, done: tf.Tensor, state: Nest) -> Tuple[Features, Nest]:
        """Advances the LSTM over time.

        Args:
          features: `Features` of [T, B, ...], with a spatial part of the largest size.
          done: bool [T, B].
          state: as `initial_state` returns it, before the first step.

        Returns:
          `Features` of [T, B, ...], spatial [T, B, H, W, C] and vector [T, B, LSTM_SIZE +
          NUM_DETECTORS], and the state after the last step. C is `channels`, or CHANNELS if there
          is only one size.
        """
        maps = snt.BatchApply(self._reduce)(features.spatial)
        summary = snt.BatchApply(self._summarize)(maps[-1], features.vector)
        remembered, state = self._lstm.unroll(Features((), summary), done, state)
        # As in `recurrent.ConvLSTM`, learning is far slower without a way around the gates.
        vector = tf.nn.relu(remembered.vector + snt.BatchApply(self._bypass)(summary))
        spatial = snt.BatchApply(self._expand)(maps, vector)
        detected = snt.BatchApply(self._detectors)(spatial)
        vector = tf.concat([vector, detected], axis=-1)
        return features._replace(spatial=spatial, vector=vector), state

    def _reduce(self, spatial: tf.Tensor) -> List[tf.Tensor]:
        """Maps of decreasing size."""
        maps = [spatial]
        for layer in self._down:
            maps.append(tf.nn.relu(layer(maps[-1])))
        maps[-1] = self._before(maps[-1])
        return maps

    def _summarize(self, smallest: tf.Tensor, vector: tf.Tensor) -> tf.Tensor:
        flat = tf.concat([snt.flatten(tf.nn.relu(smallest)), vector], axis=-1)
        return tf.nn.relu(self._summary(flat))

    def _expand(self, maps: List[tf.Tensor], vector: tf.Tensor) -> tf.Tensor:
        """The way up, to float32 [N, H, W, C]."""
        spatial = maps[-1] + self._broadcast(vector)[:, tf.newaxis, tf.newaxis, :]
        spatial = self._after(spatial)
        for up, same_size in reversed(list(zip(self._up, maps))):
            spatial = up(tf.nn.relu(spatial), same_size)
        return tf.nn.relu(self._position(spatial))


class _Up(snt.Module):
    """Doubles a map, and adds a linear map of the one of the same size on the way down."""

    def __init__(
        self,
        make_double: Callable[..., snt.Module],
        size: Tuple[int, int],
        channels: int,
        name: str,
    ):
        super().__init__(name=name)
        self._double = make_double(channels, size, 'double')
        self._skip = snt.Conv2D(channels, 1, with_bias=False, name='skip')

    def __call__(self, smaller: tf.Tensor, same_size: tf.Tensor) -> tf.Tensor:
        return self._double(smaller) + self._skip(same_size)


def _make_transposed(channels: int, size: Tuple[int, int], name: str) -> snt.Module:
    return snt.Conv2DTranspose(channels, 4, output_shape=size, stride=2, name=name)


class PositionBias(snt.Module):
    """Adds a learned bias per pixel and channel, zero at first.

    Building sites are fixed places on the map, not visible features.
    """

    def __init__(self, size: Tuple[int, int], channels: int, name: str = 'position'):
        """Args: size: (height, width). channels: of the maps."""
        super().__init__(name=name)
        self._shape = [*size, channels]

    def __call__(self, images: tf.Tensor) -> tf.Tensor:
        """Maps float32 [N, H, W, C] to the same shape."""
        self._create()
        return images + self.b

    @snt.once
    def _create(self) -> None:
        self.b = tf.Variable(tf.zeros(self._shape), name='b')
