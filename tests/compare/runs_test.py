"""The runs in folders, and the settings in which they differ."""

import pytest

from sc2impala.compare import runs
from sc2impala.errors import UserError
from tests.compare.example_runs import write_run


def test_runs_are_found_in_folders_patterns_and_below(tmp_path):
    first = write_run(tmp_path / 'a' / 'one', 1)
    second = write_run(tmp_path / 'a' / 'deep' / 'two', 2)
    write_run(tmp_path / 'a' / 'one' / 'best', 1)
    third = write_run(tmp_path / 'b-3', 3, map_file='maps/Own.SC2Map')
    found = runs.find_runs([str(tmp_path / 'a'), str(tmp_path / 'b-*'), first])
    assert [run.folder for run in found] == [second, first, third]
    assert [run.seed for run in found] == [2, 1, 3]
    assert [run.map_name for run in found] == ['MoveToBeacon', 'MoveToBeacon', 'Own']


def test_a_folder_whose_name_is_a_pattern(tmp_path):
    folder = write_run(tmp_path / 'a[1]', 1)
    assert [run.folder for run in runs.find_runs([folder])] == [folder]


def test_the_copy_of_a_damaged_manifest_is_read(tmp_path):
    folder = write_run(tmp_path / 'a', 5)
    (tmp_path / 'a' / 'manifest.json').rename(tmp_path / 'a' / 'manifest.copy.json')
    (tmp_path / 'a' / 'manifest.json').write_text('{"config"')
    assert runs.find_runs([folder])[0].seed == 5


@pytest.mark.parametrize('content', ['', '[]', '{"config": []}', '{"config": {"seed": 1}}', '\x00'])
def test_a_damaged_manifest_is_named(tmp_path, content):
    folder = write_run(tmp_path / 'a')
    (tmp_path / 'a' / 'manifest.json').write_text(content)
    with pytest.raises(UserError, match='a/manifest.json names no map, expected the manifest'):
        runs.find_runs([folder])


def test_folders_without_runs_are_named(tmp_path):
    with pytest.raises(UserError, match='nothing is not a folder, expected the folder of a run'):
        runs.find_runs([str(tmp_path / 'nothing')])
    with pytest.raises(UserError, match='contains no run, expected a folder with manifest.json'):
        runs.find_runs([str(tmp_path)])


def test_settings_that_differ(tmp_path):
    shared = dict(agent='a', num_episodes=5, save_summaries_secs=1.0)
    for seed in (1, 2):
        write_run(tmp_path / f'a{seed}', seed, algorithm='appo', learning_rate=1e-3, **shared)
    other = dict(shared, num_episodes=7, save_summaries_secs=2.0)
    write_run(tmp_path / 'b1', 1, algorithm='impala', learning_rate=1e-3, new=1, **other)
    write_run(tmp_path / 'b2', 2, algorithm='impala', learning_rate=1e-4, new=1, **other)
    a, b = (runs.find_runs([str(tmp_path / f'{side}?')]) for side in 'ab')
    assert runs.differing_settings(a, b) == {
        'algorithm': (['appo'], ['impala']),
        'learning_rate': ([0.001], [0.0001, 0.001]),
    }
    assert runs.varying_settings(a) == {}
    assert runs.varying_settings(b) == {'learning_rate': [0.0001, 0.001]}


def test_a_setting_that_an_older_version_lacks_has_its_old_value(tmp_path):
    write_run(tmp_path / 'a', algorithm='appo')
    write_run(tmp_path / 'b', algorithm='appo', related_points=True, spread_games=False)
    a, b = (runs.find_runs([str(tmp_path / name)]) for name in 'ab')
    assert runs.differing_settings(a, b) == {'related_points': ([False], [True])}


def test_settings_of_different_maps_do_not_vary(tmp_path):
    write_run(tmp_path / 'a', map_name='MoveToBeacon', learning_rate=1e-3)
    write_run(tmp_path / 'b', map_name='DefeatRoaches', learning_rate=1e-4)
    assert runs.varying_settings(runs.find_runs([str(tmp_path)])) == {}
