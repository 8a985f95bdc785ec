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


class TestStarCraft:
    def test_its_settings_are_refused_on_the_simulator(self):
        changes = dict(
            game_version='4.10',
            disable_fog=True,
            camera_width=30,
            max_episode_frames=1000,
            relaunch_episodes=3,
            game_deadline_secs=5.0,
            realtime=True,
            visualize=True,
        )
        for name, value in changes.items():
            with pytest.raises(UserError, match=f'--{name}={value} .* --backend=pysc2'):
                config_lib.check(make(**{name: value}))
            single = dict(num_actors=1, num_envs=1)
            config_lib.check(make(backend='pysc2', **dict(single, **{name: value})))

    def test_maps(self):
        config_lib.check(make(backend='pysc2', map_name='Acropolis', opponent='hard'))
        with pytest.raises(UserError, match='--map_name=Simple64 is a ladder map.*=pysc2'):
            config_lib.check(make(map_name='Simple64', opponent='hard'))
        with pytest.raises(UserError, match='--map_name=Simpel64 .* MoveToBeacon, .* Simple64'):
            config_lib.check(make(backend='pysc2', map_name='Simpel64'))

    def test_players_of_ladder_maps(self):
        ladder = dict(backend='pysc2', map_name='Simple64', opponent='easy')
        config_lib.check(make(**ladder, race='zerg', opponent_race='protoss'))
        for name, value in (('opponent', ''), ('opponent', 'weak'), ('race', 'human')):
            with pytest.raises(UserError, match=f'--{name}={value} is unknown, expected one of'):
                config_lib.check(make(**dict(ladder, **{name: value})))
        for name, value in (('opponent', 'easy'), ('race', 'zerg'), ('opponent_race', 'zerg')):
            with pytest.raises(UserError, match=f'--{name}={value} is for ladder maps'):
                config_lib.check(make(backend='pysc2', **{name: value}))

    @pytest.mark.parametrize('settings', [{'replay_dir': 'x'}, {'save_replay_episodes': 3}])
    def test_replays_need_a_folder_and_a_number(self, settings):
        with pytest.raises(UserError, match='belong together'):
            config_lib.check(make(backend='pysc2', **settings))

    @pytest.mark.parametrize('name', ['realtime', 'visualize'])
    def test_one_game_is_watched(self, name):
        watched = {'backend': 'pysc2', name: True}
        with pytest.raises(UserError, match=f'--{name} .* --num_actors=1 and --num_envs=2'):
            config_lib.check(make(num_actors=1, num_envs=2, **watched))
        with pytest.raises(UserError, match=f'--{name} .* --num_eval_envs=4'):
            config_lib.check(make(mode='evaluate', num_eval_envs=4, **watched))
        config_lib.check(make(mode='evaluate', num_eval_envs=4, num_episodes=1, **watched))

    def test_settings_reach_the_environment(self):
        assert config_lib.game_settings(make()) is None
        assert config_lib.game_settings(make(backend='pysc2')) == envs.GameSettings()
        config = make(
            backend='pysc2',
            game_version='4.10',
            opponent='hard',
            max_episode_frames=99,
            replay_dir='x',
            game_deadline_secs=5.0,
        )
        assert config_lib.game_settings(config) == envs.GameSettings(
            version='4.10',
            opponent='hard',
            max_episode_frames=99,
            replay_dir='x',
            deadline_secs=5.0,
            launch_deadline_secs=30.0,
        )


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
