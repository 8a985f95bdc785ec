"""Converts PySC2's observations to the arrays of a game, and numbers to PySC2's function calls."""

from typing import Any, Dict, Mapping, Optional, Sequence, Tuple

import numpy as np

from sc2impala.envs import pysc2_api
from sc2impala.envs.actions import FUNCTIONS, NUM_FUNCTIONS, SELECT_POINT, SELECTIONS, ActionSpec
from sc2impala.envs.pysc2_api import actions as pysc2_actions
from sc2impala.envs.specs import LayerSpec, ObservationSpec
from sc2impala.structs import Nest

NO_OP = int(FUNCTIONS.no_op.id)


class ObservationWriter:
    """Writes PySC2's observations into the arrays of one game.

    available: bool [573], whether each function can be called now, by PySC2's id.
    """

    def __init__(
        self, observation_spec: ObservationSpec, action_spec: ActionSpec, arrays: Mapping[str, Nest]
    ):
        """Prepares writing.

        Args:
          observation_spec: the layers and vectors to write.
          action_spec: the functions in the mask available_actions.
          arrays: target, a nested dict as in `observation_spec.structure()`.
        """
        self.available = np.zeros([NUM_FUNCTIONS], np.bool_)
        self._action_spec = action_spec
        self._arrays = arrays
        self._vectors = observation_spec.vectors
        self._layers = [
            ('feature_' + group, _LayerWriter(layers, table, arrays[group]))
            for group, layers, table in (
                ('screen', observation_spec.screen_layers, pysc2_api.features.SCREEN_FEATURES),
                ('minimap', observation_spec.minimap_layers, pysc2_api.features.MINIMAP_FEATURES),
            )
            if layers
        ]

    def write(self, observation: Mapping[str, Nest], action_result: Optional[int] = None) -> None:
        """Writes one observation of PySC2 into the arrays.

        Lists are truncated or padded with zeros to their fixed lengths; of several action results
        the first one is kept.

        Args:
          observation: observation of a PySC2 `TimeStep`.
          action_result: replaces the `action_result` of the observation, if given and not 0.

        Raises:
          KeyError, ValueError, IndexError: if this is not such an observation.
        """
        self.available[:] = False
        self.available[np.asarray(observation['available_actions'])] = True
        self._arrays['available_actions'][:] = self._action_spec.available(self.available)
        for name, writer in self._layers:
            writer.write(np.asarray(observation[name]))
        for name in self._vectors:
            rows = [action_result] if name == 'action_result' and action_result else None
            _write_rows(self._arrays[name], np.asarray(rows or observation[name]))


class _LayerWriter:
    """Writes the chosen layers out of PySC2's stack of all layers, int32 [L, H, W]."""

    def __init__(
        self, layers: Sequence[LayerSpec], table: Any, arrays: Mapping[str, np.ndarray]
    ) -> None:
        self._layers = [
            (
                table._fields.index(layer.name),
                layer.scale if layer.categorical else np.iinfo(layer.dtype).max + 1,
                0 if layer.categorical else np.iinfo(layer.dtype).max,
                arrays[layer.name],
            )
            for layer in layers
        ]

    def write(self, stack: np.ndarray) -> None:
        # As unsigned integers, negative values are also too large.
        values = stack.view(np.uint32)
        for index, limit, otherwise, array in self._layers:
            layer = values[index]
            if layer.max() >= limit:
                # A newer game has units that PySC2's tables lack: they become 0, the unknown label.
                layer = np.where(layer < limit, layer, otherwise)
            array[:] = layer


def _write_rows(array: np.ndarray, rows: np.ndarray) -> None:
    count = min(len(array), len(rows))
    # An empty list of PySC2 may have the wrong number of columns.
    if count:
        array[:count] = rows[:count]
    array[count:] = 0


def function_call(function_id: int, arguments: np.ndarray) -> Any:
    """Returns PySC2's `FunctionCall` for one call.

    Args:
      function_id: PySC2's id.
      arguments: int [13, 2], one row per argument type, in the order of PySC2's ids; (x, y) for
        points, else (value, unused).
    """
    return pysc2_actions.FunctionCall(
        function_id,
        [arguments[row, :length].tolist() for row, length in _ARGUMENTS[function_id]],
    )


def pack_arguments(arguments: Mapping[str, np.ndarray], packed: np.ndarray) -> None:
    """Packs the arguments of K calls into the format that `function_call` reads.

    Args:
      arguments: as `ActionSpec.decode` returns them, int [K] or [K, 2] by name.
      packed: int32 [K, 13, 2], the output; rows of absent arguments are left unchanged.
    """
    for name, values in arguments.items():
        if values.ndim == 2:
            packed[:, _ROWS[name]] = values
        else:
            packed[:, _ROWS[name], 0] = values


def pack_selections(
    selections: Optional[Tuple[np.ndarray, Mapping[str, np.ndarray]]], num_calls: int
) -> np.ndarray:
    """Packs the selections before K calls into the format that `selection_call` reads.

    Args:
      selections: as `ActionSpec.decode_selections` returns them.
      num_calls: K.

    Returns:
      int32 [K, 4]: the function, no_op where there is none, its argument other than the point,
      and column and row of the point.
    """
    packed = np.full([num_calls, 4], NO_OP, np.int32)
    if selections is not None:
        packed[:, 0], arguments = selections
        for name, values in arguments.items():
            if name == 'screen':
                packed[:, 2:] = values
            else:
                uses = np.isin(packed[:, 0], _SELECTIONS_BY_ARGUMENT[name])
                packed[uses, 1] = values[uses]
    return packed


def selection_call(selection: np.ndarray) -> Optional[Any]:
    """Returns PySC2's `FunctionCall` of a selection, or None.

    Args:
      selection: int [4], a row of `pack_selections`.
    """
    function_id, value, *point = selection.tolist()
    if function_id == NO_OP:
        return None
    is_point = FUNCTIONS[function_id].name == SELECT_POINT
    return pysc2_actions.FunctionCall(function_id, [[value], point] if is_point else [[value]])


_ROWS = {argument.name: int(argument.id) for argument in pysc2_actions.TYPES}

_SELECTIONS_BY_ARGUMENT = {
    argument.name: [
        int(FUNCTIONS[name].id) for name in SELECTIONS if argument in FUNCTIONS[name].args
    ]
    for argument in pysc2_actions.TYPES
}
"""Argument -> ids of the selections before an order that have it."""

_ARGUMENTS: Dict[int, Any] = {
    int(function.id): [(int(t.id), len(t.sizes)) for t in function.args] for function in FUNCTIONS
}
"""Function id -> (id of the argument type, number of integers) for each of its arguments."""
