"""The trace of a player: its map, its actions, and what it saw and chose in recorded episodes.

T is the number of agent steps of an episode, S the number of unit slots that it uses. Coordinates
of the world are in cells, x to the right and y up; those of pixels are (x, y) from the top left.
"""

from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Sequence, Tuple

import numpy as np

from sc2impala.watch import packing

VERSION = 1
"""Version of the JSON that `to_json` returns and the page reads."""

POLICY, VALUES, SCRIPT = 'policy', 'values', 'script'
"""Kinds of players: with probabilities, with action values, and with choices only."""

ABSENT = 255
"""Type of a slot without a unit."""

POSITION_SCALE = 512
"""Positions are stored in this fraction of a cell."""

SELECTED, SEEN, UNFINISHED = 1, 2, 4
"""Bits of the flags of a unit: selected; seen by the player; a building under construction."""


class UnitType(NamedTuple):
    """A type of units: name; radius in cells; hit points; columns and rows of a building, or 0."""

    name: str
    radius: float
    health: float
    footprint: Sequence[int]


class World(NamedTuple):
    """A map.

    map_name: its name.
    playable: left, right, bottom and top of the region of the units.
    view: the same of the region to show.
    minimap: the same of the region that the minimap layers show.
    screen_extent: side of the square that the screen layers show, in cells.
    camera_moves: whether the player can move that square.
    frames: length of a full episode.
    unit_types: the type of a unit is an index into them.
    """

    map_name: str
    playable: Sequence[float]
    view: Sequence[float]
    minimap: Sequence[float]
    screen_extent: float
    camera_moves: bool
    frames: int
    unit_types: Sequence[UnitType]


class Head(NamedTuple):
    """A head of the action.

    name: its name. choices: their number. size: (width, height) of a point in pixels, else empty.
    """

    name: str
    choices: int
    size: Tuple[int, ...]


class Player(NamedTuple):
    """A player.

    name: the name of its run without folders, or of its script.
    about: short phrases, such as its checkpoint.
    kind: POLICY, VALUES or SCRIPT.
    functions: names of the functions that it may call.
    heads: 'function', the argument heads, and 'step_mul' if it is chosen.
    head_used: for each function the names of the argument heads that it uses.
    fixed_arguments: values of arguments without a head.
    value_note: how rewards and advantages are computed, a sentence; empty without values.
    """

    name: str
    about: Sequence[str]
    kind: str
    functions: Sequence[str]
    heads: Sequence[Head]
    head_used: Sequence[Sequence[str]]
    fixed_arguments: Mapping[str, int]
    value_note: str


class Units(NamedTuple):
    """The units at every agent step, arrays [T, S].

    type: uint8, ABSENT where there is no unit. owner: uint8, 1 own, 2 enemy, 16 neutral.
    x, y: uint16, in units of 1 / POSITION_SCALE cells. health: uint16, rounded up.
    facing: uint8, counterclockwise from x, 256 in a circle. flags: uint8, bits named above.
    order: uint8, kind of the current order, see `sim.orders`. target_x, target_y: uint16, where to.
    mobile: number of the first slots, whose units can move.
    """

    type: np.ndarray
    owner: np.ndarray
    x: np.ndarray
    y: np.ndarray
    health: np.ndarray
    facing: np.ndarray
    flags: np.ndarray
    order: np.ndarray
    target_x: np.ndarray
    target_y: np.ndarray
    mobile: int


class Choices(NamedTuple):
    """The choices of an episode, and their distribution.

    chosen: by head int32 [T]; 'step_mul' is the number of frames, also if it is fixed.
    available: bool [T, F], functions that could be called.
    probabilities: by head that is no point uint16 [T, choices], in units of 1 / 65535. Of a
      player of kind VALUES: values, from 0 for the lowest to 65535 for the highest of the step.
    probability: by head float32 [T], of the chosen value; of a point, its pixel.
    heat: by point head uint8 [N, h, w] of the N steps whose function uses the head: the square root
      of the probability, 255 for the most probable cell. A cell is one or several pixels.
    peak: by point head float32 [T], probability of the most probable cell.
    entropy: by head float32 [T], in nats.
    """

    chosen: Mapping[str, np.ndarray]
    available: np.ndarray
    probabilities: Mapping[str, np.ndarray]
    probability: Mapping[str, np.ndarray]
    heat: Mapping[str, np.ndarray]
    peak: Mapping[str, np.ndarray]
    entropy: Mapping[str, np.ndarray]


class Layer(NamedTuple):
    """A feature layer of an episode.

    group: 'screen' or 'minimap'. name: PySC2's. values: uint8 [T, H, W].
    labels: what the values stand for if they are categories, else empty.
    top: the amount that 255 stands for if values are amounts, else 0.
    """

    group: str
    name: str
    values: np.ndarray
    labels: Sequence[str]
    top: float


class Episode(NamedTuple):
    """An episode.

    number: from 0, in the order of the seeds.
    frames: int32 [T + 1], environment frame of every step, and of the end.
    camera: uint16 [T, 2], centre of the screen, in units of 1 / POSITION_SCALE cells.
    rewards: float32 [T], of the game, after each step.
    values: float32 [T], the baseline; None without one, also for the next two.
    advantages: float32 [T], temporal difference errors. returns: float32 [T], discounted.
    left_out: names of layers that were left out to limit the size.
    """

    number: int
    frames: np.ndarray
    camera: np.ndarray
    rewards: np.ndarray
    values: Optional[np.ndarray]
    advantages: Optional[np.ndarray]
    returns: Optional[np.ndarray]
    units: Units
    choices: Choices
    layers: Sequence[Layer]
    left_out: Sequence[str]


class Trace(NamedTuple):
    """The recorded episodes of one player."""

    world: World
    player: Player
    episodes: Sequence[Episode]


def to_json(trace: Trace) -> Dict[str, Any]:
    """Returns the content of a trace as values of JSON; see `packing` for arrays."""
    return {
        'version': VERSION,
        'position_scale': POSITION_SCALE,
        'world': dict(trace.world._asdict(), unit_types=_records(trace.world.unit_types)),
        'player': dict(trace.player._asdict(), heads=_records(trace.player.heads)),
        'episodes': [_episode(episode) for episode in trace.episodes],
    }


def _episode(episode: Episode) -> Dict[str, Any]:
    content = episode._asdict()
    content['units'] = episode.units._asdict()
    content['choices'] = episode.choices._asdict()
    content['layers'] = _records(episode.layers)
    content['steps'] = len(episode.rewards)
    content['score'] = float(episode.rewards.sum())
    return _packed(content)


def _records(tuples: Sequence[Any]) -> List[Dict[str, Any]]:
    return [dict(each._asdict()) for each in tuples]


def _packed(value: Any) -> Any:
    """Replaces the arrays in a nested structure."""
    if isinstance(value, np.ndarray):
        return packing.pack(value)
    if isinstance(value, Mapping):
        return {name: _packed(each) for name, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_packed(each) for each in value]
    return value
