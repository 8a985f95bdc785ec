"""A network over patches of pixels, with point heads that compare single pixels.

Most of the time of `unet_lstm` goes into its maps of full size, which it needs to point exactly and
to tell apart units that are a pixel wide. Here each pixel only has an embedding, a linear
layer of its channels. The core of `unet_lstm` is computed for patches of F x F embeddings. A
point head chooses a patch and a pixel in it: the logit of a pixel is the product of its embedding
with a query, an output of the core for its patch, plus a bias by its place in the patch. So what
the core knows about units is used in the same way wherever they are in a patch.
"""

import functools
from typing import Mapping, Tuple

import sonnet as snt
import tensorflow.compat.v1 as tf

from sc2impala.agents import heads, kernels, preprocessing, torsos, unet_lstm
from sc2impala.agents.entities import map_sizes
from sc2impala.agents.recurrent import Features
from sc2impala.envs.actions import ActionSpec
from sc2impala.envs.specs import ObservationSpec
from sc2impala.structs import Nest

MAX_PATCHES = 16
"""Maximum number of patches along the shorter side of the screen."""

MIN_SIDE = 2
"""Minimum side of a patch in pixels."""

EMBEDDING_SIZE = 8
"""Size of the embedding of a pixel of the screen, or of the minimap."""


def make_parts(
    observation_spec: ObservationSpec, action_spec: ActionSpec, num_step_muls: int
) -> tuple:
    """Returns torso, core and heads."""
    width, height = observation_spec.screen_size
    factor = patch_side(observation_spec)
    torso = PatchTorso(observation_spec, factor)
    sizes = map_sizes(-(-height // factor), -(-width // factor))
    return (
        torso,
        unet_lstm.UNetCore(sizes, unet_lstm.CHANNELS, SubpixelDouble),
        heads.Heads(
            action_spec,
            num_step_muls,
            functools.partial(PixelPointHead, factor, torso.pixel_size),
            hidden_size=None,
        ),
    )


def patch_side(observation_spec: ObservationSpec) -> int:
    """Returns F, the side of a patch in pixels."""
    return max(MIN_SIDE, -(-min(observation_spec.screen_size) // MAX_PATCHES))


class PatchTorso(snt.Module):
    """Embeds each pixel of screen and minimap, and arranges the embeddings by patches.

    pixel_size: E, size of the embeddings of a pixel of the screen and of the one of the minimap
        at the same place together.
    """

    def __init__(self, observation_spec: ObservationSpec, factor: int, name: str = 'patch_torso'):
        """Args:
        observation_spec: a group without layers gets no embedding.
        factor: F, the side of a patch in pixels.
        """
        super().__init__(name=name)
        self._factor = factor
        self._stacks = torsos.make_group_stacks(observation_spec, _make_embedding)
        self.pixel_size = EMBEDDING_SIZE * len(self._stacks)

    def __call__(self, observation: Mapping[str, Nest], last_function: tf.Tensor) -> Features:
        """Maps a nested dict of [N, ...] to `Features` of [N, ...].

        `spatial` and `pixels` are both the patches, float32 [N, H / F, W / F, F * F * E], rounded
        up. If screen and minimap differ in size, the embeddings of the minimap are resized.
        """
        maps = [stack(observation[group]) for group, stack in self._stacks]
        embeddings = [torsos.resize_like(images, maps[0]) for images in maps]
        spatial = to_patches(tf.concat(embeddings, axis=-1), self._factor)
        return Features(spatial, preprocessing.encode_vector(observation, last_function), spatial)


def _make_embedding(group: str) -> snt.Module:
    convolution = kernels.InputConv(EMBEDDING_SIZE, 1, name=f'{group}_pixels')
    return snt.Sequential([convolution, tf.nn.relu])


def to_patches(images: tf.Tensor, factor: int) -> tf.Tensor:
    """Arranges pixels by patches, filled up with zeros at the lower and the right border.

    Args:
      images: float32 [N, H, W, C].
      factor: F, the side of a patch in pixels.

    Returns:
      float32 [N, H / F, W / F, F * F * C], rounded up; the pixels of a patch are in rows.
    """
    height, width, channels = images.shape.as_list()[1:]
    rows, columns = -(-height // factor), -(-width // factor)
    missing = [rows * factor - height, columns * factor - width]
    if any(missing):
        images = tf.pad(images, [[0, 0], [0, missing[0]], [0, missing[1]], [0, 0]])
    # On a CPU this takes a fifth of the time of `tf.space_to_depth`.
    images = tf.reshape(images, [-1, rows, factor, columns, factor * channels])
    images = tf.transpose(images, [0, 1, 3, 2, 4])
    return tf.reshape(images, [-1, rows, columns, factor**2 * channels])


def from_patches(patches: tf.Tensor, factor: int) -> tf.Tensor:
    """The inverse of `to_patches`: [N, h, w, F * F * C] to [N, h * F, w * F, C]."""
    rows, columns, size = patches.shape.as_list()[1:]
    channels = size // factor**2
    images = tf.reshape(patches, [-1, rows, columns, factor, factor * channels])
    images = tf.transpose(images, [0, 1, 3, 2, 4])
    return tf.reshape(images, [-1, rows * factor, columns * factor, channels])


class SubpixelDouble(snt.Module):
    """Doubles a map: a 1 x 1 convolution gives each pixel the channels of four.

    It takes a quarter of the time of a transposed convolution with a kernel of 4 x 4.
    """

    def __init__(self, channels: int, size: Tuple[int, int], name: str):
        """Args: channels, size: of the result, see `unet_lstm.UNetCore`."""
        super().__init__(name=name)
        self._size = size
        self._conv = snt.Conv2D(4 * channels, 1, name='conv')

    def __call__(self, images: tf.Tensor) -> tf.Tensor:
        """Maps float32 [N, h, w, any] to [N, H, W, channels]."""
        return _crop(from_patches(self._conv(images), 2), self._size)


def _crop(images: tf.Tensor, size: Tuple[int, int]) -> tf.Tensor:
    """Keeps (height, width) pixels from the top left corner."""
    if tuple(images.shape.as_list()[1:3]) == size:
        return images  # A slice of everything would be copied, also in the backward pass.
    return images[:, : size[0], : size[1]]


class PixelPointHead(snt.Module):
    """A point head with one distribution over all pixels, see the module."""

    def __init__(self, factor: int, pixel_size: int, width: int, height: int, name: str):
        """Args:
        factor: F, the side of a patch in pixels.
        pixel_size: E, size of the embedding of a pixel.
        width, height: size of the image at which the head points.
        """
        super().__init__(name=name)
        self._factor = factor
        self._pixel_size = pixel_size
        self._size = (height, width)
        self._query = snt.Conv2D(pixel_size, 1, with_bias=False, name='query')
        self._place = snt.Conv2D(factor**2, 1, name='place')

    def __call__(self, features: Features) -> tf.Tensor:
        """Returns the logits of all pixels, float32 [N, H * W], index y * W + x.

        Args:
          features: `Features` of [N, ...]: spatial [N, h, w, C] and pixels [N, h, w, F * F * E].
        """
        area, size = self._factor**2, self._pixel_size
        pixels = tf.reshape(features.pixels, [-1, area, size])
        query = tf.reshape(self._query(features.spatial), [-1, 1, size])
        place = self._place(features.spatial)
        logits = tf.reshape(tf.reduce_sum(pixels * query, axis=-1), tf.shape(place)) + place
        return self._cropped(from_patches(logits, self._factor))

    def _cropped(self, logits: tf.Tensor) -> tf.Tensor:
        """Removes the pixels of incomplete patches, or resizes to another image; and flattens."""
        expected: Tuple[int, ...] = tuple(
            -(-side // self._factor) * self._factor for side in self._size
        )
        if tuple(logits.shape.as_list()[1:3]) == expected:
            return snt.flatten(_crop(logits, self._size))
        return snt.flatten(tf.image.resize_bilinear(logits, self._size))
