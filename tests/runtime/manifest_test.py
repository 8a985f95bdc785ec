"""The manifest of a run: what is in it, what an older one lacks, and what is refused."""

import json
import os

import pytest

import sc2impala
from sc2impala import experiment
from sc2impala.errors import UserError
from sc2impala.factories import environments
from sc2impala.runtime import manifest
from sc2impala.settings import resolve
from sc2impala.settings import settings as settings_lib
from sc2impala.settings.settings import Settings
from tests.runtime import tiny


@pytest.fixture
def values(tmp_path):
    """All settings of a run in a new folder."""
    return resolve.complete({'logdir': str(tmp_path)})


def write(values, before=None):
    specs = environments.make_specs(Settings.from_values(values).environment)
    manifest.write(values['logdir'], values, before, specs)
    return manifest.read(values['logdir'])


def path_of(values):
    return os.path.join(values['logdir'], manifest.MANIFEST)


def test_none(tmp_path):
    assert manifest.read(str(tmp_path)) is None
    assert manifest.read(str(tmp_path / 'no folder')) is None


def test_gives_back_the_settings(values):
    written = write(values)
    assert written['config'] == values
    manifest.check_same_settings(values['logdir'], values, written)
    assert written['heads']['function'] == 3
    assert {type(value) for value in written['starts'][0]['versions'].values()} == {str}
    assert {'sc2impala', 'python', 'platform', 'tensorflow', 'sonnet', 'numpy'} <= set(
        written['starts'][0]['versions']
    )


def test_holds_text_where_older_versions_did(values):
    """Folders can be opened by them as well, as long as no setting has come since."""
    write(values)
    with open(path_of(values)) as file:
        config = json.load(file)['config']
    assert (config['screen_size'], config['vectors']) == ('16', 'player')
    assert config['functions'] == 'no_op,select_army,Move_screen'
    assert config['fixed_arguments'] == 'queued=0,select_add=0,select_point_act=0'
    assert config['minimap_layers'] == 'none'


def test_lists_every_start(values):
    written = write(values)
    changed = dict(values, total_environment_frames=5, progress_secs=3.0)
    written = write(changed, written)
    written = write(changed, written)
    assert [start['settings_changed'] for start in written['starts']] == [
        {},
        {'total_environment_frames': 5, 'progress_secs': 3.0},
        {},
    ]
    assert written['config']['total_environment_frames'] == 5


def test_other_settings_are_all_named(values):
    written = write(values)
    other = dict(values, unroll_length=7, agent='atari_net', progress_secs=1.0, screen_size=(9, 8))
    with pytest.raises(UserError) as error_info:
        manifest.check_same_settings(values['logdir'], other, written)
    assert str(error_info.value) == (
        f'--logdir={values["logdir"]} contains a run with other settings: --agent=fully_conv_lstm '
        '(now atari_net), --screen_size=16 (now 9x8), --unroll_length=20 (now 7); omit these '
        'flags, or choose another folder.'
    )


@pytest.mark.parametrize(
    'before, given, origin',
    [
        ('', '/no/such', 'without one'),
        ('runs/a', '', 'from the weights of runs/a'),
        ('runs/a', 'runs/b', 'from the weights of runs/a'),
    ],
)
def test_another_origin_is_refused(values, before, given, origin):
    written = write(dict(values, init_checkpoint=before))
    message = (
        f'--init_checkpoint={given} has no effect on the run in --logdir={values["logdir"]}, which '
        f'started {origin}: omit this flag to continue it, or choose another folder.'
    )
    with pytest.raises(UserError) as error_info:
        manifest.check_same_settings(values['logdir'], dict(values, init_checkpoint=given), written)
    assert str(error_info.value) == message


def test_the_same_origin_spelled_in_another_way(values):
    written = write(dict(values, init_checkpoint='runs/a'))
    for given in ('runs/a', 'runs/a/', os.path.abspath('runs/a')):
        manifest.check_same_settings(values['logdir'], dict(values, init_checkpoint=given), written)


def test_other_settings_of_an_evaluation_are_all_named(values):
    written = write(values)
    other = dict(values, num_envs=7, agent='atari_net', num_episodes=1, seed=4)
    with pytest.raises(UserError) as error_info:
        manifest.check_evaluation(values['logdir'], other, written)
    assert str(error_info.value) == (
        f'--logdir={values["logdir"]} contains a run with other settings: --agent=fully_conv_lstm '
        '(now atari_net), --num_envs=32 (now 7); omit these flags, or choose another folder.'
    )


def rewrite(values, change):
    """Writes the manifest with a changed config; returns its path."""
    write(values)
    with open(path_of(values)) as file:
        content = json.load(file)
    change(content['config'])
    tiny.edit_manifest(values['logdir'], json.dumps(content))
    return path_of(values)


class TestDamage:
    @pytest.mark.long
    def test_a_flipped_bit_is_noticed_and_the_copy_read(self, values, capsys):
        written = write(values)
        with open(path_of(values), 'rb') as file:
            text = file.read()
        for index in range(0, len(text), 7):
            with open(path_of(values), 'wb') as file:
                file.write(text[:index] + bytes([text[index] ^ 2]) + text[index + 1 :])
            assert manifest.read(values['logdir']) == written
        assert 'its copy' in capsys.readouterr().out

    @pytest.mark.parametrize('content', [b'', b'[' * 100000, b'\0', b'{"config": {}}'])
    def test_both_damaged(self, content, values):
        write(values)
        for name in (manifest.MANIFEST, manifest.COPY):
            with open(os.path.join(values['logdir'], name), 'wb') as file:
                file.write(content)
        with pytest.raises(UserError, match='manifest.json cannot be read'):
            manifest.read(values['logdir'])

    def test_a_missing_one_is_read_from_its_copy(self, values):
        written = write(values)
        os.remove(path_of(values))
        assert manifest.read(values['logdir']) == written

    def test_what_was_changed_on_purpose(self, values):
        original = write(values)['config']['batch_size']
        content = tiny.read_json(path_of(values))
        content['config']['batch_size'] = original + 1
        for checksum, expected in ((content['checksum'], original), (None, original + 1)):
            content.pop('checksum', None)
            content.update({} if checksum is None else {'checksum': checksum})
            with open(path_of(values), 'w') as file:
                json.dump(content, file)
            assert manifest.read(values['logdir'])['config']['batch_size'] == expected


def test_settings_that_an_older_one_lacks_have_their_general_defaults(values):
    values.update(batch_size=5, num_envs=5)
    rewrite(values, lambda config: config.pop('batch_size'))
    found = manifest.read(values['logdir'])
    values.update(batch_size=32)
    assert found['config'] == values
    manifest.check_same_settings(values['logdir'], values, found)


def test_choices_of_the_map_are_read_from_the_lists_of_an_older_one(values):
    values.update(functions=('no_op', 'Move_screen'), screen_layers=('selected',))
    rewrite(values, lambda config: config.update(functions='', screen_layers=''))
    assert manifest.read(values['logdir'])['config'] == values


def test_settings_of_a_newer_version_are_refused(values):
    path = rewrite(values, lambda config: config.update(warp=9, zoom=1))
    with pytest.raises(UserError) as error_info:
        manifest.read(values['logdir'])
    assert str(error_info.value) == (
        f'{path} has settings that sc2impala {sc2impala.__version__} does not know (warp, zoom), '
        'expected none but its own: a newer version wrote it, so use that one, or choose another '
        '--logdir.'
    )


@pytest.mark.parametrize(
    'name, value',
    [('batch_size', '4'), ('screen_size', '0'), ('functions', ['no_op']), ('curve', 0)],
)
def test_values_that_are_not_understood(name, value, values):
    path = rewrite(values, lambda config: config.update({name: value}))
    with pytest.raises(UserError) as error_info:
        manifest.read(values['logdir'])
    assert str(error_info.value) == (
        f'{path} cannot be read (config has {value!r} for {name}), expected the manifest of a run: '
        'repair the file or choose another --logdir.'
    )


OLD_CONFIG = {
    'mode': 'train',
    'logdir': 'runs/old',
    'seed': 3,
    'deterministic': False,
    'bfloat16': False,
    'backend': 'simulator',
    'map_name': 'CollectMineralShards',
    'screen_size': '16',
    'minimap_size': '24x16',
    'functions': 'no_op,select_army',
    'fixed_arguments': 'queued=0',
    'screen_layers': 'player_relative,selected',
    'minimap_layers': 'none',
    'vectors': 'player',
    'fixed_step_mul': True,
    'step_mul': 8,
    'max_step_mul': 8,
    'game_version': '',
    'disable_fog': False,
    'camera_width': 24,
    'max_episode_frames': 0,
    'opponent': '',
    'opponent_race': 'random',
    'race': 'terran',
    'relaunch_episodes': 0,
    'game_deadline_secs': 60.0,
    'replay_dir': '',
    'save_replay_episodes': 0,
    'realtime': False,
    'visualize': False,
    'agent': 'atari_net',
    'num_actors': 2,
    'num_envs': 32,
    'unroll_length': 20,
    'queue_capacity': 0,
    'total_environment_frames': 50000000,
    'batch_size': 16,
    'learning_rate': 0.0007,
    'final_learning_rate': 0.0,
    'adam_beta1': 0.9,
    'adam_beta2': 0.999,
    'adam_epsilon': 1e-05,
    'clip_grad_norm': 40,
    'discounting': 0.9,
    'discounting_per_frame': False,
    'reward_scaling': 1.0,
    'reward_clipping': 'none',
    'baseline_cost': 0.5,
    'entropy_cost': 0.01,
    'final_entropy_cost': 0.0,
    'entropy_decay': 0.4,
    'clip_advantage': False,
    'replay_proportion': 0.5,
    'replay_buffer_size': 1000,
    'replay_eviction': 'reservoir',
    'replay_compression': 'zstd',
    'policy_cloning_cost': 0.01,
    'value_cloning_cost': 0.005,
    'num_critic_pretrain_frames': 0,
    'critic_learning_rate': 0.0007,
    'critic_pretrain_all_variables': False,
    'init_checkpoint': '',
    'save_checkpoint_secs': 120.0,
    'keep_checkpoints': 5,
    'save_summaries_secs': 10.0,
    'progress_secs': 10.0,
    'policy': 'sampled',
    'num_episodes': 100,
    'num_eval_envs': 25,
    'animation': False,
    'curve': False,
}
"""The config of a manifest as version 0.1 wrote it, before there was `algorithm`."""

OLD_LISTS = {
    'functions': ['no_op', 'select_army'],
    'heads': {'function': 2},
    'screen_layers': ['player_relative', 'selected'],
    'minimap_layers': [],
}


def write_old(folder, **changes):
    """Writes a manifest of the old format; settings that are changed to None are left out."""
    config = {k: v for k, v in dict(OLD_CONFIG, **changes).items() if v is not None}
    content = dict(OLD_LISTS, config=config, starts=[{'settings_changed': {}}])
    with open(str(folder / 'manifest.json'), 'w') as file:
        json.dump(content, file)


class TestOldFormat:
    EXPECTED = {
        'screen_size': (16, 16),
        'minimap_size': (24, 16),
        'functions': ('no_op', 'select_army'),
        'fixed_arguments': {'queued': 0},
        'screen_layers': ('player_relative', 'selected'),
        'minimap_layers': (),
        'vectors': ('player',),
        'algorithm': 'impala',
    }

    def added(self):
        """Settings of today that they did not have, with the values that say what they did."""
        defaults = dict(settings_lib.general_defaults(), spread_games=False)
        return {name: defaults[name] for name in set(defaults) - set(OLD_CONFIG)}

    def test_opens(self, tmp_path):
        write_old(tmp_path)
        config = manifest.read(str(tmp_path))['config']
        assert config == dict(self.added(), **dict(OLD_CONFIG, **self.EXPECTED))

    def test_of_the_first_versions_opens(self, tmp_path):
        """They wrote empty text for what the map chooses, and had fewer settings."""
        of_map = ('functions', 'fixed_arguments', 'screen_layers', 'minimap_layers')
        lacking = dict.fromkeys(('discounting_per_frame', 'replay_compression', 'entropy_decay'))
        write_old(tmp_path, **dict(dict.fromkeys(of_map, ''), **lacking))
        changed = dict(
            self.EXPECTED,
            fixed_arguments={'queued': 0, 'select_add': 0, 'select_point_act': 0},
            entropy_decay=1.0,
        )
        expected = dict(self.added(), **dict(OLD_CONFIG, **changed))
        assert manifest.read(str(tmp_path))['config'] == expected

    def test_goes_on_with_the_same_settings(self, tmp_path):
        write_old(tmp_path)
        before = manifest.read(str(tmp_path))
        flag = f'--logdir={tmp_path}'
        found = experiment.read_settings([flag, '--functions=no_op,select_army']).values()
        assert found == dict(before['config'], logdir=str(tmp_path))
        manifest.check_same_settings(str(tmp_path), found, before)
        written = write(found, before)
        assert written['config'] == found and len(written['starts']) == 2
        assert written['starts'][1]['settings_changed'] == {'logdir': str(tmp_path)}
        found = experiment.read_settings([flag, '--functions=no_op']).values()
        with pytest.raises(UserError, match=r'--functions=no_op,select_army \(now no_op\); '):
            manifest.check_same_settings(str(tmp_path), found, before)

    def test_is_evaluated_with_the_same_settings(self, tmp_path):
        write_old(tmp_path)
        flags = [f'--logdir={tmp_path}', '--mode=evaluate', '--policy=random', '--screen_size=16']
        found = experiment.read_settings(flags).values()
        assert found['discounting'] == 0.9 and found['functions'] == ('no_op', 'select_army')
        assert found['policy'] == 'random' and found['seed'] == 0
