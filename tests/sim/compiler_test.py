"""The cache of compiled functions."""

import os
import pathlib
import shutil
import subprocess
import sys

import pytest

from sc2impala.sim import compiler

PROGRAM = """
import sys
from sc2impala import sim
game = sim.make('MoveToBeacon', [5], (16, 16), (16, 16))
game.reset()
print(sim.__file__, game.games.x[0].tolist())
"""

SIM = pathlib.Path(compiler.__file__).parent


def run(cache, sources=None, **environment):
    """Runs PROGRAM in a process of its own; returns its output and its error output.

    Kernels are not compiled ahead: only the one that the program needs.
    """
    environment = dict(
        os.environ,
        NUMBA_CACHE_DIR=str(cache),
        NUMBA_OPT='1',
        SC2IMPALA_COMPILES='1',
        **environment,
    )
    if sources is not None:
        environment['PYTHONPATH'] = str(sources)
    done = subprocess.run(
        [sys.executable, '-c', PROGRAM],
        env=environment,
        cwd=None if sources is None else str(sources),  # Python imports from there first.
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout, done.stderr


@pytest.fixture(scope='module')
def copy(tmp_path_factory):
    """A copy of the package's simulator that tests may change."""
    root = tmp_path_factory.mktemp('sources')
    ignore = shutil.ignore_patterns('__pycache__')
    shutil.copytree(str(SIM), str(root / 'sc2impala' / 'sim'), ignore=ignore)
    (root / 'sc2impala' / '__init__.py').write_text('')
    return root


def test_a_cold_start_says_that_it_compiles_and_a_warm_one_does_not(copy, tmp_path):
    cold, message = run(tmp_path, copy)
    assert message.count('compiling the simulator') == 1
    warm, silence = run(tmp_path, copy)
    assert warm == cold
    assert 'compiling' not in silence


@pytest.mark.long
def test_a_change_of_any_source_is_compiled(copy, tmp_path):
    before, _ = run(tmp_path, copy)
    path = copy / 'sc2impala' / 'sim' / 'counter_random.py'
    source = path.read_text()
    try:
        path.write_text(
            source.replace('_TO_UNIT_INTERVAL = 2.0**-53', '_TO_UNIT_INTERVAL = 2.0**-54')
        )
        after, message = run(tmp_path, copy)
    finally:
        path.write_text(source)
    assert 'compiling' in message
    assert after != before
    assert run(tmp_path, copy)[0] == before


@pytest.mark.slow
def test_damaged_files_are_compiled_again(copy, tmp_path):
    before, _ = run(tmp_path, copy)
    files = [path for path in tmp_path.rglob('*') if path.suffix in ('.nbi', '.nbc')]
    assert files
    for path in files:
        path.write_bytes(path.read_bytes()[:50])
    after, message = run(tmp_path, copy)
    assert after == before
    assert 'compiling' in message


def test_without_a_folder_that_can_be_written_there_is_one_sentence(tmp_path, monkeypatch):
    blocked = tmp_path / 'file'
    blocked.write_text('')
    monkeypatch.setenv('NUMBA_CACHE_DIR', str(blocked))
    compiler.cache_folder.cache_clear()
    try:
        with pytest.raises(OSError, match='can be written.*NUMBA_CACHE_DIR'):
            compiler.cache_folder()
    finally:
        compiler.cache_folder.cache_clear()


def test_the_users_cache_folder_is_used_where_the_package_cannot_be_written(tmp_path, monkeypatch):
    monkeypatch.delenv('NUMBA_CACHE_DIR', raising=False)
    monkeypatch.setenv('XDG_CACHE_HOME', str(tmp_path / 'home'))
    blocked = tmp_path / 'package'
    blocked.write_text('')
    monkeypatch.setattr(compiler, '_cache_beside_sources', lambda: blocked)
    compiler.cache_folder.cache_clear()
    try:
        assert tmp_path / 'home' in compiler.cache_folder().parents
    finally:
        compiler.cache_folder.cache_clear()
