"""What settings may be, and how their text is read."""

import math

import pytest

from sc2impala import envs
from sc2impala.runtime import config as config_lib
from sc2impala.runtime.errors import UserError


def make(**settings):
    return config_lib.Config(**settings)


def test_the_defaults_are_fine():
    config_lib.check(make())
    observation_spec, action_spec = config_lib.make_specs(make())
    assert observation_spec.screen_size == (16, 16)
    assert list(action_spec.function_names) == ['no_op', 'select_army', 'Move_screen']


@pytest.mark.parametrize(
    'text, size', [('84', (84, 84)), ('84x64', (84, 64)), ('1X2', (1, 2)), ('1024', (1024, 1024))]
)
def test_size(text, size):
    assert config_lib.parse_size('screen_size', text) == size


@pytest.mark.parametrize('text', ['', '0', '84x', 'x', '84x64x3', '-3', '8.5', '1025', '²', '8 x'])
def test_no_size(text):
    with pytest.raises(UserError, match='--minimap_size='):
        config_lib.parse_size('minimap_size', text)


@pytest.mark.parametrize(
    'text, expected', [('', None), ('all', 'all'), ('none', []), ('a', ['a']), ('a, b', ['a', 'b'])]
)
def test_names(text, expected):
    assert config_lib.names(text) == expected


def test_specs_follow_the_flags():
    observation_spec, action_spec = config_lib.make_specs(
        make(
            functions='no_op,7, Move_screen',
            fixed_arguments='queued=1',
            screen_size='9x8',
            minimap_size='7',
            screen_layers='selected',
            minimap_layers='camera,selected',
            vectors='none',
        )
    )
    assert list(action_spec.function_names) == ['no_op', 'select_army', 'Move_screen']
    assert 'queued' not in action_spec.heads and 'select_add' in action_spec.heads
    assert observation_spec.screen_size == (9, 8) and observation_spec.minimap_size == (7, 7)
    assert [layer.name for layer in observation_spec.minimap_layers] == ['camera', 'selected']
    assert observation_spec.vectors == ()


def test_no_argument_is_fixed_when_none_is_asked_for():
    _, action_spec = config_lib.make_specs(make(fixed_arguments='none'))
    assert {'queued', 'select_add'} <= set(action_spec.heads)


@pytest.mark.parametrize('text', ['all', 'queued', 'queued=', 'queued=x', 'queued=²', 'queued=-1'])
def test_fixed_arguments_that_are_no_pairs(text):
    with pytest.raises(UserError, match='--fixed_arguments=' + text):
        config_lib.make_specs(make(fixed_arguments=text))


@pytest.mark.parametrize(
    'batch_size, proportion, expected',
    [(32, 0.0, (32, 0)), (32, 0.5, (16, 16)), (4, 0.3, (3, 1)), (8, 0.99, (1, 7))],
)
def test_batch_split(batch_size, proportion, expected):
    config = make(batch_size=batch_size, replay_proportion=proportion)
    assert config_lib.batch_split(config) == expected
    config_lib.check(config)


def test_maps_with_defaults_that_cannot_be_played_are_not_offered(monkeypatch):
    monkeypatch.setattr(envs, 'MAP_NAMES', ('MoveToBeacon',))
    config_lib.check(make())
    with pytest.raises(UserError, match='--map_name=DefeatRoaches .* one of: MoveToBeacon.$'):
        config_lib.check(make(map_name='DefeatRoaches'))


@pytest.mark.parametrize('name', sorted(config_lib._RANGES))
def test_numbers_out_of_range(name):
    smallest, largest = config_lib._RANGES[name]
    for value in (smallest - 1, math.nan, -math.inf):
        with pytest.raises(UserError, match=f'--{name}={value} is out of range, expected'):
            config_lib.check(make(**{name: value}))
    if largest != math.inf:
        with pytest.raises(UserError, match=f'--{name}='):
            config_lib.check(make(**{name: math.inf}))


def test_every_number_has_a_range():
    numbers = {
        name
        for name, default in config_lib.Config._field_defaults.items()
        if isinstance(default, (int, float)) and not isinstance(default, bool)
    }
    assert set(config_lib._RANGES) == numbers


def test_deterministic_needs_room_in_the_queue():
    settings = dict(deterministic=True, num_actors=1, batch_size=8, num_envs=4)
    config_lib.check(make(queue_capacity=11, **settings))
    config_lib.check(make(queue_capacity=0, **settings))
    with pytest.raises(UserError, match='--queue_capacity=10 .* at least 11'):
        config_lib.check(make(queue_capacity=10, **settings))
    config_lib.check(make(queue_capacity=10, **dict(settings, deterministic=False)))


def test_evaluation_may_be_deterministic_for_any_number_of_actors():
    config_lib.check(make(mode='evaluate', deterministic=True, num_actors=2))
    with pytest.raises(UserError, match='--num_actors=2'):
        config_lib.check(make(deterministic=True, num_actors=2))


@pytest.mark.parametrize(
    'settings, agent_step_mul, largest',
    [
        (dict(fixed_step_mul=True, step_mul=30, max_step_mul=16), 30, 30),
        (dict(fixed_step_mul=False, step_mul=8, max_step_mul=16), None, 16),
        # Random and scripted players play --step_mul also when the agent chooses shorter ones.
        (dict(fixed_step_mul=False, step_mul=30, max_step_mul=16), None, 30),
    ],
)
def test_step_mul(settings, agent_step_mul, largest):
    assert config_lib.fixed_step_mul(make(**settings)) == agent_step_mul
    assert config_lib.max_step_mul(make(**settings)) == largest


def test_differences_are_those_that_matter_to_what_was_learned():
    there = make(num_envs=4, progress_secs=1.0, logdir='a')._asdict()
    here = make(num_envs=5, progress_secs=2.0, logdir='b', agent='atari_net')
    assert config_lib.differences(here, there) == {
        'num_envs': (5, 4),
        'agent': ('atari_net', 'fully_conv_lstm'),
    }
    assert set(config_lib.Config._fields) >= config_lib.FREE_ON_RESUME
