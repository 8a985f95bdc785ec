"""The players of `simulator` as compiled policies, for roll-outs."""

from typing import Any

from sc2impala.sim import functions
from sc2impala.sim.compiler import compiled
from sc2impala.sim.counter_random import uniform
from sc2impala.sim.rollouts import Policy


@compiled
def _below(random: Any, end: int) -> int:
    """Draws an integer in 0..end - 1."""
    return int(uniform(random) * end)


@compiled
def _draw_screen(rules: Any, random: Any, call: Any) -> None:
    call.screen_x = _below(random, rules.screen_width)
    call.screen_y = _below(random, rules.screen_height)


@compiled
def _decide_at_random(
    g: Any, rules: Any, available: Any, memory: Any, random: Any, call: Any
) -> None:
    """Chooses any available function, with random arguments."""
    count = 0
    for function in range(len(available)):
        count += available[function]
    chosen = _below(random, count)
    function = 0
    while chosen > 0 or not available[function]:
        chosen -= available[function]
        function += 1
    call.function = function
    _draw_screen(rules, random, call)
    call.screen2_x = _below(random, rules.screen_width)
    call.screen2_y = _below(random, rules.screen_height)
    call.minimap_x = _below(random, rules.minimap_width)
    call.minimap_y = _below(random, rules.minimap_height)
    call.queued = _below(random, 2)
    call.control_group_act = _below(random, 5)
    call.control_group_id = _below(random, 10)
    call.select_point_act = _below(random, 4)
    call.select_add = _below(random, 2)
    call.select_unit_act = _below(random, 4)
    call.select_unit_id = _below(random, 8)
    call.select_worker = _below(random, 4)
    call.build_queue_id = _below(random, 5)


@compiled
def _move(g: Any, rules: Any, available: Any, memory: Any, random: Any, call: Any) -> None:
    """Selects its army, or the whole screen if it has none, then moves to random points."""
    if available[functions.MOVE_SCREEN]:
        call.function = functions.MOVE_SCREEN
        _draw_screen(rules, random, call)
        return
    has_army = available[functions.SELECT_ARMY]
    call.function = functions.SELECT_ARMY if has_army else functions.SELECT_RECT
    call.screen2_x = rules.screen_width - 1
    call.screen2_y = rules.screen_height - 1


POLICIES = {
    'random': Policy('random_player', _decide_at_random),
    'mover': Policy('mover', _move),
}
"""Policies by the name of the player."""
