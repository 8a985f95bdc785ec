"""Counts of an observation, for `rewards.gains`; no TensorFlow here."""

from typing import Dict, Tuple

from sc2impala.sim.api import columns

COLUMNS: Dict[str, Tuple[str, ...]] = {
    'player': columns.PLAYER,
    'score_cumulative': columns.SCORE_CUMULATIVE,
}
"""Names of the columns of observation vectors, from PySC2's enumerations."""

EXPLORED, VISITED = 'explored', 'visited'

SHARES: Dict[str, str] = {EXPLORED: 'visibility_map', VISITED: 'visited'}
"""Layer of the minimap by name of a count: percent of its nonzero pixels. These are the pixels
seen now or before, and the pixels visited by own units within `envs.visited.MEMORY_FRAMES`."""

COUNTS: Dict[str, Tuple[str, int]] = {
    count: (vector, index)
    for vector, counts in COLUMNS.items()
    for index, count in enumerate(counts)
}
"""Vector and column by name of a count."""
