"""Signals are noticed before their handlers run."""

import os
import signal
import threading

import pytest

from sc2impala.runtime.stop_request import SignalWatch


@pytest.fixture
def handled():
    """The signals whose handler has run."""
    found = []
    before = signal.signal(signal.SIGUSR1, lambda number, frame: found.append(number))
    yield found
    signal.signal(signal.SIGUSR1, before)


def test_another_thread_sees_what_has_arrived(handled):
    watch, seen = SignalWatch(), []

    def kill_and_look():
        os.kill(os.getpid(), signal.SIGUSR1)
        while not seen:
            seen.extend(watch.arrived())

    assert watch.arrived() == []
    thread = threading.Thread(target=kill_and_look)
    thread.start()
    thread.join()
    assert seen == [signal.SIGUSR1] == handled
    assert watch.arrived() == []
    watch.close()


def test_closing_brings_back_what_was_before(handled):
    first = SignalWatch()
    second = SignalWatch()
    second.close()
    os.kill(os.getpid(), signal.SIGUSR1)
    assert first.arrived() == [signal.SIGUSR1]
    first.close()
    assert signal.set_wakeup_fd(-1) == -1
