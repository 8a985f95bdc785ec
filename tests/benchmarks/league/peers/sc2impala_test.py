"""This trainer as a peer of the league."""

import json

import pytest

from benchmarks.league.peers import reporting, sc2impala
from benchmarks.speed.time_to_return import QUICKSTART
from tests.benchmarks import scripts

LINES = """atari_net on MoveToBeacon (simulator), 12,345 parameters
logdir: runs/x
training: 800 of 9,000 frames | 200 frames/s, 25 steps/s | no episode finished yet | 8m left
training: 1,600 of 9,000 frames | 200 frames/s, 25 steps/s | mean return -2.50 (last 7) | 8m left
"""


@pytest.fixture
def reports(tmp_path, monkeypatch):
    path = tmp_path / 'report'
    monkeypatch.setenv(reporting.FILE_VARIABLE, str(path))

    def read():
        found = [json.loads(line) for line in path.read_text().splitlines()]
        for report in found:
            assert report.pop('time') > 0
        return found

    return read


def test_reports_from_the_output_of_a_training(reports):
    sc2impala.report(LINES.splitlines(), 8, reporting.Reporter())
    assert reports() == [
        {'parameters': 12345},
        {'steps': 100},
        {'steps': 200},
        {'mean_return': -2.5, 'episodes': 7},
    ]


def test_the_speed_flags_are_those_of_the_workload():
    from benchmarks import workload

    ours = workload.make_settings(sc2impala.SPEED_FLAGS)
    assert ours == workload.make_settings(workload.WORKLOADS['resnet'])


def test_the_flags_of_a_variant(monkeypatch):
    started = []

    class Process:
        stdout, returncode = (), 0

        def __init__(self, command, **unused):
            started.append(command)

        def __enter__(self):
            return self

        def __exit__(self, *unused):
            return None

    monkeypatch.setattr(sc2impala.subprocess, 'Popen', Process)
    sc2impala.main(['--task=return'])
    sc2impala.main(['--task=return', '--variant=quickstart'])
    assert '--unit_mask=all' in started[0]
    assert started[1][-len(QUICKSTART) - 1 : -1] == list(QUICKSTART)


@pytest.mark.long
def test_a_tiny_training(reports):
    flags = [flag for flag in scripts.TINY if '--map_name' not in flag]
    code = sc2impala.main(['--task=return', '--seed=1', *flags, '--total_environment_frames=2000'])
    assert code == 0
    found = reports()
    assert found[0]['parameters'] > 0
    assert found[-1].get('steps') or found[-2].get('steps')
