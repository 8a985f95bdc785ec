"""The feature layers of an episode, each in one byte per pixel."""

from typing import Any, Dict, List, Mapping, Sequence, Tuple

import numpy as np

from sc2impala.envs.specs import LayerSpec, ObservationSpec
from sc2impala.watch import packing, trace, units

MAX_BYTES = 700000
"""Size of the packed layers of an episode; the largest ones are left out above it."""

_LABELS = {
    'player_relative': ('none', 'self', 'ally', 'neutral', 'enemy'),
    'visibility_map': ('hidden', 'seen before', 'visible', 'fully hidden'),
}


def group_layers(spec: ObservationSpec) -> List[Tuple[str, LayerSpec]]:
    """Returns the layers of an observation with their group."""
    return [('screen', layer) for layer in spec.screen_layers] + [
        ('minimap', layer) for layer in spec.minimap_layers
    ]


def convert(
    spec: ObservationSpec, observations: Sequence[Mapping[str, Any]]
) -> Tuple[List[trace.Layer], List[str]]:
    """Converts the layers of one game.

    Args:
      spec: the layers.
      observations: T observations without the dimension of games; at least one.

    Returns:
      The layers that fit in MAX_BYTES, in the order of the spec, and the names of the others.
    """
    found = [
        _layer(group, layer, np.stack([each[group][layer.name] for each in observations]))
        for group, layer in group_layers(spec)
    ]
    sizes = [packing.size(packing.pack(layer.values)) for layer in found]
    kept, total = set(), 0
    for index in np.argsort(sizes, kind='stable').tolist():
        total += sizes[index]
        if total <= MAX_BYTES:
            kept.add(index)
    names = [f'{layer.group} {layer.name}' for layer in found]
    return (
        [layer for index, layer in enumerate(found) if index in kept],
        [name for index, name in enumerate(names) if index not in kept],
    )


def _layer(group: str, spec: LayerSpec, values: np.ndarray) -> trace.Layer:
    if not spec.categorical:
        top = max(int(values.max()), 1)
        if top > 255:
            values = np.round(values * (255.0 / top))
            return trace.Layer(group, spec.name, values.astype(np.uint8), [], float(top))
        return trace.Layer(group, spec.name, values.astype(np.uint8), [], 255.0)
    present = np.unique(values)
    known = _LABELS.get(spec.name, ())
    if spec.name == 'unit_type':
        labels = units.type_labels(present.tolist())
    else:
        labels = [known[v] if v < len(known) else str(v) for v in present.tolist()]
    codes = np.searchsorted(present, values).clip(0, 255).astype(np.uint8)
    return trace.Layer(group, spec.name, codes, labels, 0.0)


def first_game(observation: Mapping[str, Any], game: int) -> Dict[str, Any]:
    """Returns copies of the layers of one of K games."""
    return {
        group: {name: np.array(array[game]) for name, array in observation[group].items()}
        for group in ('screen', 'minimap')
        if group in observation
    }
