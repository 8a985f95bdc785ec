"""The metrics of lifelong learning equal those of l2metrics, and slow loops over their definitions.

With L2METRICS_PYTHON=<interpreter that has l2metrics 3.1 and NumPy 1> the program itself runs.
"""

import json
import operator
import os
import subprocess

import numpy as np
import pytest

from sc2impala.continual import l2log, lifelong, runs
from tests.continual import example_runs
from tests.continual.lifetimes import LIFETIMES, NAMES

OF_L2METRICS = {
    'two cycles': {
        'perf_maintenance_mrlep': -7.5511170243,
        'forward_transfer_ratio': 0.8660757045,
        'forward_transfer_contrast': -0.1015190111,
        'backward_transfer_ratio': 0.8793107782,
        'backward_transfer_contrast': -0.0755521745,
        'ste_rel_perf': 0.817006305,
        'sample_efficiency': 0.2656991978,
    },
    'few episodes, two experts': {
        'perf_maintenance_mrlep': -26.6214803245,
        'forward_transfer_ratio': 0.4911834035,
        'forward_transfer_contrast': -0.3412166439,
        'backward_transfer_ratio': 0.7050076791,
        'backward_transfer_contrast': -0.1730152447,
        'ste_rel_perf': 1.4801376781,
        'sample_efficiency': 2.6326068844,
    },
    'many episodes, four maps': {
        'perf_maintenance_mrlep': 3.4481151466,
        'forward_transfer_ratio': 1.0572851617,
        'forward_transfer_contrast': -0.0564153684,
        'backward_transfer_ratio': 1.1813025523,
        'backward_transfer_contrast': 0.0383328414,
        'ste_rel_perf': 0.6502762247,
        'sample_efficiency': 0.0327800611,
    },
    'falling': {
        'perf_maintenance_mrlep': -17.271388358,
        'forward_transfer_ratio': 0.8702079189,
        'forward_transfer_contrast': -0.1004094481,
        'backward_transfer_ratio': 0.808531873,
        'backward_transfer_contrast': -0.1184334245,
        'ste_rel_perf': 1.2272222683,
        'sample_efficiency': 0.0,
    },
}
"""Means over maps and pairs, computed by l2metrics 3.1.0 from the logs of `l2log`."""


def ours(lifetime):
    """Our metrics, means over what is defined, by the names of l2metrics."""
    blocks = np.tile(np.arange(len(lifetime.maps)), lifetime.cycles)
    found = lifelong.compute(lifetime.evaluations, blocks, lifetime.episodes, lifetime.experts)
    return {
        name: float(np.nanmean(operator.attrgetter(attribute)(found)))
        for name, attribute in NAMES.items()
    }


def of_l2metrics(lifetime, folder, python):
    """Writes a lifetime as logs, and runs the program on them."""
    folder.mkdir()
    run = runs.read_sequential(
        example_runs.write_run(
            folder / 'run', lifetime.evaluations, lifetime.episodes, lifetime.maps, lifetime.cycles
        )
    )
    l2log.write(run, runs.read_episodes(run), str(folder / 'logs' / 'run'))
    (folder / 'data').mkdir()
    environment = dict(os.environ, L2DATA=str(folder / 'data'), MPLBACKEND='agg')

    def l2metrics(*arguments):
        command = [python, '-m', 'l2metrics', *arguments]
        subprocess.run(command, check=True, env=environment, cwd=str(folder), capture_output=True)

    for map_name, experts in zip(lifetime.maps, lifetime.experts):
        for number, returns in enumerate(experts):
            name = f'{map_name}-{number}'
            example_runs.write_expert(folder / name, map_name, [0, 1], returns)
            expert = runs.read_expert(str(folder / name))
            logs = str(folder / 'experts' / name)
            l2log.write(expert, runs.read_episodes(expert), logs)
            l2metrics('-l', logs, '-s', 'a')
    l2metrics('-l', str(folder / 'logs' / 'run'), '-t', 'both', '-O', 'out', '-o', 'x', '--no-plot')
    found = json.loads((folder / 'out' / 'x_metrics.json').read_text())
    return {name: found[name] for name in NAMES}


@pytest.mark.parametrize('name', LIFETIMES)
def test_metrics_equal_those_of_l2metrics(name):
    assert ours(LIFETIMES[name]) == pytest.approx(OF_L2METRICS[name], abs=1e-9)


@pytest.mark.long
@pytest.mark.skipif('L2METRICS_PYTHON' not in os.environ, reason='needs l2metrics')
@pytest.mark.parametrize('name', LIFETIMES)
def test_the_program_gives_these_numbers(name, tmp_path):
    found = of_l2metrics(LIFETIMES[name], tmp_path / 'run', os.environ['L2METRICS_PYTHON'])
    assert found == pytest.approx(OF_L2METRICS[name], abs=1e-9)


def test_maintenance_is_relative_to_the_evaluation_after_the_latest_block():
    values = np.random.default_rng(1).normal(50, 20, [7, 3])
    blocks = np.array([0, 1, 2, 0, 1, 2])
    expected = []
    for task in range(3):
        differences, reference = [], None
        for k in range(1, 7):
            if blocks[k - 1] == task:
                reference = values[k, task]
            elif reference is not None:
                differences.append(values[k, task] - reference)
        expected.append(np.mean(differences))
    np.testing.assert_allclose(lifelong.performance_maintenance(values, blocks), expected)
    once = lifelong.performance_maintenance(values[:4], blocks[:3])
    assert np.isnan(once[2]) and not np.isnan(once[:2]).any()


def test_transfer_is_of_the_first_block_of_each_kind():
    values = np.random.default_rng(2).normal(50, 20, [7, 3])
    blocks = np.array([0, 1, 2, 0, 1, 2])
    ratio, contrast = lifelong.transfers(values, blocks)
    nan = float('nan')
    # The block in which i is first learned, before j has been, and after that.
    forward = [[nan, 0, 0], [nan, nan, 1], [nan, nan, nan]]
    backward = [[nan, 3, 3], [1, nan, 4], [2, 2, nan]]
    for kind, expected in (('forward', forward), ('backward', backward)):
        for i in range(3):
            for j in range(3):
                block = expected[i][j]
                found = [getattr(each, kind)[i, j] for each in (ratio, contrast)]
                if np.isnan(block):
                    assert np.isnan(found).all()
                    continue
                a, b = values[block, j], values[block + 1, j]
                np.testing.assert_allclose(found, [b / a, (b - a) / (a + b)])


def test_a_return_of_0_has_no_ratio():
    ratio, contrast = lifelong.transfers(
        np.array([[1.0, 0.0], [2.0, 0.0], [3.0, 4.0]]), np.arange(2)
    )
    assert np.isnan(ratio.forward[0, 1]) and np.isnan(contrast.forward[0, 1])
    assert ratio.backward[1, 0] == 1.5


@pytest.mark.parametrize('length, window', [(14, 0), (15, 3), (20, 4), (26, 5), (900, 100)])
def test_smoothing(length, window):
    values = np.random.default_rng(3).normal(size=length)
    found = lifelong.smooth(values)
    if not window:
        assert found is values
        return
    last = length - 1
    for k in range(length):
        before = window // 2 if window % 2 == 0 else (window + 1) // 2
        indices = [abs(i) for i in range(k - before, k - before + window)]
        indices = [2 * last - i if i > last else i for i in indices]
        np.testing.assert_allclose(found[k], np.mean(values[indices]))


def test_returns_are_scaled_from_1_to_101():
    found = lifelong.scale(np.array([2.0, 7.0, 4.0]), (2.0, 7.0))
    np.testing.assert_allclose(found, [1, 101, 41])
    np.testing.assert_array_equal(lifelong.scale(np.array([3.0, 3.0]), (3.0, 3.0)), [1, 1])


def test_relative_performance_is_over_as_many_episodes():
    assert lifelong.relative_performance(np.array([1.0, 2.0, 9.0]), np.array([2.0, 4.0])) == 0.5
    assert lifelong.relative_performance(np.array([1.0, 2.0]), np.array([2.0, 1.0, 9.0])) == 1


def test_sample_efficiency():
    positions = np.arange(4)
    expert = np.array([1.0, 2.0, 3.0, 8.0])
    # 6 after 2 episodes, instead of 8 after 3.
    found = lifelong.sample_efficiency(np.array([1.0, 2.0, 6.0, 5.0]), positions, expert)
    assert found == pytest.approx(6 / 8 * 3 / 2)
    assert lifelong.sample_efficiency(np.array([4.0, 5.0, 1.0, 0.0]), positions, expert) == 0
    assert lifelong.sample_efficiency(np.array([1.0, 1.1, 1.2, 1.5]), positions, expert) == 0
    assert np.isnan(lifelong.sample_efficiency(np.array([6.0, 1, 2, 3]), positions, expert))
    assert np.isnan(lifelong.sample_efficiency(np.arange(4.0), positions, expert[::-1]))


def test_experiences_are_numbered_with_the_evaluations():
    found = lifelong.experience_numbers([2, 3], 4)
    np.testing.assert_array_equal(np.concatenate(found), [4, 5, 10, 11, 12])


def test_without_experts():
    lifetime = LIFETIMES['two cycles']
    found = lifelong.compute(lifetime.evaluations, np.tile(np.arange(3), 2), lifetime.episodes)
    assert np.isnan(found.relative_performance).all() and np.isnan(found.sample_efficiency).all()
    assert not np.isnan(found.maintenance).any()


@pytest.mark.parametrize('missing', ['of the run', 'of an expert', 'of all experts'])
def test_maps_without_episodes_are_not_compared_with_experts(missing):
    evaluations = np.array([[0.0, 0.0], [4.0, 1.0], [3.0, 5.0]])
    learned = [np.array([1.0, 3.0, 2.0]), np.array([2.0, 4.0])]
    experts = [[np.array([1.0, 2.0, 4.0])], [np.array([1.0, 3.0]), np.array([2.0, 5.0])]]
    whole = lifelong.compute(evaluations, np.array([0, 1]), learned, experts)
    assert not np.isnan(whole.relative_performance).any()
    if missing == 'of the run':
        learned[1] = np.zeros([0])
    elif missing == 'of an expert':
        experts[1].insert(0, np.zeros([0]))
    else:
        experts[1] = [np.zeros([0])] * 2
    found = lifelong.compute(evaluations, np.array([0, 1]), learned, experts)
    expected = whole.relative_performance.copy()
    if missing != 'of an expert':
        expected[1] = np.nan
    np.testing.assert_array_equal(found.relative_performance, expected)
    assert np.isnan(found.sample_efficiency[1]) == np.isnan(expected[1])
