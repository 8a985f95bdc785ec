"""Processes and temporary folders that environments leave behind."""

import glob
import os
import tempfile
import time

import psutil

PATIENCE_SECS = 60.0
"""Seconds that killed processes and their folders may take to disappear."""


def processes_in(folder):
    """Returns the living processes whose temporary files are in a folder: workers and games."""
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
    """Returns the temporary folders of environments."""
    return glob.glob(os.path.join(str(folder), 'sc2impala-*'))


def use(folder, monkeypatch):
    """Makes environments of this process and of its children put their files into a folder."""
    monkeypatch.setenv('TMPDIR', str(folder))
    monkeypatch.setattr(tempfile, 'tempdir', str(folder))


def await_none(folder, but=()):
    """Waits until nothing is left; fails with a list of what is left."""
    give_up = time.monotonic() + PATIENCE_SECS
    while True:
        alive = [process for process in processes_in(folder) if process.pid not in but]
        if not alive and not folders_in(folder):
            return
        assert time.monotonic() < give_up, (alive, folders_in(folder))
        time.sleep(0.02)
