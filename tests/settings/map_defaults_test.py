"""The defaults of every map: they can be trained, from scratch and with imitation."""

import pytest

from sc2impala import envs
from sc2impala.envs import demonstrator, maps
from sc2impala.factories import environments
from sc2impala.settings import resolve, validation
from sc2impala.settings import settings as settings_lib
from sc2impala.settings.settings import Settings

SETTINGS = settings_lib.all_settings()
GENERAL = settings_lib.general_defaults()
OF_SPECS = (
    'functions',
    'fixed_arguments',
    'screen_layers',
    'minimap_layers',
    'vectors',
    'screen_size',
    'minimap_size',
)


@pytest.mark.parametrize('map_name', sorted(maps.MAP_DEFAULTS))
class TestEveryMap:
    def test_sets_what_is_learned_with_right_types(self, map_name):
        starts = [resolve.of_map(map_name, start) for start in resolve.STARTS]
        for name, value in [item for each in starts for item in each.items()]:
            value_type = SETTINGS[name].type
            again = value_type.parse(value_type.to_text(value))
            assert again == value and type(again) is type(value), name
            free = ('total_environment_frames', 'temperature', 'eval_max_step_mul')
            assert not SETTINGS[name].free_on_resume or name in free, name
            assert name not in ('map_name', 'backend', 'seed')

    def test_repeats_no_general_default(self, map_name):
        of_map = maps.MAP_DEFAULTS[map_name]
        flags = of_map.settings
        assert not {name: value for name, value in flags.items() if value == GENERAL[name]}
        before = dict(GENERAL, **flags)
        more = of_map.from_scratch
        same = {name for name, value in more.items() if value == before[name]}
        assert same <= {'agent', 'batch_size', 'reward_scaling', 'discounting'}  # Of all maps.

    def test_can_be_trained_with_its_defaults(self, map_name):
        values = resolve.complete({'map_name': map_name, 'from_scratch': True})
        # Not every map needs to be one that can be played already.
        validation.check(Settings.from_values(dict(values, map_name=envs.MAP_NAMES[0])))
        observation_spec, action_spec = environments.make_specs(
            Settings.from_values(values).environment
        )
        own = maps.MAP_DEFAULTS[map_name].from_scratch
        chosen = {name: own[name] for name in OF_SPECS if name in own}
        of_map_observation, of_map_action = envs.make_specs(map_name, **chosen)
        assert observation_spec == of_map_observation
        assert action_spec.function_names == of_map_action.function_names
        assert action_spec.heads == of_map_action.heads
        assert action_spec.fixed_arguments == of_map_action.fixed_arguments


@pytest.mark.parametrize(
    'map_name',
    sorted(name for name, of_map in maps.MAP_DEFAULTS.items() if of_map.imitates_by_default),
)
class TestImitation:
    def test_settings_can_be_trained(self, map_name):
        values = resolve.complete({'map_name': map_name})
        settings = Settings.from_values(values)
        validation.check(settings)
        assert settings.algorithms['cloning'].num_cloning_frames > 0
        script = environments.find_script(map_name, settings.demonstrations.demonstrator)
        assert script is not None
        observation_spec, action_spec = environments.make_specs(settings.environment)
        seen = demonstrator.with_needs(observation_spec, script, fine=True)
        script(seen, action_spec)

    def test_repeats_no_default_of_the_map(self, map_name):
        on_map = dict(GENERAL, **resolve.of_map(map_name))
        demonstrated = maps.MAP_DEFAULTS[map_name].demonstrated
        same = {name for name, value in demonstrated.items() if value == on_map[name]}
        assert same <= {'reward_scaling'}  # PopArt has the same on all maps.

    def test_is_left_out_where_it_is_not_wanted(self, map_name):
        for start, given in [
            ('scratch', {'from_scratch': True}),
            ('scratch', {'demonstrator': 'none'}),
            ('scratch', {'backend': 'pysc2'}),
            ('scratch', {'from_scratch': True, 'init_checkpoint': 'runs/a'}),
            ('other', {'from_scratch': True, 'algorithm': 'r2d2'}),
            ('other', {'init_checkpoint': 'runs/a'}),
            ('other', {'from_scratch': True, 'demonstrations': ('runs/a',)}),
            ('other', {'backend': 'pysc2', 'demonstrator': 'PySC2'}),
            ('other', {'mode': 'record', 'from_scratch': True}),
            ('other', {'mode': 'evaluate'}),
        ]:
            assert resolve.start_of(given) == start
            values = resolve.complete(dict(given, map_name=map_name))
            on_map = resolve.of_map(map_name, start)
            on_map.update(resolve.of_backend(values['backend'], map_name))
            of_algorithm = resolve.of_algorithm(values['algorithm'])
            assert values == {**GENERAL, **of_algorithm, **on_map, 'map_name': map_name, **given}

    def test_recordings_are_of_what_such_a_run_sees(self, map_name):
        training = resolve.complete({'map_name': map_name})
        recording = resolve.complete({'map_name': map_name, 'mode': 'record'})
        expected = dict(GENERAL, map_name=map_name, mode='record', **resolve.of_map(map_name))
        of_run = ('functions', 'screen_layers', 'minimap_layers', 'screen_size', 'minimap_size')
        for name in (*of_run, 'demonstration_step_mul'):
            expected[name] = training[name]
        assert recording == expected

    def test_what_is_given_wins(self, map_name):
        given = {'map_name': map_name, 'num_cloning_frames': 7, 'agent': 'relational'}
        values = resolve.complete(given)
        assert values == dict(resolve.complete({'map_name': map_name}), **given)

    def test_recordings_take_the_place_of_the_script(self, map_name):
        given = {'map_name': map_name, 'demonstrations': ('runs/a',)}
        values = resolve.complete(given)
        expected = dict(resolve.complete({'map_name': map_name}), demonstrator='none', **given)
        assert values == expected
        assert resolve.imitates(values)


def test_a_map_that_does_not_imitate_by_default_is_learned_from_scratch():
    values = resolve.complete({'map_name': 'MoveToBeacon'})
    assert values == dict(GENERAL, **resolve.of_map('MoveToBeacon'))
    assert values['demonstrator'] == 'none' and not resolve.imitates(values)


@pytest.mark.parametrize('more', [{}, {'num_cloning_frames': 7}])
def test_a_map_that_does_not_imitate_by_default_does_when_a_script_is_named(more):
    given = {'map_name': 'MoveToBeacon', 'demonstrator': 'PySC2', **more}
    values = resolve.complete(given)
    demonstrated = maps.MAP_DEFAULTS['MoveToBeacon'].demonstrated
    on_map = resolve.of_map('MoveToBeacon')
    assert values == dict(GENERAL, **{**on_map, **demonstrated, **given})
    assert resolve.imitates(values)
    validation.check(Settings.from_values(values))
    same = {name for name, value in demonstrated.items() if value == dict(GENERAL, **on_map)[name]}
    assert same <= {'reward_scaling'}


@pytest.mark.parametrize(
    'start, more',
    [
        ('scratch', {'demonstrator': 'none'}),
        ('other', {'demonstrations': ('runs/a',)}),
        ('other', {'demonstrator': 'PySC2', 'from_scratch': True}),
        ('other', {'demonstrator': 'PySC2', 'init_checkpoint': 'runs/b'}),
        ('other', {'demonstrator': 'PySC2', 'backend': 'pysc2'}),
        ('other', {'algorithm': 'r2d2'}),
    ],
)
def test_such_a_map_has_its_plain_defaults_otherwise(start, more):
    given = {'map_name': 'MoveToBeacon', **more}
    assert resolve.start_of(given) == start
    on_map = resolve.of_map('MoveToBeacon')
    on_map.update(resolve.of_backend(more.get('backend', 'simulator'), 'MoveToBeacon'))
    of_algorithm = resolve.of_algorithm(given.get('algorithm', GENERAL['algorithm']))
    assert resolve.complete(given) == {**GENERAL, **of_algorithm, **on_map, **given}


def test_settings_of_learning_from_scratch_are_for_algorithms_with_a_policy():
    given = {'map_name': 'CollectMineralShards', 'from_scratch': True}
    values = resolve.complete(given)
    assert values['unit_mask'] == 'all' and values['max_step_mul'] == 16
    values = resolve.complete(dict(given, algorithm='r2d2'))
    assert values == {
        **GENERAL,
        **resolve.of_algorithm('r2d2'),
        **resolve.of_map('CollectMineralShards'),
        **given,
        'algorithm': 'r2d2',
    }
    assert values['value_normalisation'] == 'none'
    imitating = resolve.complete({'map_name': 'CollectMineralShards'})
    assert imitating['max_step_mul'] == GENERAL['max_step_mul']


def test_maps_and_settings_have_the_same_general_defaults():
    blank = maps.MapDefaults(1920, ('no_op',), {}, ('selected',))
    assert blank.vectors == GENERAL['vectors']
    assert GENERAL['screen_size'] == blank.screen_size
    assert GENERAL['minimap_size'] == blank.minimap_size
