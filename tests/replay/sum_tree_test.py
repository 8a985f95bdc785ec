"""The sum tree: what is drawn, and that it is a function of its leaves."""

import numpy as np
import pytest

from sc2impala.replay.sum_tree import LARGEST, SumTree


def make_tree(values):
    tree = SumTree()
    tree.set(np.arange(len(values)), np.asarray(values, np.float64))
    return tree


def direct_sum(values):
    """Sums neighbours, then their sums, and so on: what the root has to be, bit for bit."""
    level = np.zeros([1 << max(len(values) - 1, 0).bit_length()])
    level[: len(values)] = values
    while len(level) > 1:
        level = level[::2] + level[1::2]
    return level[0]


@pytest.mark.parametrize('size', [1, 2, 3, 8, 13])
def test_find_is_a_search_in_the_cumulative_sum(size):
    values = np.random.RandomState(size).randint(0, 5, size=size) + (np.arange(size) == 0)
    tree = make_tree(values)
    assert tree.root == values.sum()
    targets = np.arange(0, values.sum(), 0.25)
    indices, found = tree.find(targets)
    expected = np.searchsorted(np.cumsum(values), targets, side='right')
    np.testing.assert_array_equal(indices, expected)
    np.testing.assert_array_equal(found, values[expected])
    assert indices.dtype == np.int64


def test_draws_are_proportional():
    values = np.array([0.1, 0, 3, 1.2, 0.7, 0, 5])
    tree, draws = make_tree(values), 20000
    indices, _ = tree.find(np.random.RandomState(0).random_sample(draws) * tree.root)
    counts = np.bincount(indices, minlength=len(values))
    assert counts[1] == counts[5] == 0
    expected = (draws * values / values.sum())[values > 0]
    # 4 degrees of freedom: 18.5 is exceeded once in a thousand.
    assert np.sum((counts[values > 0] - expected) ** 2 / expected) < 18.5


def test_updates_and_removals():
    tree = make_tree([1, 2, 3, 4, 5])
    tree.set(np.array([4, 1]), np.array([0.5, 0.0]))
    np.testing.assert_array_equal(tree.get(np.arange(5)), [1, 0, 3, 4, 0.5])
    assert tree.root == 8.5
    assert tree.find(np.array([1.0]))[0] == [2]
    tree.set(np.arange(5), np.zeros([5]))
    assert tree.root == 0
    tree.set(np.zeros([0], np.int64), np.zeros([0]))
    assert tree.root == 0


def test_growth_keeps_values_and_sums():
    values = np.random.RandomState(1).uniform(size=70)
    grown = SumTree()
    for index, value in enumerate(values):
        grown.set(np.array([index]), np.array([value]))
        np.testing.assert_array_equal(grown.get(np.arange(index + 1)), values[: index + 1])
        assert grown.root == direct_sum(values[: index + 1])
    jumped = SumTree()
    jumped.set(np.array([69]), values[69:])
    jumped.set(np.arange(69), values[:69])
    targets = np.linspace(0, grown.root * 0.999, 500)
    np.testing.assert_array_equal(grown.find(targets)[0], jumped.find(targets)[0])
    assert jumped.root == grown.root


def test_the_root_is_exact_after_many_updates():
    """Values over thirty decades: a root that is corrected by differences loses the small ones."""
    rng = np.random.RandomState(2)
    tree, values = make_tree(np.ones([50])), np.ones([50])
    for _ in range(3000):
        indices = rng.choice(50, size=rng.randint(1, 9), replace=False)
        values[indices] = 10.0 ** rng.uniform(-15, 15, size=len(indices))
        tree.set(indices, values[indices])
    assert tree.root == direct_sum(values)
    tree.set(np.arange(50), np.full([50], 1e-15))
    assert tree.root == direct_sum(np.full([50], 1e-15))


def test_nothing_of_value_0_is_found_at_the_edges():
    """The largest target below the root, and the start of intervals that follow zeros."""
    values = np.array([0.1, 0, 0, 0.2, 0.3, 0, 0.7, 0, 0])
    tree = make_tree(values)
    targets = np.array([0.0, 0.1, np.nextafter(tree.root, 0), tree.root])
    indices, found = tree.find(targets)
    assert indices.tolist() == [0, 3, 6, 6] and (found > 0).all()


def test_a_million_entries():
    rng = np.random.RandomState(3)
    values = rng.uniform(size=10**6)
    tree = make_tree(values)
    assert tree.root == direct_sum(values)
    ends = np.cumsum(values)
    targets = rng.random_sample(1000) * tree.root
    indices, found = tree.find(targets)
    np.testing.assert_array_equal(found, values[indices])
    assert (targets < ends[indices] + 1e-6).all()
    assert (targets >= ends[indices] - values[indices] - 1e-6).all()
    tree.set(indices[:1], np.array([1e9]))
    assert tree.find(np.array([0.5 * tree.root]))[0] == indices[:1]


@pytest.mark.parametrize('value', [-1.0, np.nan, np.inf, 2 * LARGEST])
def test_values_that_are_refused(value):
    tree = make_tree([1, 2])
    with pytest.raises(ValueError, match='must be from 0 to 1e'):
        tree.set(np.array([0, 5]), np.array([3.0, value]))
    assert tree.root == 3.0
    np.testing.assert_array_equal(tree.get(np.arange(2)), [1, 2])


def test_the_largest_values_have_a_finite_sum():
    tree = make_tree([LARGEST] * 8)
    assert np.isfinite(tree.root)
    assert tree.find(np.array([0.9 * tree.root]))[0] == [7]
