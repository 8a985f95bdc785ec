import datetime

from sc2impala.report import events, launches
from tests.report import folders


def entry(time, **more):
    zone = datetime.timezone.utc
    text = datetime.datetime.fromtimestamp(time, zone).strftime('%Y-%m-%dT%H:%M:%S%z')
    return dict({'time': text, 'versions': {'sc2impala': '0.1.0', 'tensorflow': '2'}}, **more)


def test_durations_and_frames(tmp_path):
    folders.write_events(tmp_path, 1, folders.start(0, 1002.0), folders.scalars(300, 1010.0, a=1.0))
    folders.write_events(
        tmp_path, 2, folders.start(200, 5002.0), folders.scalars(400, 5020.0, a=1.0)
    )
    starts = [entry(1000), entry(5000, settings_changed={'seed': 3}), entry(9000)]
    first, second, third = launches.of_run(starts, [1012.0, 5001.0], events.read(str(tmp_path)))
    assert (first.seconds, first.first_frames, first.last_frames) == (12.0, 0, 300)
    assert (second.seconds, second.first_frames, second.last_frames) == (20.0, 200, 400)
    assert (third.seconds, third.first_frames, third.last_frames) == (None, None, None)
    assert second.changed == {'seed': 3} and first.version == '0.1.0'
    assert launches.total_seconds([first, second, third]) == 32.0


def test_damaged_entries(tmp_path):
    nothing = events.read(str(tmp_path))
    starts = [None, 3, {}, {'time': 'today', 'versions': 1, 'command': 'a', 'settings_changed': 0}]
    found = launches.of_run(starts, [], nothing)
    assert len(found) == 2
    assert all(launch.time is None and launch.command == [] for launch in found)
    assert launches.total_seconds(found) is None and launches.of_run([], [], nothing) == []
