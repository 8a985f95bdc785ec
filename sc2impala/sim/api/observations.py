"""Writes observations into the protocol's messages."""

from typing import Any, Mapping

import numpy as np

from sc2impala.sim import layers
from sc2impala.sim.api import abilities, columns, images
from sc2impala.sim.api.raw import percent

_MELEE_SCORE = 2
_UNIT_FIELDS = (
    'unit_type',
    'player_relative',
    'health',
    'shields',
    'energy',
    'transport_slots_taken',
)


def write(message: Any, observed: Mapping[str, Any]) -> None:
    """Writes an Observation message, except for raw data.

    Args:
      message: the Observation.
      observed: the result of `GameBatch.observe`, of a batch of one game.
    """
    message.game_loop = int(observed['game_loop'][0, 0])
    for name, value in zip(columns.PLAYER, observed['player'][0].tolist()):
        setattr(message.player_common, name, value)
    message.alerts.extend(code for code in observed['alerts'][0].tolist() if code)
    for ability, requires_point in abilities.offered(observed['available_actions'][0]):
        message.abilities.add(ability_id=ability, requires_point=requires_point)
    score, *details = observed['score_cumulative'][0].tolist()
    message.score.score_type, message.score.score = _MELEE_SCORE, score
    for name, value in zip(columns.SCORE_CUMULATIVE[1:], details):
        setattr(message.score.score_details, name, value)
    _write_panels(message.ui_data, observed)
    if observed['screen']:
        data = message.feature_layer_data
        images.write_layers(data.renders, observed['screen'], layers.SCREEN_SCALES)
        images.write_layers(data.minimap_renders, observed['minimap'], layers.MINIMAP_SCALES)


def _write_panels(panels: Any, observed: Mapping[str, Any]) -> None:
    """Writes an ObservationUI: control groups, selected units and queues."""
    for index, (leader, count) in enumerate(observed['control_groups'][0].tolist()):
        if count:
            panels.groups.add(control_group_index=index, leader_unit_type=leader, count=count)
    queued = int(observed['build_queue_count'][0])
    if queued:
        _write_unit(panels.production.unit, observed['single_select'][0, 0])
        for row in observed['build_queue'][0, :queued]:
            _write_unit(panels.production.build_queue.add(), row)
        for ability, progress in observed['production_queue'][0, :queued].tolist():
            panels.production.production_queue.add(
                ability_id=ability, build_progress=percent(progress)
            )
    elif observed['single_select_count'][0]:
        _write_unit(panels.single.unit, observed['single_select'][0, 0])
    else:
        for row in observed['multi_select'][0, : int(observed['multi_select_count'][0])]:
            _write_unit(panels.multi.units.add(), row)


def _write_unit(message: Any, row: np.ndarray) -> None:
    """Writes a UnitInfo from a row int [7]; see `observation.selection`."""
    *numbers, progress = row.tolist()
    for name, value in zip(_UNIT_FIELDS, numbers):
        setattr(message, name, value)
    message.build_progress = percent(progress)
