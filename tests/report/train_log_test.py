import inspect

import pytest

from sc2impala.report import train_log
from sc2impala.report.train_log import ERROR, NOTE, WARNING
from sc2impala.runtime import stop_request
from tests.docs import messages_test
from tests.report import folders

DAY = '2026-11-28 10:52:4'


def test_remarks_are_grouped_without_their_numbers(tmp_path):
    spike = 'gradient norm spike in training: {}, 120 times its running geometric mean of 0.1'
    lines = [
        f'{DAY}0.000+00:00 training: 19,200 of 400,000 frames | 1,905 frames/s',
        f'{DAY}1.000+00:00 {spike.format(31)}',
        f'{DAY}2.000+00:00 error: --logdir=runs cannot be written to',
        f'{DAY}3.500+00:00 {spike.format("1.5e+03")}',
        f'{DAY}4.000+00:00 stopping after this update; once more stops at once',
    ]
    folders.write(tmp_path, 'train.log', *lines)
    found = train_log.read(str(tmp_path))
    assert [(each.level, each.number) for each in found.remarks] == [
        (WARNING, 2),
        (ERROR, 1),
        (NOTE, 1),
    ]
    assert found.remarks[0].text == spike.format('1.5e+03')
    assert found.remarks[0].last - found.remarks[0].first == pytest.approx(2.5)
    assert len(found.times) == 5 and found.times[4] - found.times[0] == pytest.approx(4.0)
    assert not found.fault


def test_zones_are_those_of_the_lines(tmp_path):
    folders.write(tmp_path, 'train.log', f'{DAY}0.000+00:00 a', f'{DAY}0.000+02:00 b')
    first, second = train_log.read(str(tmp_path)).times
    assert first - second == 7200


def test_damaged_lines_are_skipped(tmp_path):
    path = folders.write(tmp_path, 'train.log', f'{DAY}0.000+00:00 a', '2026-99-28 10:52:40.000')
    with open(path, 'ab') as file:
        file.write(b'\0\xff\n2026-13-41 10:52:40.000+00:00 b\n2026-11-28 10:')
    found = train_log.read(str(tmp_path))
    assert len(found.times) == 1 and not found.remarks


@pytest.mark.parametrize('text', train_log.WARNINGS + train_log.NOTES)
def test_remarks_are_messages_of_the_program(text):
    messages = set(messages_test.program_texts()) - {text}
    messages.add(inspect.getsource(stop_request))  # It writes bytes, from a signal handler.
    assert any(text in message for message in messages)


def test_lines_about_the_run_are_no_remarks(finished_run):
    assert train_log.read(str(finished_run)).remarks == []


def test_without_a_log(tmp_path):
    assert train_log.read(str(tmp_path)).fault == 'There is no train.log.'
    (tmp_path / 'train.log').write_text('')
    assert train_log.read(str(tmp_path)).fault == 'train.log is empty.'
