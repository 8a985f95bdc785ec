"""From PySC2's observations to the arrays of a game, and from numbers to PySC2's calls."""

from typing import Any, Dict, Mapping, Optional

import numpy as np

from sc2impala.envs.actions import FUNCTIONS, NUM_FUNCTIONS, ActionSpec
from sc2impala.envs.pysc2_api import actions as pysc2_actions
from sc2impala.envs.pysc2_api import features
from sc2impala.envs.specs import ObservationSpec

NO_OP = int(FUNCTIONS.no_op.id)


class ObservationWriter:
    """Writes PySC2's observations into the arrays of one game.

    available: bool [573], the functions that can be called now, by PySC2's ids.
    """

    def __init__(
        self, observation_spec: ObservationSpec, action_spec: ActionSpec, arrays: Mapping[str, Any]
    ):
        """Args:
        observation_spec, action_spec: what is observed, and the functions that are asked about.
        arrays: nested dict as `observation_spec.structure()` describes it, to be written to.
        """
        self.available = np.zeros([NUM_FUNCTIONS], np.bool_)
        self._functions = np.array(action_spec.functions)
        self._arrays = arrays
        self._vectors = observation_spec.vectors
        self._layers = [
            ('feature_' + group, _LayerWriter(layers, table, arrays[group]))
            for group, layers, table in (
                ('screen', observation_spec.screen_layers, features.SCREEN_FEATURES),
                ('minimap', observation_spec.minimap_layers, features.MINIMAP_FEATURES),
            )
            if layers
        ]

    def write(self, observation: Mapping[str, Any], action_result: Optional[int] = None) -> None:
        """Takes over what PySC2 observed.

        Lists are cut or filled up with zeros to their fixed lengths; of several results of actions
        the first is kept.

        Args:
          observation: of a PySC2 `TimeStep`.
          action_result: what `action_result` is to be, if not what PySC2 says.

        Raises:
          KeyError, ValueError, IndexError: if this is no such observation.
        """
        self.available[:] = False
        self.available[np.asarray(observation['available_actions'])] = True
        self._arrays['available_actions'][:] = self.available[self._functions]
        for name, writer in self._layers:
            writer.write(np.asarray(observation[name]))
        for name in self._vectors:
            rows = [action_result] if name == 'action_result' and action_result else None
            _write_rows(self._arrays[name], np.asarray(rows or observation[name]))


class _LayerWriter:
    """Writes some of the layers that PySC2 stacks to int32 [L, H, W]."""

    def __init__(self, layers, table, arrays):
        self._layers = [
            (
                table._fields.index(layer.name),
                layer.scale if layer.categorical else np.iinfo(layer.dtype).max + 1,
                0 if layer.categorical else np.iinfo(layer.dtype).max,
                arrays[layer.name],
            )
            for layer in layers
        ]

    def write(self, stack):
        # What is negative is as wrong as what is too large.
        values = stack.view(np.uint32)
        for index, limit, otherwise, array in self._layers:
            layer = values[index]
            if layer.max() >= limit:
                # A newer game has units that the tables lack: unknown, and no label to embed.
                layer = np.where(layer < limit, layer, otherwise)
            array[:] = layer


def _write_rows(array, rows):
    count = min(len(array), len(rows))
    # PySC2's lists without a row may have no columns either.
    if count:
        array[:count] = rows[:count]
    array[count:] = 0


def function_call(function_id: int, arguments: np.ndarray) -> Any:
    """PySC2's `FunctionCall`.

    Args:
      function_id: PySC2's id.
      arguments: int [13, 2], by the id of their type; (x, y) for points, else (value, unused).
    """
    return pysc2_actions.FunctionCall(
        function_id,
        [arguments[row, :length].tolist() for row, length in _ARGUMENTS[function_id]],
    )


def pack_arguments(arguments: Mapping[str, np.ndarray], packed: np.ndarray) -> None:
    """The inverse of what `function_call` reads, for K calls.

    Args:
      arguments: as `ActionSpec.decode` gives them, int [K] or [K, 2] by name.
      packed: int32 [K, 13, 2], where they are put; what is absent keeps its value.
    """
    for name, values in arguments.items():
        if values.ndim == 2:
            packed[:, _ROWS[name]] = values
        else:
            packed[:, _ROWS[name], 0] = values


_ROWS = {argument.name: int(argument.id) for argument in pysc2_actions.TYPES}

_ARGUMENTS: Dict[int, Any] = {
    int(function.id): [(int(t.id), len(t.sizes)) for t in function.args] for function in FUNCTIONS
}
"""Function -> of each of its arguments the id of its type and how many numbers it has."""
