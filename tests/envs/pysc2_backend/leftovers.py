"""What runs and temporary folders there are, to see what an environment leaves behind."""

import glob
import os
import tempfile
import time

import psutil

PATIENCE_SECS = 60.0
"""How long anything may take to vanish after it was killed."""


def processes_in(folder):
    """Processes whose temporary files are in a folder, and that are alive: workers and games."""
    found = []
    for process in psutil.process_iter():
        try:
            if process.status() == psutil.STATUS_ZOMBIE:
                continue
            if process.environ().get('TMPDIR', '').startswith(str(folder)):
                found.append(process)
        except (psutil.NoSuchProcess, psutil.AccessDenied):
            continue
    return [process for process in found if process.pid != os.getpid()]


def folders_in(folder):
    """Temporary folders of environments."""
    return glob.glob(os.path.join(str(folder), 'sc2impala-*'))


def use(folder, monkeypatch):
    """Lets environments of this process, and of its children, have their files in a folder."""
    monkeypatch.setenv('TMPDIR', str(folder))
    monkeypatch.setattr(tempfile, 'tempdir', str(folder))


def await_none(folder, but=()):
    """Waits until there is nothing left; fails with what is."""
    give_up = time.monotonic() + PATIENCE_SECS
    while True:
        alive = [process for process in processes_in(folder) if process.pid not in but]
        if not alive and not folders_in(folder):
            return
        assert time.monotonic() < give_up, (alive, folders_in(folder))
        time.sleep(0.02)
