"""Common rules of DefeatRoaches and DefeatZerglingsAndBanelings. [S] MAP

A line of marines faces a wave of zerg. When the last zerg of a wave is dead, the surviving and some
new marines are lined up in front of a new wave. The episode ends when no marine is left.
"""

from typing import Any, NamedTuple, Tuple

import numpy as np

from sc2impala.sim import combat, fallen, geometry, movement, orders, placement, unit_types
from sc2impala.sim.compiler import compiled
from sc2impala.sim.counter_random import uniform
from sc2impala.sim.geometry import Rectangle, clamp_x, clamp_y

EPISODE_LOOPS = 120 * unit_types.LOOPS_PER_SECOND  # [S] MAP
ARENA = geometry.SINGLE_SCREEN
MAX_MARINES = 230
"""Slots for marines, more than an episode can have.

A wave starts 10 cells away at least: marines walk 29 frames until they are in range, and every
volley but the first takes 12 more. On DefeatRoaches, which adds most marines, the first wave needs
116 hits, 13 volleys of nine marines and so 173 frames; at two volleys each, 43 others follow: 224
marines. Only a variant of the rules can fill the slots; further marines are left out then.
"""
NUM_MARINES = 9  # Of the first wave. [S] MAP

# Marines are placed at a random point of one of the boxes, zerg of the other.
LEFT = Rectangle(left=23.97, right=27.98, bottom=25.06, top=31.05)  # [S] MAP
RIGHT = Rectangle(left=38.02, right=42.04, bottom=25.04, top=31.08)  # [S] MAP

MARINE = 0
"""Type of the marines. Their slots follow those of the zerg, so that those in use are the first."""

_PLAYABLE = ARENA.playable
_ANYWHERE = Rectangle(left=-np.inf, right=np.inf, bottom=-np.inf, top=np.inf)


class Wave(NamedTuple):
    """The constants of a map.

    kinds: int8 [z], types of the zerg of a wave. offsets: float64 [z], of them from their point,
      upwards.
    reward: points per dead zerg.
    new_marines: marines that are added with a new wave.
    """

    kinds: np.ndarray
    offsets: np.ndarray
    reward: int
    new_marines: int


@compiled
def start(g: Any, rules: Any, wave: Wave) -> None:
    """Lines up the first wave."""
    _begin_wave(g, rules, wave, NUM_MARINES)


@compiled
def play_frame(g: Any, rules: Any, wave: Wave) -> None:
    """Moves and fights; scores deaths, starts waves and ends a lost episode."""
    combat.fight(g, rules)
    fallen.bury(g)
    combat.respond(g, rules)
    movement.walk(g, rules)
    movement.push_apart(g, rules)
    if g.game_loop == 1:
        _select_marines(g)
    if g._is_hurt:
        _count_dead(g, rules, wave)


@compiled
def _select_marines(g: Any) -> None:
    """Selects the marines in the first frame: the first observation has no selection. [S] #302

    An earlier selection of the player is kept: with the map's selection, rule agents that select a
    single marine would not reach their published scores. [A]
    """
    for i in range(g.unit_end):
        if g.selected[i]:
            return
    for i in range(g.unit_end):
        g.selected[i] = g.alive[i] and g.type[i] == MARINE


@compiled
def _count_dead(g: Any, rules: Any, wave: Wave) -> None:
    """Scores the deaths of this frame, and starts a wave or ends the episode."""
    died = False
    marines_live = False
    zerg_live = False
    for i in range(g.unit_end):
        is_marine = g.type[i] == MARINE
        if g._died[i]:
            died = True
            g.score += -1 if is_marine else wave.reward
        if g.alive[i]:
            marines_live = marines_live or is_marine
            zerg_live = zerg_live or not is_marine
    if not died:
        return
    # The episode is lost if the last marine dies together with the last zerg. [U]
    if not marines_live:
        g.ended = True
    elif not zerg_live:
        _begin_wave(g, rules, wave, wave.new_marines)


@compiled
def _begin_wave(g: Any, rules: Any, wave: Wave, num_new: int) -> None:
    """Adds marines, lines up all marines and zerg, and selects the marines."""
    marines_x, marines_y, zerg_x, zerg_y = _draw_points(g)
    _line_up(g, rules, marines_x, marines_y, num_new, len(wave.kinds))

    count = len(wave.kinds)
    x = np.zeros(count)
    y = wave.offsets.copy()
    radius = np.zeros(count)
    for index in range(count):
        radius[index] = rules.radius[wave.kinds[index]]
    # Units at the same point are spread. [A]
    placement.nearest_free(x, y, radius, _ANYWHERE)
    _spread(rules, zerg_x, zerg_y, x, y, radius)
    for index in range(count):
        kind = wave.kinds[index]
        combat.create(g, rules, index, kind, unit_types.ENEMY, x[index], y[index])


@compiled
def _line_up(
    g: Any, rules: Any, middle_x: float, middle_y: float, num_new: int, first: int
) -> None:
    """Places the marines and up to `num_new` new ones in a line.

    Args:
      g: the game.
      rules: of the map.
      middle_x, middle_y: of the line.
      num_new: number of new marines, which get the first free slots.
      first: the first slot for marines.
    """
    count = 0
    for i in range(first, first + MAX_MARINES):
        count += g.alive[i]
    count = min(count + num_new, MAX_MARINES)
    x = np.zeros(count)
    y = np.zeros(count)
    for index in range(count):  # 0, 1, -1, 2, ... [S] MAP
        y[index] = (index + 1) // 2 * (1 if index % 2 == 1 else -1)
    _spread(rules, middle_x, middle_y, x, y, np.full(count, rules.radius[MARINE]))
    index = 0
    for i in range(first, first + MAX_MARINES):
        if g.alive[i]:
            _relocate(g, i, x[index], y[index])
        elif num_new > 0:
            combat.create(g, rules, i, MARINE, unit_types.SELF, x[index], y[index])
            num_new -= 1
        g.selected[i] = g.alive[i] and g.game_loop > 0
        index += g.alive[i]


@compiled
def _relocate(g: Any, i: int, x: float, y: float) -> None:
    """Moves a living unit to another point and clears its orders."""
    g.x[i] = x
    g.y[i] = y
    for place in range(orders.MAX_ORDERS):
        g.order_kind[i, place] = orders.IDLE
    orders.begin(g, i)
    combat.forget(g, i)


@compiled
def _draw_points(g: Any) -> Tuple[float, float, float, float]:
    """Draws the points of marines and zerg, one in each box: x and y of both."""
    coin = uniform(g)
    left_x = LEFT.left + (LEFT.right - LEFT.left) * uniform(g)
    left_y = LEFT.bottom + (LEFT.top - LEFT.bottom) * uniform(g)
    right_x = RIGHT.left + (RIGHT.right - RIGHT.left) * uniform(g)
    right_y = RIGHT.bottom + (RIGHT.top - RIGHT.bottom) * uniform(g)
    if coin < 0.5:
        return left_x, left_y, right_x, right_y
    return right_x, right_y, left_x, left_y


@compiled
def _spread(rules: Any, middle_x: float, middle_y: float, x: Any, y: Any, radius: Any) -> None:
    """Places s units around a point.

    Their offsets are kept unless a unit would leave the playable region.

    Args:
      rules: of the map.
      middle_x, middle_y: the point.
      x, y: float64 [s], offsets from the point; overwritten by positions.
      radius: float64 [s].
    """
    crosses = False
    for index in range(len(x)):
        x[index] += middle_x
        y[index] += middle_y
        if clamp_x(rules, x[index]) != x[index] or clamp_y(rules, y[index]) != y[index]:
            crosses = True
    if crosses:
        placement.nearest_free(x, y, radius, _PLAYABLE)
