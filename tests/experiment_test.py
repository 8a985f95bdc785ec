"""The command: train and evaluate on the simulator, and every way to use it wrongly."""

import json
import os
import shutil

import numpy as np
import pytest

from sc2impala import experiment
from sc2impala.runtime import config as config_lib
from tests.runtime import tiny

NUM_UPDATES = 8


@pytest.fixture(scope='module')
def finished_run(tmp_path_factory):
    logdir = tmp_path_factory.mktemp('run') / 'logs'
    tiny.train(logdir, NUM_UPDATES, '--replay_proportion=0.25', '--replay_buffer_size=6')
    return logdir


@pytest.fixture
def run(finished_run, tmp_path):
    """A copy of the finished run that the test may change."""
    return shutil.copytree(str(finished_run), str(tmp_path / 'run'))


def resume(logdir, *flags):
    total = 2 * NUM_UPDATES * tiny.FRAMES_PER_UPDATE
    return tiny.main(
        logdir,
        '--replay_proportion=0.25',
        '--replay_buffer_size=6',
        f'--total_environment_frames={total}',
        *flags,
    )


def refuses(logdir, capsys, command, *flags):
    """Runs a command that must fail and leave the folder as it is; returns what it says."""
    before = tiny.snapshot(logdir)
    capsys.readouterr()
    assert command(logdir, *flags) == 1
    assert tiny.snapshot(logdir) == before
    return tiny.error_line(capsys)


def read_json(*path):
    with open(os.path.join(*[str(part) for part in path])) as file:
        return json.load(file)


def last_checkpoint(logdir):
    return os.path.join(str(logdir), f'model.ckpt-{tiny.checkpoint_frames(logdir)[-1]}')


def cut(path, keep=0.5):
    with open(path, 'rb') as file:
        content = file.read()
    with open(path, 'wb') as file:
        file.write(content[: int(len(content) * keep)])


class TestFlags:
    def test_there_is_one_for_each_setting(self):
        names = [name for group in experiment.FLAGS.values() for name in group]
        assert sorted(names) == sorted(config_lib.Config._fields)

    def test_defaults_are_those_of_the_settings(self):
        config = experiment.read_config([])
        assert config == config_lib.Config(logdir='runs/MoveToBeacon')

    def test_values(self):
        config = experiment.read_config(
            [
                '--total_environment_frames=5e6',
                '--learning_rate=1e-3',
                '--clip_advantage',
                '--fixed_step_mul=no',
                '--map_name=CollectMineralShards',
            ]
        )
        assert config.total_environment_frames == 5000000
        assert config.learning_rate == 1e-3
        assert config.clip_advantage is True
        assert config.fixed_step_mul is False
        assert config.logdir == 'runs/CollectMineralShards'

    @pytest.mark.parametrize(
        'flag, complaint',
        [
            ('--no_such_flag=1', '--no_such_flag'),
            ('--batch_size=many', "'many' is not a whole number"),
            ('--batch_size=1.5', "'1.5' is not a whole number"),
            ('--batch_size=inf', "'inf' is not a whole number"),
            ('--learning_rate=fast', '--learning_rate'),
            ('--clip_advantage=perhaps', "'perhaps' is neither"),
            ('--batch=4', '--batch'),
        ],
    )
    def test_argparse_refuses(self, flag, complaint, capsys):
        with pytest.raises(SystemExit) as exit_info:
            experiment.main([flag])
        assert exit_info.value.code == 2
        assert complaint in capsys.readouterr().err

    def test_help_names_every_flag(self, capsys):
        with pytest.raises(SystemExit) as exit_info:
            experiment.main(['--help'])
        assert exit_info.value.code == 0
        text = capsys.readouterr().out
        assert all('--' + name in text for name in config_lib.Config._fields)


class TestTrain:
    def test_leaves_a_folder_that_tells_all(self, finished_run):
        frames = NUM_UPDATES * tiny.FRAMES_PER_UPDATE
        names = sorted(os.listdir(str(finished_run)))
        event_files = [name for name in names if 'tfevents' in name]
        assert len(event_files) == 1
        assert tiny.checkpoint_frames(finished_run)[0] == 0
        assert tiny.checkpoint_frames(finished_run)[-1] >= frames
        assert tiny.memory_frames(finished_run) == tiny.checkpoint_frames(finished_run)
        others = [n for n in names if not n.startswith(('model.ckpt-', 'replay-', 'events.'))]
        assert others == ['.lock', 'checkpoint', 'episodes.csv', 'manifest.json']

    def test_manifest(self, finished_run):
        manifest = read_json(finished_run, 'manifest.json')
        assert sorted(manifest['config']) == sorted(config_lib.Config._fields)
        assert manifest['config']['step_mul'] == tiny.STEP_MUL
        assert manifest['functions'] == ['no_op', 'select_army', 'Move_screen']
        assert manifest['screen_layers'] == ['player_relative', 'selected', 'unit_density']
        (start,) = manifest['starts']
        assert {'sc2impala', 'python', 'tensorflow', 'sonnet', 'numpy'} <= set(start['versions'])
        assert start['settings_changed'] == {}

    def test_episodes_are_listed(self, finished_run):
        rows = tiny.episodes(finished_run)
        assert len(rows) >= 4
        for start, step, episode_return, frames, steps in rows:
            assert (start, frames, steps) == (0, 1920, tiny.EPISODE_STEPS)
            assert step % tiny.FRAMES_PER_SEQUENCE == 0
            assert episode_return >= 0

    def test_a_run_that_is_through_changes_no_weights(self, run, capsys):
        before = tiny.checkpoint_frames(run)
        flags = '--replay_proportion=0.25', '--replay_buffer_size=6'
        tiny.train(run, NUM_UPDATES, *flags)
        assert tiny.checkpoint_frames(run) == before
        assert 'going on from' in capsys.readouterr().out
        assert len(read_json(run, 'manifest.json')['starts']) == 2


class TestEvaluate:
    @pytest.mark.parametrize('policy', ['sampled', 'greedy', 'random', 'scripted'])
    def test_writes_the_same_result_twice(self, run, policy, capsys):
        results = []
        for _ in range(2):
            flags = f'--policy={policy}', '--num_episodes=5', '--num_eval_envs=2'
            assert tiny.evaluate(run, *flags) == 0
            results.append(read_json(run, 'evaluation.json'))
        assert results[0] == results[1]
        assert results[0]['policy'] == policy
        lines = capsys.readouterr().out.splitlines()
        assert lines[-2].split() == ['map', 'policy', 'episodes', 'mean', '+-', 'std', 'min', 'max']
        assert lines[-1].split()[:3] == ['MoveToBeacon', policy, '5']

    def test_result(self, run):
        assert tiny.evaluate(run, '--policy=scripted', '--num_episodes=6') == 0
        result = read_json(run, 'evaluation.json')
        asked_for = 'map_name backend policy num_episodes mean_return std_return min_return'
        asked_for += ' max_return environment_frames'
        assert set(asked_for.split()) <= set(result)
        assert result['map_name'] == 'MoveToBeacon'
        assert result['backend'] == 'simulator'
        assert result['num_episodes'] == 6
        assert result['environment_frames'] == 6 * 1920
        assert 0 <= result['min_return'] < result['mean_return'] < result['max_return']
        # The settings of the run: with 120 loops per step the rule is slow.
        assert result['step_mul'] == tiny.STEP_MUL
        assert result['max_return'] < 20

    def test_another_seed_plays_other_games(self, run):
        returns = []
        for seed in (0, 1):
            flags = f'--seed={seed}', '--policy=scripted', '--num_episodes=30'
            assert tiny.evaluate(run, *flags) == 0
            returns.append(read_json(run, 'evaluation.json'))
        assert returns[0]['mean_return'] != returns[1]['mean_return']

    def test_pictures_when_asked_for_only(self, run):
        assert tiny.evaluate(run, '--num_episodes=1') == 0
        assert not {'episode.gif', 'curve.png'} & set(os.listdir(run))
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
        assert read_json(tmp_path, 'new', 'evaluation.json')['step_mul'] == 100

    def test_works_in_a_folder_that_was_moved(self, run, tmp_path):
        assert tiny.evaluate(run, '--num_episodes=2') == 0
        expected = read_json(run, 'evaluation.json')
        moved = str(tmp_path / 'moved')
        shutil.move(run, moved)
        assert tiny.evaluate(moved, '--num_episodes=2') == 0
        assert read_json(moved, 'evaluation.json') == expected


class TestWrongSettings:
    @pytest.mark.parametrize(
        'flags, words',
        [
            (['--map_name=Foo'], ['--map_name=Foo', 'MoveToBeacon']),
            (['--agent=foo'], ['--agent=foo', 'fully_conv_lstm']),
            (['--mode=play'], ['--mode=play', 'evaluate']),
            (['--policy=best'], ['--policy=best', 'greedy']),
            (['--backend=starcraft'], ['--backend=starcraft', 'simulator']),
            (['--reward_clipping=hard'], ['--reward_clipping=hard', 'abs_one']),
            (['--replay_eviction=lifo'], ['--replay_eviction=lifo', 'fifo']),
            (['--functions=Move_scren'], ['--functions', 'Move_scren', 'Move_screen']),
            (['--functions=9999'], ['--functions', '9999', '0..572']),
            (['--functions=no_op,no_op'], ['--functions', 'no_op', 'once']),
            (['--screen_layers=selectd'], ['--screen_layers', 'selectd', 'selected']),
            (['--screen_layers=none'], ['--screen_layers=none', 'at least one']),
            (['--minimap_layers=foo'], ['--minimap_layers', 'foo', 'camera']),
            (['--vectors=foo'], ['--vectors', 'foo', 'player']),
            (['--fixed_arguments=foo=1'], ['--fixed_arguments', 'foo', 'queued']),
            (['--fixed_arguments=queued=7'], ['--fixed_arguments', '7', '0..1']),
            (['--fixed_arguments=queued'], ['--fixed_arguments=queued', 'pairs']),
            (['--screen_size=0'], ['--screen_size=0', '84x64']),
            (['--minimap_size=8x8x8'], ['--minimap_size=8x8x8', '84x64']),
            (['--batch_size=0'], ['--batch_size=0', '1 to 65536']),
            (['--learning_rate=nan'], ['--learning_rate=nan', '0.0 to 10.0']),
            (['--batch_size=4', '--replay_proportion=1'], ['--batch_size=4', 'no new sequence']),
            (['--replay_proportion=0.1'], ['--replay_proportion=0.1', 'less than one']),
            (
                ['--replay_proportion=0.5', '--replay_buffer_size=1'],
                ['--replay_buffer_size=1', 'at least 2'],
            ),
            (
                ['--replay_proportion=0.5', '--replay_buffer_size=2000000000'],
                ['--replay_buffer_size=2000000000', 'MiB', 'at most'],
            ),
            (['--queue_capacity=3'], ['--queue_capacity=3', '--batch_size=4']),
            (['--deterministic', '--num_actors=2'], ['--deterministic', '--num_actors=2']),
            (['--deterministic', '--queue_capacity=6'], ['--queue_capacity=6', 'at least 7']),
            (['--init_checkpoint=/no/such'], ['--init_checkpoint=/no/such', 'holds no checkpoint']),
            (['--mode=evaluate'], ['holds no checkpoint', '--policy=random']),
            (
                ['--mode=evaluate', '--policy=scripted', '--map_name=CollectMineralShards'],
                ['--policy=scripted', 'CollectMineralShards', 'MoveToBeacon'],
            ),
            (
                ['--mode=evaluate', '--policy=scripted', '--functions=no_op'],
                ['--policy=scripted', '--functions', 'select_army'],
            ),
        ],
    )
    def test_are_refused_in_one_sentence(self, flags, words, tmp_path, capsys):
        assert tiny.main(tmp_path / 'logs', *flags) == 1
        line = tiny.error_line(capsys)
        assert all(word in line for word in words), line
        assert tiny.snapshot(tmp_path) == {}

    def test_a_mistyped_folder_to_evaluate_is_not_made(self, tmp_path):
        assert tiny.evaluate(tmp_path / 'typo') == 1
        assert not (tmp_path / 'typo').exists()

    def test_other_settings_than_those_of_the_run(self, run, capsys):
        flags = '--learning_rate=0.5', '--num_envs=3', '--save_checkpoint_secs=7'
        line = refuses(run, capsys, resume, *flags)
        assert '--learning_rate=0.0007 (now 0.5)' in line
        assert '--num_envs=4 (now 3)' in line
        assert 'save_checkpoint_secs' not in line and 'batch_size' not in line

    def test_another_agent_than_that_of_the_run(self, run, capsys):
        line = refuses(run, capsys, resume, '--agent=atari_net')
        assert '--agent=fully_conv (now atari_net)' in line

    def test_evaluation_with_other_settings(self, run, capsys):
        flags = '--agent=atari_net', '--screen_size=5', '--num_envs=4'
        line = refuses(run, capsys, tiny.evaluate, *flags)
        assert '--agent=fully_conv (now atari_net)' in line
        assert '--screen_size=4 (now 5)' in line
        assert 'num_envs' not in line


class TestWrongFolder:
    @pytest.mark.parametrize('command', [tiny.main, tiny.evaluate])
    @pytest.mark.parametrize('below', ['', 'sub/folder'])
    def test_file_in_the_way(self, below, command, tmp_path, capsys):
        (tmp_path / 'file').write_text('precious')
        flags = ['--policy=random'] if command == tiny.evaluate else []
        logdir = os.path.join(str(tmp_path / 'file'), below).rstrip('/')
        assert command(logdir, *flags) == 1
        line = tiny.error_line(capsys)
        assert '--logdir=' + logdir in line and 'cannot be written to' in line
        assert (tmp_path / 'file').read_text() == 'precious'

    @pytest.mark.skipif(os.geteuid() == 0, reason='root may write everywhere')
    def test_no_permission(self, tmp_path, capsys):
        tmp_path.chmod(0o500)
        assert tiny.main(tmp_path) == 1
        assert 'Permission denied' in tiny.error_line(capsys)

    @pytest.mark.parametrize('name', ['.lock', 'episodes.csv'])
    def test_folder_where_a_file_should_be(self, name, run, capsys):
        os.remove(os.path.join(run, name))
        os.mkdir(os.path.join(run, name))
        line = refuses(run, capsys, resume)
        assert os.path.join(run, name) in line and 'Is a directory' in line

    def test_checkpoint_without_manifest(self, run, capsys):
        os.remove(os.path.join(run, 'manifest.json'))
        assert 'no manifest.json' in refuses(run, capsys, resume)

    @pytest.mark.parametrize('command', [resume, tiny.evaluate])
    @pytest.mark.parametrize(
        'change, word',
        [
            (lambda manifest: json.dumps(manifest)[:-20], 'manifest.json cannot be read'),
            (lambda manifest: '', 'manifest.json cannot be read'),
            (lambda manifest: '[]', 'no object'),
            (lambda manifest: '{}', 'config'),
            (lambda manifest: json.dumps(dict(manifest, starts=3)), 'starts'),
            (lambda manifest: without_setting(manifest, 'batch_size'), 'no batch_size'),
            (lambda manifest: with_setting(manifest, 'warp', 9), 'an unknown warp'),
            (lambda manifest: with_setting(manifest, 'batch_size', '4'), "'4' for batch_size"),
            (lambda manifest: with_setting(manifest, 'clip_advantage', 0), '0 for clip_advantage'),
            (lambda manifest: with_setting(manifest, 'discounting', None), 'None for discounting'),
        ],
    )
    def test_damaged_manifest(self, change, word, command, run, capsys):
        manifest = read_json(run, 'manifest.json')
        with open(os.path.join(run, 'manifest.json'), 'w') as file:
            file.write(change(manifest))
        line = refuses(run, capsys, command)
        assert os.path.join(run, 'manifest.json') in line and word in line, line


def without_setting(manifest, name):
    return json.dumps(dict(manifest, config=dict(manifest['config'], **{name: 0}))).replace(
        f'"{name}": 0, ', ''
    )


def with_setting(manifest, name, value):
    return json.dumps(dict(manifest, config=dict(manifest['config'], **{name: value})))


def cut_data(logdir):
    cut(last_checkpoint(logdir) + '.data-00000-of-00001')


def cut_index(logdir):
    cut(last_checkpoint(logdir) + '.index')


def remove_data(logdir):
    os.remove(last_checkpoint(logdir) + '.data-00000-of-00001')


def remove_index(logdir):
    os.remove(last_checkpoint(logdir) + '.index')


def flip_a_byte(logdir):
    path = last_checkpoint(logdir) + '.data-00000-of-00001'
    with open(path, 'rb') as file:
        content = bytearray(file.read())
    content[len(content) // 2] ^= 255
    with open(path, 'wb') as file:
        file.write(content)


def empty_list(logdir):
    cut(os.path.join(logdir, 'checkpoint'), keep=0)


def nonsense_list(logdir):
    with open(os.path.join(logdir, 'checkpoint'), 'wb') as file:
        file.write(b'\xff\xfe nonsense')


@pytest.fixture(scope='module')
def foreign_run(tmp_path_factory):
    logdir = str(tmp_path_factory.mktemp('foreign'))
    tiny.train(logdir, 1, '--agent=atari_net')
    return logdir


class TestWrongCheckpoint:
    @pytest.mark.parametrize('command', [resume, tiny.evaluate])
    @pytest.mark.parametrize(
        'damage, word',
        [
            (cut_data, 'damaged'),
            (cut_index, 'damaged'),
            (remove_data, 'damaged'),
            (remove_index, 'no such file'),
            (flip_a_byte, 'damaged'),
            (empty_list, 'cannot be read'),
            (nonsense_list, 'cannot be read'),
        ],
    )
    def test_damaged(self, damage, word, command, run, capsys):
        damage(run)
        line = refuses(run, capsys, command)
        assert run in line and word in line, line

    @pytest.mark.parametrize('command', [resume, tiny.evaluate])
    def test_of_another_agent(self, command, run, foreign_run, capsys):
        for name in os.listdir(foreign_run):
            if name.startswith(('model', 'checkpoint')):
                shutil.copy(os.path.join(foreign_run, name), run)
        line = refuses(run, capsys, command)
        assert run in line and ('no variable' in line or 'another agent' in line), line

    def test_init_checkpoint_of_another_agent(self, foreign_run, tmp_path, capsys):
        assert tiny.main(tmp_path / 'new', f'--init_checkpoint={foreign_run}') == 1
        line = tiny.error_line(capsys)
        assert foreign_run in line and ('of another agent' in line or 'none of' in line)
        assert tiny.snapshot(tmp_path) == {}

    def test_init_checkpoint_that_is_none(self, tmp_path, capsys):
        for suffix in ('.index', '.data-00000-of-00001'):
            (tmp_path / ('letter' + suffix)).write_text('dear reader')
        logdir = tmp_path / 'new'
        letter = tmp_path / 'letter'
        assert tiny.main(logdir, f'--init_checkpoint={letter}') == 1
        assert f'{letter} is damaged or no checkpoint' in tiny.error_line(capsys)
        assert tiny.snapshot(logdir) == {}

    def test_init_checkpoint_without_one(self, tmp_path, capsys):
        assert tiny.main(tmp_path / 'new', f'--init_checkpoint={tmp_path}') == 1
        assert f'--init_checkpoint={tmp_path} holds no checkpoint' in tiny.error_line(capsys)

    @pytest.mark.parametrize('keep', [0.0, 0.5, 0.99])
    def test_truncated_replay_memory(self, keep, run, capsys):
        path = os.path.join(run, f'replay-{tiny.memory_frames(run)[-1]}.npz')
        cut(path, keep)
        line = refuses(run, capsys, resume)
        assert path in line and 'cannot be restored' in line and 'move it away' in line

    def test_goes_on_without_the_memory_that_was_moved_away(self, run, capsys):
        os.remove(os.path.join(run, f'replay-{tiny.memory_frames(run)[-1]}.npz'))
        assert resume(run) == 0
        assert 'it starts empty' in capsys.readouterr().out

    def test_replay_memory_of_another_run(self, run, capsys):
        path = os.path.join(run, f'replay-{tiny.memory_frames(run)[-1]}.npz')
        np.savez(path, capacity=np.asarray(3))
        assert path in refuses(run, capsys, resume)
