"""FindAndDefeatZerglings: roll-outs by the rules of `envs.players.stutter_step`, in the fog."""

from typing import Any, NamedTuple, Tuple

import numpy as np

from sc2impala.sim import combat, functions, orders, picking, visibility
from sc2impala.sim.compiler import compiled
from sc2impala.sim.counter_random import uniform
from sc2impala.sim.geometry import Rectangle, clamp, clamp_x, clamp_y, length
from sc2impala.sim.rollouts import Policy
from sc2impala.sim.search import battles
from sc2impala.sim.search import plans as plans_lib
from sc2impala.sim.search import tours as tours_lib
from sc2impala.sim.search.problem import Problem
from sc2impala.sim.unit_types import ENEMY, SELF
from sc2impala.sim.visibility import UNSEEN

_NUM_MARINES, _WAVE = 3, 25
_END = _NUM_MARINES + _WAVE
_ZERGLING = 1
_SPAWN_REGION = Rectangle(left=11.0, right=53.0, bottom=13.0, top=43.0)
_SPACING = 5.0
"""The region in which zerglings appear, and the least distance between two of them."""

_PATH = Rectangle(left=15.0, right=49.0, bottom=17.0, top=39.0)
_AHEAD = 8.0
"""The path around the map, and how far ahead on it marines are sent, in cells."""
_OFF_CENTRE, _TOO_FAR, _OTHER = 3.0, 7.0, 3.0
_ZERGLING_HEALTH, _DAMAGE = 35.0, 6.0
_READY = 2
"""Health of a zergling, damage of a marine, and frames until it is ready at which marines stop."""
_ON_THE_WAY = 4.0
"""Distance from the goal in cells, above which marines without enemies walk on."""

_MARINE_WORTH = 3.0
_NO_KINDS, _NO_REWARDS = np.zeros(1, np.int64) - 1, np.zeros(1)
_FRAME_COST = 0.018
"""Points that a player makes in a frame."""
_KILL_FRAMES, _SAVED = 16.0, 2.0
"""Frames to kill a zergling, and cells of the way to each that marines do not have to walk."""
_NOWHERE = 1e4

_DIRECTIONS = 8
_STEP = 5.0
_MAX_TARGETS = 4

_KNOWN, _EXPLORED = 5.5, 8.0
"""Cells around a dead zergling where others were seen for sure, and probably, before it died."""
_MAX_TRIES = 40


class Sight(NamedTuple):
    """The marines and the visible zerglings.

    x, y: mean position of the marines. number: of marines. nearest, second: slots of visible
    zerglings, the nearest one and the nearest one that is not next to it, or -1. distance: to the
    nearest one, in cells.
    """

    x: float
    y: float
    number: int
    nearest: int
    second: int
    distance: float


@compiled
def look(g: Any, rules: Any) -> Sight:
    """Returns what is visible."""
    picking.look(g, rules)
    number, x, y = 0, 0.0, 0.0
    for i in range(g.mobile_end):
        if g.alive[i] and g.owner[i] == SELF:
            number += 1
            x += g.x[i]
            y += g.y[i]
    x, y = x / max(number, 1), y / max(number, 1)
    nearest, distance = _nearest(g, rules, x, y, -1)
    second, _ = _nearest(g, rules, x, y, nearest)
    return Sight(x, y, number, nearest, second, distance)


@compiled
def _nearest(g: Any, rules: Any, x: float, y: float, but: int) -> Tuple[int, float]:
    """Returns the slot of the nearest visible zergling away from one, or -1, and its distance."""
    found, least = -1, 1e9
    for i in range(g.mobile_end):
        if g.alive[i] and g.owner[i] == ENEMY and visibility.sees(g, rules, i):
            if but >= 0 and length(g.x[i] - g.x[but], g.y[i] - g.y[but]) <= _OTHER:
                continue
            distance = length(g.x[i] - x, g.y[i] - y)
            if distance < least:
                found, least = i, distance
    return found, least


@compiled
def decide(g: Any, rules: Any, available: Any, memory: Any, random: Any, call: Any) -> None:
    """Marines search the map clockwise, attack together, and walk on while they reload."""
    s = look(g, rules)
    if s.number == 0:
        return
    if not available[functions.ATTACK_MINIMAP]:
        call.function = functions.SELECT_ARMY
        return
    if length(s.x - g.camera_x, s.y - g.camera_y) > _OFF_CENTRE:
        call.function = functions.MOVE_CAMERA
        plans_lib.aim_minimap(rules, call, s.x, s.y)
        return
    if s.nearest < 0:
        if not _is_on_the_way(g):
            call.function = functions.ATTACK_MINIMAP
            x, y = next_on_path(s.x, s.y)
            plans_lib.aim_minimap(rules, call, x, y)
        return
    if s.distance < _TOO_FAR and _reloads(g, rules, s.number):
        call.function = functions.MOVE_MINIMAP
        x, y = next_on_path(s.x, s.y)
        if s.second >= 0:
            x, y = g.x[s.second], g.y[s.second]
    else:
        call.function = functions.ATTACK_MINIMAP
        x, y = g.x[s.nearest], g.y[s.nearest]
    plans_lib.aim_minimap(rules, call, x, y)


@compiled
def _reloads(g: Any, rules: Any, number: int) -> bool:
    """Returns whether all marines have hit a living zergling and are not yet ready again."""
    health = _ZERGLING_HEALTH
    for i in range(g.mobile_end):
        if not g.alive[i]:
            continue
        if g.owner[i] == SELF:
            if g.ready_at[i] - g.game_loop <= _READY:
                return False
        elif visibility.sees(g, rules, i):
            health = min(health, g.health[i])
    hits = int((_ZERGLING_HEALTH - health) / _DAMAGE + 0.5)
    return hits > 0 and hits % number == 0


@compiled
def _is_on_the_way(g: Any) -> bool:
    """Returns whether a marine is far from where its order leads."""
    for i in range(g.mobile_end):
        if g.alive[i] and g.owner[i] == SELF and g.order_kind[i, 0] == orders.ATTACK:
            if length(g.order_x[i, 0] - g.x[i], g.order_y[i, 0] - g.y[i]) > _ON_THE_WAY:
                return True
    return False


@compiled
def next_on_path(x: float, y: float) -> Tuple[float, float]:
    """Returns the point of the path ahead of the one that is nearest to (x, y)."""
    wide, high = _PATH.right - _PATH.left, _PATH.top - _PATH.bottom
    column, row = clamp(x - _PATH.left, 0.0, wide), clamp(y - _PATH.bottom, 0.0, high)
    # Distances from the four sides, clockwise from the upper one.
    least, place = length(x - _PATH.left - column, y - _PATH.top), column
    distance = length(x - _PATH.right, y - _PATH.bottom - row)
    if distance < least:
        least, place = distance, wide + high - row
    distance = length(x - _PATH.left - column, y - _PATH.bottom)
    if distance < least:
        least, place = distance, wide + high + wide - column
    distance = length(x - _PATH.left, y - _PATH.bottom - row)
    if distance < least:
        least, place = distance, wide + high + wide + row
    place = (place + _AHEAD) % (2 * (wide + high))
    if place < wide:
        return _PATH.left + place, _PATH.top
    place -= wide
    if place < high:
        return _PATH.right, _PATH.top - place
    place -= high
    if place < wide:
        return _PATH.right - place, _PATH.bottom
    return _PATH.left, _PATH.bottom + place - wide


@compiled
def _propose(g: Any, rules: Any, available: Any, plans: plans_lib.Plans) -> None:
    """Adds candidates: to wait, to attack a visible zergling, and to move in any direction.

    Without visible zerglings there is only the policy's call: where zerglings may be depends on
    where marines have been since the wave appeared, which nothing in the game tells, and the search
    went back and forth.
    """
    plans_lib.add(plans, functions.NO_OP)
    s = look(g, rules)
    if s.nearest < 0 or not available[functions.ATTACK_MINIMAP]:
        return
    distance = np.full(g.mobile_end, 1e9)
    for i in range(g.mobile_end):
        if g.alive[i] and g.owner[i] == ENEMY and visibility.sees(g, rules, i):
            distance[i] = length(g.x[i] - s.x, g.y[i] - s.y)
    order = np.argsort(distance)
    for place in range(min(_MAX_TARGETS, len(order))):
        i = order[place]
        if distance[i] < 1e9:
            call = plans_lib.add(plans, functions.ATTACK_MINIMAP)
            plans_lib.aim_minimap(rules, call, g.x[i], g.y[i])
    for direction in range(_DIRECTIONS):
        angle = 2 * np.pi * direction / _DIRECTIONS
        x, y = s.x + _STEP * np.cos(angle), s.y + _STEP * np.sin(angle)
        call = plans_lib.add(plans, functions.MOVE_MINIMAP)
        plans_lib.aim_minimap(rules, call, clamp_x(rules, x), clamp_y(rules, y))


@compiled
def _hide(g: Any, rules: Any, random: Any) -> None:
    """Draws the positions of zerglings that no marine has seen since they appeared.

    Zerglings that were left behind stay where they are.
    """
    picking.look(g, rules)
    first_wave = g.score + _NUM_MARINES - _marines(g) < _WAVE
    hidden = np.zeros(_END, np.uint8)
    for i in range(_NUM_MARINES, _END):
        if g.alive[i] and not visibility.sees(g, rules, i):
            hidden[i] = not _is_explored(g, first_wave, g.x[i], g.y[i], _KNOWN)
    for i in range(_NUM_MARINES, _END):
        if hidden[i]:
            # The same numbers for the same zergling, however many the others have used.
            random.counter = np.uint64(2 * _MAX_TRIES * i)
            x, y = _draw_place(g, first_wave, hidden, random)
            combat.create(g, rules, i, _ZERGLING, ENEMY, x, y)
            hidden[i] = False


@compiled
def _draw_place(g: Any, first_wave: bool, hidden: np.ndarray, random: Any) -> Tuple[float, float]:
    """Returns a point that is not visible, and if possible not explored and away from zerglings."""
    x, y = _SPAWN_REGION.left, _SPAWN_REGION.bottom
    best = 0
    for _ in range(_MAX_TRIES):
        to_x = _SPAWN_REGION.left + uniform(random) * (_SPAWN_REGION.right - _SPAWN_REGION.left)
        to_y = _SPAWN_REGION.bottom + uniform(random) * (_SPAWN_REGION.top - _SPAWN_REGION.bottom)
        if visibility.visibility(g, int(to_x), int(to_y)) == visibility.VISIBLE:
            continue
        is_good = not _is_explored(g, first_wave, to_x, to_y, _EXPLORED)
        quality = 1 + is_good + (is_good and _is_apart(g, hidden, to_x, to_y))
        if quality > best:
            x, y, best = to_x, to_y, quality
        if best == 3:
            break
    return x, y


@compiled
def _marines(g: Any) -> int:
    count = 0
    for i in range(_NUM_MARINES):
        count += g.alive[i] != 0
    return count


@compiled
def _is_explored(g: Any, first_wave: bool, x: float, y: float, radius: float) -> bool:
    """Returns whether marines have seen a point since the zerglings appeared.

    Later waves appear where all was seen before; then what counts is where zerglings died.
    """
    if first_wave:
        return visibility.visibility(g, int(x), int(y)) != UNSEEN
    for i in range(_NUM_MARINES, _END):
        if not g.alive[i] and length(g.x[i] - x, g.y[i] - y) < radius:
            return True
    return False


@compiled
def _is_apart(g: Any, hidden: np.ndarray, x: float, y: float) -> bool:
    """Returns whether a point is away from all zerglings but those that are still hidden."""
    for i in range(_NUM_MARINES, _END):
        if g.alive[i] and not hidden[i] and length(g.x[i] - x, g.y[i] - y) < _SPACING:
            return False
    return True


@compiled
def _value(g: Any, rules: Any) -> float:
    """Returns the points for all zerglings that are left, less the time that they take."""
    armies = battles.look(g)
    worth = battles.worth(g, _MARINE_WORTH, _NO_KINDS, _NO_REWARDS, _NO_REWARDS)
    n = armies.num_enemies
    if armies.num_marines == 0 or n == 0:
        return worth
    x, y, before = np.zeros(n + 2), np.zeros(n + 2), np.zeros(2)
    count, frames = 0, 0.0
    for i in range(g.mobile_end):
        if g.alive[i] and g.owner[i] == ENEMY:
            x[count], y[count] = g.x[i], g.y[i]
            frames += _KILL_FRAMES * g.health[i] / _ZERGLING_HEALTH
            count += 1
    x[n], y[n] = armies.marines_x, armies.marines_y
    # There is only one army.
    x[n + 1], y[n + 1], before[1] = _NOWHERE, _NOWHERE, _NOWHERE
    way = tours_lib.plan(x, y, before).total[0]
    frames += max(way - _SAVED * n, 0.0) / rules.speed[g.type[0]]
    left = float(rules.episode_loops - g.game_loop)
    if left < frames:
        return worth + n * left / frames - _FRAME_COST * left
    return worth + n - _FRAME_COST * frames


PROBLEM = Problem(
    name='find_and_defeat_zerglings',
    policy=Policy('stutter_step', decide),
    propose=_propose,
    value=_value,
    functions=('no_op', 'select_army', 'move_camera', 'Attack_minimap', 'Move_minimap'),
    stage=battles.number_of_enemies,
    hide=_hide,
    horizon=120,
    draws=2,
    halvings=2,
    frames_of_draws=2880,
    frame_cost=_FRAME_COST,
    margin=0.15,
)
