"""Writes observations into the protocol's messages: vectors, scores and images of layers.

In `score_by_category`, marines are army, buildings that train them technology, everything else
economy. [A] The rows of what was killed, lost and used in total are zero.
"""

from typing import Any, Mapping

import numpy as np

from sc2impala.sim import functions, layers
from sc2impala.sim.api import abilities, columns
from sc2impala.sim.api.raw import percent
from sc2impala.sim.unit_types import SELF, UnitType

_WIDE = ('unit_type', 'unit_hit_points', 'unit_energy', 'unit_shields', 'buffs')
"""Layers with 32 bits per pixel. [S] OBS"""

_BITS_PER_BYTE = 8


def write_layers(message: Any, images: Mapping[str, np.ndarray], scales: Mapping[str, int]) -> None:
    """Writes all layers, as the game does: the viewer of PySC2 needs those that are all zero, too.

    Args:
      message: FeatureLayers or FeatureLayersMinimap.
      images: layer -> unsigned [1, height, width].
      scales: layer -> number of values.
    """
    for name, image in images.items():
        write_image(getattr(message, name), image[0], bits_per_pixel(name, scales[name]))


def bits_per_pixel(name: str, scale: int) -> int:
    """Returns the number of bits per pixel of a layer: 1, 8 or 32."""
    if name in _WIDE:
        return 32
    return 1 if scale <= 2 else 8


def write_image(message: Any, image: np.ndarray, bits: int) -> None:
    """Writes one image, unsigned or bool [height, width], into an ImageData message."""
    height, width = image.shape
    message.bits_per_pixel = bits
    message.size.x, message.size.y = width, height
    if not np.count_nonzero(image):
        # Most layers of a mini-game are all zero: this is faster than packing them.
        message.data = bytes(-(-height * width * bits // _BITS_PER_BYTE))
    elif bits == 1:
        message.data = np.packbits(image).tobytes()
    else:
        message.data = image.astype('<i4' if bits == 32 else np.uint8).tobytes()


def write_category_scores(details: Any, game: Any) -> None:
    """Writes the categories of a ScoreDetails message.

    Args:
      details: the message.
      game: `GameBatch` of one game.
    """
    g = game.games[0]
    complete = (g.alive != 0) & (g.owner == SELF) & (g.unfinished == 0)
    counts = np.bincount(g.type[complete], minlength=len(game.unit_types)).tolist()
    for unit_type, count in zip(game.unit_types, counts):
        category = _category(unit_type)
        for field, amount in (
            (details.food_used, unit_type.food),
            (details.used_minerals, unit_type.minerals),
            (details.used_vespene, unit_type.vespene),
        ):
            setattr(field, category, getattr(field, category) + count * amount)


def _category(unit_type: UnitType) -> str:
    if unit_type.is_army:
        return 'army'
    return 'technology' if functions.TRAIN_MARINE_QUICK in unit_type.functions else 'economy'


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
        write_layers(data.renders, observed['screen'], layers.SCREEN_SCALES)
        write_layers(data.minimap_renders, observed['minimap'], layers.MINIMAP_SCALES)


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
