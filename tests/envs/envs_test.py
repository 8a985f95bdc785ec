import dataclasses

import pytest

from sc2impala import envs
from sc2impala.envs import maps
from tests.envs import fake_game


def test_specs_of_a_map_fit_together():
    observation_spec, action_spec = envs.make_specs('MoveToBeacon', screen_size=(20, 10))
    assert observation_spec.num_functions == action_spec.num_functions == 3
    assert observation_spec.screen_size == action_spec.screen_size == (20, 10)
    assert observation_spec.minimap_size == action_spec.minimap_size
    assert observation_spec.vectors == ('player',)


def test_sizes_are_those_of_the_map_unless_chosen(monkeypatch):
    changed = dataclasses.replace(maps.MAP_DEFAULTS['DefeatRoaches'], screen_size=(32, 32))
    monkeypatch.setitem(maps.MAP_DEFAULTS, 'DefeatRoaches', changed)
    observation_spec, action_spec = envs.make_specs('DefeatRoaches')
    assert observation_spec.screen_size == action_spec.screen_size == (32, 32)
    assert envs.make_specs('DefeatRoaches', screen_size=(8, 8))[1].screen_size == (8, 8)


def test_choices_replace_the_defaults_of_the_map():
    observation_spec, action_spec = envs.make_specs(
        'MoveToBeacon', ['no_op', 12], (8, 8), (6, 4), [], ['camera'], []
    )
    assert action_spec.function_names == ('no_op', 'Attack_screen')
    assert set(observation_spec.structure()) == {'available_actions', 'minimap'}
    assert observation_spec.structure()['minimap']['camera'].shape == (4, 6)


def test_unknown_maps_and_backends_are_named_with_the_known_ones(monkeypatch):
    fake_game.install(monkeypatch)
    with pytest.raises(ValueError, match="map_name is 'MoveToBacon', expected.*MoveToBeacon"):
        envs.make_specs('MoveToBacon')
    specs = envs.make_specs('MoveToBeacon')
    with pytest.raises(ValueError, match="backend is 'game', expected one of: simulator"):
        envs.make_environment('game', 'MoveToBeacon', [1], *specs, max_step_mul=8)


def test_the_simulator_is_made_with_what_was_chosen(monkeypatch):
    games = fake_game.install(monkeypatch)
    specs = envs.make_specs('MoveToBeacon')
    with envs.make_environment('simulator', 'MoveToBeacon', [8, 9], *specs, max_step_mul=4) as env:
        assert isinstance(env, envs.SimulatedEnvironment)
        assert (env.num_envs, env.max_step_mul) == (2, 4)
        assert (env.observation_spec, env.action_spec) == specs
    assert games[0].tape[0] == ('make', 'MoveToBeacon', (8, 9))
