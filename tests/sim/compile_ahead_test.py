"""Compilation of the kernels of a map ahead of their use; all tests of games depend on it."""

import threading

import pytest

from sc2impala.sim import compile_ahead, compiler, game_batch


@pytest.fixture(autouse=True)
def empty_cache(tmp_path, monkeypatch):
    monkeypatch.delenv('SC2IMPALA_COMPILES', raising=False)
    monkeypatch.setattr(compiler, 'cache_folder', lambda: tmp_path)
    monkeypatch.setattr(compile_ahead, '_begun', {})


@pytest.fixture
def started(monkeypatch):
    """The maps for which processes were started; they succeed at once."""
    maps = []

    class Compilation:
        def __init__(self, map_name):
            maps.append(map_name)

        def wait(self):
            return True

    monkeypatch.setattr(compile_ahead, '_Compilation', Compilation)
    return maps


def test_a_map_whose_compilation_fails_is_not_marked(tmp_path):
    compile_ahead.prepare('NoSuchMap')
    assert list(tmp_path.iterdir()) == []


def test_preparing_waits_for_what_has_begun(tmp_path, started):
    compile_ahead.begin('MoveToBeacon')
    assert started == ['MoveToBeacon']
    assert list(tmp_path.iterdir()) == []
    compile_ahead.begin('MoveToBeacon')
    compile_ahead.prepare('MoveToBeacon')
    assert started == ['MoveToBeacon']
    assert [path.name for path in tmp_path.iterdir()] == ['MoveToBeacon.compiled']


def test_games_in_several_threads_wait_for_one_compilation(started, monkeypatch):
    waiting, may_end = threading.Event(), threading.Event()

    def wait(compilation):
        waiting.set()
        assert may_end.wait(60)
        return True

    monkeypatch.setattr(compile_ahead._Compilation, 'wait', wait)
    threads = [
        threading.Thread(target=compile_ahead.prepare, args=['MoveToBeacon']) for _ in range(3)
    ]
    for thread in threads:
        thread.start()
    assert waiting.wait(60)
    may_end.set()
    for thread in threads:
        thread.join()
    assert started == ['MoveToBeacon']


def test_the_construction_of_games_waits_for_nothing(started):
    batch = game_batch.make('MoveToBeacon', [0], (8, 8), (8, 8))
    assert not started
    batch.reset()
    assert started == ['MoveToBeacon']


def test_a_map_in_the_cache_is_not_compiled_again(started):
    for _ in range(2):
        compile_ahead.prepare('MoveToBeacon')
    compile_ahead.begin('MoveToBeacon')
    assert started == ['MoveToBeacon']


def test_another_map_is_compiled_as_well(started):
    compile_ahead.begin('MoveToBeacon')
    compile_ahead.prepare('BuildMarines')
    assert started == ['MoveToBeacon', 'BuildMarines']


def test_the_processes_that_compile_start_no_others(started, monkeypatch):
    monkeypatch.setenv('SC2IMPALA_COMPILES', '1')
    compile_ahead.prepare('MoveToBeacon')
    assert not started


def test_every_kernel_is_given_to_one_process(monkeypatch):
    given = []

    def run_process(compilation):
        while compilation._kernels:
            given.append(compilation._kernels.popleft())
        return True

    monkeypatch.setattr(compile_ahead._Compilation, '_run_process', run_process)
    assert compile_ahead._Compilation('MoveToBeacon').wait()
    assert sorted(given) == sorted(compile_ahead.KERNELS)


def test_processes_that_cannot_be_started_are_a_failure(monkeypatch):
    def run_process(compilation):
        raise OSError('no more processes')

    monkeypatch.setattr(compile_ahead._Compilation, '_run_process', run_process)
    assert not compile_ahead._Compilation('MoveToBeacon').wait()
