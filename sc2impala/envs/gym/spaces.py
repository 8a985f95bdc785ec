"""Gymnasium's spaces for the specs of observations and actions, and their arrays."""

import numpy as np
from gymnasium import spaces

from sc2impala.envs.actions import ActionSpec
from sc2impala.envs.specs import GROUPS, MASK, ArraySpec, ObservationSpec, flatten


def observation_space(spec: ObservationSpec) -> spaces.Dict:
    """Returns the observations of one game: a `Dict` without nesting.

    'screen_<layer>', 'minimap_<layer>': Box of unsigned int [H, W]. The values of categorical
      layers are 0..scale - 1; the scale of a scalar layer is not a strict bound, so that its
      bound is the one of the dtype.
    A vector: Box of int32, without bounds.
    'available_actions': MultiBinary [F].
    """
    return spaces.Dict(
        {name: _space(name, array, spec) for name, array in flatten(spec.structure()).items()}
    )


def action_space(
    spec: ActionSpec, max_step_mul: int, choose_step_mul: bool
) -> spaces.MultiDiscrete:
    """Returns the actions of one game: a `MultiDiscrete`, one dimension for every head of the spec.

    The first is the index of the function, then come the arguments; a point is one dimension, the
    pixel `y * width + x`. With `choose_step_mul` the last dimension has `max_step_mul` choices.
    """
    choices = list(spec.heads.values()) + [max_step_mul] * choose_step_mul
    return spaces.MultiDiscrete(np.array(choices, np.int64))


def _space(name: str, array: ArraySpec, spec: ObservationSpec) -> spaces.Space:
    if name == MASK:
        return spaces.MultiBinary(spec.num_functions)
    layers = {
        f'{group}_{layer.name}': layer
        for group in GROUPS
        for layer in getattr(spec, group + '_layers')
    }
    bounds = np.iinfo(array.dtype)
    high = bounds.max
    if name in layers and layers[name].categorical:
        high = layers[name].scale - 1
    return spaces.Box(bounds.min, high, array.shape, array.dtype.type)
