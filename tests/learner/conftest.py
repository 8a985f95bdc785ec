"""Updates of IMPALA that the tests of its loss and of what it counts share."""

import pytest

from tests.learner.impala.impala_case import REPLAYED, Case


@pytest.fixture(scope='session')
def plain():
    """An update without replay; tests must not change it."""
    return Case()


@pytest.fixture(scope='session')
def replayed():
    """An update of which some columns are replayed; tests must not change it."""
    return Case(is_replay=REPLAYED)
