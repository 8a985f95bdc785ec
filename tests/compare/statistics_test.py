"""Statistics of a comparison: rliable's values, the formulas in slow NumPy, and error rates."""

import math

import numpy as np
import pytest

from sc2impala.compare import statistics

A = np.array(
    [
        [0.91, 0.10, 1.40],
        [0.85, 0.32, 1.10],
        [1.20, 0.32, 0.70],
        [0.40, -0.05, 2.30],
        [0.66, 0.55, 1.75],
    ]
)
B = np.array([[0.85, 0.20, 0.70], [0.30, 0.32, 0.95], [0.77, 0.41, 1.20], [0.52, 0.15, 0.65]])
"""Scores of runs, [n, maps] as in rliable, with ties between A and B."""

THRESHOLDS = np.array([0.0, 0.32, 0.7, 1.1, 2.0])
REPETITIONS = 200


def of_maps(scores):
    return list(np.moveaxis(scores, -1, 0))


def bootstrap_as_rliable(*scores, seed=7):
    """Bootstrap samples with the random numbers that rliable draws, per input."""
    random = np.random.RandomState(seed)
    samples = [[] for _ in scores]
    for _ in range(REPETITIONS):
        for found, each in zip(samples, scores):
            rows = random.choice(len(each), each.shape, replace=True)
            found.append(each[rows, np.arange(each.shape[1])])
    return [of_maps(np.array(found)) for found in samples]


class TestValuesOfRliable:
    """Values of rliable 1.2.0 for the same inputs and random numbers."""

    def test_interquartile_mean(self):
        assert statistics.interquartile_mean(of_maps(A)) == pytest.approx(0.7433333333333334)
        assert statistics.interquartile_mean(of_maps(B)) == pytest.approx(0.5616666666666666)

    def test_probability_of_improvement(self):
        a, b = of_maps(A), of_maps(B)
        assert statistics.probability_of_improvement(a, b) == pytest.approx(2 / 3)
        assert statistics.probability_of_improvement(b, a) == pytest.approx(1 / 3)

    def test_performance_profile(self):
        np.testing.assert_allclose(
            statistics.performance_profile(of_maps(A), THRESHOLDS), np.array([14, 11, 7, 4, 1]) / 15
        )
        np.testing.assert_allclose(
            statistics.performance_profile(of_maps(B), THRESHOLDS), np.array([12, 8, 4, 1, 0]) / 12
        )

    def test_interval_of_the_interquartile_mean(self):
        (samples,) = bootstrap_as_rliable(A)
        found = statistics.interval(statistics.interquartile_mean(samples), 0.95)
        np.testing.assert_allclose(found, [0.5810277777777778, 0.9437222222222221])

    def test_interval_of_the_probability_of_improvement(self):
        samples = bootstrap_as_rliable(A, B)
        found = statistics.interval(statistics.probability_of_improvement(*samples), 0.95)
        np.testing.assert_allclose(found, [0.4664583333333333, 0.825])

    def test_interval_of_the_performance_profile(self):
        (samples,) = bootstrap_as_rliable(A)
        low, high = statistics.interval(statistics.performance_profile(samples, THRESHOLDS), 0.95)
        np.testing.assert_allclose(low, [0.8, 2 / 3, 1 / 3, 2 / 15, 0])
        np.testing.assert_allclose(high, [1, 13 / 15, 0.6, 0.40166666666666706, 0.2])


class TestRliable:
    """The same with rliable itself, where it is installed."""

    @pytest.fixture
    def metrics(self):
        return pytest.importorskip('rliable.metrics')

    @pytest.mark.parametrize('counts', [(3, 8), (4, 4), (10, 7)])
    def test_random_scores(self, metrics, counts):
        rng = np.random.default_rng(sum(counts))
        a, b = (np.round(rng.normal(0.5, 1, size=(n, 6)), 1) for n in counts)
        assert statistics.interquartile_mean(of_maps(a)) == pytest.approx(metrics.aggregate_iqm(a))
        found = statistics.probability_of_improvement(of_maps(a), of_maps(b))
        assert found == pytest.approx(metrics.probability_of_improvement(a, b))

    def test_interval(self, metrics):
        library = pytest.importorskip('rliable.library')
        np.random.seed(3)
        _, intervals = library.get_interval_estimates(
            {'a': A}, lambda x: np.array([metrics.aggregate_iqm(x)]), reps=REPETITIONS
        )
        (samples,) = bootstrap_as_rliable(A, seed=3)
        found = statistics.interval(statistics.interquartile_mean(samples), 0.95)
        np.testing.assert_allclose(found, intervals['a'].ravel())


class TestFormulas:
    @pytest.mark.parametrize('count', [1, 2, 3, 4, 7, 8])
    def test_interquartile_mean(self, count):
        values = np.random.default_rng(count).normal(size=count)
        removed = sorted(values)[count // 4 : count - count // 4]
        found = statistics.interquartile_mean([values])
        assert found == pytest.approx(sum(removed) / len(removed))

    def test_maps_with_fewer_runs_have_the_same_weight(self):
        few, many = np.array([1.0, 7.0]), np.array([0.0, 2.0, 5.0, 6.0])
        pooled = sorted([1, 1, 7, 7, 0, 2, 5, 6])[2:6]
        assert statistics.interquartile_mean([few, many]) == pytest.approx(np.mean(pooled))
        assert statistics.performance_profile([few, many], np.array([5.5]))[0] == 3 / 8

    def test_probability_of_improvement_with_different_numbers_of_runs(self):
        a = [np.array([1.0, 3.0]), np.array([0.0])]
        b = [np.array([3.0, 0.5, 2.0]), np.array([1.0, 0.0])]
        # (1 beats 0.5; 3 beats 0.5 and 2, and ties with 3) / 6, and (0 ties with 0) / 2.
        assert statistics.probability_of_improvement(a, b) == pytest.approx((3.5 / 6 + 0.5 / 2) / 2)

    def test_samples_are_of_the_runs_of_their_map(self):
        scores = [np.array([1.0, 2.0, 3.0]), np.array([10.0, 20.0])]
        samples = statistics.resample(scores, 1000, np.random.default_rng(0))
        for sample, each in zip(samples, scores):
            assert sample.shape == (1000, len(each)) and set(sample.ravel()) == set(each)
            np.testing.assert_allclose(sample.mean(), each.mean(), rtol=0.05)
        # Maps are resampled independently.
        correlation = np.corrcoef(samples[0].mean(axis=1), samples[1].mean(axis=1))[0, 1]
        assert abs(correlation) < 0.1

    @pytest.mark.parametrize('probability', [0.001, 0.2, 0.5, 0.8, 0.975])
    def test_normal_quantile(self, probability):
        found = statistics.normal_quantile(probability)
        assert 0.5 * (1 + math.erf(found / math.sqrt(2))) == pytest.approx(probability)
        assert statistics.normal_quantile(0.975) == pytest.approx(1.959964, abs=1e-6)


class TestPermutationTest:
    def test_all_exchanges_of_few_runs(self):
        """Of the 20 ways to divide 6 runs, two have the largest difference."""
        a, b = np.array([5.0, 6.0, 7.0]), np.array([1.0, 2.0, 3.5])
        found = statistics.permutation_p_value([a], [b], 5000, np.random.default_rng(0))
        assert found == pytest.approx(0.1, abs=0.015)
        assert statistics.smallest_p_value([3], [3]) == pytest.approx(0.1)

    def test_is_the_mann_whitney_test_on_one_map(self):
        """SciPy's exact two-sided p-value of these runs."""
        a, b = np.array([1.2, 3.4, 2.2, 5.1, 4.0]), np.array([0.3, 2.0, 1.1, 3.0])
        found = statistics.permutation_p_value([a], [b], 20000, np.random.default_rng(0))
        assert found == pytest.approx(0.1111, abs=0.01)

    def test_runs_are_exchanged_within_maps(self):
        """Differences between maps are no differences between A and B."""
        a = [np.array([1.0, 1.1, 1.2, 1.3]), np.array([101.0, 101.1, 101.2, 101.3])]
        b = [each - 0.9 for each in a]
        found = statistics.permutation_p_value(a, b, 2000, np.random.default_rng(0))
        assert found < 0.01

    def test_equal_scores(self):
        scores = [np.array([0.1, 0.2, 0.3])]
        assert statistics.permutation_p_value(scores, scores, 500, np.random.default_rng(0)) == 1

    @pytest.mark.parametrize(
        'a, b, expected',
        [
            ([4], [4], 2 / 70),
            ([3, 3], [3, 3], 2 / 400),
            ([1], [5], 2 / 6),
            ([2, 3], [4, 1], 2 / 60),
            ([1], [1], 1),
        ],
    )
    def test_smallest_p_value(self, a, b, expected):
        assert statistics.smallest_p_value(a, b) == pytest.approx(expected)

    def test_many_runs_are_processed_in_parts(self, monkeypatch):
        scores = [np.arange(10.0)], [np.arange(10.0) + 4]
        whole = statistics.permutation_p_value(*scores, 1000, np.random.default_rng(0))
        monkeypatch.setattr(statistics, '_MAX_ELEMENTS', 300)
        parts = statistics.permutation_p_value(*scores, 1000, np.random.default_rng(0))
        assert parts == whole


class TestNeededRuns:
    def test_normal_approximation(self):
        # (1.959964 + 0.841621)^2 * (2 + 3) / 1.5^2
        assert statistics.runs_needed(1.5, [2.0, 3.0], 2, 0.95) == 18
        assert statistics.runs_needed(-1.5, [3.0, 2.0], 2, 0.95) == 18

    def test_is_not_below_that_of_the_permutation_test(self):
        assert statistics.runs_needed(10.0, [0.1, 0.1], 1, 0.95) == 4
        assert statistics.runs_needed(10.0, [0.1, 0.1], 2, 0.95) == 3
        assert statistics.runs_needed(10.0, [0.1, 0.1], 1, 0.99) == 5

    def test_is_unknown_without_a_difference_or_a_variance(self):
        assert statistics.runs_needed(0.0, [1.0, 1.0], 1, 0.95) is None
        assert statistics.runs_needed(1.0, [0.0, 0.0], 1, 0.95) is None

    def test_shows_the_difference_as_often_as_promised(self):
        rng = np.random.default_rng(0)
        count = statistics.runs_needed(1.0, [1.0, 1.0], 1, 0.95)
        found = 0
        for _ in range(200):
            a, b = [rng.normal(1, 1, count)], [rng.normal(0, 1, count)]
            found += statistics.permutation_p_value(a, b, 300, rng) <= 0.05
        assert 0.6 < found / 200 < 0.95
