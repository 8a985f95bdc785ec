"""CollectMineralShards: roll-outs follow tours that are planned again for each order."""

from typing import Any, NamedTuple, Tuple

import numpy as np

from sc2impala.sim import functions, orders, pixels
from sc2impala.sim.compiler import compiled
from sc2impala.sim.counter_random import uniform
from sc2impala.sim.geometry import clamp_x, clamp_y, length
from sc2impala.sim.rollouts import Policy
from sc2impala.sim.search import plans as plans_lib
from sc2impala.sim.search import tours as tours_lib
from sc2impala.sim.search.problem import Problem

NUM_MARINES = 2
NEVER = 2**30
"""Of a shard that is not being removed."""

_STAY = 7.0
"""Frames in reach of a shard after which a marine leaves it; 8 are always enough."""
_STAY_UNTIL_GONE = 17.0
"""Frames in reach of a shard after which it has disappeared."""
_SELECTED_LEAD, _LEAD = 1.0, 3.0
"""Frames before it is free in which a marine gets its next order, or is selected for it."""
_MEMORY = 10.0
"""Frames for which marines have walked straight on, as far as anyone remembers."""
_FAR = 1e9
_AHEAD = 4
"""Shards of a tour that decide where to go."""
_AROUND = 2
"""Pixels around a shard that are tried as a goal."""
_NEAREST = 6
"""Shards that each marine may be sent to."""
_WAIT_X, _WAIT_Y = np.array([27.0, 39.0]), 28.0
"""The points at which marines wait for the next shards."""


class Situation(NamedTuple):
    """The marines and the shards that are left.

    x, y: float64 [n], the shards. by: int64 [n], the marine that its way leads past a shard, or -1.
    free: float64 [2], frames after which each marine has passed all of these.
    free_x, free_y: float64 [2], where it is then. goal_x, goal_y: float64 [2], where it goes.
    """

    x: np.ndarray
    y: np.ndarray
    by: np.ndarray
    free: np.ndarray
    free_x: np.ndarray
    free_y: np.ndarray
    goal_x: np.ndarray
    goal_y: np.ndarray


@compiled
def in_reach(
    x: float, y: float, goal_x: float, goal_y: float, shard_x: float, shard_y: float, reach: float
) -> Tuple[float, float]:
    """Returns the part of a straight way, as distances from (x, y), that is in reach of a shard.

    The way is extended backwards from (x, y), and ends at the goal, where the marine stays. Both
    are `_FAR` if there is none.
    """
    off_x, off_y = shard_x - x, shard_y - y
    distance = length(goal_x - x, goal_y - y)
    if distance < 1e-6:
        if off_x * off_x + off_y * off_y <= reach * reach:
            return 0.0, _FAR
        return _FAR, _FAR
    along = (off_x * (goal_x - x) + off_y * (goal_y - y)) / distance
    square = reach * reach - (off_x * off_x + off_y * off_y - along * along)
    if square <= 0.0:
        return _FAR, _FAR
    half = np.sqrt(square)
    if along + half <= 0.0 or along - half >= distance:
        return _FAR, _FAR
    return along - half, (_FAR if along + half >= distance else along + half)


@compiled
def look(g: Any, rules: Any, stay: float) -> Situation:
    """Returns what is left to do.

    Args:
      g, rules: the game.
      stay: frames in reach of a shard after which a marine leaves it.
    """
    count = 0
    for i in range(NUM_MARINES, g.unit_end):
        count += g.alive[i] != 0
    s = Situation(
        np.zeros(count),
        np.zeros(count),
        np.full(count, -1, np.int64),
        np.zeros(2),
        np.zeros(2),
        np.zeros(2),
        np.zeros(2),
        np.zeros(2),
    )
    for m in range(NUM_MARINES):
        walks = g.order_kind[m, 0] > orders.HOLD
        s.goal_x[m] = g.goal_x[m] if walks else g.x[m]
        s.goal_y[m] = g.goal_y[m] if walks else g.y[m]
    speed = rules.speed[g.type[0]]
    index = 0
    for i in range(NUM_MARINES, g.unit_end):
        if not g.alive[i]:
            continue
        s.x[index], s.y[index] = g.x[i], g.y[i]
        least = _FAR
        for m in range(NUM_MARINES):
            enters, leaves = in_reach(
                g.x[m], g.y[m], s.goal_x[m], s.goal_y[m], g.x[i], g.y[i], rules.shard_reach
            )
            enters = max(enters, -_MEMORY * speed)
            until = enters + stay * speed
            if leaves >= until and until < least:
                least = until
                s.by[index] = m
        if s.by[index] >= 0:
            s.free[s.by[index]] = max(s.free[s.by[index]], least / speed)
        index += 1
    for m in range(NUM_MARINES):
        distance = length(s.goal_x[m] - g.x[m], s.goal_y[m] - g.y[m])
        part = min(s.free[m] * speed / max(distance, 1e-6), 1.0)
        s.free_x[m] = g.x[m] + part * (s.goal_x[m] - g.x[m])
        s.free_y[m] = g.y[m] + part * (s.goal_y[m] - g.y[m])
    return s


@compiled
def decide(g: Any, rules: Any, available: Any, memory: Any, random: Any, call: Any) -> None:
    """Marines follow tours; the next one that needs an order is selected."""
    _decide(g, rules, look(g, rules, _STAY), True, call)


@compiled
def decide_plainly(g: Any, rules: Any, available: Any, memory: Any, random: Any, call: Any) -> None:
    """As `decide`, in a way that an agent can imitate.

    A marine is sent to the pixel of a shard, and on when the shard has disappeared.
    """
    _decide(g, rules, look(g, rules, _STAY_UNTIL_GONE), False, call)


@compiled
def _decide(g: Any, rules: Any, s: Situation, aims_well: bool, call: Any) -> None:
    for m in range(NUM_MARINES):
        if g.selected[m] and not g.selected[1 - m] and s.free[m] <= _SELECTED_LEAD:
            if _order(g, rules, s, m, aims_well, call):
                return
    first = 0 if s.free[0] <= s.free[1] else 1
    if g.selected[0] != g.selected[1]:
        other = 0 if g.selected[1] else 1
        if s.free[other] <= _LEAD:
            first = other
    if not g.selected[first] or g.selected[1 - first]:
        call.function = functions.SELECT_POINT
        plans_lib.aim(g, rules, call, g.x[first], g.y[first])


@compiled
def plan(g: Any, rules: Any, s: Situation) -> Tuple[tours_lib.Tours, np.ndarray]:
    """Returns tours of the marines, and the shards that their points are."""
    count = 0
    for index in range(len(s.x)):
        count += s.by[index] < 0
    x, y = np.zeros(count + 2), np.zeros(count + 2)
    shards = np.zeros(max(count, 1), np.int64)
    count = 0
    for index in range(len(s.x)):
        if s.by[index] < 0:
            x[count], y[count] = s.x[index], s.y[index]
            shards[count] = index
            count += 1
    before = np.zeros(2)
    for m in range(NUM_MARINES):
        x[count + m], y[count + m] = s.free_x[m], s.free_y[m]
        before[m] = s.free[m] * rules.speed[g.type[m]]
    return tours_lib.plan(x, y, before), shards


@compiled
def _order(g: Any, rules: Any, s: Situation, m: int, aims_well: bool, call: Any) -> bool:
    """Sends a marine on; returns False if it goes where it should."""
    tours, shards = plan(g, rules, s)
    number = min(tours.number[m], _AHEAD)
    if number == 0:
        x = _WAIT_X[0 if s.free_x[m] <= s.free_x[1 - m] else 1]
        if length(s.goal_x[m] - x, s.goal_y[m] - _WAIT_Y) < 1.5:
            return False
        call.function = functions.MOVE_SCREEN
        plans_lib.aim(g, rules, call, x, _WAIT_Y)
        return True
    x, y = np.zeros(number), np.zeros(number)
    for place in range(number):
        x[place] = s.x[shards[tours.order[m, place]]]
        y[place] = s.y[shards[tours.order[m, place]]]
    call.function = functions.MOVE_SCREEN
    plans_lib.aim(g, rules, call, x[0], y[0])
    if aims_well:
        _aim_well(g, rules, m, x, y, call)
    return True


@compiled
def _aim_well(g: Any, rules: Any, m: int, x: np.ndarray, y: np.ndarray, call: Any) -> None:
    """Points a call at the pixel from which a marine gets soonest along some shards of its tour."""
    left_to_go = np.zeros(len(x) + 1)
    for place in range(len(x) - 2, -1, -1):
        left_to_go[place] = left_to_go[place + 1]
        left_to_go[place] += length(x[place + 1] - x[place], y[place + 1] - y[place])
    least = _FAR
    for near in range(min(len(x), 3)):
        column = int(np.floor(pixels.screen_column(g, rules, x[near])))
        row = int(np.floor(pixels.screen_row(g, rules, y[near])))
        for pixel_x in range(column - _AROUND, column + _AROUND + 1):
            for pixel_y in range(row - _AROUND, row + _AROUND + 1):
                if not 0 <= pixel_x < rules.screen_width or not 0 <= pixel_y < rules.screen_height:
                    continue
                goal_x = clamp_x(rules, pixels.screen_x(g, rules, pixel_x))
                goal_y = clamp_y(rules, pixels.screen_y(g, rules, pixel_y))
                cost = way_cost(g, rules, m, x, y, left_to_go, goal_x, goal_y)
                if cost < least:
                    least = cost
                    call.screen_x, call.screen_y = pixel_x, pixel_y


@compiled
def way_cost(
    g: Any,
    rules: Any,
    m: int,
    x: np.ndarray,
    y: np.ndarray,
    left_to_go: np.ndarray,
    goal_x: float,
    goal_y: float,
) -> float:
    """Returns the length of a way to a goal, until a marine has passed shards, and on from there.

    Args:
      g, rules: the game.
      m: the marine.
      x, y: the next shards of its tour.
      left_to_go: length of the tour from each of these to the last one.
      goal_x, goal_y: where it goes first.
    """
    stay = _STAY * rules.speed[g.type[m]]
    reach = rules.shard_reach
    free, passed = 0.0, 0
    for place in range(len(x)):
        enters, leaves = in_reach(g.x[m], g.y[m], goal_x, goal_y, x[place], y[place], reach)
        until = max(enters, 0.0) + stay
        if leaves < until or enters == _FAR:
            break
        free = max(free, until)
        passed += 1
    if passed == 0:
        return _FAR
    if passed == len(x):
        return free
    part = min(free / max(length(goal_x - g.x[m], goal_y - g.y[m]), 1e-6), 1.0)
    free_x = g.x[m] + part * (goal_x - g.x[m])
    free_y = g.y[m] + part * (goal_y - g.y[m])
    on = length(x[passed] - free_x, y[passed] - free_y) - reach
    return free + max(on, 0.0) + left_to_go[passed]


@compiled
def _propose(g: Any, rules: Any, available: Any, plans: plans_lib.Plans) -> None:
    """Adds candidates: to wait, and to send each marine to each of the nearest shards."""
    plans_lib.add(plans, functions.NO_OP)
    far = np.zeros(g.unit_end)
    for m in range(NUM_MARINES):
        for i in range(g.unit_end):
            far[i] = _FAR
            if i >= NUM_MARINES and g.alive[i]:
                far[i] = length(g.x[i] - g.x[m], g.y[i] - g.y[m])
        alone = g.selected[m] and not g.selected[1 - m]
        order = np.argsort(far)
        for place in range(min(_NEAREST, len(order))):
            i = order[place]
            if far[i] == _FAR:
                break
            if alone:
                call = plans_lib.add(plans, functions.MOVE_SCREEN)
            else:
                call = plans_lib.add(plans, functions.SELECT_POINT)
                plans_lib.aim(g, rules, call, g.x[m], g.y[m])
                call = plans_lib.then(plans, functions.MOVE_SCREEN)
            plans_lib.aim(g, rules, call, g.x[i], g.y[i])


@compiled
def _hide(g: Any, rules: Any, random: Any) -> None:
    """Draws the frames in which shards look for marines, given that the alive ones were not taken.

    The time for which marines have been in reach is what straight ways would have taken.
    """
    speed = rules.speed[g.type[0]]
    for i in range(NUM_MARINES, g.unit_end):
        if not g.alive[i]:
            continue
        age = 0.0
        for m in range(NUM_MARINES):
            if length(g.x[m] - g.x[i], g.y[m] - g.y[i]) <= rules.shard_reach:
                enters, _ = in_reach(
                    g.x[m],
                    g.y[m],
                    g.x[m] + 10.0 * g.heading_x[m],
                    g.y[m] + 10.0 * g.heading_y[m],
                    g.x[i],
                    g.y[i],
                    rules.shard_reach,
                )
                age = max(age, -enters / speed)
        _draw_try(g, rules, i - NUM_MARINES, age, uniform(random))


@compiled
def _draw_try(g: Any, rules: Any, index: int, age: float, draw: float) -> None:
    """Draws when a shard looks for the first time since marines are in reach, `age` frames ago."""
    earliest = -min(int(age), rules.shard_delay) + 1
    latest = max(rules.shard_period - int(age), 1)
    first = earliest + int(draw * (latest - earliest + 1))
    g.taken_at[index] = NEVER
    g.try_at[index] = g.game_loop + first
    if first <= 0:
        g.taken_at[index] = g.game_loop + first + rules.shard_delay
        g.try_at[index] += rules.shard_period


@compiled
def _stage(g: Any, rules: Any) -> int:
    """The number of shards increases when new ones appear, and only then."""
    count = 0
    for i in range(NUM_MARINES, g.unit_end):
        count += g.alive[i] != 0
    return count


@compiled
def _value(g: Any, rules: Any) -> float:
    return 0.0


PROBLEM = Problem(
    name='collect_mineral_shards',
    policy=Policy('tours', decide),
    policy_in_pairs=Policy('tours_to_shards', decide_plainly),
    propose=_propose,
    value=_value,
    functions=('no_op', 'select_point', 'Move_screen'),
    stage=_stage,
    hide=_hide,
    horizon=320,
    draws=2,
    frame_cost=0.1,
    margin=0.2,
)
