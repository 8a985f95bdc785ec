"""Observation specs: the chosen feature layers and vectors with their shapes, dtypes and scales.

The observation of one environment is a nested dict of arrays,

    {'available_actions': bool [F],
     'screen': {layer: unsigned int [H, W]}, 'minimap': {layer: unsigned int [h, w]},
     vector: int32 [...]},

where F is the number of functions that the agent may choose from. Names, scales and types of the
layers are read from PySC2's own tables. Sizes are (width, height), as in PySC2; arrays are
[height, width].

On several maps there is one more key, 'task': int32 [], the index of the map in the run.

With demonstrations there is another one, which is not for the agent but for what trains it:

    'demonstration': {'action': {head: int32 []}, 'step_mul': int32 [], 'plays': bool [],
                      'valid': bool []}

is the demonstrator's choice on this observation, a label for the action on it. There
is no label where `valid` is false; where `plays` is true the label is executed. A demonstrator that
compares candidates adds

    'candidates': {'action': {head: int32 [M]}, 'weights': float32 [M]},

a distribution over M actions. Weights of 0 throughout mean that only the label is known.
"""

import dataclasses
from typing import Any, Dict, Iterable, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

import numpy as np

from sc2impala import sim
from sc2impala.envs import checks, pysc2_api
from sc2impala.structs import DEMONSTRATION, TASK, Nest

VECTOR_SHAPES = {
    'player': (11,),
    'single_select': (1, 7),
    'multi_select': (sim.MAX_SELECTED, 7),
    'control_groups': (10, 2),
    'score_cumulative': (13,),
    'game_loop': (1,),
    'action_result': (1,),
    'alerts': (sim.MAX_ALERTS,),
    'build_queue': (sim.MAX_QUEUE, 7),
    'production_queue': (sim.MAX_QUEUE, 2),
    'feature_units': (sim.MAX_FEATURE_UNITS, 46),
}
"""Shapes of the int32 vectors that may be chosen; rows without a unit are zero.

The numbers of columns come from PySC2's enumerations; a test compares them.
"""


ORDERED, VISITED = 'ordered', 'visited'


class OwnLayer(NamedTuple):
    """A layer of this package, of labels. group: out of GROUPS. num_labels: number of its values.

    It can be chosen by name, and is not among 'all' layers.
    """

    group: str
    num_labels: int


OWN_LAYERS = {ORDERED: OwnLayer('screen', 5), VISITED: OwnLayer('minimap', 6)}
"""See the modules `ordered` and `visited`."""

GROUPS = ('screen', 'minimap')
"""The keys of an observation with layers."""

MASK = 'available_actions'
"""The key of the mask of functions in an observation."""


@dataclasses.dataclass(frozen=True)
class ArraySpec:
    """Shape and dtype of one array. Not a tuple, so that `tf.nest` treats it as a leaf."""

    shape: Tuple[int, ...]
    dtype: np.dtype


@dataclasses.dataclass(frozen=True)
class LayerSpec:
    """One feature layer.

    name: PySC2's name.
    scale: number of values of a categorical layer, which are 0..scale - 1; for a scalar layer, an
        upper bound that is rarely exceeded.
    categorical: whether the values are labels (to embed) or amounts (to scale).
    bins: equal parts into which an agent divides the amounts, besides scaling them; see
        `agents.preprocessing`.
    """

    name: str
    scale: int
    categorical: bool
    bins: int = 0

    @property
    def dtype(self) -> np.dtype:
        """The smallest unsigned dtype for the scale."""
        return np.min_scalar_type(self.scale - 1)


@dataclasses.dataclass(frozen=True)
class ObservationSpec:
    """The observation space of one environment; made by `make_observation_spec`.

    screen_size, minimap_size: (width, height) in pixels.
    screen_layers, minimap_layers: LayerSpecs in the order chosen; possibly none.
    vectors: names in the order chosen; possibly none.
    num_functions: length of the mask `available_actions`.
    demonstration_heads: names of the heads of the actions of a demonstrator; none if there are no
        demonstrations.
    num_candidates: M, candidates of a demonstrator that compares them; 0 for none.
    units_size: (width, height) of the screen in whose pixels `feature_units` gives positions and
        radii; None for `screen_size`. Only the simulator can have another one.
    num_tasks: number of maps of a run on several maps; 0 on a single one.
    """

    screen_size: Tuple[int, int]
    minimap_size: Tuple[int, int]
    screen_layers: Tuple[LayerSpec, ...]
    minimap_layers: Tuple[LayerSpec, ...]
    vectors: Tuple[str, ...]
    num_functions: int
    demonstration_heads: Tuple[str, ...] = ()
    num_candidates: int = 0
    units_size: Optional[Tuple[int, int]] = None
    num_tasks: int = 0

    def structure(self) -> Dict[str, Nest]:
        """Returns the nested dict of ArraySpecs of one environment, keys in alphabetical order.

        A group without layers is left out.
        """
        specs: Dict[str, Any] = {
            name: ArraySpec(VECTOR_SHAPES[name], np.dtype(np.int32)) for name in self.vectors
        }
        specs['available_actions'] = ArraySpec((self.num_functions,), np.dtype(np.bool_))
        if self.screen_layers:
            specs['screen'] = _layer_arrays(self.screen_layers, self.screen_size)
        if self.minimap_layers:
            specs['minimap'] = _layer_arrays(self.minimap_layers, self.minimap_size)
        if self.num_tasks:
            specs[TASK] = ArraySpec((), np.dtype(np.int32))
        if self.demonstration_heads:
            specs[DEMONSTRATION] = _demonstration(self.demonstration_heads, self.num_candidates)
        return _sorted_by_key(specs)


def make_observation_spec(
    screen_size: Tuple[int, int],
    minimap_size: Tuple[int, int],
    screen_layers: Union[str, Iterable[str]],
    minimap_layers: Union[str, Iterable[str]],
    vectors: Union[str, Iterable[str]],
    num_functions: int,
) -> ObservationSpec:
    """Makes the spec of the chosen layers and vectors.

    Args:
      screen_size: (width, height) of the screen layers in pixels.
      minimap_size: (width, height) of the minimap layers in pixels.
      screen_layers: names of PySC2 screen layers or ORDERED, or 'all' for those of PySC2 in its
        order.
      minimap_layers: names of PySC2 minimap layers or VISITED, or 'all', as above.
      vectors: names out of VECTOR_SHAPES, or 'all'.
      num_functions: number of functions that the agent chooses from.

    Raises:
      ValueError: if a size or number is not positive, or a name is unknown or repeated.
    """
    return ObservationSpec(
        checks.check_size('screen_size', screen_size),
        checks.check_size('minimap_size', minimap_size),
        _choose_layers('screen', screen_layers),
        _choose_layers('minimap', minimap_layers),
        checks.check_names('vectors', vectors, VECTOR_SHAPES),
        checks.check_positive('num_functions', num_functions),
    )


def flatten(observation: Mapping[str, Nest]) -> Dict[str, Nest]:
    """Returns a dict without nesting, as gymnasium's spaces have it: 'screen_<layer>' and so on.

    Args:
      observation: nested as described above, or flat already.
    """
    flat: Dict[str, Any] = {}
    for name, value in observation.items():
        if name in GROUPS:
            flat.update((f'{name}_{layer}', array) for layer, array in value.items())
        else:
            flat[name] = value
    return flat


def with_layers(spec: ObservationSpec, group: str, names: Iterable[str]) -> ObservationSpec:
    """Returns the spec with other layers of a group.

    Args:
      group: out of GROUPS.
      names: of PySC2's layers or of OWN_LAYERS.
    """
    layers: Dict[str, Any] = {group + '_layers': _choose_layers(group, tuple(names))}
    return dataclasses.replace(spec, **layers)


def _choose_layers(group: str, names: Union[str, Iterable[str]]) -> Tuple[LayerSpec, ...]:
    """Looks up layers of a group in PySC2's table, a namedtuple of features, and in OWN_LAYERS."""
    features = pysc2_api.features
    table = {'screen': features.SCREEN_FEATURES, 'minimap': features.MINIMAP_FEATURES}[group]
    own = {name: layer for name, layer in OWN_LAYERS.items() if layer.group == group}
    known = table._fields if isinstance(names, str) else (*table._fields, *own)
    return tuple(
        LayerSpec(name, own[name].num_labels, True)
        if name in own
        else _layer_spec(getattr(table, name))
        for name in checks.check_names(group + '_layers', names, known)
    )


def _layer_spec(feature: Any) -> LayerSpec:
    categorical = feature.type == pysc2_api.features.FeatureType.CATEGORICAL
    return LayerSpec(feature.name, int(feature.scale), categorical)


def _layer_arrays(layers: Sequence[LayerSpec], size: Tuple[int, int]) -> Dict[str, ArraySpec]:
    width, height = size
    return _sorted_by_key({layer.name: ArraySpec((height, width), layer.dtype) for layer in layers})


def _demonstration(heads: Sequence[str], num_candidates: int) -> Dict[str, Nest]:
    integer, boolean = ArraySpec((), np.dtype(np.int32)), ArraySpec((), np.dtype(np.bool_))
    specs: Dict[str, Nest] = {
        'action': _sorted_by_key(dict.fromkeys(heads, integer)),
        'plays': boolean,
        'step_mul': integer,
        'valid': boolean,
    }
    if num_candidates:
        integers = ArraySpec((num_candidates,), np.dtype(np.int32))
        specs['candidates'] = {
            'action': _sorted_by_key(dict.fromkeys(heads, integers)),
            'weights': ArraySpec((num_candidates,), np.dtype(np.float32)),
        }
    return _sorted_by_key(specs)


def _sorted_by_key(mapping: Mapping[str, Nest]) -> Dict[str, Nest]:
    return {key: mapping[key] for key in sorted(mapping)}
