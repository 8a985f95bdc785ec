"""The command: where settings come from, training and evaluation on the simulator."""

import dataclasses
import json
import os
import shutil

import pytest

from sc2impala import experiment
from sc2impala.envs import maps
from sc2impala.factories import environments
from sc2impala.runtime import manifest
from sc2impala.settings import settings as settings_lib
from tests.runtime import tiny

GENERAL = settings_lib.general_defaults()


def read(*flags):
    return experiment.read_settings(flags).values()


@pytest.fixture
def other_defaults(monkeypatch):
    """Another version of the map's defaults than the one that a run began with."""

    def install():
        changed = dataclasses.replace(
            maps.MAP_DEFAULTS['MoveToBeacon'],
            functions=('no_op', 'Attack_screen'),
            screen_layers=('selected',),
            screen_size=(5, 5),
            settings={'discounting': 0.5, 'unroll_length': 3},
        )
        monkeypatch.setitem(maps.MAP_DEFAULTS, 'MoveToBeacon', changed)

    return install


class TestWhatIsNotGiven:
    """Comes from the run in the folder if there is one, else from the map."""

    FLAGS = '--map_name=CollectMineralShards', '--learning_rate=1e-3', '--num_envs=5'

    @pytest.fixture
    def folder(self, tmp_path):
        settings = experiment.read_settings([f'--logdir={tmp_path}', '--seed=3', *self.FLAGS])
        specs = environments.make_specs(settings.environment)
        manifest.write(str(tmp_path), settings.values(), None, specs)
        return settings.values(), f'--logdir={tmp_path}'

    def test_in_a_new_folder_it_is_of_the_map(self, other_defaults, tmp_path):
        other_defaults()
        values = read(f'--logdir={tmp_path}', '--unroll_length=8')
        assert values['discounting'] == 0.5 and values['screen_size'] == (5, 5)
        assert values['functions'] == ('no_op', 'Attack_screen')
        assert values['unroll_length'] == 8

    def test_when_a_run_goes_on_it_is_of_the_run(self, folder):
        values, flag = folder
        assert read(flag) == values
        assert read(flag, '--seed=3', *self.FLAGS) == values
        assert read(flag, '--functions=') == values
        changed = read(flag, '--progress_secs=3', '--discounting=0.9')
        assert changed == dict(values, progress_secs=3.0, discounting=0.9)

    def test_in_an_evaluation_too_but_for_flags_of_its_own(self, folder):
        values, flag = folder
        values = dict(values, mode='evaluate', num_episodes=7, seed=0)
        flags = flag, '--mode=evaluate', '--num_episodes=7'
        assert read(*flags) == values
        assert read(*flags, '--map_name=CollectMineralShards') == values

    def test_in_an_evaluation_on_another_backend(self, folder):
        values, flag = folder
        found = read(flag, '--mode=evaluate', '--backend=pysc2', '--camera_width=30')
        expected = dict(mode='evaluate', backend='pysc2', seed=0, num_eval_envs=4, camera_width=30)
        assert found == dict(values, **expected)

    @pytest.mark.parametrize('checkpoint', ['', '/model.ckpt-5', '/checkpoints/5'])
    def test_with_weights_of_a_run_it_is_of_that_run(self, folder, checkpoint, tmp_path, capsys):
        values, flag = folder
        source = flag.partition('=')[2] + checkpoint
        flags = f'--logdir={tmp_path / "new"}', f'--init_checkpoint={source}'
        found = read(*flags)
        for name in ('map_name', 'learning_rate', 'point_logit_scale', 'functions', 'trace_decay'):
            assert found[name] == values[name], name
        for name in ('num_envs', 'seed', 'num_cloning_frames', 'demonstrator'):
            assert found[name] == GENERAL[name], name
        assert f'default to the settings of {source}:' in capsys.readouterr().out
        assert read(*flags, '--map_name=MoveToBeacon')['learning_rate'] == GENERAL['learning_rate']

    def test_another_map_than_that_of_the_run_is_refused(self, folder, capsys):
        _, flag = folder
        for mode in ('train', 'evaluate'):
            assert experiment.main([flag, f'--mode={mode}', '--map_name=MoveToBeacon']) == 1
            line = tiny.error_line(capsys)
            assert '--map_name=CollectMineralShards (now MoveToBeacon)' in line
            assert 'functions' not in line

    @pytest.mark.long
    def test_the_same_command_goes_on_under_other_defaults(self, run, other_defaults, capsys):
        before = tiny.read_json(run, 'manifest.json')['config']
        other_defaults()
        tiny.train(run, 2 * tiny.NUM_UPDATES, *tiny.REPLAY)
        printed = capsys.readouterr().out
        assert 'resumed from' in printed
        after = tiny.read_json(run, 'manifest.json')['config']
        frames = 2 * tiny.NUM_UPDATES * tiny.FRAMES_PER_UPDATE
        assert after == dict(before, logdir=run, total_environment_frames=frames)
        assert tiny.checkpoint_frames(run)[-1] >= frames
        (other,) = [line for line in printed.splitlines() if line.startswith('other settings: ')]
        assert f' --screen_layers={before["screen_layers"]} ' in other
        assert ' --discounting=0.95 ' in other

    @pytest.mark.long
    def test_a_run_of_an_older_version_goes_on(self, run, other_defaults):
        path = os.path.join(run, 'manifest.json')
        content = tiny.read_json(path)
        for name in ('functions', 'fixed_arguments', 'screen_layers', 'minimap_layers'):
            content['config'][name] = ''
        for name in ('discounting', 'clip_advantage', 'algorithm'):
            del content['config'][name]
        tiny.edit_manifest(run, json.dumps(content))
        other_defaults()
        tiny.train(run, 2 * tiny.NUM_UPDATES, *tiny.REPLAY)
        assert tiny.read_json(path)['config']['discounting'] == GENERAL['discounting']
        assert tiny.evaluate(run, '--num_episodes=1') == 0


class TestTrain:
    def test_leaves_a_folder_that_tells_all(self, finished_run):
        frames = tiny.NUM_UPDATES * tiny.FRAMES_PER_UPDATE
        names = sorted(os.listdir(str(finished_run)))
        event_files = [name for name in names if 'tfevents' in name]
        assert len(event_files) == 1
        assert tiny.checkpoint_frames(finished_run)[0] == 0
        assert tiny.checkpoint_frames(finished_run)[-1] >= frames
        assert tiny.replay_frames(finished_run) == tiny.checkpoint_frames(finished_run)
        others = [n for n in names if not n.startswith('events.')]
        manifests = ['manifest.copy.json', 'manifest.json']
        assert others == [
            '.frames',
            '.lock',
            'checkpoints',
            'episodes.csv',
            *manifests,
            'train.log',
        ]

    def test_manifest(self, finished_run):
        content = tiny.read_json(finished_run, 'manifest.json')
        assert sorted(content['config']) == sorted(GENERAL)
        assert content['config']['step_mul'] == tiny.STEP_MUL
        assert content['config']['functions'] == 'no_op,select_army,Move_screen'
        assert content['config']['minimap_layers'] == 'none'
        assert content['functions'] == ['no_op', 'select_army', 'Move_screen']
        assert content['screen_layers'] == ['player_relative', 'selected', 'unit_density']
        (start,) = content['starts']
        assert {'sc2impala', 'python', 'tensorflow', 'sonnet', 'numpy'} <= set(start['versions'])
        assert start['settings_changed'] == start['checkpoints_skipped'] == {}

    def test_episodes_are_listed(self, finished_run):
        rows = tiny.episodes(finished_run)
        assert len(rows) >= 4
        for start, step, episode_return, frames, steps in rows:
            assert (start, frames, steps) == (0, 1920, tiny.EPISODE_STEPS)
            assert step % tiny.FRAMES_PER_SEQUENCE == 0
            assert episode_return >= 0

    def test_a_run_that_is_through_changes_no_weights(self, run, capsys):
        before = tiny.checkpoint_frames(run)
        tiny.train(run, tiny.NUM_UPDATES, *tiny.REPLAY)
        assert tiny.checkpoint_frames(run) == before
        assert 'resumed from' in capsys.readouterr().out
        assert len(tiny.read_json(run, 'manifest.json')['starts']) == 2


class TestEvaluate:
    @pytest.mark.parametrize('policy', ['sampled', 'random'])
    def test_writes_the_same_result_twice(self, run, policy, capsys):
        results = []
        for _ in range(2):
            flags = f'--policy={policy}', '--num_episodes=5', '--num_eval_envs=2'
            assert tiny.evaluate(run, *flags) == 0
            results.append(tiny.read_json(run, 'evaluation.json'))
        assert results[0] == results[1]
        assert results[0]['policy'] == policy
        lines = capsys.readouterr().out.splitlines()
        assert lines[-2].split() == ['map', 'policy', 'episodes', 'mean', '+-', 'std', 'min', 'max']
        assert lines[-1].split()[:3] == ['MoveToBeacon', policy, '5']

    def test_result(self, run):
        assert tiny.evaluate(run, '--policy=scripted', '--num_episodes=6') == 0
        result = tiny.read_json(run, 'evaluation.json')
        asked_for = 'map_name backend policy num_episodes mean_return std_return min_return'
        asked_for += ' max_return environment_frames'
        assert set(asked_for.split()) <= set(result)
        assert result['map_name'] == 'MoveToBeacon'
        assert result['backend'] == 'simulator'
        assert result['num_episodes'] == 6
        assert result['environment_frames'] == 6 * 1920
        assert 0 <= result['min_return'] < result['mean_return'] < result['max_return']
        # The settings of the run: with 120 frames per step the script is slow.
        assert result['step_mul'] == tiny.STEP_MUL
        assert result['max_return'] < 20

    def test_the_agent_can_act_more_often(self, run):
        assert tiny.evaluate(run, '--num_episodes=2', '--eval_max_step_mul=40') == 0
        result = tiny.read_json(run, 'evaluation.json')
        assert (result['step_mul'], result['eval_max_step_mul']) == (40, 40)
        assert result['environment_frames'] == 2 * 1920

    def test_another_seed_plays_other_games(self, run):
        returns = []
        for seed in (0, 1):
            flags = f'--seed={seed}', '--policy=scripted', '--num_episodes=30'
            assert tiny.evaluate(run, *flags) == 0
            returns.append(tiny.read_json(run, 'evaluation.json'))
        assert returns[0]['mean_return'] != returns[1]['mean_return']

    def test_pictures_when_asked_for(self, run):
        assert tiny.evaluate(run, '--num_episodes=1', '--animation', '--curve') == 0
        with open(os.path.join(run, 'episode.gif'), 'rb') as file:
            assert file.read(6) == b'GIF89a'
        with open(os.path.join(run, 'curve.png'), 'rb') as file:
            assert file.read(8) == b'\x89PNG\r\n\x1a\n'

    def test_changes_nothing_but_its_results(self, run):
        before = tiny.snapshot(run)
        assert tiny.evaluate(run, '--num_episodes=2') == 0
        after = tiny.snapshot(run)
        del after[os.path.join(run, 'evaluation.json')]
        assert after == before

    def test_needs_no_run_for_players_that_do_not_learn(self, tmp_path):
        flags = '--policy=random', '--num_episodes=2', '--screen_size=8', '--step_mul=100'
        assert tiny.evaluate(tmp_path / 'new', *flags) == 0
        assert tiny.read_json(tmp_path, 'new', 'evaluation.json')['step_mul'] == 100

    def test_works_in_a_folder_that_was_moved(self, run, tmp_path):
        assert tiny.evaluate(run, '--num_episodes=2') == 0
        expected = tiny.read_json(run, 'evaluation.json')
        moved = str(tmp_path / 'moved')
        shutil.move(run, moved)
        assert tiny.evaluate(moved, '--num_episodes=2') == 0
        assert tiny.read_json(moved, 'evaluation.json') == expected
