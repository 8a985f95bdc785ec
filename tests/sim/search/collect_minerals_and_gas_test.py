"""The search on CollectMineralsAndGas: its policy and its candidates."""

import pytest

from tests.sim.search import economies

MAP = 'CollectMineralsAndGas'
SCRIPT = 6726
"""Mean score of the script `build_order` in steps of 16 frames."""


@pytest.mark.long
def test_the_policy_scores_more_than_the_script():
    assert economies.policy_scores(MAP).min() > SCRIPT + 200


@pytest.mark.long
def test_candidates_are_calls_of_the_agent():
    names = set()
    for frames in (0, 640, 3200):
        found = economies.decide(MAP, frames)
        assert (found.draws > 0).sum(axis=1).min() >= 2
        names |= economies.check_candidates(MAP, found)
    assert {'no_op', 'select_idle_worker', 'select_point'} <= names


def test_a_search_is_deterministic():
    first, second = (economies.decide(MAP, 1600) for _ in range(2))
    economies.check_equal(first, second)
