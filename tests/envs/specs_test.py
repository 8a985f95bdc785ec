import dataclasses
import pickle

import numpy as np
import pytest

from sc2impala.envs import specs
from sc2impala.envs.pysc2_api import features


def make(screen_layers=(), minimap_layers=(), vectors=(), num_functions=3):
    return specs.make_observation_spec(
        (16, 12), (7, 5), screen_layers, minimap_layers, vectors, num_functions
    )


def test_structure_of_a_choice():
    spec = make(['selected', 'buffs'], ['camera'], ['player', 'game_loop'])
    uint8, uint16, int32 = (np.dtype(d) for d in ('uint8', 'uint16', 'int32'))
    assert spec.structure() == {
        'available_actions': specs.ArraySpec((3,), np.dtype('bool')),
        'game_loop': specs.ArraySpec((1,), int32),
        'minimap': {'camera': specs.ArraySpec((5, 7), uint8)},
        'player': specs.ArraySpec((11,), int32),
        'screen': {
            'buffs': specs.ArraySpec((12, 16), uint16),
            'selected': specs.ArraySpec((12, 16), uint8),
        },
    }


def test_keys_are_sorted_whatever_the_order_of_the_choice():
    structure = make(['selected', 'buffs'], 'all', ['player', 'game_loop']).structure()
    assert list(structure) == sorted(structure)
    assert list(structure['screen']) == ['buffs', 'selected']
    assert list(structure['minimap']) == sorted(structure['minimap'])


def test_empty_groups_are_left_out():
    assert set(make().structure()) == {'available_actions'}
    assert set(make(minimap_layers=['camera']).structure()) == {'available_actions', 'minimap'}


def test_layers_keep_the_order_of_the_choice_and_say_what_they_are():
    assert make(['unit_density', 'player_relative'], ['camera']).screen_layers == (
        specs.LayerSpec('unit_density', 16, False),
        specs.LayerSpec('player_relative', 5, True),
    )


def test_all_layers_are_those_of_pysc2():
    spec = make('all', 'all')
    for layers, table in (
        (spec.screen_layers, features.SCREEN_FEATURES),
        (spec.minimap_layers, features.MINIMAP_FEATURES),
    ):
        assert [layer.name for layer in layers] == [feature.name for feature in table]
        assert [layer.scale for layer in layers] == [feature.scale for feature in table]
    assert len(spec.screen_layers) == 27
    assert len(spec.minimap_layers) == 11
    assert [layer.name for layer in spec.screen_layers if not layer.categorical] == [
        'height_map',
        'unit_hit_points',
        'unit_hit_points_ratio',
        'unit_energy',
        'unit_energy_ratio',
        'unit_shields',
        'unit_shields_ratio',
        'unit_density',
        'unit_density_aa',
        'buff_duration',
        'build_progress',
    ]


@pytest.mark.parametrize(
    'scale,dtype', [(2, 'uint8'), (256, 'uint8'), (257, 'uint16'), (65536, 'uint16')]
)
def test_the_smallest_dtype_holds_the_scale(scale, dtype):
    assert specs.LayerSpec('layer', scale, True).dtype == np.dtype(dtype)


def test_vectors():
    structure = make(vectors='all').structure()
    del structure['available_actions']
    assert {name: spec.shape for name, spec in structure.items()} == {
        'action_result': (1,),
        'alerts': (8,),
        'build_queue': (5, 7),
        'control_groups': (10, 2),
        'feature_units': (256, 46),
        'game_loop': (1,),
        'multi_select': (specs.VECTOR_SHAPES['multi_select'][0], 7),
        'player': (11,),
        'production_queue': (5, 2),
        'score_cumulative': (13,),
        'single_select': (1, 7),
    }


def test_columns_of_vectors_are_those_of_pysc2():
    columns = {name: shape[-1] for name, shape in specs.VECTOR_SHAPES.items()}
    assert columns['player'] == len(features.Player)
    assert columns['score_cumulative'] == len(features.ScoreCumulative)
    assert columns['production_queue'] == len(features.ProductionQueue)
    assert columns['feature_units'] == len(features.FeatureUnit)
    for name in ('single_select', 'multi_select', 'build_queue'):
        assert columns[name] == len(features.UnitLayer)


def test_a_spec_can_be_pickled():
    spec = make('all', ['camera'], 'all')
    copy = pickle.loads(pickle.dumps(spec))
    assert copy == spec
    assert copy.structure() == spec.structure()


def test_bad_choices():
    for argument, value, complaint in [
        ('screen_size', (16, 0), 'screen_size is'),
        ('minimap_size', 64, 'minimap_size is 64'),
        (
            'screen_layers',
            ['player_relativ'],
            "screen_layers has 'player_relativ'.*player_relative",
        ),
        ('screen_layers', ['camera'], "screen_layers has 'camera'"),
        ('minimap_layers', ['power'], "minimap_layers has 'power'"),
        ('minimap_layers', ['camera', 'camera'], "minimap_layers has 'camera' 2 times"),
        ('vectors', ['screen'], "vectors has 'screen'"),
        ('vectors', 'player', "vectors is 'player', expected a list"),
        ('num_functions', 0, 'num_functions is 0'),
    ]:
        arguments = {
            'screen_size': (16, 12),
            'minimap_size': (7, 5),
            'screen_layers': ['selected'],
            'minimap_layers': [],
            'vectors': [],
            'num_functions': 3,
        }
        specs.make_observation_spec(**arguments)
        with pytest.raises(ValueError, match=complaint):
            specs.make_observation_spec(**dict(arguments, **{argument: value}))


def test_demonstrations_add_labels():
    spec = dataclasses.replace(make(), demonstration_heads=('function', 'screen', 'minimap'))
    integer = specs.ArraySpec((), np.dtype('int32'))
    boolean = specs.ArraySpec((), np.dtype('bool'))
    assert spec.structure()['demonstration'] == {
        'action': {'function': integer, 'minimap': integer, 'screen': integer},
        'plays': boolean,
        'step_mul': integer,
        'valid': boolean,
    }
    assert list(spec.structure()) == ['available_actions', 'demonstration']
    assert make() == dataclasses.replace(spec, demonstration_heads=())
