"""Versions without TensorFlow."""

import os
import re
import subprocess
import sys

import pytest

import sc2impala
from sc2impala.population import __main__ as population
from sc2impala.runtime import versions

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(sc2impala.__file__)))


def test_git_revision_is_that_of_the_package_or_none(tmp_path, monkeypatch):
    revision = versions.git_revision()
    assert revision is None or len(revision.rstrip('+')) == 40
    monkeypatch.setattr(versions.sc2impala, '__file__', str(tmp_path / '__init__.py'))
    assert versions.git_revision() is None


def test_text(monkeypatch):
    pattern = r'sc2impala \d[\w.]*( \(git revision [0-9a-f]{40}\+?\))?\nTensorFlow \d.*\nPython 3.*'
    assert re.fullmatch(pattern, versions.text())
    monkeypatch.setattr(versions, 'git_revision', lambda: None)
    assert versions.text().startswith(f'sc2impala {sc2impala.__version__}\n')


def test_a_package_that_is_not_installed():
    with pytest.raises(ImportError):
        versions.of_package('sc2impala-no-such-package')


def test_the_command_prints_them_without_tensorflow():
    code = (
        'import runpy, sys\n'
        'sys.argv = ["command", "--version"]\n'
        'try:\n'
        '    runpy.run_module("sc2impala.experiment", run_name="__main__")\n'
        'except SystemExit as error:\n'
        '    assert not error.code, error.code\n'
        'assert not {"tensorflow", "sonnet"} & set(sys.modules)\n'
    )
    environment = dict(os.environ, PYTHONPATH=ROOT)
    output = subprocess.run(
        [sys.executable, '-c', code], check=True, env=environment, stdout=subprocess.PIPE
    ).stdout.decode()
    assert output.strip() == versions.text()


def test_the_command_of_populations_prints_them(capsys):
    assert population.main(['--version']) == 0
    assert capsys.readouterr().out.strip() == versions.text()
