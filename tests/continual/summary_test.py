"""The metrics of an arm: means over maps, intervals over runs."""

import numpy as np
import pytest

from sc2impala.continual import metrics, runs, summary, tables
from sc2impala.continual.summary import OF_MAPS, OVERALL, Bootstrap, summarize
from sc2impala.envs.scores import SCORES
from sc2impala.errors import UserError
from tests.continual import example_runs
from tests.continual.example_runs import MAPS, write_run

FAST = Bootstrap(200)
RANDOM = np.array([SCORES[name].random for name in MAPS])
HUMAN = np.array([SCORES[name].human for name in MAPS])


def returns_of(seed):
    return np.random.default_rng(seed).uniform(30, 60, [7, 3]).round(3)


@pytest.fixture
def arm(tmp_path):
    """Three runs of two cycles."""
    return [
        runs.read_sequential(
            write_run(tmp_path / f'run-{seed}', returns_of(seed), cycles=2, seed=seed)
        )
        for seed in range(3)
    ]


@pytest.fixture
def experts(tmp_path):
    """Two experts on each map, whose last evaluations have the means 60, 70 and 80."""
    return [
        runs.read_expert(
            example_runs.write_expert(
                tmp_path / f'expert-{i}-{e}', MAPS[i], [5, 55 + 10 * i + 10 * e], [1.0, 50.0, 60.0]
            )
        )
        for i in range(3)
        for e in range(2)
    ]


def test_all_metrics_are_defined(arm, experts):
    found = summarize(arm, experts)
    assert set(found.overall) == set(OVERALL) and set(found.of_maps) == set(OF_MAPS)
    assert all(values.shape == (3,) for values in found.overall.values())
    assert all(values.shape == (3, 3) for values in found.of_maps.values())
    assert found.forgetting.shape == (3, 2, 3, 3) and found.transfer.shape == (3, 3, 3)


def test_performance(arm, experts):
    found = summarize(arm, experts)
    for i in range(3):
        final = returns_of(i)[-1]
        np.testing.assert_array_equal(found.of_maps['final_return'][i], final)
        expected = np.mean((final - RANDOM) / (HUMAN - RANDOM))
        np.testing.assert_allclose(found.overall['final_score'][i], expected)
        relative = (final - RANDOM) / (np.array([60, 70, 80]) - RANDOM)
        np.testing.assert_allclose(found.of_maps['final_relative_to_experts'][i], relative)
        np.testing.assert_allclose(found.overall['final_relative_to_experts'][i], relative.mean())


def test_gains_are_over_an_untrained_agent_if_there_is_one(arm, experts):
    start = np.array([20.0, 31.0, 12.0])
    found = summarize(arm, experts, start)
    for i, run in enumerate(arm):
        relative = (returns_of(i)[-1] - start) / (np.array([60, 70, 80]) - start)
        np.testing.assert_allclose(found.of_maps['final_relative_to_experts'][i], relative)
        lost = metrics.lost_share(run.returns - start, run.blocks, run.before, run.after)
        np.testing.assert_array_equal(found.of_maps['lost_share'][i], lost)
    final = summarize(arm, experts).overall['final_score']
    np.testing.assert_array_equal(found.overall['final_score'], final)


def test_forgetting_has_the_scale_of_the_arm_and_the_mean_of_the_first_cycle(arm):
    found = summarize(arm)
    scale = np.max([np.abs(returns_of(seed)).max(axis=0) for seed in range(3)], axis=0)
    for i, run in enumerate(arm):
        expected = metrics.isolated_forgetting(run.returns, run.before, run.after, scale)
        np.testing.assert_array_equal(found.forgetting[i], expected)
        cells = [expected[0, 0, 1], expected[0, 0, 2], expected[0, 1, 2]]
        np.testing.assert_allclose(found.overall['isolated_forgetting'][i], np.mean(cells))
    assert 'relative_performance' not in found.overall


def test_maps_without_published_scores_have_no_normalised_score(tmp_path):
    run = runs.read_sequential(write_run(tmp_path / 'run', maps=('Own', 'Other')))
    found = summarize([run])
    assert 'final_score' not in found.overall and 'lost_share' in found.overall


def test_runs_without_blocks(tmp_path, experts):
    folder = example_runs.write_simultaneous(tmp_path / 'run', returns_of(0))
    found = summarize([runs.read_evaluated(folder)], experts)
    assert set(found.overall) == {'final_score', 'average_score', 'final_relative_to_experts'}
    assert found.forgetting is None and found.transfer is None


def test_different_runs_are_refused(tmp_path, arm, experts):
    other = runs.read_sequential(write_run(tmp_path / 'other'))
    with pytest.raises(UserError, match='other has learned .* in 1 cycle, expected .* in 2 cycles'):
        summarize([*arm, other])
    with pytest.raises(UserError, match='--experts has no run on DefeatRoaches, expected at least'):
        summarize(arm, [experts[0], experts[-1]])


def test_estimates_are_over_the_runs_in_which_a_metric_is_defined():
    values = np.array([1.0, np.nan, 3.0])
    found = Bootstrap(500).estimate(values)
    assert found.value == 2 and (found.low, found.high) == (1, 3)
    assert Bootstrap(500).estimate(values[1:2]) is None
    assert Bootstrap(500).estimate(values[:1]) == (1, 1, 1)


def test_json_has_no_nan(arm, experts):
    found = summary.to_json(summarize(arm, experts), FAST)
    assert found['isolated_transfer'][0][0][0] is None
    assert found['runs'][2]['seed'] == 2 and found['cycles'] == 2
    assert set(found['estimates']) == set(OVERALL)


def test_tables(tmp_path, arm, experts):
    folder = example_runs.write_simultaneous(tmp_path / 'run', returns_of(0))
    together = summarize([runs.read_evaluated(folder)], experts)
    found = summarize(arm, experts)
    lines = tables.arms({'clear': found, 'simultaneous': together}, FAST).splitlines()
    assert lines[0].startswith('| arm | runs | final performance, human-normalised | ')
    assert lines[2].startswith('| clear | 3 | ') and '[' in lines[2]
    assert lines[3].startswith('| simultaneous | 1 | ') and lines[3].endswith('| - | - | - |')
    assert len({line.count('|') for line in lines}) == 1
    rows = tables.of_maps(found, FAST).splitlines()
    assert [row.split(' | ')[0] for row in rows[2:]] == [f'| {name}' for name in MAPS]


def test_undefined_runs_are_counted():
    values = {'sample_efficiency': np.array([1.0, np.nan, 2.0])}
    found = summary.Summary([None] * 3, values, {}, None, None)
    assert '[1.00, 2.00] (2 of 3 runs) |' in tables.overall(found, FAST)
