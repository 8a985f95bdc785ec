"""Whole episodes of the player that --policy names."""

import os
import shutil

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

import sc2impala
from sc2impala import structs
from sc2impala.errors import UserError
from sc2impala.evaluation import playing
from sc2impala.factories import environments
from sc2impala.runtime import versions
from tests.runtime import tiny


@pytest.mark.parametrize('policy', ['random', 'scripted'])
@pytest.mark.parametrize('step_mul, expected', [(None, tiny.STEP_MUL), (7, 7)])
def test_the_step_multiplier_of_players_that_do_not_choose_it(policy, step_mul, expected, tmp_path):
    settings = tiny.read_settings(tmp_path, '--mode=record', f'--policy={policy}')
    specs = environments.make_specs(settings.environment)
    player = playing.make_player(settings, specs, 2, step_mul)
    with environments.make_environment(
        settings.environment, settings.starcraft, specs, [0, 1]
    ) as env:
        done = np.ones([2], bool)
        _, chosen = player(structs.EnvOutput(None, None, done, env.reset()))
    assert chosen.tolist() == [expected, expected]


@pytest.mark.parametrize('policy', ['sampled', 'greedy'])
def test_a_recorded_agent_has_the_weights_of_init_checkpoint(policy, run, tmp_path):
    flags = '--mode=record', f'--policy={policy}', f'--init_checkpoint={run}'
    settings = tiny.read_settings(tmp_path, *flags)
    with tf.Graph().as_default():
        player = playing.make_player(settings, environments.make_specs(settings.environment), 2)
        player.close()
    settings = tiny.read_settings(tmp_path, *flags[:2], '--init_checkpoint=/no/such')
    with pytest.raises(UserError, match='/no/such'):
        playing.make_player(settings, environments.make_specs(settings.environment), 2)


def test_an_evaluated_agent_has_those_of_the_folder(tmp_path):
    settings = tiny.read_settings(tmp_path, '--mode=evaluate', '--policy=sampled')
    with pytest.raises(UserError, match='has no checkpoint to evaluate'):
        playing.make_player(settings, environments.make_specs(settings.environment), 2)


class TestChosenCheckpoint:
    def test_its_result_belongs_to_it_alone(self, with_best):
        assert tiny.evaluate(with_best, '--num_episodes=3') == 0
        latest = tiny.read_json(with_best, 'evaluation.json')
        assert latest['checkpoint'] == f'checkpoints/{latest["checkpoint_frames"]}'
        before = tiny.snapshot(with_best)
        flags = '--checkpoint=best', '--num_episodes=3', '--num_eval_envs=2', '--animation'
        assert tiny.evaluate(with_best, *flags, '--temperature=0.5', '--seed=6') == 0
        after = tiny.snapshot(with_best)
        found = {os.path.relpath(path, with_best) for path in set(after) - set(before)}
        assert found == {'evaluation-best-7.json', 'episode-best-7.gif'}
        assert {path: content for path, content in after.items() if path in before} == before
        result = tiny.read_json(with_best, 'evaluation-best-7.json')
        episodes = result.pop('episodes')
        assert [set(episode) for episode in episodes] == [{'return', 'frames', 'steps'}] * 3
        assert result['mean_return'] == np.mean([episode['return'] for episode in episodes])
        expected = {
            'checkpoint': 'best/checkpoints/7',
            'checkpoint_frames': 7,
            'map_name': 'MoveToBeacon',
            'backend': 'simulator',
            'policy': 'sampled',
            'temperature': 0.5,
            'eval_max_step_mul': None,
            'step_mul': tiny.STEP_MUL,
            'num_eval_envs': 2,
            'num_episodes': 3,
            'seed': 6,
            'deterministic': False,
            'simulator_rules': {},
            'version': sc2impala.__version__,
            'git_revision': versions.git_revision(),
            'tensorflow': tf.__version__,
        }
        assert {name: result[name] for name in expected} == expected

    def test_players_without_one(self, tmp_path):
        flags = '--policy=random', '--num_episodes=1', '--step_mul=240'
        assert tiny.evaluate(tmp_path, *flags) == 0
        assert tiny.read_json(tmp_path, 'evaluation.json')['checkpoint'] is None

    def test_one_of_another_run_is_refused(self, with_best, run, tmp_path, capsys):
        other = shutil.copytree(run, str(tmp_path / 'other'))
        before = tiny.snapshot(with_best)
        assert tiny.evaluate(with_best, f'--checkpoint={other}', '--num_episodes=1') == 1
        assert f'is not in --logdir={with_best}, expected' in tiny.error_line(capsys)
        assert tiny.snapshot(with_best) == before

    def test_one_is_recorded(self, with_best, tmp_path):
        flags = f'--init_checkpoint={with_best}', '--checkpoint=7', '--mode=record'
        settings = tiny.read_settings(tmp_path, *flags, '--policy=sampled')
        with tf.Graph().as_default():
            player = playing.make_player(settings, environments.make_specs(settings.environment), 2)
            assert player.checkpoint == f'{with_best}/best/checkpoints/7'
            player.close()
