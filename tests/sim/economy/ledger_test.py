import pytest

from sc2impala.sim import state, units
from sc2impala.sim.economy import ledger
from tests.sim.economy import helpers


@pytest.fixture
def g():
    """A game without units."""
    return state.blank_record(units.GAME_FIELDS + ledger.FIELDS, {'U': 1})[0]


def test_what_is_collected_adds_up_by_kind(g):
    ledger.collect(g, 8, 4)
    ledger.collect(g, 5, 0)
    assert (g.minerals, g.vespene) == (13, 4)
    assert (g.collected_minerals, g.collected_vespene) == (13, 4)


def test_what_is_paid_back_was_not_spent(g):
    g.minerals = 500
    ledger.pay(g, 150, 0)
    ledger.pay(g, -100, 0)
    assert g.minerals == 450
    assert (g.spent_minerals, g.spent_vespene) == (50, 0)


def test_the_rate_of_steady_income_is_the_income_in_a_minute(g):
    for loop in range(10000):
        ledger.decay(g)
        if loop % 10 == 0:
            ledger.collect(g, 5, 0)
    assert g.rate_minerals == pytest.approx(0.5 * ledger.RATE_LOOPS, rel=0.02)
    assert g.rate_vespene == 0


def test_a_new_episode_has_empty_accounts():
    base = helpers.Base(workers=12)
    base.g.collected_minerals = 7
    base.game.reset()
    assert base.g.collected_minerals == 0
