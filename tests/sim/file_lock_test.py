import subprocess
import sys
import time

from sc2impala.sim.file_lock import FileLock

HOLD = """
import sys, pathlib, time
from sc2impala.sim.file_lock import FileLock
lock = FileLock(pathlib.Path(sys.argv[1]))
lock.acquire()
print('held', flush=True)
sys.stdin.readline()
"""

TRY = """
import sys, pathlib
from sc2impala.sim.file_lock import FileLock
lock = FileLock(pathlib.Path(sys.argv[1]))
lock.acquire()
print('held', flush=True)
lock.release()
"""


def start(code, path):
    return subprocess.Popen(
        [sys.executable, '-c', code, str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        universal_newlines=True,
    )


def test_another_process_waits_until_the_lock_is_released(tmp_path):
    path = tmp_path / 'lock'
    lock = FileLock(path)
    lock.acquire()
    with start(TRY, path) as other:
        time.sleep(1)
        assert other.poll() is None
        lock.release()
        assert other.communicate()[0] == 'held\n'


def test_a_process_that_dies_releases_its_lock(tmp_path):
    path = tmp_path / 'lock'
    with start(HOLD, path) as other:
        assert other.stdout.readline() == 'held\n'
        other.kill()
    lock = FileLock(path)
    lock.acquire()
    lock.release()


def test_to_acquire_twice_and_to_release_what_is_not_held_do_nothing(tmp_path):
    lock = FileLock(tmp_path / 'lock')
    lock.release()
    lock.acquire()
    lock.acquire()
    lock.release()
    with start(TRY, tmp_path / 'lock') as other:
        assert other.communicate()[0] == 'held\n'
    assert (tmp_path / 'lock').read_bytes() == b''


def test_without_a_file_there_is_no_lock(tmp_path):
    lock = FileLock(tmp_path / 'missing' / 'lock')
    lock.acquire()
    lock.release()
    assert not (tmp_path / 'missing').exists()
