"""Flags: what they accept, one sentence for what they do not, and their help."""

import os
import subprocess
import sys

import pytest
from absl import flags

from sc2impala import experiment
from sc2impala.errors import UserError
from sc2impala.settings import resolve, setting_flags
from sc2impala.settings import settings as settings_lib

SETTINGS = settings_lib.all_settings()
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(experiment.__file__)))


def read(*arguments):
    """The settings that a command line gives."""
    flag_values = flags.FlagValues()
    setting_flags.define(flag_values)
    setting_flags.parse(flag_values, arguments)
    return setting_flags.read(flag_values)


def values(*arguments):
    return experiment.read_settings(arguments).values()


def test_there_is_one_for_each_setting():
    flag_values = flags.FlagValues()
    setting_flags.define(flag_values)
    assert sorted(flag_values) == sorted(SETTINGS)


def test_nothing_is_given_by_default():
    assert read() == {}


def test_defaults_are_those_of_the_settings():
    assert values() == resolve.complete({'logdir': 'runs/MoveToBeacon'})


def test_every_default_can_be_given():
    defaults = resolve.complete({'map_name': 'DefeatRoaches'})
    arguments = [f'--{name}={SETTINGS[name].type.to_text(v)}' for name, v in defaults.items()]
    assert read(*arguments) == defaults


def test_values():
    found = values(
        '--total_environment_frames=5e6',
        '--learning_rate=1e-3',
        '--clip_advantage',
        '--fixed_step_mul=no',
        '--nocurve',
        '--animation=True',
        '--map_name',
        'DefeatRoaches',
        '--screen_size=9x8',
        '-num_envs=3',
    )
    assert found['total_environment_frames'] == 5000000
    assert type(found['total_environment_frames']) is int
    assert found['learning_rate'] == 1e-3
    assert found['clip_advantage'] is True and found['animation'] is True
    assert found['fixed_step_mul'] is False and found['curve'] is False
    assert found['map_name'] == 'DefeatRoaches'
    assert found['logdir'] == 'runs/DefeatRoaches'
    assert found['screen_size'] == (9, 8) and found['num_envs'] == 3


def test_later_flags_replace_earlier_ones():
    assert read('--num_envs=3', '--curve', '--num_envs=4', '--nocurve') == {
        'num_envs': 4,
        'curve': False,
    }


def test_a_value_may_contain_an_equals_sign():
    assert read('--logdir=a=b', '--fixed_arguments=queued=1') == {
        'logdir': 'a=b',
        'fixed_arguments': {'queued': 1},
    }


def test_flag_file_is_overridden_by_later_flags(tmp_path):
    path = tmp_path / 'flags.txt'
    path.write_text('# of all my runs\n--num_envs=3\n--batch_size=6\n\n--curve\n')
    found = read('--batch_size=1', f'--flagfile={path}', '--num_envs=4')
    assert found == {'num_envs': 4, 'batch_size': 6, 'curve': True}


WRONG = [
    (['--no_such_flag=1'], '--no_such_flag=1 is not a flag, expected one of those that --help'),
    (['--no_such_flag'], '--no_such_flag is not a flag, expected one of those that --help lists.'),
    (['--no_such_flag=a=b'], '--no_such_flag=a=b is not a flag'),
    (['--batch_sze=3'], '--batch_sze=3 is not a flag, .* such as --batch_size.$'),
    (['--batch=4'], '--batch=4 is not a flag, .* such as --batch_size.$'),
    (['--evaluate'], '--evaluate is not a flag, expected one of those that --help lists.$'),
    (['--nobatch_size'], '--nobatch_size is not a flag, .* such as --batch_size.$'),
    (['--log_dir=x'], '--log_dir=x is not a flag, .* such as --logdir.$'),
    (['--batch_size=abc'], '--batch_size=abc is not valid, expected a whole number.'),
    (['--batch_size=1.5'], '--batch_size=1.5 is not valid, expected a whole number.'),
    (['--batch_size=inf'], '--batch_size=inf is not valid, expected a whole number.'),
    (['--batch_size='], '--batch_size= is not valid, expected a whole number.'),
    (['--learning_rate=fast'], '--learning_rate=fast is not valid, expected a number.'),
    (['--clip_advantage=perhaps'], '--clip_advantage=perhaps is not valid, expected true or false'),
    (
        ['--fixed_arguments=queued=x'],
        '--fixed_arguments=queued=x is not valid, expected pairs as queued=0,select_add=0, each',
    ),
    (
        ['--screen_size=84x'],
        '--screen_size=84x is not valid, expected pixels as 84 or, width first, 84x64, each from 1',
    ),
    (['--screen_size'], '--screen_size has no value, expected --screen_size=PIXELS with pixels as'),
    (
        ['--batch_size=3', '--logdir'],
        '--logdir has no value, expected --logdir=PATH with a path of printable text',
    ),
    (
        ['--deterministic', 'False'],
        'False is not a flag, .*switch is given as --name, --noname or --name=false',
    ),
    (['train', '--batch_size=3'], 'train is not a flag, expected --name=value'),
    (['--flagfile=/no/such'], '--flagfile cannot be read .*/no/such.*, expected a text file'),
    (['--flagfile'], '--flagfile'),
]


def test_what_is_not_understood_is_refused_in_one_sentence():
    for arguments, complaint in WRONG:
        with pytest.raises(UserError, match='^' + complaint) as error:
            read(*arguments)
        assert '\n' not in str(error.value) and str(error.value).endswith('.'), arguments


def test_flag_file_with_a_wrong_flag(tmp_path):
    path = tmp_path / 'flags.txt'
    path.write_text('--batch_sze=6\n')
    with pytest.raises(UserError, match='--batch_sze=6 is not a flag'):
        read(f'--flagfile={path}')
    path.write_bytes(b'\xff\xfe--batch_size=6\n')
    with pytest.raises(UserError, match='--flagfile cannot be read .*expected a text file'):
        read(f'--flagfile={path}')


@pytest.mark.parametrize('arguments, complaint', WRONG)
def test_the_command_says_so_and_writes_nothing(
    arguments, complaint, tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    assert experiment.main(arguments) == 1
    captured = capsys.readouterr()
    assert captured.out == ''
    (line,) = captured.err.splitlines()
    assert line.startswith('error: ')
    assert os.listdir(str(tmp_path)) == []


class TestHelp:
    @pytest.fixture
    def text(self, capsys):
        with pytest.raises(SystemExit) as exit_info:
            experiment.main(['--help'])
        assert exit_info.value.code == 0
        return capsys.readouterr().out

    def test_names_every_flag_under_its_title(self, text):
        lines = text.splitlines()
        titles = [line[:-1] for line in lines if line.endswith(':') and not line.startswith(' ')]
        assert titles == list(dict.fromkeys(setting.title for setting in SETTINGS.values()))
        for name, setting in SETTINGS.items():
            (index,) = [i for i, line in enumerate(lines) if line.startswith(f'  --{name}=')]
            above = [line[:-1] for line in lines[:index] if line[:-1] in titles]
            assert above[-1] == setting.title

    def test_shows_general_defaults_and_where_maps_differ(self, text):
        text = ' '.join(text.split())
        assert 'before clipping (default: 1.0; some maps have their own)' in text
        assert "or 'all' 573 (default: that of the map)" in text
        assert 'number of games per actor (default: 32; some maps have their own)' in text
        assert 'agent steps of a sequence (default: 20)' in text
        assert 'plain IMPALA (default: 0.0; 0.75 with --algorithm=r2d2)' in text
        assert 'folder of the run; runs/<map_name> if empty (default: empty)' in text

    def test_fits_a_terminal(self, text):
        assert max(map(len, text.splitlines())) <= 100


COMMAND = """
import sys
from sc2impala import experiment
sys.argv = ['experiment.py'] + {arguments!r}
try:
    experiment.run()
finally:
    print('loaded:', [name for name in ('tensorflow', 'sonnet') if name in sys.modules])
"""


def command(*arguments, cwd=None):
    """Runs the command in a process of its own; returns exit code, output and error output."""
    process = subprocess.run(
        [sys.executable, '-c', COMMAND.format(arguments=list(arguments))],
        capture_output=True,
        text=True,
        cwd=cwd,
        env=dict(os.environ, PYTHONPATH=ROOT),
    )
    return process.returncode, process.stdout, process.stderr


class TestProcess:
    """Help and wrong flags do not wait for TensorFlow, and it prints nothing."""

    def test_help(self):
        exit_code, out, err = command('--help')
        assert (exit_code, err) == (0, '')
        assert out.startswith('Trains and evaluates') and '\nloaded: []\n' in out
        assert all(f'\n  --{name}=' in out for name in SETTINGS)
        assert 'tensorflow' not in out and 'TensorFlow' not in out

    def test_full_help(self):
        exit_code, out, err = command('--helpfull')
        assert (exit_code, err) == (0, '')
        assert '\nloaded: []\n' in out
        assert all(f'--{name}:' in out or f'--[no]{name}:' in out for name in SETTINGS)
        assert '--flagfile:' in out and '--[no]helpfull:' in out

    @pytest.mark.parametrize(
        'arguments, complaint',
        [
            (['--batch_size=0'], '--batch_size=0 is out of range'),
            # A flag of absl's logging, which only the process has.
            (['--log_dir=logs'], '--log_dir=logs is not a flag'),
        ],
    )
    def test_wrong_flags(self, arguments, complaint, tmp_path):
        exit_code, out, err = command(*arguments, cwd=str(tmp_path))
        assert exit_code == 1 and out == 'loaded: []\n'
        (line,) = err.splitlines()
        assert line.startswith('error: ' + complaint)
        assert os.listdir(str(tmp_path)) == []
