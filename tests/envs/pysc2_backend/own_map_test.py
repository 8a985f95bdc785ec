"""Map files of the user, on the stand-in, in settings and in the doctor."""

import os
import shutil
import types

import numpy as np
import pytest

from sc2impala import doctor, envs, experiment
from sc2impala.envs.pysc2_backend import own_map
from sc2impala.errors import UserError
from sc2impala.factories import environments
from sc2impala.settings import resolve, validation
from tests.envs.pysc2_backend import leftovers, standin


@pytest.fixture
def map_file(tmp_path):
    path = tmp_path / 'My beacon.SC2Map'
    path.write_text('content')
    return str(path)


def read(*flags):
    """Settings as the command has them, checked."""
    settings = experiment.read_settings(['--backend=pysc2', *flags])
    validation.check(settings)
    return settings


class TestFiles:
    def test_a_name_fits_into_tags_and_folders(self):
        assert own_map.name_of('/a/b/My map (2).SC2Map') == 'My_map_2_'
        assert own_map.name_of('Beacon-1.5.SC2Map') == 'Beacon-1.5'

    def test_a_home_folder_is_expanded(self):
        assert own_map.path_of('~/a.SC2Map') == os.path.expanduser('~/a.SC2Map')

    def test_a_file_has_no_fault(self, map_file, monkeypatch):
        assert own_map.fault_of(map_file) is None
        lower = map_file.replace('SC2Map', 'sc2map')
        shutil.copy(map_file, lower)
        assert own_map.fault_of(lower) is None

    def test_pysc2_gets_its_content_and_scores(self, map_file):
        lib = types.SimpleNamespace(Map=type('Map', (), {'path': property(lambda self: '')}))
        made = own_map.make_map(types.SimpleNamespace(lib=lib), map_file, 2, -1, 0.5)
        assert isinstance(made, lib.Map)
        assert made.data(None) == b'content'
        assert (made.name, made.path) == ('My_beacon', map_file)
        assert os.path.join(made.directory, made.filename) == map_file
        assert (made.players, made.score_index, made.score_multiplier) == (2, -1, 0.5)


class TestSettings:
    def test_defaults(self, map_file):
        settings = read(f'--map_file={map_file}')
        assert settings.environment.map_name == 'My_beacon'
        assert settings.environment.functions == 'all'
        assert settings.environment.screen_size == (64, 64)
        assert 'unit_type' in settings.environment.screen_layers
        assert (settings.starcraft.score_index, settings.starcraft.opponent) == (0, '')
        assert settings.demonstrations.demonstrator == 'none'
        observation_spec, action_spec = envs.make_specs('My_beacon', map_file=map_file)
        assert action_spec.num_functions == 573 and 'queued' not in action_spec.heads

    def test_flags_replace_them(self, map_file):
        flags = '--functions=no_op', '--screen_layers=selected', '--opponent=easy', '--race=zerg'
        settings = read(f'--map_file={map_file}', *flags, '--score_index=-1')
        assert settings.environment.functions == ('no_op',)
        assert settings.environment.screen_layers == ('selected',)
        assert (settings.starcraft.opponent, settings.starcraft.score_index) == ('easy', -1)

    def test_a_file_with_the_name_of_a_mini_game_has_its_defaults(self, tmp_path):
        path = tmp_path / 'MoveToBeacon.SC2Map'
        path.write_text('')
        settings = read(f'--map_file={path}')
        assert settings.environment.functions == ('no_op', 'select_army', 'Move_screen')

    def test_the_folder_of_a_run_has_its_name(self, map_file):
        assert experiment.read_settings(
            ['--backend=pysc2', f'--map_file={map_file}']
        ).run.logdir == ('runs/My_beacon')

    def test_a_run_resumes_after_the_file_has_moved(self, map_file):
        of_run = read(f'--map_file={map_file}').values()
        moved = resolve.complete({'map_file': '/elsewhere/My beacon.SC2Map'}, of_run)
        assert resolve.differences_on_resume(moved, of_run) == []
        other = resolve.complete({'map_file': '/elsewhere/Other.SC2Map'}, of_run)
        assert resolve.differences_on_resume(other, of_run) == ['map_name']
        assert resolve.differences_of_actor({'map_file': 'Other.SC2Map'}, of_run) == ['map_name']

    def test_it_is_evaluated_with_its_file(self, map_file):
        of_run = read(f'--map_file={map_file}').values()
        values = resolve.complete({}, resolve.of_evaluation(of_run, 'pysc2'))
        assert (values['map_file'], values['map_name']) == (map_file, 'My_beacon')
        assert values['num_eval_envs'] == 4

    @pytest.mark.parametrize(
        'flags, expected',
        [
            (['--map_file=/no/My.SC2Map'], '--map_file=/no/My.SC2Map does not exist, expected'),
            (['--map_file={folder}/a.txt'], '/a.txt does not end with .SC2Map, expected'),
            (['--map_file={folder}/a.SC2Map'], '/a.SC2Map is not a file, expected'),
            (['--map_file={file}', '--map_name=Foo'], 'expected --map_name=My_beacon, or none'),
            (['--map_file={file}', '--backend=simulator'], 'expected --backend=pysc2 with it'),
            (['--map_name=Simple64', '--score_index=1'], 'expected --map_file with it'),
            (['--map_file={file}', '--score_index=13'], '--score_index=13 is out of range'),
            (['--map_file={file}', '--opponent=weak'], '--opponent=weak is unknown'),
        ],
    )
    def test_one_sentence(self, map_file, tmp_path, flags, expected):
        (tmp_path / 'a.txt').write_text('')
        (tmp_path / 'a.SC2Map').mkdir()
        with pytest.raises(UserError, match='^--') as error_info:
            read(*(flag.format(folder=tmp_path, file=map_file) for flag in flags))
        assert expected in str(error_info.value)


class TestDoctor:
    def test_finds_the_file(self, map_file):
        (finding,) = doctor.check_maps(doctor.Settings(map_file=map_file))
        assert (finding.level, finding.text) == (doctor.OK, f'The map My_beacon is {map_file}.')

    def test_names_a_file_that_is_missing(self):
        (finding,) = doctor.check_maps(doctor.Settings(map_file='/no/My.SC2Map'))
        assert finding.level == doctor.FAULT and 'does not exist' in finding.text


@pytest.mark.long
def test_it_plays_a_copy_of_a_map_in_any_folder(tmp_path, tmp_path_factory, monkeypatch):
    """With an unmodified PySC2 on the stand-in; the score is multiplied."""
    game = tmp_path_factory.mktemp('game')
    standin.install_in(game)
    monkeypatch.setenv('SC2PATH', str(game))
    own = tmp_path / 'My own.SC2Map'
    shutil.copy(str(game / 'Maps' / 'mini_games' / 'MoveToBeacon.SC2Map'), str(own))
    folder = tmp_path_factory.mktemp('temporary')
    leftovers.use(folder, monkeypatch)
    flags = '--screen_size=8', '--minimap_size=8', '--functions=no_op,select_army,Move_screen'
    settings = read(f'--map_file={own}', *flags, '--score_multiplier=2', '--step_mul=120')
    specs = environments.make_specs(settings.environment)
    apart = envs.SimulatedEnvironment('MoveToBeacon', [3], *specs, max_step_mul=120)
    with environments.make_environment(settings.environment, settings.starcraft, specs, [3]) as env:
        observations = env.reset(), apart.reset()
        total = 0.0
        for step in range(16):
            for name, layer in observations[0]['screen'].items():
                np.testing.assert_array_equal(layer, observations[1]['screen'][name], err_msg=name)
            beacon = np.argmax(observations[0]['screen']['player_relative'] == 3)
            function = 2 if step else 1
            action = {'function': [function], 'screen': [beacon], 'select_add': [0]}
            action = {head: np.array(action[head], np.int32) for head in specs[1].heads}
            steps = np.array([120], np.int32)
            outputs = env.step(action, steps), apart.step(action, steps)
            assert outputs[0].reward == 2 * outputs[1].reward
            assert outputs[0].done == outputs[1].done
            total += float(outputs[0].reward[0])
            observations = outputs[0].observation, outputs[1].observation
        assert outputs[0].done and total > 0
    leftovers.await_none(folder)
