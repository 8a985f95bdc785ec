import json

import pytest

from sc2impala.errors import UserError
from sc2impala.report import page as page_lib
from sc2impala.report import run as run_lib
from sc2impala.runtime import logdir
from tests.report import folders
from tests.runtime import tiny


def test_a_finished_run(finished_run):
    run = run_lib.read(str(finished_run), 'a')
    total = tiny.NUM_UPDATES * tiny.FRAMES_PER_UPDATE
    assert run.state == run_lib.FINISHED
    assert run.frames == tiny.newest_frames(finished_run) >= run.total_frames == total
    assert run.phases == [run_lib.Phase('training', total)]
    assert run.map_name == 'MoveToBeacon' and run.identity['agent'] == 'fully_conv'
    assert len(run.launches) == 1 and run.launches[0].last_frames == run.frames
    assert len(run.episodes.returns) == len(tiny.episodes(finished_run))


def test_a_run_is_running_while_its_folder_is_locked(run):
    with logdir.Lock(run):
        assert run_lib.read(run, 'a').state == run_lib.RUNNING


def test_a_run_with_frames_left_is_stopped(run):
    content = tiny.read_json(run, 'manifest.json')
    content['config']['total_environment_frames'] *= 2
    tiny.edit_manifest(run, json.dumps(content))
    assert run_lib.read(run, 'a').state == run_lib.STOPPED


def test_phases_count_their_frames():
    config = tiny.make_settings(
        num_cloning_frames=100, num_critic_pretrain_frames=20, total_environment_frames=7
    ).values()
    assert [phase.num_frames for phase in run_lib.phases_of(config)] == [100, 20, 7]


@pytest.mark.parametrize('text', ['', '{', '[]', 'null', '{"config": {}}', '[' * 5000])
def test_a_damaged_manifest_is_a_fault(run, text):
    folders.write(run, 'manifest.json', text)
    folders.write(run, 'manifest.copy.json', text)
    found = run_lib.read(run, 'a')
    assert 'manifest.json' in found.manifest_fault and not found.config
    assert found.state == run_lib.STOPPED and len(found.episodes.returns)


def test_a_manifest_of_a_newer_version_names_the_run(run):
    content = tiny.read_json(run, 'manifest.json')
    content['config']['a_later_setting'] = 3
    tiny.edit_manifest(run, json.dumps(content))
    found = run_lib.read(run, 'a')
    assert 'a_later_setting' in found.manifest_fault
    assert found.map_name == 'MoveToBeacon' and len(found.launches) == 1


@pytest.mark.parametrize('name', ['train.log', 'episodes.csv', '.lock', 'manifest.copy.json'])
def test_one_file_makes_a_run(tmp_path, name):
    folders.write(tmp_path, name)
    run = run_lib.read(str(tmp_path), 'a')
    assert run.state == run_lib.STOPPED and run.frames is None and run.total_frames is None


def test_other_folders_are_refused(tmp_path):
    with pytest.raises(UserError, match='has no file of a run, expected the --logdir of a run'):
        run_lib.read(str(tmp_path), 'a')
    with pytest.raises(UserError, match='none is not a folder, expected the --logdir of a run'):
        run_lib.read(str(tmp_path / 'none'), 'a')


def test_labels_differ():
    assert run_lib.labels(['runs/a']) == ['a']
    assert run_lib.labels(['runs/a', 'runs/b/']) == ['a', 'b']
    assert run_lib.labels(['x/a/0', 'x/b/0']) == ['a/0', 'b/0']


def test_a_run_on_several_maps_has_its_rows_by_map(run):
    content = tiny.read_json(run, 'manifest.json')
    content['config']['map_name'] = 'MoveToBeacon,DefeatRoaches'
    tiny.edit_manifest(run, json.dumps(content))
    folders.write(
        run,
        'episodes.csv',
        'start,global_step,episode_return,episode_frames,episode_steps,map_name',
        *[f'0,{100 * i},{i},10,1,{("MoveToBeacon", "DefeatRoaches")[i % 2]}' for i in range(6)],
    )
    found = run_lib.read(run, 'a')
    groups = run_lib.by_map([found])
    assert list(groups) == ['MoveToBeacon', 'DefeatRoaches']
    returns = {name: of_map[0].episodes.returns.tolist() for name, of_map in groups.items()}
    assert returns == {'MoveToBeacon': [0, 2, 4], 'DefeatRoaches': [1, 3, 5]}
    assert groups['DefeatRoaches'][0].map_name == 'DefeatRoaches'
    page = page_lib.to_html([found], 'report.html', 0.0)
    assert '<h3>MoveToBeacon</h3>' in page and '<h3>DefeatRoaches</h3>' in page


def test_runs_on_single_maps_are_one_group(run):
    found = run_lib.read(run, 'a')
    assert run_lib.by_map([found, found]) == {'MoveToBeacon': [found, found]}
