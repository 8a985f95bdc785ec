"""The command `python -m sc2impala.report`."""

import os
import subprocess
import sys

import pytest

from sc2impala.report import __main__ as command
from tests.house import sources
from tests.report import folders, pages
from tests.runtime import tiny


@pytest.mark.long
def test_the_report_of_a_run_is_in_its_folder(run, capsys):
    before = tiny.snapshot(run)
    assert command.main([run, '--episodes=0']) == 0
    path = os.path.join(run, 'report.html')
    assert capsys.readouterr().out == f'report: {path}\n'
    assert 'MoveToBeacon' in pages.read(path).text
    after = tiny.snapshot(run)
    assert set(after) - set(before) == {path}
    assert {name: after[name] for name in before} == before


def test_the_report_of_several_runs_is_in_the_folder_that_contains_them(run, tmp_path, monkeypatch):
    other = tmp_path / 'b'
    folders.write(other, 'train.log')
    monkeypatch.chdir(tmp_path)
    assert command.main(['run', 'b', str(other), '--episodes=0']) == 0
    assert '2 runs on MoveToBeacon' in pages.read(tmp_path / 'report.html').text
    assert os.listdir(str(other)) == ['train.log']


def test_a_report_replaces_the_earlier_one(run, tmp_path):
    output = tmp_path / 'a.html'
    output.write_text('before')
    assert command.main([run, f'--output={output}', '--episodes=0']) == 0
    assert 'before' not in output.read_text()[:100]
    assert sorted(os.listdir(str(tmp_path))) == ['a.html', 'run']


@pytest.mark.parametrize('opens', [True, False])
def test_the_report_is_opened(run, monkeypatch, capsys, opens):
    opened = []
    monkeypatch.setattr(command.webbrowser, 'open', lambda url: opened.append(url) or opens)
    assert command.main([run, '--open', '--episodes=0']) == 0
    assert opened[0].startswith('file:///') and opened[0].endswith('/report.html')
    assert ('no browser was found' in capsys.readouterr().out) != opens


def error_of(arguments, capsys):
    assert command.main(arguments) == 1
    return tiny.error_line(capsys)


def test_errors_name_the_argument(tmp_path, capsys):
    none, empty = tmp_path / 'none', tmp_path / 'empty'
    empty.mkdir()
    assert error_of([str(none)], capsys) == (
        f'error: RUN={none} is not a folder, expected the --logdir of a run.'
    )
    assert error_of([str(empty)], capsys) == (
        f'error: RUN={empty} has no file of a run, expected the --logdir of a run.'
    )
    assert os.listdir(str(empty)) == []


@pytest.mark.long
def test_errors_of_the_output(run, tmp_path, capsys):
    assert error_of([run, f'--output={tmp_path}'], capsys) == (
        f'error: --output={tmp_path} is a folder, expected the name of a file.'
    )
    missing = tmp_path / 'none' / 'a.html'
    assert error_of([run, f'--output={missing}'], capsys) == (
        f'error: --output={missing} cannot be written (No such file or directory), expected a '
        'file in a folder that this user may write to.'
    )


def test_without_a_run(capsys):
    with pytest.raises(SystemExit) as end:
        command.main([])
    assert end.value.code == 2
    assert 'the following arguments are required: RUN' in capsys.readouterr().err


@pytest.mark.long
def test_tensorflow_and_matplotlib_are_not_loaded(run):
    code = (
        'import sys\n'
        'from sc2impala.report import __main__\n'
        f'assert __main__.main([{run!r}, "--episodes=0"]) == 0\n'
        'assert not {"tensorflow", "sonnet", "matplotlib"} & set(sys.modules)\n'
    )
    environment = dict(os.environ, PYTHONPATH=sources.ROOT)
    subprocess.run([sys.executable, '-c', code], check=True, env=environment)
