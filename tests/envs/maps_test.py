import pytest

from sc2impala import envs, sim
from sc2impala.envs import maps


@pytest.mark.parametrize('map_name', sorted(maps.MAP_DEFAULTS))
def test_defaults_are_known_to_pysc2(map_name):
    defaults = maps.MAP_DEFAULTS[map_name]
    observation_spec, action_spec = envs.make_specs(map_name)
    assert action_spec.function_names == defaults.functions
    assert action_spec.screen_size == observation_spec.screen_size == defaults.screen_size
    assert action_spec.minimap_size == observation_spec.minimap_size == defaults.minimap_size
    assert observation_spec.vectors == defaults.vectors
    screen_layers = tuple(layer.name for layer in observation_spec.screen_layers)
    assert screen_layers == defaults.screen_layers
    assert tuple(layer.name for layer in observation_spec.minimap_layers) == defaults.minimap_layers
    assert defaults.episode_frames % 16 == 0


@pytest.mark.parametrize('map_name', sorted(maps.MAP_DEFAULTS))
def test_orders_on_the_minimap_go_with_a_minimap_to_look_at(map_name):
    defaults = maps.MAP_DEFAULTS[map_name]
    takes_minimap = any(name.endswith('_minimap') for name in defaults.functions)
    assert takes_minimap == bool(defaults.minimap_layers)


def test_every_simulated_map_has_defaults_of_its_length():
    for map_name in sim.MAP_NAMES:
        game = sim.make(map_name, [1], (16, 16), (16, 16))
        assert game.episode_loops == maps.MAP_DEFAULTS[map_name].episode_frames


def test_only_simulated_maps_are_offered():
    assert sorted(envs.MAP_NAMES) == sorted(sim.MAP_NAMES)
