"""How the text of a flag and the JSON of a manifest become values, and values text."""

import json
import os

import pytest

from sc2impala import envs
from sc2impala.population import settings as population_settings
from sc2impala.settings import resolve, value_types
from sc2impala.settings import settings as settings_lib


def refused(value_type, text):
    with pytest.raises(ValueError):
        value_type.parse(text)
    return True


def test_size():
    for text, size in [
        ('84', (84, 84)),
        ('84x64', (84, 64)),
        ('1X2', (1, 2)),
        ('1024', (1024, 1024)),
    ]:
        assert value_types.SIZE.parse(text) == size, text
        assert value_types.SIZE.parse(value_types.SIZE.to_text(size)) == size, text


def test_not_a_size():
    for text in ['', '0', '84x', 'x', '84x64x3', '-3', '8.5', '1025', '²', '8 x', '٨']:
        assert refused(value_types.SIZE, text), text


def test_names():
    for text, expected in [
        ('', ()),
        ('all', 'all'),
        ('none', ()),
        ('a', ('a',)),
        ('a, b', ('a', 'b')),
    ]:
        assert value_types.NAMES.parse(text) == expected, text


def test_names_with_a_default_per_map():
    for text, expected in [
        ('', None),
        ('all', 'all'),
        ('none', ()),
        ('a', ('a',)),
        ('a, b', ('a', 'b')),
    ]:
        assert value_types.NAMES_OF_MAP.parse(text) == expected, text


def test_functions():
    """Ids are numbers."""
    for text, expected in [
        ('', None),
        ('all', 'all'),
        ('no_op,7, Move_screen', ('no_op', 7, 'Move_screen')),
    ]:
        assert value_types.FUNCTIONS.parse(text) == expected, text


def test_fixed_arguments():
    for text, expected in [
        ('', None),
        ('none', {}),
        ('queued=1', {'queued': 1}),
        ('a=0, b = 2', {'a': 0, 'b': 2}),
    ]:
        assert value_types.FIXED_ARGUMENTS.parse(text) == expected, text


def test_fixed_arguments_that_are_not_pairs():
    for text in ['all', 'queued', 'queued=', 'queued=x', 'queued=²', 'queued=-1']:
        assert refused(value_types.FIXED_ARGUMENTS, text), text


def test_whole_number():
    for text, number in [('7', 7), ('-3', -3), ('5e6', 5000000), ('2.0', 2)]:
        found = value_types.WHOLE_NUMBER.parse(text)
        assert found == number and type(found) is int, text


def test_large_whole_numbers_are_exact():
    assert value_types.WHOLE_NUMBER.parse(str(2**62 + 1)) == 2**62 + 1


def test_not_a_whole_number():
    for text in ['', 'many', '1.5', 'inf', '-inf', 'nan', '1e400', '0x10', 'True']:
        assert refused(value_types.WHOLE_NUMBER, text), text


def test_number():
    for text, number in [('7', 7.0), ('1e-3', 1e-3), ('inf', float('inf'))]:
        found = value_types.NUMBER.parse(text)
        assert found == number and type(found) is float, text


def test_not_a_number():
    for text in ['', 'fast', '1,5', '1e']:
        assert refused(value_types.NUMBER, text), text


def test_boolean():
    for text, value in [('true', True), ('True', True), ('1', True), ('yes', True), ('t', True)] + [
        ('false', False),
        ('FALSE', False),
        ('0', False),
        ('no', False),
        ('f', False),
    ]:
        assert value_types.BOOLEAN.parse(text) is value, text


def test_not_a_boolean():
    for text in ['', 'perhaps', '2', 'on']:
        assert refused(value_types.BOOLEAN, text), text


def test_json_of_another_type_is_refused():
    for value_type, value in [
        (value_types.WHOLE_NUMBER, '4'),
        (value_types.WHOLE_NUMBER, True),
        (value_types.WHOLE_NUMBER, 4.0),
        (value_types.BOOLEAN, 0),
        (value_types.BOOLEAN, 'true'),
        (value_types.NUMBER, None),
        (value_types.NUMBER, True),
        (value_types.TEXT, 3),
        (value_types.SIZE, 16),
        (value_types.SIZE, [16, 16]),
        (value_types.NAMES, ['a']),
        (value_types.FIXED_ARGUMENTS, {'queued': 0}),
        (value_types.WEIGHTS, [['food_used', 2.0]]),
    ]:
        with pytest.raises(ValueError, match=f'is not {value_type.expected}'):
            value_type.from_json(value)


def test_weights():
    for text, expected in [
        ('none', ()),
        ('', ()),
        ('food_used=1e-05, a = -2', (('food_used', 1e-05), ('a', -2.0))),
    ]:
        assert value_types.WEIGHTS.parse(text) == expected, text
        assert value_types.WEIGHTS.parse(value_types.WEIGHTS.to_text(expected)) == expected, text


def test_weights_that_are_not_pairs_of_a_name_and_a_number():
    for text in ['all', 'a', 'a=', 'a=x', 'a=1,a=2', 'a=inf', 'a=nan', 'a=1e7']:
        assert refused(value_types.WEIGHTS, text), text


def test_folders():
    assert value_types.FOLDERS.parse('none') == value_types.FOLDERS.parse('') == ()
    assert value_types.FOLDERS.parse('a/b, all') == ('a/b', 'all')
    with pytest.raises(ValueError):
        value_types.FOLDERS.parse('a,,b')


def test_a_number_may_be_whole_in_json():
    assert value_types.NUMBER.from_json(1) == 1.0


def defaults():
    """(name, value) of the general defaults, and those of every map and backend."""
    yield from settings_lib.general_defaults().items()
    maps = list(envs.MAP_DEFAULTS) + list(envs.SYNTHETIC_MAPS) + list(envs.LADDER_MAPS[:1])
    for map_name in maps:
        yield from resolve.of_map(map_name).items()
        yield from resolve.of_backend('pysc2', map_name).items()


def test_all_defaults_round_trip():
    settings = settings_lib.all_settings()
    for name, value in defaults():
        value_type = settings[name].type
        assert value_type.parse(value_type.to_text(value)) == value, name
        in_json = json.loads(json.dumps(value_type.to_json(value)))
        assert value_type.from_json(in_json) == value, name
        assert type(value_type.from_json(in_json)) is type(value), name


def test_other_values_round_trip():
    for value_type, value in [
        (value_types.FUNCTIONS, ('no_op', 7)),
        (value_types.FUNCTIONS, 'all'),
        (value_types.NAMES, ()),
        (value_types.FOLDERS, ()),
        (value_types.FOLDERS, ('a/b', '/c d')),
        (value_types.FIXED_ARGUMENTS, {}),
        (value_types.NUMBER, float('inf')),
        (value_types.NUMBER, 1e-20),
    ]:
        assert value_type.parse(value_type.to_text(value)) == value, value_type
        assert value_type.from_json(value_type.to_json(value)) == value, value_type


def test_digits_of_other_scripts_are_no_numbers():
    for text in ['١٢', '1_000', '１', '²', 'x', '', '1e']:
        assert refused(value_types.WHOLE_NUMBER, text) and refused(value_types.NUMBER, text), text


def test_text_that_cannot_be_written():
    for text in ['a\0b', 'a\udcff']:
        for name in ['TEXT', 'FOLDERS', 'NAMES', 'FUNCTIONS']:
            assert refused(getattr(value_types, name), text), text


def test_not_fixed_arguments():
    for text in ['queued=0,queued=1', 'queued=0, queued=0', 'queued=٠']:
        assert refused(value_types.FIXED_ARGUMENTS, text), text


def test_ids_in_other_digits_are_names():
    assert value_types.FUNCTIONS.parse('٧,7') == ('٧', 7)


@pytest.mark.parametrize('text', ['', 'runs/a', '/a/~', './~/a', 'a~'])
def test_a_path(text):
    assert value_types.PATH.parse(text) == text


def test_a_path_in_the_home_folder(monkeypatch):
    """Shells leave a '~' behind '=' as it is."""
    monkeypatch.setenv('HOME', '/home/anna')
    assert value_types.PATH.parse('~') == '/home/anna'
    assert value_types.PATH.parse('~/runs/a') == os.path.join('/home/anna', 'runs/a')
    assert value_types.PATH.from_json('~/a') == value_types.PATH.parse('~/a')
    assert value_types.FOLDERS.parse('~/a, b') == (value_types.PATH.parse('~/a'), 'b')
    assert refused(value_types.PATH, '~/\n') and refused(value_types.FOLDERS, 'a,\n')


def test_settings_that_are_paths():
    settings = {**settings_lib.all_settings(), **population_settings.all_settings()}
    paths = {n for n, s in settings.items() if s.type in (value_types.PATH, value_types.FOLDERS)}
    assert paths >= {'logdir', 'init_checkpoint', 'replay_dir', 'demonstrations'}
    endings = ('dir', 'file', 'path', 'folder', 'checkpoint')
    assert {name for name in settings if name.endswith(endings)} <= paths
