"""MoveToBeacon: one marine, and a beacon that moves whenever the marine reaches it. [S] MAP"""

from typing import Any

from sc2impala.sim import geometry, movement, unit_types
from sc2impala.sim.compiler import compiled
from sc2impala.sim.counter_random import skip
from sc2impala.sim.games.game import SMALL, Game
from sc2impala.sim.geometry import Rectangle, length
from sc2impala.sim.random_points import CANDIDATES, candidate
from sc2impala.sim.units import put

REACH = 1.25  # Between the centres of marine and beacon. [S] MAP
MIN_JUMP = 5.0  # From the marine to the new beacon. [S] MAP
BEACON_REGION = Rectangle(left=23.5, right=42.5, bottom=21.5, top=34.5)  # [S] MAP
EMPTY_X, EMPTY_Y = 33.0, 28.0  # No beacon appears around here ... [S] MAP
EMPTY_RADIUS = 4.0  # ... within this distance. [S] MAP

MARINE, BEACON = 0, SMALL.num_mobile
"""Slots."""

_TYPES = (unit_types.MARINE, unit_types.BEACON)
_PLAYABLE = geometry.SINGLE_SCREEN.playable


@compiled
def start(g: Any, rules: Any) -> None:
    """Places marine and beacon."""
    x, y = candidate(g, _PLAYABLE, 0, 1)
    skip(g, 2)
    put(g, rules, MARINE, 0, unit_types.SELF, x, y)
    put(g, rules, BEACON, 1, unit_types.NEUTRAL, 0.0, 0.0)
    _move_beacon(g)


@compiled
def play_frame(g: Any, rules: Any) -> None:
    """Moves the marine; counts the beacon if it is reached, and moves it."""
    movement.walk(g, rules)
    if length(g.x[MARINE] - g.x[BEACON], g.y[MARINE] - g.y[BEACON]) <= REACH:
        g.score += 1
        _move_beacon(g)


@compiled
def _move_beacon(g: Any) -> None:
    """Moves the beacon to a random point away from the marine and from the middle."""
    found = False
    while not found:
        for index in range(CANDIDATES):
            x, y = candidate(g, BEACON_REGION, index, CANDIDATES)
            is_outside = length(x - EMPTY_X, y - EMPTY_Y) >= EMPTY_RADIUS
            if is_outside and length(x - g.x[MARINE], y - g.y[MARINE]) >= MIN_JUMP:
                g.x[BEACON] = x
                g.y[BEACON] = y
                found = True
                break
        skip(g, 2 * CANDIDATES)


GAME = Game(
    name='MoveToBeacon',
    episode_loops=120 * unit_types.LOOPS_PER_SECOND,  # [S] MAP
    arena=geometry.SINGLE_SCREEN,
    unit_types=_TYPES,
    family=SMALL,
    start=start,
    play_frame=play_frame,
)
