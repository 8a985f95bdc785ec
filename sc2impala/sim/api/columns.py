"""Names of the columns of vectors, those of PySC2's enumerations; imports nothing."""

PLAYER = (
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
)

SCORE_CUMULATIVE = (
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
)
