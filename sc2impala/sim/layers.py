"""Names and scales of PySC2's feature layers.

A layer of scale n has values in 0..n - 1. [S] F.
"""

import numpy as np

SCREEN_SCALES = {
    'height_map': 256,
    'visibility_map': 4,
    'creep': 2,
    'power': 2,
    'player_id': 17,
    'player_relative': 5,
    'unit_type': 1962,
    'selected': 2,
    'unit_hit_points': 1600,
    'unit_hit_points_ratio': 256,
    'unit_energy': 1000,
    'unit_energy_ratio': 256,
    'unit_shields': 1000,
    'unit_shields_ratio': 256,
    'unit_density': 16,
    'unit_density_aa': 256,
    'effects': 16,
    'hallucinations': 2,
    'cloaked': 2,
    'blip': 2,
    'buffs': 290,
    'buff_duration': 256,
    'active': 2,
    'build_progress': 256,
    'pathable': 2,
    'buildable': 2,
    'placeholder': 2,
}

MINIMAP_SCALES = {
    'height_map': 256,
    'visibility_map': 4,
    'creep': 2,
    'camera': 2,
    'player_id': 17,
    'player_relative': 5,
    'selected': 2,
    'unit_type': 1962,
    'alerts': 2,
    'pathable': 2,
    'buildable': 2,
}


def dtype_of_scale(scale: int) -> np.dtype:
    """Returns the smallest unsigned dtype for values 0..scale - 1."""
    return np.min_scalar_type(scale - 1)


def number_of(name: str) -> int:
    """Returns the number of a layer: minimap and screen have the same numbers for their layers."""
    return (list(SCREEN_SCALES) + ['camera', 'alerts']).index(name)
