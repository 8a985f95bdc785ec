"""Every way to use the command wrongly: one sentence, and the folder stays as it is."""

import json
import os
import shutil

import pytest

from sc2impala.envs import players
from sc2impala.runtime import memory
from sc2impala.training.components import replay_limit as replay_watch
from tests.runtime import tiny


def resume(logdir, *flags):
    total = 2 * tiny.NUM_UPDATES * tiny.FRAMES_PER_UPDATE
    return tiny.main(logdir, f'--total_environment_frames={total}', *(tiny.REPLAY + flags))


def refuses(logdir, capsys, command, *flags):
    """Runs a command that must fail and leave the folder as it is; returns its error line."""
    before = tiny.snapshot(logdir)
    capsys.readouterr()
    assert command(logdir, *flags) == 1
    assert tiny.snapshot(logdir) == before
    return tiny.error_line(capsys)


def starve(available, watch_class):
    """A watch's call before which the machine runs out of memory."""
    look = watch_class.__call__

    def starved_look(self):
        available[0] = 0.0
        look(self)

    return starved_look


def cut(path, keep=0.5):
    with open(path, 'rb') as file:
        content = file.read()
    with open(path, 'wb') as file:
        file.write(content[: int(len(content) * keep)])


class TestWrongSettings:
    def test_are_refused_in_one_sentence(self, tmp_path, capsys):
        for flags, words in [
            (['--map_name=Foo'], ['--map_name=Foo', 'MoveToBeacon']),
            (['--agent=foo'], ['--agent=foo', 'fully_conv_lstm']),
            (['--mode=play'], ['--mode=play', 'evaluate']),
            (['--policy=best'], ['--policy=best', 'greedy']),
            (['--algorithm=a3c'], ['--algorithm=a3c', 'impala']),
            (['--backend=starcraft'], ['--backend=starcraft', 'simulator']),
            (['--reward_clipping=hard'], ['--reward_clipping=hard', 'abs_one']),
            (['--replay_eviction=lifo'], ['--replay_eviction=lifo', 'fifo']),
            (['--replay_compression=gzip'], ['--replay_compression=gzip', 'zstd']),
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
            (['--init_checkpoint=/no/such'], ['--init_checkpoint=/no/such', 'has no checkpoint']),
            (['--mode=evaluate'], ['has no checkpoint', '--policy=random']),
            (
                ['--mode=evaluate', '--policy=scripted', '--functions=no_op'],
                ['--policy=scripted', '--functions', 'select_army'],
            ),
        ]:
            assert tiny.main(tmp_path / 'logs', *flags) == 1
            line = tiny.error_line(capsys)
            assert all(word in line for word in words), line
            assert tiny.snapshot(tmp_path) == {}

    def test_maps_without_a_script(self, tmp_path, monkeypatch, capsys):
        monkeypatch.delitem(players.SCRIPTED_PLAYERS, 'CollectMineralShards', raising=False)
        monkeypatch.delitem(players.RULES, 'CollectMineralShards', raising=False)
        flags = '--policy=scripted', '--map_name=CollectMineralShards'
        assert tiny.evaluate(tmp_path / 'logs', *flags) == 1
        line = tiny.error_line(capsys)
        assert '--policy=scripted' in line and '--map_name=CollectMineralShards' in line
        assert 'MoveToBeacon' in line
        assert tiny.snapshot(tmp_path) == {}

    def test_a_mistyped_folder_to_evaluate_is_not_made(self, tmp_path):
        assert tiny.evaluate(tmp_path / 'typo') == 1
        assert not (tmp_path / 'typo').exists()

    def test_other_settings_than_those_of_the_run(self, run, capsys):
        flags = '--learning_rate=0.5', '--unroll_length=3', '--save_checkpoint_secs=7'
        line = refuses(run, capsys, resume, *flags)
        assert '--learning_rate=0.0007 (now 0.5)' in line
        assert '--unroll_length=5 (now 3)' in line
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
        os.remove(os.path.join(run, 'manifest.copy.json'))
        assert 'no manifest.json' in refuses(run, capsys, resume)

    @pytest.mark.parametrize('command', [resume, tiny.evaluate])
    @pytest.mark.parametrize(
        'change, word',
        [
            (lambda manifest: json.dumps(manifest)[:-20], 'manifest.json cannot be read'),
            (lambda manifest: '', 'manifest.json cannot be read'),
            (lambda manifest: '[]', 'not an object'),
            (lambda manifest: '{}', 'config'),
            (lambda manifest: json.dumps(dict(manifest, starts=3)), 'starts'),
            (lambda manifest: with_setting(manifest, 'warp', 9), 'does not know (warp)'),
            (lambda manifest: with_setting(manifest, 'batch_size', '4'), "'4' for batch_size"),
            (lambda manifest: with_setting(manifest, 'clip_advantage', 0), '0 for clip_advantage'),
            (lambda manifest: with_setting(manifest, 'discounting', None), 'None for discounting'),
        ],
    )
    def test_damaged_manifest(self, change, word, command, run, capsys):
        manifest = tiny.read_json(run, 'manifest.json')
        tiny.edit_manifest(run, change(manifest))
        line = refuses(run, capsys, command)
        assert os.path.join(run, 'manifest.json') in line and word in line, line


def with_setting(manifest, name, value):
    return json.dumps(dict(manifest, config=dict(manifest['config'], **{name: value})))


DATA = '.data-00000-of-00001'


def flip_a_byte(path):
    with open(path, 'rb') as file:
        content = bytearray(file.read())
    content[len(content) // 2] ^= 255
    with open(path, 'wb') as file:
        file.write(content)


@pytest.fixture(scope='module')
def foreign_run(tmp_path_factory):
    logdir = str(tmp_path_factory.mktemp('foreign'))
    tiny.train(logdir, 1, '--agent=atari_net')
    return logdir


class TestWrongCheckpoint:
    @pytest.mark.parametrize('command', [resume, tiny.evaluate])
    @pytest.mark.parametrize('suffix', ['.index', DATA])
    @pytest.mark.parametrize('damage', [cut, flip_a_byte, os.remove])
    def test_no_checkpoint_is_whole(self, damage, suffix, command, run, capsys):
        for frames in tiny.checkpoint_frames(run):
            damage(tiny.checkpoint(run, frames, f'variables{suffix}'))
        line = refuses(run, capsys, command)
        assert f'{run}/checkpoints/{frames} is damaged' in line and 'no other one' in line, line

    def test_falls_back_to_the_one_before(self, run, capsys):
        first, last = tiny.checkpoint_frames(run)
        cut(tiny.checkpoint(run, last, 'replay.npz'))
        before = tiny.snapshot(run)
        assert tiny.evaluate(run, '--num_episodes=1') == 0
        out = capsys.readouterr().out
        assert f'checkpoints/{last} is damaged (replay.npz has ' in out and 'moved' not in out
        os.remove(os.path.join(run, 'evaluation.json'))
        assert tiny.snapshot(run) == before
        tiny.train(run, 1, *tiny.REPLAY)
        assert f'resumed from {run}/checkpoints/{first}' in capsys.readouterr().out
        old, new = tiny.checkpoint(run, last), os.path.join(run, 'damaged', str(last))
        of_last = {path: content for path, content in before.items() if path.startswith(old)}
        moved = {path.replace(old, new): content for path, content in of_last.items()}
        assert len(moved) == 5 and tiny.snapshot(new) == moved
        skipped = tiny.read_json(run, 'manifest.json')['starts'][-1]['checkpoints_skipped']
        assert list(skipped) == [str(last)] and 'replay' in skipped[str(last)]
        assert tiny.checkpoint_frames(run)[0] == first and last not in tiny.checkpoint_frames(run)

    @pytest.mark.long
    @pytest.mark.parametrize('command', [resume, tiny.evaluate])
    def test_of_another_agent(self, command, run, foreign_run, capsys):
        shutil.rmtree(os.path.join(run, 'checkpoints'))
        source = os.path.join(foreign_run, 'checkpoints')
        shutil.copytree(source, os.path.join(run, 'checkpoints'))
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
        assert f'{letter} is damaged or not a checkpoint' in tiny.error_line(capsys)
        assert tiny.snapshot(logdir) == {}

    def test_init_checkpoint_without_one(self, tmp_path, capsys):
        assert tiny.main(tmp_path / 'new', f'--init_checkpoint={tmp_path}') == 1
        assert f'--init_checkpoint={tmp_path} has no checkpoint' in tiny.error_line(capsys)

    def test_replay_buffer_that_turns_out_too_large(self, run, capsys, monkeypatch):
        """Only played sequences show how much they take: the run ends, and loses nothing."""
        before = tiny.checkpoint_frames(run)
        available = [2.0**40]
        monkeypatch.setattr(memory, 'available_bytes', lambda: available[0])
        monkeypatch.setattr(
            replay_watch.ReplayWatch, '__call__', starve(available, replay_watch.ReplayWatch)
        )
        assert resume(run) == 1
        line = tiny.error_line(capsys)
        assert '--replay_buffer_size=6 will take about' in line and 'still there' in line
        assert tiny.checkpoint_frames(run) == before
