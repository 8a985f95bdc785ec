"""Counts of an observation, for `rewards.gains`; no TensorFlow here."""

from typing import Dict, Tuple

from sc2impala.sim.api import columns

COLUMNS: Dict[str, Tuple[str, ...]] = {
    'player': columns.PLAYER,
    'score_cumulative': columns.SCORE_CUMULATIVE,
}
"""By vector of the observation the names of its columns, those of PySC2's enumerations."""

EXPLORED, VISITED = 'explored', 'visited'

SHARES: Dict[str, str] = {EXPLORED: 'visibility_map', VISITED: 'visited'}
"""By name of a count a layer of the minimap: percent of its pixels that are not 0, which are those
seen now or before, and those that own units visit or did within `envs.visited.MEMORY_FRAMES`."""

COUNTS: Dict[str, Tuple[str, int]] = {
    count: (vector, index)
    for vector, counts in COLUMNS.items()
    for index, count in enumerate(counts)
}
"""By name of a count its vector and column."""
