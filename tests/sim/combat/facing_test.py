"""Variants in which units have to turn before they fire, and other constants of attacks."""

import numpy as np
import pytest

from sc2impala.sim import orders
from tests.sim.battle import BANELING, DUMMY, ENEMY, MARINE, ROACH, SELF, Battle, a_marine_and


def first_hit(angle, **variant):
    """Frames to the first hit of a marine that has walked at an angle to its target, in degrees."""
    gap = 3.0
    across, up = np.cos(np.radians(angle)), np.sin(np.radians(angle))
    battle = Battle((MARINE, SELF, 30, 28), (DUMMY, ENEMY, 33.75, 28), **variant)
    battle.order(orders.MOVE, [0], point=(30 + 5 * across, 28 + 5 * up))
    battle.run(5)
    x, y = battle.where(0)
    battle.put_at(1, x + gap + 0.75, y)
    battle.order(orders.ATTACK, [0], target=1)
    return battle.hits(20, slot=1)[0]


@pytest.mark.parametrize('angle, delay', [(0, 0), (60, 0), (90, 1), (120, 1), (180, 2)])
def test_a_marine_turns_before_it_fires(angle, delay):
    assert first_hit(angle) == 2
    assert first_hit(angle, facing=1) == 2 + delay
    assert first_hit(-angle, facing=1) == 2 + delay


def test_turn_rate_and_arc_count():
    assert first_hit(180, facing=1, weapon_arc=180.0) == 2
    assert first_hit(180, facing=1, turn_rate=16 * 30.0) == 2 + 5
    assert first_hit(180, facing=1, turn_rate=16 * 30.0, weapon_arc=31.0) == 2 + 4


def test_walking_does_not_take_turning():
    paths = []
    for variant in ({}, {'facing': 1}):
        battle = Battle((MARINE, SELF, 30, 28), (DUMMY, ENEMY, 42, 28), **variant)
        battle.order(orders.MOVE, [0], point=(35, 28))
        battle.run(10)
        battle.order(orders.MOVE, [0], point=(25, 28))
        battle.run(10)
        paths.append(battle.where(0))
    assert paths[0] == paths[1] == pytest.approx((30, 28))


def test_a_unit_that_stands_faces_its_target():
    battle = a_marine_and(3.0, facing=1)
    battle.order(orders.HOLD, [0])
    hits = battle.hits(200, slot=1)
    assert set(np.diff(hits)) <= {12, 13, 14, 15}
    np.testing.assert_allclose((battle.g.facing_x[0], battle.g.facing_y[0]), (1, 0), atol=1e-9)


@pytest.mark.long
@pytest.mark.parametrize('rounding, pauses', [(0.0, {31, 32, 33}), (0.5, {31, 32, 33, 34})])
def test_pauses_of_enemies_are_rounded(rounding, pauses):
    found = []
    for seed in range(40):
        battle = Battle(
            (DUMMY, SELF, 30, 28),
            (ROACH, ENEMY, 33, 28),
            seed=seed,
            enemy_pause_rounding=rounding,
            own_pause_rounding=1.0,
        )
        found += list(np.diff(battle.hits(400, slot=0)))
    assert set(found) == pauses
    assert np.mean(found) == pytest.approx(32 + rounding, abs=0.12)


@pytest.mark.parametrize('from_edge, reach', [(0, 2.575), (1, 2.95)])
def test_the_splash_starts_at_the_centre_or_the_edge(from_edge, reach):
    battle = Battle(
        (MARINE, SELF, 30 - reach + 0.01, 28),
        (MARINE, SELF, 30 + reach + 0.01, 28),
        (BANELING, ENEMY, 30, 28),
        splash_from_edge=from_edge,
    )
    battle.explode(2)
    assert battle.health(0) == 10 and battle.health(1) == 45
