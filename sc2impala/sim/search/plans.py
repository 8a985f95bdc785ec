"""Candidates of a search: plans of a few calls, after which a policy continues.

A compiled function adds its candidates like this:

    call = plans_lib.add(plans, functions.SELECT_POINT)
    plans_lib.aim(g, rules, call, g.x[i], g.y[i])
    call = plans_lib.then(plans, functions.MOVE_SCREEN)
    plans_lib.aim(g, rules, call, x, y)
"""

from typing import Any, NamedTuple

import numpy as np

from sc2impala.sim import pixels
from sc2impala.sim.compiler import compiled
from sc2impala.sim.functions import CALL, clear

MAX_PLANS = 96
"""Further candidates are left out."""

MAX_CALLS = 4
"""Calls of a plan at most; further ones are left out."""


class Plans(NamedTuple):
    """The candidates of one game.

    calls: CALL [MAX_PLANS + 1, MAX_CALLS + 1]; the last row and column are for what is left out.
    lengths: int64 [MAX_PLANS + 1], calls of each. size: int64 [1], the number of plans.
    """

    calls: np.ndarray
    lengths: np.ndarray
    size: np.ndarray


def make() -> Plans:
    """Returns no plans."""
    return Plans(
        np.zeros([MAX_PLANS + 1, MAX_CALLS + 1], CALL),
        np.zeros([MAX_PLANS + 1], np.int64),
        np.zeros([1], np.int64),
    )


@compiled
def add(plans: Plans, function: int) -> Any:
    """Begins another plan; returns its first call, without arguments."""
    place = min(plans.size[0], MAX_PLANS)
    plans.size[0] = min(place + 1, MAX_PLANS)
    plans.lengths[place] = 1
    call = plans.calls[place, 0]
    clear(call)
    call.function = function
    return call


@compiled
def then(plans: Plans, function: int) -> Any:
    """Adds another call to the last plan; returns it, without arguments."""
    place = plans.size[0] - 1
    index = min(plans.lengths[place], MAX_CALLS)
    plans.lengths[place] = min(index + 1, MAX_CALLS)
    call = plans.calls[place, index]
    clear(call)
    call.function = function
    return call


@compiled
def drop(plans: Plans) -> None:
    """Removes the last plan."""
    plans.size[0] -= 1


@compiled
def aim(g: Any, rules: Any, call: Any, x: float, y: float) -> None:
    """Points the call at the pixel of the screen that is nearest to a point of the world."""
    column = int(np.floor(pixels.screen_column(g, rules, x)))
    row = int(np.floor(pixels.screen_row(g, rules, y)))
    call.screen_x = min(max(column, 0), rules.screen_width - 1)
    call.screen_y = min(max(row, 0), rules.screen_height - 1)


@compiled
def aim_minimap(rules: Any, call: Any, x: float, y: float) -> None:
    """Points the call at the pixel of the minimap that is nearest to a point of the world."""
    column = int(np.floor(pixels.minimap_column(rules, x)))
    row = int(np.floor(pixels.minimap_row(rules, y)))
    call.minimap_x = min(max(column, 0), rules.minimap_width - 1)
    call.minimap_y = min(max(row, 0), rules.minimap_height - 1)


@compiled
def are_equal(first: Any, second: Any) -> bool:
    """Returns whether two calls have the same function, place and scalar arguments."""
    return (
        first.function == second.function
        and first.screen_x == second.screen_x
        and first.screen_y == second.screen_y
        and first.minimap_x == second.minimap_x
        and first.minimap_y == second.minimap_y
        and first.select_point_act == second.select_point_act
        and first.select_worker == second.select_worker
        and first.queued == second.queued
    )
