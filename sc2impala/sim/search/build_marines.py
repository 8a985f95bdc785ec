"""BuildMarines: roll-outs by a build order that trains marines from all it has left."""

from typing import Any

import numpy as np

from sc2impala.sim import functions
from sc2impala.sim.compiler import compiled
from sc2impala.sim.economy import harvesters, queues
from sc2impala.sim.rollouts import Policy
from sc2impala.sim.search import economies
from sc2impala.sim.search import plans as plans_lib
from sc2impala.sim.search.problem import Problem
from sc2impala.sim.units import num_mobile

_DEPOT, _BARRACKS = functions.BUILD_SUPPLY_DEPOT_SCREEN, functions.BUILD_BARRACKS_SCREEN
_SCV, _MARINE = functions.TRAIN_SCV_QUICK, functions.TRAIN_MARINE_QUICK

TARGETS = np.array([25.0, 14.0, 3.51, 1.12, 0.36])
"""Number of workers; of those with the first depot; and the supply that is left when the next one
is ordered: a constant, that of each barracks, and of each unfinished barracks."""

WORKERS = np.array([13.0, 23, 22, 17, 16, 18, 30, 30])
"""Workers, those in training included, from which on there should be one more barracks."""

TIMES = np.array([28.0, 50.0, 16.0, 13500.0, 10000.0, 10981.0])
"""Frames before the end of the training of a worker, and of a marine, at which the next one is
ordered; frames before a building is affordable at which its builder is selected; and the frames of
the episode from which on no depots, barracks and workers are begun."""

_DEPOT_SITES = np.array(
    [[31.0, 36], [34, 36], [31, 21], [34, 21], [31, 33], [34, 33], [34, 24], [31, 24]]
    + [[28.0, 36], [28, 21], [37, 36], [37, 21], [37, 33], [37, 24], [37, 30], [37, 27]]
    + [[34.0, 30], [34, 27], [25, 36], [25, 21], [44, 35], [44, 21], [22, 36], [22, 20]]
    + [[40.0, 36], [40, 21], [43, 36], [43, 20], [22, 33], [22, 23]]
)
_BARRACKS_SITES = np.array(
    [[39.5, 30.5], [39.5, 25.5], [44.5, 30.5], [44.5, 25.5], [39.5, 34.5], [39.5, 21.5]]
    + [[44.5, 34.5], [44.5, 21.5]]
)

_MARINE_VALUE = 1 / 62.5
"""Marines per mineral, with their part of the depots."""
_WORKER_VALUE = 0.03
"""Minerals that a worker collects in a frame, on fields that are nearly saturated."""


@compiled
def decide(g: Any, rules: Any, available: Any, memory: Any, random: Any, call: Any) -> None:
    """Trains workers, constructs the next building, and trains marines."""
    follow(g, rules, call, TARGETS, WORKERS, TIMES)


@compiled
def follow(
    g: Any, rules: Any, call: Any, targets: np.ndarray, workers: np.ndarray, times: np.ndarray
) -> None:
    """Follows a build order: `TARGETS`, `WORKERS` and `TIMES`."""
    base = economies.look(g, rules)
    total = base.num_workers + base.num_queued
    affordable = base.supply > 0 and base.minerals >= rules.minerals[rules.worker]
    if affordable and total < targets[0] and g.game_loop < times[5]:
        if economies.num_open(g, rules.town_hall, int(times[0])) > 0:
            economies.train(g, rules, rules.town_hall, _SCV, call)
            return
    function = _next_building(g, rules, base, targets, workers, times)
    price = 0
    if function != functions.NO_OP:
        product = int(rules.product[function])
        price = rules.minerals[product]
        soon = base.minerals + times[2] * economies.INCOME * base.num_workers
        if soon >= price and choose_site(g, rules, function, call):
            if economies.build(g, rules, base, product, function, call):
                return
        functions.clear(call)
    if base.num_idle > 0 and _harvest(g, rules, base, call):
        return
    barracks = int(rules.product[_BARRACKS])
    if function == _DEPOT:
        price = 0
    if base.supply > 0 and base.minerals >= price + rules.minerals[rules.product[_MARINE]]:
        if economies.num_open(g, barracks, int(times[1])) > 0:
            economies.train(g, rules, barracks, _MARINE, call)


@compiled
def _next_building(
    g: Any,
    rules: Any,
    base: economies.Base,
    targets: np.ndarray,
    workers: np.ndarray,
    times: np.ndarray,
) -> int:
    """Returns the function of the next building, or no_op."""
    total = base.num_workers + base.num_queued
    depot, barracks = int(rules.product[_DEPOT]), int(rules.product[_BARRACKS])
    depots = economies.number(g, rules, depot)
    if depots == 0:
        return _DEPOT if total >= targets[1] else functions.NO_OP
    number, complete = economies.number(g, rules, barracks), economies.num_complete(g, barracks)
    begun = depots - economies.num_complete(g, depot)
    supply = base.supply + begun * rules.food_provided[depot]
    left = (rules.episode_loops - g.game_loop) / rules.build_loops[rules.product[_MARINE]]
    needed = targets[2] + targets[3] * complete + targets[4] * (number - complete)
    needed = min(needed, complete * left + (total < targets[0]))
    capacity = queues.supply_capacity(g, rules) + begun * rules.food_provided[depot]
    if supply < needed and capacity < queues.MAX_SUPPLY and g.game_loop < times[3]:
        return _DEPOT
    if begun < depots and number < len(workers) and g.game_loop < times[4]:
        if total >= workers[number]:
            return _BARRACKS
    return functions.NO_OP


@compiled
def choose_site(g: Any, rules: Any, function: int, call: Any) -> bool:
    """Points the call at the next site of the building of a function; returns if there is one."""
    product = int(rules.product[function])
    if function == _DEPOT:
        return economies.choose_site(g, rules, product, _DEPOT_SITES, call)
    return economies.choose_site(g, rules, product, _BARRACKS_SITES, call)


@compiled
def _harvest(g: Any, rules: Any, base: economies.Base, call: Any) -> bool:
    """Selects an idle worker, or sends it to the field with the fewest users."""
    if base.num_selected != 1 or base.num_selected_idle != 1:
        call.function = functions.SELECT_IDLE_WORKER
        return True
    users = np.zeros(len(g.alive), np.int64)
    economies.count_users(g, users)
    call.function = functions.HARVEST_GATHER_SCREEN
    for number in range(base.num_workers):
        for field in range(num_mobile(g), g.unit_end):
            if users[field] == number and harvesters.can_harvest(g, rules, field):
                if economies.point_at(g, rules, field, call):
                    return True
    functions.clear(call)
    return False


@compiled
def propose(g: Any, rules: Any, available: Any, plans: plans_lib.Plans) -> None:
    """Adds candidates: those of `economies.propose`, a depot and barracks."""
    economies.propose(g, rules, available, plans)
    base = economies.look(g, rules)
    for function in (_DEPOT, _BARRACKS):
        call = plans_lib.add(plans, function)
        possible = choose_site(g, rules, function, call)
        column, row = call.screen_x, call.screen_y
        plans_lib.drop(plans)
        if possible:
            economies.propose_building(g, rules, base, function, column, row, plans)


@compiled
def value(g: Any, rules: Any) -> float:
    """Returns the marines that minerals and workers are worth."""
    base = economies.look(g, rules)
    left = rules.episode_loops - g.game_loop
    return _MARINE_VALUE * (base.minerals + _WORKER_VALUE * base.num_workers * left)


PROBLEM = Problem(
    name='build_marines',
    policy=Policy('six_barracks', decide),
    propose=propose,
    value=value,
    functions=(
        'no_op',
        'select_point',
        'select_idle_worker',
        'Harvest_Gather_screen',
        'Train_SCV_quick',
        'Build_SupplyDepot_screen',
        'Build_Barracks_screen',
        'Train_Marine_quick',
    ),
    select_point_act=economies.ALL,
    horizon=14400,
    margin=0.5,
)
