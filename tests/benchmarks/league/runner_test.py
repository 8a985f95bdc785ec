"""Running a peer, with a program that pretends to learn."""

import os
import sys

import pytest

from benchmarks.league import runner
from tests.benchmarks import scripts

PEER = """
import subprocess, sys, time
from benchmarks.league.peers.reporting import Reporter
child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'])
reporter = Reporter()
reporter.parameters(1234)
reporter.write(child=child.pid)
for update in range(1, 1000):
    time.sleep(0.02)
    reporter.steps(100 * update)
    reporter.episode(update)
"""


def _peer(program):
    cores = sorted(os.sched_getaffinity(0))
    return runner.Peer([sys.executable, '-c', program], {'PYTHONPATH': scripts.ROOT}, cores)


def test_speed_of_a_peer():
    with _peer(PEER) as peer:
        speed = runner.measure_speed(peer, warm_up=0.1, seconds=0.3)
    assert speed.parameters == 1234
    assert speed.steps >= 300
    assert speed.steps % 100 == 0
    assert speed.seconds >= 0.3
    assert speed.peak_memory > 2**20


def test_a_peer_and_its_children_end_with_the_measurement():
    reports = []
    with _peer(PEER) as peer:
        while not any('child' in report for report in reports):
            reports += peer.reports()
        (child,) = [report['child'] for report in reports if 'child' in report]
        assert runner._is_running(child)
    assert not runner._is_running(child)


def test_a_peer_that_ends_has_failed_with_its_output():
    failed = pytest.raises(runner.PeerFailed, match='no such module')
    with _peer('import sys; sys.exit("no such module")') as peer, failed:
        runner.measure_speed(peer, warm_up=0, seconds=0.1)


def test_time_to_a_return():
    with _peer(PEER) as peer:
        found = runner.measure_return(peer, target=50.5, limit=60)
    assert found.episodes == 100
    assert found.best == 50.5
    assert found.seconds > 0
    assert found.steps == 10000


def test_a_return_that_is_not_reached_within_the_limit():
    with _peer(PEER) as peer:
        found = runner.measure_return(peer, target=1e6, limit=0.3)
    assert found.seconds is None
    assert found.steps is None


def _watched(*reports):
    watch = runner.ReturnWatch(25.0)
    watch.add([dict(report, time=float(index)) for index, report in enumerate(reports)])
    return watch


def test_the_mean_is_over_a_full_window():
    watch = _watched(*[{'episode_return': 30.0}] * 99)
    assert watch.reached is None
    watch.add([{'episode_return': 30.0, 'time': 99.0}, {'episode_return': 0.0, 'time': 100.0}])
    assert watch.reached['time'] == 99.0


def test_means_that_the_peer_reports():
    watch = _watched(
        {'mean_return': 26.0, 'episodes': 99},
        {'steps': 700},
        {'mean_return': 24.0, 'episodes': 100},
        {'mean_return': 25.0, 'episodes': 100},
        {'steps': 900},
    )
    assert watch.reached['time'] == 3.0
    assert watch.result(3.0) == runner.TimeToReturn(3.0, 700, 25.0, 0)


def test_updates_of_the_warm_up_do_not_count():
    reports = [{'parameters': 1, 'time': 0.0}] + [{'steps': i, 'time': i} for i in range(1, 9)]
    assert [each['steps'] for each in runner.updates_after(reports, 5)] == [6, 7, 8]


def test_processor_time_between_samples():
    usages = [runner.Usage(0.0, 10.0, 0), runner.Usage(2.0, 14.0, 0), runner.Usage(3.0, 20.0, 0)]
    assert runner.cpu_seconds_at(usages, 1.0) == 12.0
    assert runner.cpu_seconds_at(usages, 2.5) == 17.0
    assert runner.cpu_seconds_at(usages, 9.0) == 20.0


def test_suspensions_do_not_count(monkeypatch):
    now = [100.0]
    monkeypatch.setattr(runner.time, 'time', lambda: now[0])
    monkeypatch.setattr(runner.time, 'sleep', lambda seconds: None)
    clock = runner.Suspensions()
    for later in (100.1, 160.1, 160.2):
        now[0] = later
        clock.sleep(0.1)
    assert clock.seconds_between(100.0, 160.2) == pytest.approx(0.2)
    assert clock.seconds_between(100.0, 130.1) == pytest.approx(0.1)
    assert clock.seconds_between(160.1, 160.2) == pytest.approx(0.1)
