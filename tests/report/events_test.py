import os

import numpy as np
import pytest

from sc2impala.report import events
from tests.report import folders
from tests.runtime import tiny


def values_of(folder, tag):
    series = events.read(str(folder)).series[tag]
    return list(zip(series.steps.tolist(), series.values.tolist()))


def test_scalars_are_those_that_tensorflow_reads(finished_run):
    found = events.read(str(finished_run))
    assert not found.fault
    histograms = {tag for tag in tiny.summaries(finished_run) if tag.startswith('action/')}
    expected = {
        tag: sorted(points, key=lambda point: point[0])
        for tag, points in tiny.summaries(finished_run).items()
        if tag not in histograms
    }
    assert histograms and set(found.series) == set(expected)
    for tag, points in expected.items():
        assert values_of(finished_run, tag) == points


def test_events_that_a_later_launch_replaced_are_left_out(tmp_path):
    folders.write_events(
        tmp_path,
        1,
        folders.start(0, 10.0),
        folders.scalars(100, 12.0, a=1.0),
        folders.scalars(200, 14.0, a=2.0),
        folders.scalars(300, 16.0, a=3.0),
    )
    folders.write_events(
        tmp_path, 2, folders.start(200, 1000.0), folders.scalars(250, 1003.0, a=4.0)
    )
    assert values_of(tmp_path, 'a') == [(100, 1.0), (200, 2.0), (250, 4.0)]
    found = events.read(str(tmp_path))
    assert found.starts == [(10.0, 0), (1000.0, 200)]


def test_the_clock_stops_between_launches(tmp_path):
    folders.write_events(tmp_path, 1, folders.start(0, 10.0), folders.scalars(100, 12.0, a=1.0))
    folders.write_events(
        tmp_path, 2, folders.start(100, 1000.0), folders.scalars(200, 1003.0, a=2.0)
    )
    found = events.read(str(tmp_path))
    np.testing.assert_allclose(found.series['a'].clock, [2.0, 5.0])
    assert found.duration == 5.0
    assert found.times.tolist() == [12.0, 1003.0] and found.steps.tolist() == [100, 200]


def test_a_file_that_is_cut_off_is_read_up_to_there(tmp_path):
    path = folders.write_events(
        tmp_path, 1, folders.scalars(1, 2.0, a=1.0), folders.scalars(2, 3.0, a=2.0)
    )
    size = os.path.getsize(path)
    for removed in (1, 5, 20):
        os.truncate(path, size - removed)
        assert values_of(tmp_path, 'a') == [(1, 1.0)]
        assert not events.read(str(tmp_path)).fault


@pytest.mark.parametrize('place', [0, 9])
def test_a_damaged_record_ends_a_file_and_is_reported(tmp_path, place):
    path = folders.write_events(tmp_path, 1, folders.scalars(1, 2.0, a=1.0))
    size = os.path.getsize(path)
    with open(path, 'ab') as file:
        file.write(bytes(100))
    with open(path, 'r+b') as file:
        file.seek(size + place)
        file.write(b'\x05')
    folders.write_events(tmp_path, 2, folders.scalars(2, 3.0, a=2.0))
    assert values_of(tmp_path, 'a') == [(1, 1.0), (2, 2.0)]
    name = os.path.basename(path)
    expected = f'{name} was read in part: the record at byte {size:,} is damaged.'
    assert events.read(str(tmp_path)).fault == expected


def test_a_record_that_is_no_event_is_damaged(tmp_path):
    path = folders.write_events(tmp_path, 1)
    size = os.path.getsize(path)
    with open(path, 'r+b') as file:
        file.seek(12)
        file.write(b'\xff' * 8)
    assert 'the record at byte 0 is damaged' in events.read(str(tmp_path)).fault
    assert size == os.path.getsize(path)


@pytest.mark.parametrize(
    'names, expected',
    [
        ([], 'There is no event file of TensorBoard.'),
        (['events.out.tfevents.1.host'], 'The event files have no scalars yet.'),
    ],
)
def test_without_events(tmp_path, names, expected):
    for name in names:
        (tmp_path / name).write_bytes(b'')
    found = events.read(str(tmp_path))
    assert found.fault == expected and not found.series and not found.duration
