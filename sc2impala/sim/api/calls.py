"""Reads function calls from the protocol's actions on the user interface."""

from typing import Any, Dict, List, NamedTuple

import numpy as np

from sc2impala.sim import functions
from sc2impala.sim.api import abilities


class Call(NamedTuple):
    """A call of a PySC2 function.

    function: its id.
    arguments: in the format of `GameBatch.act`.
    """

    function: int
    arguments: Dict[str, Any]


SELECT_WARP_GATES, SELECT_LARVA, UNLOAD = 8, 9, 10
"""Ids of functions that are never available in the mini-games."""

NO_OP = Call(functions.NO_OP, {})
UNKNOWN = Call(-1, {})
"""A call that cannot be executed."""


def read(action: Any) -> List[Call]:
    """Returns the calls in an Action message, except for raw actions; a no-op if it is empty.

    Enumerations of the protocol start at 1, arguments of functions at 0.
    """
    calls = []
    if action.HasField('action_ui'):
        calls.append(_read_panel(action.action_ui))
    for name in ('action_feature_layer', 'action_render'):
        if action.HasField(name):
            calls.append(_read_spatial(getattr(action, name)))
    if not calls and not action.HasField('action_raw'):
        calls.append(NO_OP)
    return calls


def _read_panel(panel: Any) -> Call:
    """Reads an ActionUI: selections without coordinates, control groups and queues."""
    action_type = panel.WhichOneof('action')
    if action_type is None:
        return NO_OP
    chosen = getattr(panel, action_type)
    if action_type == 'select_army':
        return _call(functions.SELECT_ARMY, select_add=chosen.selection_add)
    if action_type == 'select_idle_worker':
        return _call(functions.SELECT_IDLE_WORKER, select_worker=chosen.type - 1)
    if action_type == 'multi_panel':
        return _call(
            functions.SELECT_UNIT,
            select_unit_act=chosen.type - 1,
            select_unit_id=chosen.unit_index,
        )
    if action_type == 'control_group':
        return _call(
            functions.SELECT_CONTROL_GROUP,
            control_group_act=chosen.action - 1,
            control_group_id=chosen.control_group_index,
        )
    if action_type == 'production_panel':
        return _call(functions.BUILD_QUEUE, build_queue_id=chosen.unit_index)
    if action_type == 'cargo_panel':
        return _call(UNLOAD, unload_id=chosen.unit_index)
    if action_type == 'select_warp_gates':
        return _call(SELECT_WARP_GATES, select_add=chosen.selection_add)
    return _call(SELECT_LARVA) if action_type == 'select_larva' else UNKNOWN


def _read_spatial(spatial: Any) -> Call:
    """Reads an ActionSpatial: clicks on the screen and the minimap."""
    action_type = spatial.WhichOneof('action')
    if action_type is None:
        return NO_OP
    chosen = getattr(spatial, action_type)
    if action_type == 'camera_move':
        return _call(functions.MOVE_CAMERA, minimap=_pixel(chosen.center_minimap))
    if action_type == 'unit_selection_point':
        pixel = _pixel(chosen.selection_screen_coord)
        return _call(functions.SELECT_POINT, select_point_act=chosen.type - 1, screen=pixel)
    if action_type == 'unit_selection_rect':
        if not chosen.selection_screen_coord:
            return UNKNOWN
        corners = chosen.selection_screen_coord[0]
        return _call(
            functions.SELECT_RECT,
            select_add=chosen.selection_add,
            screen=_pixel(corners.p0),
            screen2=_pixel(corners.p1),
        )
    return _read_command(chosen)


def _read_command(command: Any) -> Call:
    """Reads an ActionSpatialUnitCommand: an order to the selected units."""
    target: Dict[str, List[int]] = {}
    target_type = abilities.QUICK
    for name, message in (
        (abilities.SCREEN, 'target_screen_coord'),
        (abilities.MINIMAP, 'target_minimap_coord'),
    ):
        if command.HasField(message):
            target_type, target = name, {name: _pixel(getattr(command, message))}
    function = abilities.function_of(command.ability_id, target_type)
    if function is None:
        return UNKNOWN
    return _call(function, queued=command.queue_command, **target)


def _pixel(point: Any) -> List[int]:
    return [point.x, point.y]


def _call(function: int, **arguments: Any) -> Call:
    return Call(function, {name: np.array([value], np.int64) for name, value in arguments.items()})
