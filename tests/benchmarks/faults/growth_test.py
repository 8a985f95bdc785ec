"""What a training leaves behind is measured rightly."""

import signal
import sys

import pytest

from benchmarks.faults import growth

SIZES = {'checkpoints': 0, 'events': 0, 'episodes': 0, 'log': 0, 'other': 0}


def make_sample(secs, memory, **sizes):
    return growth.Sample(secs, memory, 13, 6, 10 * int(secs), 4, dict(SIZES, **sizes))


def test_the_slope_is_that_of_the_line_and_not_of_single_peaks():
    times = [0.1 * number for number in range(1001)]
    values = [3.0 - 0.5 * time for time in times]
    values[500] += 1000.0
    assert growth.slope(times, values) == pytest.approx(-0.5)


def test_what_comes_before_the_settled_part_does_not_count():
    samples = [make_sample(60.0 * n, 500.0 if n < 5 else 700.0 + n, events=n) for n in range(10)]
    found = growth.growth(samples, settle_secs=300.0)
    assert found['samples'] == 5
    assert found['memory_mb_per_hour'] == pytest.approx(60.0)
    assert found['memory_mb'] == [705.0, 709.0]
    assert found['bytes_per_day']['events'] == 24 * 60


def test_checkpoints_are_replaced_and_logs_go_on():
    samples = [make_sample(3600.0 * n, 1.0, checkpoints=n * 10**6, log=n * 10**6) for n in (1, 2)]
    assert growth.growth(samples, 0.0)['megabytes_in_30_days'] == dict(
        SIZES, checkpoints=2.0, log=2.0 + 30 * 24
    )


def test_too_few_samples():
    assert growth.growth([make_sample(1.0, 1.0)], 0.0) == {'samples': 1}


@pytest.mark.parametrize(
    'name, kind',
    [
        ('events.out.tfevents.1.host', 'events'),
        ('variables.index', 'checkpoints'),
        ('checkpoint.json', 'checkpoints'),
        ('episodes.csv', 'episodes'),
        ('train.log', 'log'),
        ('manifest.json', 'other'),
    ],
)
def test_kind_of_file(name, kind):
    assert growth.kind_of_file(name) == kind


def test_looks_at_a_process_and_its_folder(tmp_path):
    (tmp_path / 'run').mkdir()
    (tmp_path / 'run' / 'train.log').write_text('12345')
    line = 'MoveToBeacon training: 1,200 of 9,000 frames, 5 frames/s'
    command = [sys.executable, '-c', f'import time; print({line!r}, flush=True); time.sleep(60)']
    samples, codes = growth.watch(str(tmp_path), {'run': command}, 1.0, 0.3)
    assert codes == {'run': -signal.SIGTERM}
    last = samples['run'][-1]
    assert last.memory > 1 and last.threads >= 1 and last.open_files >= 3
    assert (last.files, last.sizes['log'], last.frames) == (1, 5, 1200)
