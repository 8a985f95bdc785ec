import numpy as np
import pytest

from sc2impala.sim.economy.ledger import RATE_LOOPS, Ledger
from tests.sim.economy import helpers


def test_what_is_collected_adds_up_by_kind():
    base = helpers.Base()
    ledger = base.mechanics['ledger']
    games, amount = np.array([0, 0, 0]), np.array([5, 4, 3], np.int8)
    ledger.collect(base.world, games, amount, np.array([False, True, False]))
    assert (base.world.minerals[0], base.world.vespene[0]) == (58, 4)
    assert list(ledger.collected[:, 0]) == [8, 4]


def test_what_is_paid_back_was_not_spent():
    base = helpers.Base(minerals=500)
    ledger = base.mechanics['ledger']
    ledger.pay(base.world, 0, 150, 0)
    ledger.pay(base.world, 0, -100, 0)
    assert base.world.minerals[0] == 450
    assert list(ledger.spent[:, 0]) == [50, 0]


def test_the_rate_of_steady_income_is_the_income_in_a_minute():
    base = helpers.Base()
    ledger = Ledger(1)
    for loop in range(10000):
        ledger.step(base.world, np.array([True]))
        if loop % 10 == 0:
            ledger.collect(base.world, np.array([0]), np.array([5]), np.array([False]))
    assert ledger.rate[0, 0] == pytest.approx(0.5 * RATE_LOOPS, rel=0.02)
    assert ledger.rate[1, 0] == 0
    before = ledger.rate.copy()
    ledger.step(base.world, np.array([False]))
    np.testing.assert_array_equal(ledger.rate, before)


def test_a_new_episode_has_empty_accounts():
    base = helpers.Base(workers=12)
    base.mechanics['ledger'].collected[:] = 7
    base.game.reset()
    assert not base.mechanics['ledger'].collected.any()
