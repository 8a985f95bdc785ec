"""Output that goes on where nothing reads it, and its copy in the log of a training."""

import datetime
import io
import os
import sys

import pytest

from sc2impala.runtime import console
from sc2impala.runtime.console import TrainLog

TIME = datetime.datetime(2020, 1, 2, 3, 4, 5, 678900, datetime.timezone.utc)
STAMP = '2020-01-02 03:04:05.678+00:00 '


class Broken(io.StringIO):
    """Nothing reads it."""

    def write(self, text):
        raise BrokenPipeError


def read(log):
    with open(log.path, encoding='utf-8') as file:
        return file.read()


@pytest.fixture
def log(tmp_path):
    return TrainLog(str(tmp_path), lambda: TIME)


def test_counts_have_the_number_of_their_noun():
    texts = [console.count_text(number, 'row') for number in (0, 1, 2, 2000)]
    assert texts == ['0 rows', '1 row', '2 rows', '2,000 rows']


def test_a_broken_stream_is_no_error(monkeypatch):
    monkeypatch.setattr(sys, 'stdout', Broken())
    console.say('text')
    console.flush()


def test_an_ascii_terminal_shows_escapes_and_goes_on():
    content = io.BytesIO()
    stream = io.TextIOWrapper(content, encoding='ascii')
    console.write(stream, 'runs/gr\xfcn \udcff\n')
    console.write(stream, 'more\n')
    assert content.getvalue() == b'runs/gr\\xfcn \\udcff\nmore\n'


def test_all_that_is_printed_is_logged_with_times(log, capsys):
    before = sys.stdout, sys.stderr
    with console.copied_to(log):
        console.say('one\ntwo')
        print('three', file=sys.stderr)
        # A line of progress on a terminal.
        console.write(sys.stdout, '\r\x1b[K10 frames')
        console.write(sys.stdout, '\r\x1b[K20 frames')
    assert (sys.stdout, sys.stderr) == before
    console.say('after')
    lines = ['one', 'two', 'three', '10 frames', '20 frames']
    assert read(log) == ''.join(f'{STAMP}{line}\n' for line in lines)
    captured = capsys.readouterr()
    assert captured.out.endswith('20 framesafter\n') and captured.err == 'three\n'


def test_the_log_of_a_broken_stream_goes_on(log, monkeypatch):
    monkeypatch.setattr(sys, 'stdout', Broken())
    with console.copied_to(log):
        print('nobody reads this')
    assert read(log) == f'{STAMP}nobody reads this\n'


def test_a_log_that_cannot_be_written_is_no_error(tmp_path, capsys):
    log = TrainLog(str(tmp_path / 'gone'))
    with console.copied_to(log):
        console.say('text')
        os.mkdir(str(tmp_path / 'gone'))
        console.say('later')
    assert capsys.readouterr().out == 'text\nlater\n'
    # As soon as it can, it is.
    assert read(log).endswith(' later\n') and read(log).count('\n') == 1


def test_tracebacks(log):
    try:
        raise KeyError('cause')
    except KeyError as error:
        log.write_error(error)
    lines = read(log).splitlines()
    assert lines[0] == STAMP + 'Traceback (most recent call last):'
    assert lines[-1] == STAMP + "KeyError: 'cause'"


def test_a_signal_handler_writes_to_the_log_as_well(log, capfd):
    with console.copied_to(log):
        console.write_from_signal_handler(b'\nstopping\n')
    assert capfd.readouterr().err == '\nstopping\n'
    assert read(log) == f'{STAMP}stopping\n'
