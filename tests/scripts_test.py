"""Which Python the scripts use."""

import os
import subprocess

import pytest

from tests.house import sources

COMMON = os.path.join(sources.ROOT, 'scripts', 'common.sh')
REFUSED = 'is pinned for Python 3.11, 3.12, 3.13, found: {}; set PYTHON=/path/to/python'


@pytest.fixture
def bash(tmp_path):
    """Runs a command after common.sh, with these programs on the PATH: {name: version}."""

    def run(command, programs, **environment):
        for name, version in programs.items():
            path = tmp_path / name
            # A shim of pyenv for a version that is not there fails.
            path.write_text(f'#!/bin/sh\necho {version}\n' if version else '#!/bin/sh\nexit 127\n')
            path.chmod(0o755)
        result = subprocess.run(
            ['bash', '-c', f'set -euo pipefail; source {COMMON}; PATH={tmp_path}; {command}'],
            env=dict(PATH=os.environ['PATH'], **environment),
            capture_output=True,
            text=True,
        )
        return result.stdout.strip() if result.returncode == 0 else result.stderr

    return run


@pytest.mark.parametrize(
    'programs, expected',
    [
        ({'python3': '3.12', 'python3.11': '3.11'}, 'python3.11'),
        ({'python3': '3.9', 'python3.11': None, 'python3.13': '3.13'}, 'python3.13'),
        ({'python3': '3.12'}, 'python3'),
    ],
)
def test_the_first_python_that_runs_and_fits(bash, programs, expected):
    assert bash('find_python', programs) == expected
    assert bash('find_python', programs, PYTHON='mine') == 'mine'


@pytest.mark.parametrize('version, fits', [('3.11', True), ('3.13', True), ('3.1', False)])
def test_versions(bash, version, fits):
    found = bash("is_python '3.11 3.12 3.13' mine && echo yes || echo no", {'mine': version})
    assert found == ('yes' if fits else 'no')


def test_another_python_is_refused(bash, tmp_path):
    (tmp_path / 'pins').write_text('')
    check = 'cat() { :; }; sha256sum() { echo new; }; '
    command = check + f"make_venv {tmp_path}/venv {tmp_path}/pins '3.11 3.12 3.13' python3"
    assert REFUSED.format('python3') in bash(command, {'python3': '3.9'})


def test_bytecode_is_written_where_the_environment_forbids_it(bash, tmp_path):
    folder = tmp_path / 'venv' / 'bin'
    folder.mkdir(parents=True)
    (folder / 'pip').write_text('#!/bin/sh\n')
    log = f'echo "$1: ${{PYTHONDONTWRITEBYTECODE-allowed}}" >>{tmp_path}/log\n'
    (folder / 'python').write_text('#!/bin/sh\n' + log)
    for program in folder.iterdir():
        program.chmod(0o755)
    (tmp_path / 'pins').write_text('')
    command = f'PATH=$PATH:/usr/bin:/bin; make_venv {tmp_path}/venv {tmp_path}/pins 3.11 python3'
    bash(command, {'python3': '3.11'}, PYTHONDONTWRITEBYTECODE='1')
    # compileall writes it in any case.
    assert (tmp_path / 'log').read_text().splitlines() == ['-m: 1', '-c: allowed']
