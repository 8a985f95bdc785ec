"""Which value counts: what was given, the run's, the map's, or the general default."""

import dataclasses

import pytest

from sc2impala import envs
from sc2impala.envs import maps
from sc2impala.runtime import config as config_lib
from sc2impala.runtime import defaults

GENERAL = config_lib.Config()


@pytest.fixture
def hurried(monkeypatch):
    """MoveToBeacon with defaults of its own for two training flags."""
    changed = dataclasses.replace(
        maps.MAP_DEFAULTS['MoveToBeacon'],
        screen_size=(20, 10),
        flags={'discounting': 0.5, 'fixed_step_mul': True},
    )
    monkeypatch.setitem(maps.MAP_DEFAULTS, 'MoveToBeacon', changed)
    return changed


@pytest.mark.parametrize('map_name', sorted(maps.MAP_DEFAULTS))
class TestEveryMap:
    def test_sets_what_is_learned_with_right_types(self, map_name):
        for name, value in defaults.of_map(map_name).items():
            assert type(value) is type(getattr(GENERAL, name)), name
            assert name not in config_lib.FREE_ON_RESUME | {'map_name', 'backend', 'seed'}

    def test_repeats_no_general_default(self, map_name):
        flags = maps.MAP_DEFAULTS[map_name].flags
        assert not {name: value for name, value in flags.items() if value == getattr(GENERAL, name)}

    def test_can_be_trained_with_its_defaults(self, map_name):
        config = defaults.complete({'map_name': map_name})
        # Not every map needs to be one that can be played already.
        config_lib.check(config._replace(map_name=envs.MAP_NAMES[0]))
        observation_spec, action_spec = config_lib.make_specs(config)
        of_map_observation, of_map_action = envs.make_specs(map_name)
        assert observation_spec == of_map_observation
        assert action_spec.function_names == of_map_action.function_names
        assert action_spec.heads == of_map_action.heads
        assert action_spec.fixed_arguments == of_map_action.fixed_arguments


def test_maps_and_settings_have_the_same_general_defaults():
    blank = maps.MapDefaults(1920, ('no_op',), {}, ('selected',))
    assert ','.join(blank.vectors) == GENERAL.vectors
    assert config_lib.parse_size('screen_size', GENERAL.screen_size) == blank.screen_size
    assert config_lib.parse_size('minimap_size', GENERAL.minimap_size) == blank.minimap_size


def test_settings_that_some_map_sets():
    names = defaults.set_by_some_map()
    assert set(config_lib.OF_THE_MAP) <= set(names)
    assert {'reward_scaling', 'discounting'} <= set(names)
    assert not {'agent', 'total_environment_frames', 'vectors'} & set(names)


def test_the_map_wins_over_the_general_default(hurried):
    assert defaults.complete({}) == GENERAL._replace(
        functions='no_op,select_army,Move_screen',
        fixed_arguments='queued=0,select_add=0,select_point_act=0',
        screen_layers='player_relative,selected,unit_density',
        minimap_layers='none',
        screen_size='20x10',
        discounting=0.5,
        fixed_step_mul=True,
    )


def test_what_is_given_wins_over_the_map(hurried):
    config = defaults.complete(
        {'discounting': GENERAL.discounting, 'screen_layers': 'selected', 'screen_size': '7'}
    )
    assert config.discounting == GENERAL.discounting
    assert (config.screen_layers, config.screen_size) == ('selected', '7')
    assert config.fixed_step_mul is True


def test_the_run_wins_over_the_map(hurried):
    of_run = GENERAL._replace(discounting=0.8, functions='no_op')._asdict()
    config = defaults.complete({'agent': 'atari_net'}, of_run)
    assert config == GENERAL._replace(discounting=0.8, functions='no_op', agent='atari_net')


def test_empty_text_is_no_choice_where_the_map_chooses():
    given = {'functions': '', 'minimap_layers': '', 'vectors': '', 'init_checkpoint': ''}
    config = defaults.complete(given, GENERAL._replace(functions='no_op', vectors='all')._asdict())
    assert (config.functions, config.vectors) == ('no_op', '')


def test_an_unknown_map_is_left_to_the_check():
    assert defaults.complete({'map_name': 'Foo'}) == GENERAL._replace(map_name='Foo')


class TestStarCraft:
    def test_has_defaults_of_its_own(self):
        config = defaults.complete({'backend': 'pysc2', 'map_name': 'BuildMarines', 'num_envs': 3})
        assert (config.num_actors, config.num_envs, config.num_eval_envs) == (2, 3, 4)
        assert config.relaunch_episodes == 1
        assert defaults.complete({'backend': 'pysc2'}).relaunch_episodes == 0
        assert defaults.complete({'map_name': 'BuildMarines'}).relaunch_episodes == 0
        for value in defaults.of_backend('pysc2', 'MoveToBeacon').values():
            assert type(value) is int

    def test_ladder_maps_have_defaults_that_can_be_trained(self):
        config = defaults.complete({'backend': 'pysc2', 'map_name': 'Simple64'})
        config_lib.check(config)
        assert config.opponent == 'very_easy' and config.screen_size == '64'
        assert 'Build_Barracks_screen' in config_lib.make_specs(config)[1].function_names

    def test_an_evaluation_may_be_played_on_another_backend(self):
        of_run = GENERAL._replace(num_envs=7, num_eval_envs=9, map_name='BuildMarines')._asdict()
        anew = ['num_eval_envs', 'num_episodes']
        same = defaults.of_evaluation(of_run, 'simulator', anew)
        assert same == dict(of_run, num_eval_envs=GENERAL.num_eval_envs)
        other = defaults.of_evaluation(of_run, 'pysc2', anew)
        assert other == dict(of_run, backend='pysc2', num_eval_envs=4, relaunch_episodes=1)
        back = defaults.of_evaluation(dict(other, game_version='4.10'), 'simulator', anew)
        assert back == same

    def test_its_settings_stay_as_they_were_on_the_same_backend(self):
        of_run = GENERAL._replace(backend='pysc2', game_version='4.10')._asdict()
        assert defaults.of_evaluation(of_run, 'pysc2', ['policy']) == of_run


class TestOlderRun:
    MANIFEST = {
        'config': {'map_name': 'MoveToBeacon', 'functions': '', 'num_envs': 7},
        'functions': ['no_op', 'Move_screen'],
        'screen_layers': ['selected'],
        'minimap_layers': [],
    }

    def test_lacks_settings_that_count_as_general_defaults(self, hurried):
        assert defaults.of_older_run(self.MANIFEST) == dict(
            GENERAL._asdict(),
            num_envs=7,
            functions='no_op,Move_screen',
            fixed_arguments='queued=0,select_add=0,select_point_act=0',
            screen_layers='selected',
            minimap_layers='none',
        )

    def test_a_list_is_needed_only_where_the_setting_is_empty(self):
        config = defaults.complete({'map_name': 'CollectMineralShards'})._asdict()
        assert defaults.of_older_run({'config': config}) == config
        with pytest.raises(ValueError, match='functions is missing or no list'):
            defaults.of_older_run({'config': dict(config, functions='')})


class TestDescription:
    def test_tells_the_defaults_of_the_map(self):
        config = defaults.complete({'map_name': 'DefeatRoaches', 'logdir': 'runs/a'})
        (line,) = defaults.description(config)
        assert line.startswith('DefeatRoaches: --fixed_arguments=queued=0,')
        assert line.endswith(' --discounting=0.97 --reward_scaling=0.1 (defaults of the map)')
        assert '--functions' not in line and '--num_envs' not in line

    def test_tells_other_choices_apart(self):
        given = {'map_name': 'DefeatRoaches', 'reward_scaling': 1.0, 'num_envs': 4}
        of_the_map, chosen = defaults.description(defaults.complete(given))
        assert '--discounting=0.97' in of_the_map and '--reward_scaling' not in of_the_map
        assert chosen == 'other settings: --num_envs=4 --reward_scaling=1.0'
