"""Constants of the rules that can be set by name, so that a variant needs no compilation.

A variant is a mapping from names to numbers: the names are those of CONSTANTS, and a unit type with
a column of its data, as in {'facing': 1, 'marine.damage_point': 2.0}.
"""

import difflib
import numbers
from typing import Any, Dict, List, Mapping, NamedTuple, Sequence, Tuple

import numpy as np

from sc2impala.sim import unit_types
from sc2impala.sim.unit_types import UnitType


class Constant(NamedTuple):
    """A number of the rules that can be set.

    default: its value.
    low, high: the smallest and the largest value.
    dtype: its type in the record; a whole number if it is an integer.
    """

    default: float
    low: float
    high: float
    dtype: Any = np.float64


CONSTANTS = {
    # Distance of the farthest unit from the mean position of a group that keeps its formation. 0:
    # groups that are sent to a point never keep it. [S] replays
    'formation_radius': Constant(0.0, 0.0, 100.0),
    # Between the centres of a marine and a shard that it picks up: 1 from edge to edge. [S] GD
    'shard_reach': Constant(1.875, 0.0, 100.0),
    'shard_period': Constant(8, 1, 1000, np.int32),  # Frames between two tries of a shard. [S] GD
    'shard_delay': Constant(2, 0, 1000, np.int32),  # From a try to the removal. [S] replays
    # Added to the weapon period and its random delay before the sum is truncated to whole frames. A
    # fit: see docs/concepts/simulator.md.
    'own_pause_rounding': Constant(0.0, 0.0, 1.0),
    'enemy_pause_rounding': Constant(0.5, 0.0, 1.0),
    # Whether a unit has to face its target to start an attack. [U] Walking ignores it. [S] replays
    'facing': Constant(0, 0, 1, np.uint8),
    'turn_rate': Constant(999.84, 1.0, 1e6),  # Degrees per second. [S] GD
    'weapon_arc': Constant(11.25, 0.0, 180.0),  # Degrees between facing and target. [S] GD
    # Whether the splash radius starts at the edge of the unit that explodes, not at its centre. [U]
    'splash_from_edge': Constant(0, 0, 1, np.uint8),
    # From edge to edge; a unit drops targets that are farther. That a target out of the weapon's
    # range is dropped for a nearer one: [S] docs/concepts/simulator.md. The distance: [U]
    'pursuit_range': Constant(11.0, 0.0, 100.0),
    'reaction_loops': Constant(8, 1, 1000, np.int32),  # Between searches of an idle unit. [U]
    'mineral_loops': Constant(45, 1, 1000, np.int32),  # 2.786 seconds at a mineral field. [S] GD
    'gas_loops': Constant(32, 1, 1000, np.int32),  # 1.981 seconds in a refinery. [S] GD
    'return_loops': Constant(8, 0, 1000, np.int32),  # 0.5 seconds after a delivery. [S] GD, [A]
    # Between two workers on a mineral field. It limits a field with three workers to 102 minerals
    # per minute, so that two published agents reach their published scores in BuildMarines. [U]
    'handover_loops': Constant(2, 0, 1000, np.int32),
}
"""Constants by name, which is that of their field in the record `rules`."""

COLUMNS = {
    'health': Constant(0, 1, 10000, np.int32),
    'radius': Constant(0, 0.1, 5.0),
    'speed': Constant(0, 0.0, 5.0),
    'armor': Constant(0, 0, 1000, np.int32),
    'is_light': Constant(0, 0, 1, np.uint8),
    'sight': Constant(0, 0.0, 32.0),
    'food': Constant(0, 0, 100, np.int32),
    'food_provided': Constant(0, 0, 100, np.int32),
    'minerals': Constant(0, 0, 10000, np.int32),
    'vespene': Constant(0, 0, 10000, np.int32),
    'build_loops': Constant(0, 1, 10000, np.int32),
    'contents': Constant(0, 0, 10000, np.int32),
    'damage': Constant(0, 0, 1000, np.int32),
    'bonus_to_light': Constant(0, 0, 1000, np.int32),
    'weapon_range': Constant(0, 0.0, 32.0),
    'weapon_period': Constant(0, 0.0, 1000.0),
    'damage_point': Constant(0, 0.0, 1000.0),
    'backswing': Constant(0, 0.0, 1000.0),
    'missile_speed': Constant(0, 0.0, 100.0),
    'missile_min_range': Constant(0, 0.0, 32.0),
    'splash_radius': Constant(0, 0.0, 32.0),
    'regeneration': Constant(0, 0.0, 1000.0),
}
"""Columns of the data of unit types that can be set, see UnitType; their defaults are there."""

_SMALLEST = 1e-3
"""No value is closer to zero, so that quotients remain finite."""

_UNIT_NAMES = {
    value.unit_type: name.lower()
    for name, value in vars(unit_types).items()
    if isinstance(value, UnitType)
}


def names(types: Sequence[UnitType]) -> List[str]:
    """Returns the names of all that can be set on a map with these unit types."""
    columns = [f'{_UNIT_NAMES[t.unit_type]}.{column}' for t in types for column in COLUMNS]
    return list(CONSTANTS) + columns


def apply(
    types: Sequence[UnitType], variant: Mapping[str, float]
) -> Tuple[Tuple[UnitType, ...], Dict[str, float]]:
    """Applies a variant to the rules of a map.

    Args:
      types: the unit types of the map.
      variant: values by name.

    Returns:
      the unit types with the data of the variant, and its values of CONSTANTS.

    Raises:
      ValueError: if a name is unknown on the map, or a value is not a number in its range.
    """
    known = names(types)
    constants: Dict[str, float] = {}
    columns: Dict[str, Dict[str, Any]] = {}
    for name, value in variant.items():
        if name not in known:
            nearest = difflib.get_close_matches(name, known, n=3, cutoff=0)
            raise ValueError(
                f'rules has {name!r}, expected a known name, such as the nearest ones: '
                f'{", ".join(nearest)}.'
            )
        unit, _, column = name.rpartition('.')
        constant = COLUMNS[column] if unit else CONSTANTS[name]
        checked = _check(name, value, constant)
        if unit:
            columns.setdefault(unit, {})[column] = checked
        else:
            constants[name] = checked
    varied = [t._replace(**columns.get(_UNIT_NAMES[t.unit_type], {})) for t in types]
    return tuple(varied), constants


def _check(name: str, value: Any, constant: Constant) -> float:
    """Returns a value of a constant, an int if the constant is whole.

    Raises:
      ValueError: if the value is not one.
    """
    is_whole = np.issubdtype(constant.dtype, np.integer)
    is_number = isinstance(value, (numbers.Real, np.bool_))
    is_valid = is_number and constant.low <= value <= constant.high
    if is_valid and is_whole:
        is_valid = float(value) == int(value)
    if not is_valid or 0 < abs(value) < _SMALLEST:
        kind = 'an integer' if is_whole else 'a number'
        raise ValueError(
            f'rules[{name!r}] is {value!r}, '
            f'expected {kind} from {constant.low:g} to {constant.high:g}.'
        )
    return int(value) if is_whole else float(value)
