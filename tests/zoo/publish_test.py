"""An agent of the zoo is that of its run, with weights in float16."""

import json
import os
import shutil
import sys

import numpy as np
import pytest

import sc2impala
from sc2impala import experiment
from sc2impala.checkpoints import directory, zoo_names
from sc2impala.zoo import cards, publish
from tests.runtime import tiny

pytestmark = pytest.mark.long


def test_the_weights_are_those_of_the_run(zoo_folder, tiny_run):
    with sc2impala.load(tiny_run) as run, sc2impala.load('zoo:Tiny') as agent:
        assert agent.identity.map_name == run.identity.map_name
        assert agent.identity.frames == run.identity.frames
        expected, found = run.weights(), agent.weights()
    assert expected.keys() == found.keys()
    for name, value in expected.items():
        assert found[name].dtype == value.dtype
        np.testing.assert_array_equal(found[name], value.astype(np.float16).astype(value.dtype))


def test_the_card_describes_the_run(zoo_folder, tiny_run):
    card = cards.read('Tiny')
    assert (card.name, card.agent, card.origin) == ('Tiny', 'fully_conv_lstm', 'scratch')
    assert '--agent=fully_conv_lstm' in card.command
    assert tiny_run not in card.command
    assert [score.max_step_mul for score in card.scores] == [None, 2]
    assert [(score.episodes, score.seed) for score in card.scores] == [(2, 3), (2, 3)]


def test_the_card_covers_the_runs_that_it_began_with(tiny_run, tmp_path, monkeypatch):
    second = str(tmp_path / 'second')
    flags = ['--init_checkpoint', tiny_run, '--total_environment_frames', '20']
    flags.append(f'--logdir={second}')
    monkeypatch.setattr(sys, 'argv', ['experiment.py', *flags])
    assert experiment.main(flags) == 0
    (of_first,) = publish._trainings(tiny_run, 100)
    of_both = publish._trainings(second, 20)
    assert [each.frames for each in of_both] == [directory.saved(tiny_run)[-1], 20]
    assert of_both[0].command == of_first.command + ' --logdir=runs/tiny'
    assert of_both[1].command == (
        'python -m sc2impala.experiment --total_environment_frames=20 --init_checkpoint=runs/tiny'
    )
    assert of_both[0].hours == of_first.hours > 0
    assert sum(each.hours for each in publish._trainings(second, 20, hours=3.0)) == 3.0


def test_the_settings_have_no_paths(zoo_folder):
    text = (zoo_folder / 'Tiny' / 'manifest.json').read_text()
    assert os.sep + 'tiny' not in text
    assert json.loads(text)['config']['logdir'] == ''


def test_evaluations_by_policy_and_by_checkpoint_are_the_same(zoo_folder, tmp_path):
    flags = ['--mode=evaluate', '--num_episodes=2', '--seed=3']
    assert experiment.main([*flags, '--policy=zoo:Tiny', f'--logdir={tmp_path}/a']) == 0
    assert experiment.main([*flags, '--checkpoint=zoo:Tiny', f'--logdir={tmp_path}/b']) == 0
    a, b = (json.loads((tmp_path / name / 'evaluation-zoo-Tiny.json').read_text()) for name in 'ab')
    assert a == b
    assert a['checkpoint'] == 'zoo:Tiny'
    assert a['mean_return'] == pytest.approx(cards.read('Tiny').scores[0].mean)


def test_an_evaluation_in_the_folder_of_another_run_keeps_its_files(zoo_folder, tiny_run, tmp_path):
    folder = tmp_path / 'run'
    shutil.copytree(tiny_run, str(folder))
    before = {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}
    flags = ['--mode=evaluate', '--num_episodes=1', '--policy=zoo:Tiny', f'--logdir={folder}']
    assert experiment.main(flags) == 0
    for name, content in before.items():
        assert (folder / name).read_bytes() == content
    assert (folder / 'evaluation-zoo-Tiny.json').exists()


def test_a_run_starts_from_the_agent(zoo_folder, tmp_path):
    logdir = str(tmp_path / 'run')
    flags = ['--init_checkpoint=zoo:Tiny', '--total_environment_frames=20', f'--logdir={logdir}']
    assert experiment.main(flags) == 0
    with open(os.path.join(logdir, 'manifest.json')) as file:
        config = json.load(file)['config']
    assert (config['init_checkpoint'], config['agent']) == ('zoo:Tiny', 'fully_conv_lstm')
    # It resumes.
    assert experiment.main([f'--logdir={logdir}', '--total_environment_frames=40']) == 0


def test_the_agent_is_recorded(zoo_folder, tmp_path):
    flags = ['--mode=record', '--policy=zoo:Tiny', '--num_episodes=1', f'--logdir={tmp_path}/run']
    assert experiment.main(flags) == 0


def test_another_evaluation_prints_scores_and_keeps_the_card(zoo_folder, capsys):
    path = zoo_folder / 'Tiny' / zoo_names.CARD
    before = path.read_bytes()
    assert publish.main(['--name=Tiny', '--evaluate', '--episodes=2', '--seed=4']) == 0
    assert 'zoo:Tiny' in capsys.readouterr().out
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    'flags, message',
    [
        (['--name=../x', 'run'], 'is no name'),
        (['--name=x'], 'folder of a run is missing'),
        (['--name=x', 'run', '--episodes=1'], 'expected at least 2'),
    ],
)
def test_wrong_flags_are_named(flags, message, capsys):
    with pytest.raises(SystemExit):
        publish.parse(flags)
    assert message in capsys.readouterr().err


def test_an_agent_of_several_maps_has_a_score_for_each(tmp_path, monkeypatch, capsys):
    maps = ['MoveToBeacon', 'CollectMineralShards']
    logdir = str(tmp_path / 'run')
    flags = (f'--map_name={",".join(maps)}', '--unroll_length=2', '--total_environment_frames=100')
    monkeypatch.setattr(sys, 'argv', ['experiment.py', f'--logdir={logdir}', *flags])
    assert tiny.main(logdir, *flags) == 0
    monkeypatch.setattr(zoo_names, 'FOLDER', str(tmp_path / 'zoo'))
    monkeypatch.setenv('XDG_CACHE_HOME', str(tmp_path / 'cache'))
    assert publish.main([logdir, '--name=Both', '--episodes=2', '--seed=3']) == 0
    card = cards.read('Both')
    assert card.map_name == ','.join(maps)
    assert [score.map_name for score in card.scores] == maps
    assert [score.episodes for score in card.scores] == [2, 2]
    text = cards.markdown([card])
    assert f'| MoveToBeacon: {tiny.STEP_MUL} frames |' in text
    assert f'|  | CollectMineralShards: {tiny.STEP_MUL} frames |' in text
    with sc2impala.load('zoo:Both') as agent:
        assert agent.identity.map_name == card.map_name


def test_a_failed_evaluation_keeps_the_earlier_agent(zoo_folder, tiny_run, monkeypatch):
    folder = zoo_folder / 'Tiny'
    before = {path.name: path.read_bytes() for path in folder.iterdir()}

    def fail(flags):
        assert cards.read('Tiny').selection == 'another'
        return 1

    monkeypatch.setattr(publish.experiment, 'main', fail)
    assert publish.main([tiny_run, '--name=Tiny', '--selection=another']) != 0
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before
    assert not list(zoo_folder.glob('.new-*'))


def test_a_failed_publication_leaves_nothing(zoo_folder, tmp_path, capsys):
    before = sorted(os.listdir(str(zoo_folder)))
    assert publish.main([str(tmp_path), '--name=Other']) != 0
    assert 'is no run' in capsys.readouterr().err
    assert sorted(os.listdir(str(zoo_folder))) == before


@pytest.mark.parametrize(
    'config, expected',
    [
        ({'num_cloning_frames': 0}, False),
        ({'num_cloning_frames': 0, 'demonstration_cost': 0.0}, False),
        ({'num_cloning_frames': 100, 'demonstration_cost': 0.0}, True),
        ({'num_cloning_frames': 0, 'demonstration_cost': 1.0}, True),
    ],
)
def test_labels_in_the_main_phase_are_imitation_as_well(config, expected):
    assert publish.imitates(config) == expected
