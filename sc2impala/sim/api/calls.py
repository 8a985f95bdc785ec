"""Reads what a player does with keys and mouse: function calls out of the protocol's actions."""

import collections
from typing import List, Optional

import numpy as np

from sc2impala.sim import functions
from sc2impala.sim.api import abilities

Call = collections.namedtuple('Call', ['function', 'arguments'])
"""One call of a PySC2 function: its id, and its arguments as `GameBatch.act` takes them."""

SELECT_WARP_GATES, SELECT_LARVA, UNLOAD = 8, 9, 10
"""Functions that nobody has in these games."""

NO_OP = Call(functions.NO_OP, {})
UNKNOWN = Call(-1, {})
"""A call that no game can carry out."""


def read(action) -> List[Call]:
    """The calls in an Action, without raw ones; a single no-op if it holds nothing.

    Enumerations of the protocol count from 1, arguments of functions from 0.
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


def _read_panel(panel):
    """Selections that are no points, control groups and queues."""
    kind = panel.WhichOneof('action')
    if kind is None:
        return NO_OP
    chosen = getattr(panel, kind)
    if kind == 'select_army':
        return _call(functions.SELECT_ARMY, select_add=chosen.selection_add)
    if kind == 'select_idle_worker':
        return _call(functions.SELECT_IDLE_WORKER, select_worker=chosen.type - 1)
    if kind == 'multi_panel':
        return _call(
            functions.SELECT_UNIT,
            select_unit_act=chosen.type - 1,
            select_unit_id=chosen.unit_index,
        )
    if kind == 'control_group':
        return _call(
            functions.SELECT_CONTROL_GROUP,
            control_group_act=chosen.action - 1,
            control_group_id=chosen.control_group_index,
        )
    if kind == 'production_panel':
        return _call(functions.BUILD_QUEUE, build_queue_id=chosen.unit_index)
    if kind == 'cargo_panel':
        return _call(UNLOAD, unload_id=chosen.unit_index)
    if kind == 'select_warp_gates':
        return _call(SELECT_WARP_GATES, select_add=chosen.selection_add)
    return _call(SELECT_LARVA) if kind == 'select_larva' else UNKNOWN


def _read_spatial(spatial):
    """What is clicked at."""
    kind = spatial.WhichOneof('action')
    if kind is None:
        return NO_OP
    chosen = getattr(spatial, kind)
    if kind == 'camera_move':
        return _call(functions.MOVE_CAMERA, minimap=_pixel(chosen.center_minimap))
    if kind == 'unit_selection_point':
        pixel = _pixel(chosen.selection_screen_coord)
        return _call(functions.SELECT_POINT, select_point_act=chosen.type - 1, screen=pixel)
    if kind == 'unit_selection_rect':
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


def _read_command(command):
    target, way = {}, abilities.QUICK
    for name, message in (
        (abilities.SCREEN, 'target_screen_coord'),
        (abilities.MINIMAP, 'target_minimap_coord'),
    ):
        if command.HasField(message):
            way, target = name, {name: _pixel(getattr(command, message))}
    function: Optional[int] = abilities.function_of(command.ability_id, way)
    if function is None:
        return UNKNOWN
    return _call(function, queued=command.queue_command, **target)


def _pixel(point):
    return [point.x, point.y]


def _call(function, **arguments):
    return Call(function, {name: np.array([value], np.int64) for name, value in arguments.items()})
