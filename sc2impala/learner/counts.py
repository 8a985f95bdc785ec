"""Names of what the vectors of an observation count, for `gains`; no TensorFlow here."""

from typing import Dict, Tuple

COLUMNS: Dict[str, Tuple[str, ...]] = {
    'player': (
        'player_id',
        'minerals',
        'vespene',
        'food_used',
        'food_cap',
        'food_army',
        'food_workers',
        'idle_worker_count',
        'army_count',
        'warp_gate_count',
        'larva_count',
    ),
    'score_cumulative': (
        'score',
        'idle_production_time',
        'idle_worker_time',
        'total_value_units',
        'total_value_structures',
        'killed_value_units',
        'killed_value_structures',
        'collected_minerals',
        'collected_vespene',
        'collection_rate_minerals',
        'collection_rate_vespene',
        'spent_minerals',
        'spent_vespene',
    ),
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
