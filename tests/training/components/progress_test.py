"""The line of progress, on a terminal and in a file, by a clock of the test."""

import io

from sc2impala.training.components.progress import Progress, duration_text


class Clock:
    now = 100.0

    def __call__(self):
        return self.now


class Terminal(io.StringIO):
    def isatty(self):
        return True


class Episodes:
    def __init__(self, count=0, mean=float('nan'), aborted=0):
        self.count, self.mean, self.failed = count, mean, aborted

    map_names = ('MoveToBeacon',)

    def last_count(self, task=0):
        return self.count

    def last_mean(self, task=0):
        return self.mean


def test_lines_in_a_file():
    clock, stream = Clock(), io.StringIO()
    progress = Progress('now', 1000, 100000, 10, stream, clock)
    clock.now += 9
    assert progress.update(2000, 130, Episodes()) is None
    clock.now += 1
    assert progress.update(3000, 120, Episodes()) == (200, 25)
    clock.now += 5
    assert progress.update(4000, 10, Episodes()) is None
    clock.now += 15
    # The speed is that since the last line; the time left goes by the speed of the whole start.
    assert progress.update(13000, 1400, Episodes(7, 3.14159)) == (500, 70.5)
    clock.now += 4
    progress.finish(14000, Episodes(8, 4.0, aborted=2))
    assert stream.getvalue().splitlines() == [
        'now: 3,000 of 100,000 frames | 200 frames/s, 25 steps/s | no episode finished yet | '
        '8m 5s left',
        'now: 13,000 of 100,000 frames | 500 frames/s, 70 steps/s | mean return 3.14 (last 7) | '
        '3m 38s left',
        'now: 14,000 of 100,000 frames | mean return 4.00 (last 8), 2 aborted | 34s in this launch',
    ]


def test_the_line_on_a_terminal_is_written_over():
    clock, stream = Clock(), Terminal()
    progress = Progress('training', 0, 100, 1, stream, clock)
    for frames in (10, 20):
        clock.now += 2
        progress.update(frames, 1, Episodes())
    progress.finish(20, Episodes())
    text = stream.getvalue()
    assert text.count('\r\x1b[K') == 3 and text.count('\n') == 1 and text.endswith('\n')


def test_no_time_between_two_updates():
    progress = Progress('training', 0, 100, 0, io.StringIO(), Clock())
    assert progress.update(10, 1, Episodes()) is None


def test_no_frame_since_the_last_line():
    clock = Clock()
    progress = Progress('training', 0, 100, 1, io.StringIO(), clock)
    clock.now += 5
    assert progress.update(0, 0, Episodes()) is None


def test_duration():
    for seconds, text in [
        (-3, '0s'),
        (0.4, '0s'),
        (59.4, '59s'),
        (59.6, '1m 0s'),
        (135, '2m 15s'),
        (3599, '59m 59s'),
        (8130, '2h 15m'),
        (86399, '23h 59m'),
        (90000, '1d 1h'),
    ]:
        assert duration_text(seconds) == text, seconds


class ClosedPipe(io.StringIO):
    """A pipe whose reader has ended."""

    def write(self, text):
        raise BrokenPipeError(32, 'Broken pipe')


def test_goes_on_without_a_reader():
    clock = Clock()
    progress = Progress('training', 0, 100, 1, ClosedPipe(), clock)
    clock.now += 5
    assert progress.update(10, 5, Episodes()) == (2, 1)
    progress.finish(10, Episodes())
