"""The request to stop: the first signal asks, the second one has its usual effect."""

import os
import signal
import threading

import pytest

from sc2impala import errors
from sc2impala.runtime import child_processes
from sc2impala.runtime.stop_request import SignalWatch, StopRequest

NUMBERS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]


@pytest.mark.parametrize('number', NUMBERS)
def test_the_first_signal_asks_and_the_second_has_its_usual_effect(number, capfd):
    stop, usual = StopRequest(), []
    before = signal.signal(number, lambda *args: usual.append(args[0]))
    try:
        with stop.installed() as installed:
            assert installed is stop and not stop.requested
            os.kill(os.getpid(), number)
            assert stop.requested and stop.number == number and not usual
            os.kill(os.getpid(), number)
            assert usual == [number]
        assert 'stopping after this update' in capfd.readouterr().err
        os.kill(os.getpid(), number)
        assert usual == [number] * 2
    finally:
        signal.signal(number, before)


def test_a_lost_terminal_is_ignored_under_nohup(capfd):
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        stop = StopRequest()
        with stop.installed():
            os.kill(os.getpid(), signal.SIGHUP)
            assert not stop.requested
            assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
            # The others stop the training as always.
            assert signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
        assert capfd.readouterr().err == ''
    finally:
        signal.signal(signal.SIGHUP, before)


def test_handlers_are_put_back_after_an_error():
    before = [signal.getsignal(number) for number in NUMBERS]
    with pytest.raises(KeyError), StopRequest().installed():
        assert [signal.getsignal(number) for number in NUMBERS] != before
        raise KeyError
    assert [signal.getsignal(number) for number in NUMBERS] == before


@pytest.fixture
def no_nohup():
    """The suite may run under nohup, which a training respects."""
    before = signal.signal(signal.SIGHUP, signal.SIG_DFL)
    yield
    signal.signal(signal.SIGHUP, before)


@pytest.mark.parametrize('number', NUMBERS)
def test_where_nothing_is_to_be_saved_the_first_signal_ends_it(number, no_nohup, capfd):
    stop, before = StopRequest(interrupts=True), signal.getsignal(number)
    with pytest.raises(errors.Interrupted) as caught, stop.installed():
        os.kill(os.getpid(), number)
    assert caught.value.number == number and stop.requested
    assert errors.exit_code_of_signal(number) == 128 + number
    assert signal.getsignal(number) == before and capfd.readouterr().err == ''


def test_outside_of_the_main_thread_no_signal_is_handled():
    """Python allows handlers in the main thread only; a training may run in any."""
    before, found = [signal.getsignal(number) for number in NUMBERS], []

    def run():
        watch = SignalWatch()
        with StopRequest().installed() as stop, child_processes.stop_requests() as received:
            found.extend([stop.requested, received, watch.arrived()])
            found.append([signal.getsignal(number) for number in NUMBERS] == before)
        watch.close()

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    assert found == [False, [], [], True]
