"""The synthetic environment keeps the contract and has the shapes of the map."""

import numpy as np
import pytest

from sc2impala import envs
from sc2impala.envs import synthetic
from tests.envs import contract


def _make(map_name, seeds=(3, 4, 5), max_episode_frames=None, **kwargs):
    specs = envs.make_specs(map_name, **kwargs)
    return envs.make_environment(
        'synthetic', map_name, list(seeds), *specs, 9, max_episode_frames=max_episode_frames
    )


@pytest.mark.parametrize('map_name', ['Frames', 'FindAndDefeatZerglings'])
def test_contract(map_name):
    contract.check_vector_environment(
        lambda: _make(map_name, screen_size=(8, 6), minimap_size=(4, 4), vectors=['player'])
    )


def test_contract_of_truncated_episodes():
    contract.check_vector_environment(
        lambda: _make('Frames', screen_size=(8, 6), max_episode_frames=50), max_steps=60
    )


def test_frames_are_what_others_are_measured_on():
    observation_spec, action_spec = envs.make_specs('Frames')
    assert {name: spec.shape for name, spec in observation_spec.structure()['screen'].items()} == {
        'height_map': (72, 96),
        'unit_hit_points_ratio': (72, 96),
        'unit_shields_ratio': (72, 96),
    }
    assert 'minimap' not in observation_spec.structure()
    assert {layer.dtype for layer in observation_spec.screen_layers} == {np.dtype(np.uint8)}
    assert {layer.scale for layer in observation_spec.screen_layers} == {256}
    assert action_spec.heads == {'function': 9}


def test_layers_keep_to_their_scales_and_use_them():
    env = _make('DefeatZerglingsAndBanelings', screen_layers='all', minimap_layers='all')
    observation = env.reset()
    spec = env.observation_spec
    for group, layers in (('screen', spec.screen_layers), ('minimap', spec.minimap_layers)):
        for layer in layers:
            values = observation[group][layer.name]
            assert values.max() < layer.scale
            assert len(np.unique(values)) > min(layer.scale, 50) * 0.9
    assert observation['available_actions'].all()


def test_observations_come_in_turn_and_differ():
    env = _make('Frames', screen_size=(8, 6))
    action = {'function': np.zeros([3], np.int32)}
    seen = [env.reset()['screen']['height_map']]
    for _ in range(2 * synthetic.NUM_OBSERVATIONS):
        seen.append(env.step(action, np.full([3], 8)).observation['screen']['height_map'])
    first = seen[: synthetic.NUM_OBSERVATIONS]
    assert len({frame.tobytes() for frame in first}) == synthetic.NUM_OBSERVATIONS
    for index, frame in enumerate(seen):
        np.testing.assert_array_equal(frame, first[index % synthetic.NUM_OBSERVATIONS])


def test_a_game_does_not_depend_on_the_others():
    alone, together = (_make('Frames', seeds) for seeds in ([4], [3, 4]))
    one, two = alone.reset()['screen'], together.reset()['screen']
    for name in one:
        np.testing.assert_array_equal(one[name][0], two[name][1])
        assert not np.array_equal(two[name][0], two[name][1])
