"""Reading the time to a mean return from the output of a training."""

import io
import itertools

from benchmarks.speed import time_to_return

LINES = """fully_conv on MoveToBeacon (simulator), 1,000 parameters
logdir: runs/x
training: 1,000 of 9,000 frames | 200 frames/s, 25 steps/s | no episode finished yet | 8m left
critic pre-training: 2,000 of 9,000 frames | 1 frames/s | mean return 30.00 (last 100) | 1s left
training: 3,000 of 9,000 frames | 200 frames/s | mean return 26.00 (last 99) | 8m 5s left
training: 4,000 of 9,000 frames | 200 frames/s | mean return -24.99 (last 100) | 8m 5s left
training: 1,005,000 of 9,000 frames | 2 frames/s, 3 steps/s | mean return 25.00 (last 100) | 8s left
training: 6,000 of 9,000 frames | 200 frames/s | mean return 27.00 (last 100) | 8m 5s left
"""


def _watch(text, target):
    ticks = itertools.count(100)
    return time_to_return.watch(io.StringIO(text), target, lambda: float(next(ticks)))


def test_the_first_full_window_that_reaches_the_target():
    assert _watch(LINES, 25.0) == {'seconds': 1.0, 'frames': 1005000, 'mean': 25.0}


def test_target_not_reached():
    assert _watch(LINES, 28.0) == {'seconds': None, 'frames': None, 'mean': 27.0}


def test_no_median_if_a_run_does_not_reach_the_target():
    rows = [{'seconds': 3.0, 'frames': 5}, {'seconds': None, 'frames': None}]
    assert time_to_return._medians(rows) == {'seconds': None, 'frames': None}
    assert time_to_return._medians(rows[:1] * 2) == {'seconds': 3.0, 'frames': 5}


def test_the_quickstart_has_these_flags():
    with open(time_to_return.ROOT + '/scripts/quickstart.sh') as file:
        script = file.read()
    assert all(flag in script for flag in time_to_return.QUICKSTART)


def test_a_cluster_has_the_games_of_one_process():
    ways = time_to_return._ways(None, 3)
    one, cluster = (time_to_return._command(way, 'run', ['--seed=7']) for way in ways.values())
    assert one[1:] == [
        '-m',
        'sc2impala.experiment',
        '--logdir=run',
        '--seed=7',
        '--num_actors=3',
        '--progress_secs=1',
    ]
    launcher = ['-m', 'sc2impala.cluster_actors.launch', '3', '--logdir=run', '--seed=7']
    assert cluster[1:] == [*launcher, '--num_actors=1', '--progress_secs=1']
