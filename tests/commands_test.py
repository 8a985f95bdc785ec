"""The command `sc2impala` hands over to the commands of the package."""

import importlib.util
import os
import subprocess
import sys

import pytest

from sc2impala import commands
from sc2impala.commands import COMMANDS, Command
from tests.house import sources

ECHO = """import sys
print(__name__, sys.argv[1:])
sys.exit(int(sys.argv[-1]))
"""


def sc2impala(*arguments):
    """Runs the command in a process of its own."""
    return subprocess.run(
        [sys.executable, '-m', 'sc2impala', *arguments],
        cwd=sources.ROOT,
        capture_output=True,
        text=True,
    )


@pytest.fixture
def echo(tmp_path, monkeypatch):
    """Adds a command that prints its arguments and exits with the last one."""
    (tmp_path / 'echoing.py').write_text(ECHO)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(sys, 'argv', ['sc2impala'])
    monkeypatch.setitem(COMMANDS, 'echo', Command('echoing', 'prints', ('--mode=train',)))


@pytest.mark.parametrize('exit_code', [0, 1, 130])
def test_arguments_and_exit_codes_pass_through(echo, capsys, exit_code):
    with pytest.raises(SystemExit) as caught:
        commands.main(['echo', '--a=1', str(exit_code)])
    assert caught.value.code == exit_code
    arguments = ['--mode=train', '--a=1', str(exit_code)]
    assert capsys.readouterr().out == f'__main__ {arguments}\n'


@pytest.mark.parametrize('flag', ['--mode=evaluate', '--mode', '-mode=train'])
def test_a_command_sets_the_mode_itself(echo, capsys, flag):
    assert commands.main(['echo', '--a=1', flag]) == 1
    assert 'after sc2impala echo, expected no --mode' in capsys.readouterr().err


@pytest.mark.parametrize('name', COMMANDS)
def test_modules_exist_and_are_listed(name):
    module = COMMANDS[name].module
    assert importlib.util.find_spec(module) is not None
    assert f'  {name} ' in commands.help_text() and COMMANDS[name].help in commands.help_text()
    assert max(map(len, commands.help_text().splitlines())) <= 100


@pytest.mark.parametrize(
    'arguments, message',
    [
        ([], 'error: no command is given, expected one of train, evaluate, '),
        (['play'], 'error: play is no command, expected one of train, '),
        (['--logdir=runs/a'], 'error: --logdir=runs/a is given before a command, expected one of'),
    ],
)
def test_unknown_commands_are_refused(capsys, arguments, message):
    assert commands.main(arguments) == 1
    assert capsys.readouterr().err.startswith(message)


def test_help_imports_nothing_else():
    code = (
        'import sys, sc2impala.commands as commands\n'
        'assert commands.main(["--help"]) == 0\n'
        'assert not {"numpy", "tensorflow", "absl"} & set(sys.modules)\n'
    )
    environment = dict(os.environ, PYTHONPATH=sources.ROOT)
    subprocess.run([sys.executable, '-c', code], check=True, env=environment)


def test_errors_of_a_command_have_its_exit_code():
    result = sc2impala('compare', 'gone', '--against', 'gone')
    assert result.returncode == 1 and result.stderr.startswith('error: gone is not a folder')


@pytest.mark.long
def test_flags_and_versions():
    assert '--learning_rate=X' in sc2impala('train', '--help').stdout
    assert sc2impala('--version').stdout.startswith('sc2impala ')
    result = sc2impala('evaluate', '--logdir=gone', '--num_episodes=x')
    assert result.returncode == 1 and '--num_episodes' in result.stderr
