"""What is said while a run is waited for, and for how long no training has run."""

import threading

import pytest

from sc2impala.runtime import logdir, run_watch


class Clock:
    now = 0.0

    def __call__(self):
        return self.now

    def sleep(self, secs):
        self.now += secs


@pytest.fixture
def clock(monkeypatch):
    clock = Clock()
    monkeypatch.setattr(run_watch.time, 'sleep', clock.sleep)
    return clock


def test_it_says_at_first_and_every_30_seconds_what_it_waits_for(clock, capsys):
    wait = run_watch.Wait(clock)
    while clock.now < 65:
        wait.once_more('rain')
    lines = capsys.readouterr().out.splitlines()
    assert lines == [f'waiting for rain, {secs} s so far; Ctrl-C ends this' for secs in (0, 30, 60)]


def test_a_run_that_starts_later(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(run_watch, 'POLL_SECS', 0.01)
    folder = tmp_path / 'run'

    def start():
        folder.mkdir()
        (folder / 'manifest.json').write_text('{}')

    timer = threading.Timer(0.1, start)
    timer.start()
    run_watch.wait_for_run(str(folder))
    assert (folder / 'manifest.json').exists()
    timer.join()
    assert f'a run to start with --logdir={folder}, ' in capsys.readouterr().out


def test_for_how_long_no_training_has_run(tmp_path):
    clock = Clock()
    presence = run_watch.Presence(str(tmp_path), clock)
    clock.now = 3.0
    assert presence.absent_secs() == 3.0
    with logdir.Lock(str(tmp_path)):
        assert presence.absent_secs() == 0.0
    clock.now = 7.0
    assert presence.absent_secs() == 4.0
