"""Peers, their environments, and the reason if one cannot be made."""

import os
import re
import subprocess

import pytest

from benchmarks.league import environments
from benchmarks.league.environments import ENTRIES, ENVIRONMENTS, Environment
from tests.benchmarks import scripts


def test_every_entry_has_an_environment_and_a_program():
    folder = os.path.join(scripts.ROOT, 'benchmarks', 'league', 'peers')
    for entry in ENTRIES.values():
        assert entry.environment in ENVIRONMENTS
        assert os.path.exists(os.path.join(folder, entry.module + '.py'))


def test_versions_are_pinned():
    for environment in ENVIRONMENTS.values():
        for requirement in sum(environment.requirements, ()):
            assert re.match(r'--|six$|.*(==|<)', requirement), requirement


def test_the_reason_is_the_error():
    output = """
      Traceback (most recent call last):
        File "setup.py", line 1, in <module>
      urllib.error.URLError: <urlopen error  Name or service not known>
    note: This error originates from a subprocess
    error: subprocess-exited-with-error
    See above for output.
    """
    found = 'urllib.error.URLError: <urlopen error Name or service not known>'
    assert environments.reason(output) == found
    assert environments.reason('a\nERROR: No matching distribution found for x\nb') == (
        'ERROR: No matching distribution found for x'
    )
    assert environments.reason('nothing\n\n') == 'nothing'
    assert environments.reason('') == ''
    assert len(environments.reason('x' * 999)) == 200


def test_an_interpreter_that_is_missing(tmp_path, monkeypatch):
    monkeypatch.setitem(ENVIRONMENTS, 'old', Environment('python2.2'))
    with pytest.raises(environments.NotInstalled, match='python2.2: No such file'):
        environments.install('old', str(tmp_path), None)


def test_the_trainer_itself_needs_no_environment(tmp_path):
    installed = environments.install('sc2impala', str(tmp_path), None)
    assert os.path.exists(installed.python)
    assert not os.listdir(tmp_path)


def test_a_clone_is_edited_and_built(tmp_path):
    origin = tmp_path / 'clones' / 'owner' / 'name'
    origin.mkdir(parents=True)
    (origin / 'code.py').write_text('old = 1\nolder = 2\n')
    git = ['git', '-C', str(origin), '-c', 'user.name=x', '-c', 'user.email=x@example.com']
    subprocess.check_call(git + ['init', '--quiet'])
    subprocess.check_call(git + ['add', '.'])
    subprocess.check_call(git + ['commit', '--quiet', '-m', 'first'])
    commit = subprocess.check_output(git + ['rev-parse', 'HEAD']).decode().strip()
    environment = Environment(
        repository='owner/name',
        commit=commit,
        edits=(('code.py', r'(?m)^old\b', 'new'),),
        build='cp code.py "$PYTHON"',
    )
    sources, built = tmp_path / 'sources', tmp_path / 'built'
    installed = environments.Installed(str(built), str(sources))
    environments._clone(environment, installed, str(tmp_path / 'clones'))
    assert built.read_text() == 'new = 1\nolder = 2\n'
