"""Who takes over from whom, against slow code."""

import itertools

import numpy as np
import pytest

from sc2impala.population.selection import choose_parents


def choose(scores, fraction=0.25, threshold=0.0, absolute=0.0, fixed=(), seed=0):
    random = np.random.RandomState(seed)
    return choose_parents(scores, fraction, threshold, absolute, fixed, random)


def test_by_hand():
    for scores, options, expected in [
        ([3.0, 1.0, 2.0, 4.0], {}, [0, 3, 2, 3]),
        ([3.0, 1.0, 2.0, 4.0], dict(fraction=0.0), [0, 1, 2, 3]),
        # Rounded down, but at least one.
        ([3.0, 1.0], dict(fraction=0.1), [0, 0]),
        ([5.0, 1.0, 2.0, 4.0, 3.0], dict(fraction=0.39), [0, 0, 2, 3, 4]),
        # The difference is 10% of the own score, and 1.
        ([11.0, 10.0], dict(fraction=0.5, threshold=0.1), [0, 1]),
        ([11.0, 10.0], dict(fraction=0.5, threshold=0.09), [0, 0]),
        ([11.0, 10.0], dict(fraction=0.5, absolute=1.0), [0, 1]),
        ([11.0, 10.0], dict(fraction=0.5, absolute=0.9), [0, 0]),
        ([-10.0, -11.0], dict(fraction=0.5, threshold=0.1), [0, 1]),
        ([-9.8, -11.0], dict(fraction=0.5, threshold=0.1), [0, 0]),
        ([0.1, 0.0], dict(fraction=0.5, threshold=0.1), [0, 0]),
        # The own score counts, not the other one.
        ([10.5, 10.0], dict(fraction=0.5, threshold=0.049), [0, 0]),
        ([10.5, 10.0], dict(fraction=0.5, threshold=0.051), [0, 1]),
        ([7.0, 7.0], dict(fraction=0.5), [0, 1]),
        # A reference takes nothing over, and others do from it.
        ([1.0, 2.0, 3.0, 4.0], dict(fixed=[0]), [0, 1, 2, 3]),
        ([4.0, 2.0, 3.0, 1.0], dict(fixed=[0]), [0, 1, 2, 0]),
        # All that have failed take over, whatever the threshold.
        ([None, 1.0, 2.0, None], dict(threshold=100.0), [2, 1, 2, 2]),
        ([None, 1.0, None, None], dict(fixed=[0]), [0, 1, 1, 1]),
        ([None, 1.0, 2.0, 3.0], dict(fraction=0.5), None),
        ([None, None], dict(fraction=0.5), [0, 1]),
        ([None, 1.0], dict(fraction=0.0), [0, 1]),
    ]:
        if expected is None:
            # Two at each end: the one that has failed, and 1.
            found = choose(scores, **options)
            assert found[2:] == [2, 3] and set(found[:2]) <= {2, 3}, scores
        else:
            assert choose(scores, **options) == expected, scores


def slow_worst_and_best(scores, count):
    """Indices of the worst and the best by counting, for different scores."""

    def number_below(score):
        return sum(other < score for other in scores)

    def number_above(score):
        return sum(other > score for other in scores)

    worst = {i for i, score in enumerate(scores) if number_below(score) < count}
    best = {i for i, score in enumerate(scores) if number_above(score) < count}
    return worst, best


@pytest.mark.parametrize('size, fraction, count', [(4, 0.5, 2), (5, 0.4, 2), (5, 0.2, 1)])
def test_worst_meet_random_ones_of_the_best(size, fraction, count):
    met = {}
    for scores in itertools.permutations(range(size)):
        worst, best = slow_worst_and_best(scores, count)
        for seed in range(4):
            parents = choose([float(score) for score in scores], fraction, seed=seed)
            for index, parent in enumerate(parents):
                if index in worst:
                    assert parent in best
                    met.setdefault((scores, index), set()).add(parent)
                else:
                    assert parent == index
    assert any(len(each) == count for each in met.values())


def test_the_choice_is_that_of_the_seed():
    scores = [float(i) for i in range(20)]
    found = [choose(scores, 0.5, seed=seed) for seed in (1, 1, 2)]
    assert found[0] == found[1] != found[2]
