"""FindAndDefeatZerglings: three marines search and kill zerglings in the fog of war. [S] MAP"""

from typing import Any

import numpy as np

from sc2impala.sim import combat, fallen, geometry, movement, random_points, unit_types, visibility
from sc2impala.sim.compiler import compiled
from sc2impala.sim.counter_random import skip, uniform
from sc2impala.sim.games.game import BATTLE, Game
from sc2impala.sim.geometry import Rectangle, length
from sc2impala.sim.random_points import CANDIDATES, candidate

NUM_MARINES = 3
NUM_ZERGLINGS = 25
CENTRE_X, CENTRE_Y = 32.0, 28.0  # [S] MAP
MARINE_X = np.array([0.0, -(0.75**0.5), 0.75**0.5])
MARINE_Y = np.array([1.0, -0.5, -0.5])
"""Offsets of the marines from the centre: distance 1 at 90, 210 and 330 degrees. [S] MAP"""

SPAWN_REGION = Rectangle(left=11.0, right=53.0, bottom=13.0, top=43.0)
"""Areas where zerglings appear: at the start [S] MAP, and later instead of the whole region [A]."""
MIN_SPACING = 5.0  # Between zerglings of one wave. [S] MAP
NEAREST_FIRST, FARTHEST_FIRST = 8.0, 9.0  # Of the first zergling from the centre. [S] MAP
NEAREST_SECOND, FARTHEST_SECOND = 7.5, 9.5  # Of the second. [S] MAP
EMPTY_RADIUS = 10.5  # Minimum distance of the others from the centre. [S] MAP
MIN_WAVE_DISTANCE = 9.0  # Of later zerglings from every marine. [S] MAP

MARINE, ZERGLING = 0, 1
"""Types."""

_END = NUM_MARINES + NUM_ZERGLINGS
_AROUND_CENTRE = Rectangle(
    left=CENTRE_X - FARTHEST_SECOND,
    right=CENTRE_X + FARTHEST_SECOND,
    bottom=CENTRE_Y - FARTHEST_SECOND,
    top=CENTRE_Y + FARTHEST_SECOND,
)
_SQUARE = Rectangle(left=-1.0, right=1.0, bottom=-1.0, top=1.0)
_SHORTEST = 0.01  # Shorter vectors would lose precision.


@compiled
def start(g: Any, rules: Any) -> None:
    """Places marines and zerglings."""
    for i in range(NUM_MARINES):
        x, y = CENTRE_X + MARINE_X[i], CENTRE_Y + MARINE_Y[i]
        combat.create(g, rules, i, MARINE, unit_types.SELF, x, y)
    zerg_x = np.empty(NUM_ZERGLINGS)
    zerg_y = np.empty(NUM_ZERGLINGS)
    _draw_first(g, zerg_x, zerg_y)
    second_x, second_y = zerg_x[:2], zerg_y[:2]
    _draw_second(g, second_x, second_y, 1, _AROUND_CENTRE, MIN_SPACING)
    _draw_others(g, zerg_x, zerg_y, 2, SPAWN_REGION, MIN_SPACING)
    _place_zerglings(g, rules, zerg_x, zerg_y)


@compiled
def play_frame(g: Any, rules: Any) -> None:
    """Looks, moves and fights; then follow the triggers of the map.

    The marines are selected in the first frame. [S] MAP, #302
    """
    if rules.has_fog:
        visibility.look(g, rules)
    combat.fight(g, rules)
    fallen.bury(g)
    combat.respond(g, rules)
    movement.walk(g, rules)
    movement.push_apart(g, rules)
    if g.game_loop == 1:
        for i in range(NUM_MARINES):
            g.selected[i] = g.alive[i]
    if g._is_hurt:
        _count_dead(g, rules)


@compiled
def _count_dead(g: Any, rules: Any) -> None:
    """Scores deaths; creates zerglings after the last one died, and ends a lost episode."""
    died = False
    marines_live = False
    zerg_live = False
    for i in range(_END):
        is_marine = i < NUM_MARINES
        if g._died[i]:
            died = True
            g.score += -1 if is_marine else 1
        if g.alive[i]:
            marines_live = marines_live or is_marine
            zerg_live = zerg_live or not is_marine
    if not died:
        return
    if not marines_live:
        g.ended = True
    elif not zerg_live:
        x = np.empty(NUM_ZERGLINGS)
        y = np.empty(NUM_ZERGLINGS)
        _draw_later(g, x, y, 0, SPAWN_REGION, MIN_SPACING)
        _place_zerglings(g, rules, x, y)


@compiled
def _place_zerglings(g: Any, rules: Any, x: Any, y: Any) -> None:
    for index in range(NUM_ZERGLINGS):
        slot = NUM_MARINES + index
        combat.create(g, rules, slot, ZERGLING, unit_types.ENEMY, x[index], y[index])


@compiled
def _draw_first(g: Any, zerg_x: Any, zerg_y: Any) -> None:
    """Draws the position of the first zergling, in a uniform direction from the centre."""
    distance = NEAREST_FIRST + (FARTHEST_FIRST - NEAREST_FIRST) * uniform(g)
    found = False
    while not found:
        for index in range(CANDIDATES):
            x, y = candidate(g, _SQUARE, index, CANDIDATES)
            norm = length(x, y)
            if norm > _SHORTEST and norm <= 1:
                zerg_x[0] = CENTRE_X + distance * (x / norm)
                zerg_y[0] = CENTRE_Y + distance * (y / norm)
                found = True
                break
        skip(g, 2 * CANDIDATES)


@compiled
def _can_be_second(g: Any, x: float, y: float) -> bool:
    distance = length(x - CENTRE_X, y - CENTRE_Y)
    return distance >= NEAREST_SECOND and distance <= FARTHEST_SECOND


@compiled
def _is_off_centre(g: Any, x: float, y: float) -> bool:
    return length(x - CENTRE_X, y - CENTRE_Y) > EMPTY_RADIUS


@compiled
def _is_far_from_marines(g: Any, x: float, y: float) -> bool:
    for i in range(NUM_MARINES):
        if g.alive[i] and length(x - g.x[i], y - g.y[i]) < MIN_WAVE_DISTANCE:
            return False
    return True


_draw_second = random_points.points_apart(_can_be_second)
_draw_others = random_points.points_apart(_is_off_centre)
_draw_later = random_points.points_apart(_is_far_from_marines)

GAME = Game(
    name='FindAndDefeatZerglings',
    episode_loops=180 * unit_types.LOOPS_PER_SECOND,  # [S] MAP
    arena=geometry.OPEN_FIELD,
    unit_types=(unit_types.MARINE, unit_types.ZERGLING),
    family=BATTLE,
    start=start,
    play_frame=play_frame,
    num_units=_END,
    has_targets=True,
    has_combat=True,
    has_fog=True,
)
