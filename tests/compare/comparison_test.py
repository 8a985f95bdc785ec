"""Comparisons: their numbers, their answers, and how often they err."""

import numpy as np
import pytest

from sc2impala.compare import comparison
from sc2impala.compare.comparison import Estimate, Settings, answer, compare
from sc2impala.compare.runs import Run
from sc2impala.compare.scores import Score
from sc2impala.envs.scores import SCORES
from sc2impala.errors import UserError

FAST = Settings(repetitions=300)


def side(**means):
    """Runs with the given mean returns on each map."""
    return [
        (Run(f'{name}-{seed}', name, {'seed': seed}), Score(100, 20, float(mean), 3.0))
        for name, of_map in means.items()
        for seed, mean in enumerate(of_map)
    ]


def test_a_difference_is_shown():
    a, b = [26.1, 26.9, 26.4, 27.2, 26.6], [22.0, 24.1, 23.3, 22.8, 23.9]
    found = compare(side(MoveToBeacon=a), side(MoveToBeacon=b), Settings(('APPO', 'IMPALA')))
    assert found.unit == 'mean return' and found.is_shown and not found.is_of_single_runs
    middle = [sorted(each)[1:4] for each in (a, b)]
    assert found.means[0].value == pytest.approx(np.mean(middle[0]))
    assert found.difference.value == pytest.approx(np.mean(middle[0]) - np.mean(middle[1]))
    assert found.improvement == Estimate(1, 1, 1) and found.p_value < 0.03
    of_map = found.of_maps['MoveToBeacon']
    assert of_map.counts == (5, 5) and of_map.means[1].value == pytest.approx(np.mean(b))
    assert of_map.difference.value == pytest.approx(np.mean(a) - np.mean(b))
    text = answer(found)
    assert text.startswith('APPO is better than IMPALA on MoveToBeacon: interquartile mean ')
    assert 'probability of improvement of APPO over IMPALA 1.00 [1.00, 1.00]' in text
    assert 'more of' not in text and not found.notes


def test_b_is_better():
    a, b = [1.0, 2.0, 1.5, 1.2], [8.0, 9.0, 8.5, 9.2]
    found = compare(side(MoveToBeacon=a), side(MoveToBeacon=b), FAST)
    assert found.difference.high < 0 and answer(found).startswith('B is better than A on')
    assert found.improvement.value == 0


def test_no_difference_is_shown_and_how_many_runs_would():
    a, b = [20.0, 26.0, 23.0, 25.0, 21.0], [19.0, 22.0, 26.0, 24.0, 20.0]
    found = compare(side(MoveToBeacon=a), side(MoveToBeacon=b), Settings())
    assert not found.is_shown
    text = answer(found)
    assert text.startswith('No difference between A and B is shown on MoveToBeacon: ')
    needed = found.runs_needed
    assert needed > 5
    assert f'about {needed} runs of each per map' in text
    assert f'{needed - 5} more of A and {needed - 5} more of B' in text


def test_too_few_runs_for_the_test():
    a, b = [26.0, 26.1, 26.2], [20.0, 20.1, 20.2]
    found = compare(side(MoveToBeacon=a), side(MoveToBeacon=b), FAST)
    assert found.difference.low > 5 and not found.is_shown and found.runs_needed == 4
    text = answer(found)
    assert 'no permutation test can reach p <= 0.05 (at best 0.1)' in text
    assert '1 more of A and 1 more of B' in text
    assert any('fewer than 5 runs' in note for note in found.notes)
    # A lower confidence asks for less.
    assert compare(side(MoveToBeacon=a), side(MoveToBeacon=b), Settings(confidence=0.8)).is_shown


def test_one_run_of_each_has_intervals_over_episodes():
    found = compare(side(MoveToBeacon=[26.0]), side(MoveToBeacon=[20.0]), Settings())
    assert found.is_of_single_runs and found.is_shown
    assert found.improvement is None and found.runs_needed is None
    # Of the standard error 3 / 19^0.5 of each.
    error = (2 * 9 / 19) ** 0.5
    assert found.difference.low == pytest.approx(6 - 1.96 * error, abs=0.15)
    assert found.difference.high == pytest.approx(6 + 1.96 * error, abs=0.15)
    assert answer(found).startswith('The run of A scores higher than the run of B on MoveToBeacon')
    assert any('do not cover differences between seeds' in note for note in found.notes)
    same = compare(side(MoveToBeacon=[20.5]), side(MoveToBeacon=[20.0]), Settings())
    assert answer(same).startswith('No difference between A and B is shown') and not same.is_shown


def test_one_run_against_several():
    found = compare(side(MoveToBeacon=[26.0]), side(MoveToBeacon=[20.0, 21.0, 22.0]), FAST)
    assert not found.is_of_single_runs and not found.is_shown
    assert found.smallest_p_value == 1 / 2 and found.runs_needed >= 4
    assert any('one run of A on MoveToBeacon' in note for note in found.notes)


def test_several_maps_are_normalised():
    a = {'MoveToBeacon': [28.0, 28.0], 'DefeatRoaches': [215.0, 322.0]}
    b = {'MoveToBeacon': [1.0, 14.5], 'DefeatRoaches': [108.0, 1.0]}
    found = compare(side(**a), side(**b), FAST)
    assert found.unit == 'human-normalised score'
    # By map in alphabetical order.
    np.testing.assert_allclose(found.scores[0], [[1, 1.5], [1, 1]])
    np.testing.assert_allclose(found.scores[1], [[0.5, 0], [0, 0.5]])
    assert found.means[0].value == pytest.approx(1) and found.means[1].value == pytest.approx(0.25)
    assert found.of_maps['DefeatRoaches'].means[0].value == pytest.approx(268.5)
    assert 'over 2 maps' in answer(found)


def test_maps_of_one_side_are_left_out():
    a = side(MoveToBeacon=[1.0, 2.0], DefeatRoaches=[3.0])
    found = compare(a, side(MoveToBeacon=[1.0, 3.0]), FAST)
    assert list(found.of_maps) == ['MoveToBeacon'] and found.unit == 'mean return'
    assert found.notes[0].startswith('Runs of A on DefeatRoaches are left out')
    with pytest.raises(UserError, match='A has runs on DefeatRoaches and B on MoveToBeacon, exp'):
        compare(side(DefeatRoaches=[1.0]), side(MoveToBeacon=[1.0]), FAST)


def test_maps_without_published_scores():
    """One alone is compared by its returns; next to others it is left out."""
    own = side(Own=[1.0, 2.0, 3.0])
    assert compare(own, own, FAST).unit == 'mean return'
    both = side(Own=[1.0, 2.0], MoveToBeacon=[1.0, 2.0])
    found = compare(both, both, FAST)
    assert list(found.of_maps) == ['MoveToBeacon']
    assert any('Runs on Own are left out' in note for note in found.notes)
    with pytest.raises(UserError, match='Scores on Other, Own cannot be averaged'):
        compare(side(Own=[1.0], Other=[2.0]), side(Own=[1.0], Other=[2.0]), FAST)


def test_the_seed_determines_all_numbers():
    sides = side(MoveToBeacon=[1.0, 4.0, 2.0]), side(MoveToBeacon=[3.0, 5.0, 4.5])
    results = [compare(*sides, FAST._replace(seed=seed)) for seed in (1, 1, 2)]
    assert results[0].p_value == results[1].p_value
    assert results[0].difference == results[1].difference
    assert results[0].p_value != results[2].p_value


@pytest.mark.parametrize(
    'estimates, decimals',
    [
        ([(1, 0.5, 1.7)], 1),
        ([(1, 0.5, 1.7), (1, 0.98, 1.01)], 3),
        ([(1, 1, 1)], 2),
        ([(9, 0, 900)], 0),
    ],
)
def test_decimals(estimates, decimals):
    assert comparison.decimals_of([Estimate(*each) for each in estimates]) == decimals


def test_a_negative_zero_has_no_sign():
    assert comparison.number_text(Estimate(-0.0, -1, 1), 1) == '0.0 [-1.0, 1.0]'


@pytest.mark.long
class TestErrorRates:
    """Simulated comparisons of 4 runs of each on two maps."""

    NUM_COMPARISONS = 300

    def rate(self, difference):
        """Part of the comparisons that show a difference, and in the right direction."""
        rng = np.random.default_rng(1)
        scale = {'MoveToBeacon': 27.0, 'DefeatRoaches': 214.0}
        shown = right = 0
        for seed in range(self.NUM_COMPARISONS):
            sides = [
                side(
                    **{
                        name: SCORES[name].random + of * (0.5 + shift + rng.normal(0, 0.1, 4))
                        for name, of in scale.items()
                    }
                )
                for shift in (difference, 0.0)
            ]
            found = compare(*sides, Settings(repetitions=200, seed=seed))
            shown += found.is_shown
            right += found.is_shown and found.difference.value > 0
        return shown / self.NUM_COMPARISONS, right / self.NUM_COMPARISONS

    def test_equal_settings(self):
        """A bootstrap alone would show a difference in about 10 % of them."""
        shown, _ = self.rate(0.0)
        assert 0 < shown < 0.05 + 3 * (0.05 * 0.95 / self.NUM_COMPARISONS) ** 0.5

    def test_different_settings(self):
        shown, right = self.rate(0.3)
        assert shown == right > 0.9
