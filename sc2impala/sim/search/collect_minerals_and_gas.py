"""CollectMineralsAndGas: roll-outs by a build order with a worker for each place at a resource.

Nothing is random but the side on which the workers start, so that a roll-out to the end of the
episode is exact.
"""

from typing import Any

import numpy as np

from sc2impala.sim import functions
from sc2impala.sim.compiler import compiled
from sc2impala.sim.economy import harvesters
from sc2impala.sim.rollouts import Policy
from sc2impala.sim.search import economies
from sc2impala.sim.search import plans as plans_lib
from sc2impala.sim.search.problem import Problem
from sc2impala.sim.units import NO_UNIT, num_mobile

_DEPOT, _REFINERY = functions.BUILD_SUPPLY_DEPOT_SCREEN, functions.BUILD_REFINERY_SCREEN
_TOWN_HALL = functions.BUILD_COMMAND_CENTER_SCREEN
_FUNCTIONS = np.array(
    [_DEPOT, _TOWN_HALL, _REFINERY, _REFINERY, _DEPOT, _REFINERY, _REFINERY, _DEPOT, _DEPOT]
)
_NUMBERS = np.array([1, 2, 1, 2, 2, 3, 4, 3, 4])
WORKERS = np.array([13.0, 15, 18, 20, 22, 23, 35, 41, 60])
"""Workers, those in training included, from which on there should be this number of a building."""

TIMES = np.array([92.0, 32.0])
"""Frames before the end of a training at which the next worker is ordered, and before a building
is affordable at which its builder is selected."""

_TOWN_HALL_SITE = np.array([[35.5, 27.5]])
_DEPOT_SITES = np.array([[29.0, 23.0], [29.0, 32.0], [23.0, 33.0], [23.0, 21.0], [32.0, 33.0]])

# Minerals or gas in 100 frames of one more worker, by users of the field and by field from top to
# bottom.
_PAIR = np.array([4.4, 4.2, 4.35, 3.9, 3.9, 4.35, 4.2, 4.4])
_THIRD = np.array([1.8, 2.2, 1.9, 2.8, 2.8, 1.9, 2.2, 1.8])
_FAR = np.array([3.0, 2.8, 2.9, 2.7, 2.7, 2.9, 2.8, 3.0])
_CROWDED = 0.1
_GAS, _FAR_GAS = 3.76, 2.9
_PER_CELL = 0.002
"""A nearer resource is better than an equal one."""

_FIRST_FIELD = 5
_TOGETHER = 6
"""Idle workers from which on they are sent together, to the field with the index `_FIRST_FIELD`,
from where they spread."""


@compiled
def decide(g: Any, rules: Any, available: Any, memory: Any, random: Any, call: Any) -> None:
    """Constructs the next building, trains workers, and sends idle ones to work."""
    follow(g, rules, call, WORKERS, TIMES)


@compiled
def follow(g: Any, rules: Any, call: Any, workers: np.ndarray, times: np.ndarray) -> None:
    """Follows a build order: `WORKERS` and `TIMES`."""
    base = economies.look(g, rules)
    entry = _next_entry(g, rules, base.num_workers + base.num_queued, workers)
    if entry >= 0:
        function = _FUNCTIONS[entry]
        product = int(rules.product[function])
        soon = base.minerals + times[1] * economies.INCOME * base.num_workers
        if soon >= rules.minerals[product] and _choose_site(g, rules, function, call):
            if economies.build(g, rules, base, product, function, call):
                return
        functions.clear(call)
    trains = base.supply > 0 and base.minerals >= rules.minerals[rules.worker]
    trains = trains and economies.num_open(g, rules.town_hall, int(times[0])) > 0
    if not trains or base.num_idle > 2:
        if base.num_idle > 0 and _harvest(g, rules, base, call):
            return
    if trains:
        economies.train(g, rules, rules.town_hall, functions.TRAIN_SCV_QUICK, call)


@compiled
def _next_entry(g: Any, rules: Any, total: int, workers: np.ndarray) -> int:
    """Returns the first entry of the build order that is missing, or -1."""
    for entry in range(len(_FUNCTIONS)):
        if total >= workers[entry]:
            product = int(rules.product[_FUNCTIONS[entry]])
            if economies.number(g, rules, product) < _NUMBERS[entry]:
                return entry
    return -1


@compiled
def _choose_site(g: Any, rules: Any, function: int, call: Any) -> bool:
    product = int(rules.product[function])
    if function == _DEPOT:
        return economies.choose_site(g, rules, product, _DEPOT_SITES, call)
    if function == _TOWN_HALL:
        return economies.choose_site(g, rules, product, _TOWN_HALL_SITE, call)
    for i in range(num_mobile(g), g.unit_end):
        if g.alive[i] and g.type[i] == rules.geyser:
            if economies.can_stand(g, rules, product, g.x[i], g.y[i]):
                if economies.point_at(g, rules, i, call):
                    return True
    return False


@compiled
def _harvest(g: Any, rules: Any, base: economies.Base, call: Any) -> bool:
    """Selects an idle worker, or all of many, or sends them to work if that has been done."""
    selected = base.num_selected
    if selected == 0 or selected != base.num_selected_idle or 1 < selected < _TOGETHER:
        call.function = functions.SELECT_IDLE_WORKER
        call.select_worker = economies.ALL if base.num_idle >= _TOGETHER else economies.ONE
        return True
    call.function = functions.HARVEST_GATHER_SCREEN
    if selected > 1:
        return economies.point_at(g, rules, num_mobile(g) + _FIRST_FIELD, call)
    worker = 0
    for i in range(g.mobile_end):
        if g.selected[i]:
            worker = i
    users = np.zeros(len(g.alive), np.int64)
    economies.count_users(g, users)
    values = np.zeros(len(g.alive))
    for field in range(num_mobile(g), g.unit_end):
        if harvesters.can_harvest(g, rules, field):
            distance = abs(g.x[field] - g.x[worker]) + abs(g.y[field] - g.y[worker])
            values[field] = _value_of(g, rules, field, users[field]) - _PER_CELL * distance
    for _ in range(rules.num_resources):
        best = int(np.argmax(values))
        if values[best] <= 0:
            break
        if economies.point_at(g, rules, best, call):
            return True
        values[best] = 0.0
    functions.clear(call)
    return False


@compiled
def _value_of(g: Any, rules: Any, field: int, users: int) -> float:
    """Returns what one more worker collects there in 100 frames."""
    near = economies.is_near(g, rules, field)
    if g.type[field] == rules.refinery:
        if users > 2:
            return _CROWDED
        return _GAS if near else _FAR_GAS
    row = (field - num_mobile(g)) % len(_PAIR)
    if users > 2:
        return _CROWDED
    if not near:
        return _FAR[row]
    return _THIRD[row] if users == 2 else _PAIR[row]


@compiled
def propose(g: Any, rules: Any, available: Any, plans: plans_lib.Plans) -> None:
    """Adds candidates: those of `economies.propose`, any building, and workers that move."""
    economies.propose(g, rules, available, plans)
    base = economies.look(g, rules)
    if base.num_idle == 0:
        _move(g, rules, plans)
    for function in (_DEPOT, _TOWN_HALL, _REFINERY):
        call = plans_lib.add(plans, function)
        possible = _choose_site(g, rules, function, call)
        column, row = call.screen_x, call.screen_y
        plans_lib.drop(plans)
        if possible:
            economies.propose_building(g, rules, base, function, column, row, plans)


@compiled
def _move(g: Any, rules: Any, plans: plans_lib.Plans) -> None:
    """Adds plans that send the nearest worker to the best resource on the left and on the right."""
    users = np.zeros(len(g.alive), np.int64)
    economies.count_users(g, users)
    for side in range(2):
        best, most = NO_UNIT, 0.0
        for field in range(num_mobile(g), g.unit_end):
            if (g.x[field] > g.camera_x) == (side == 1) and harvesters.can_harvest(g, rules, field):
                gain = _value_of(g, rules, field, users[field])
                if gain > most:
                    best, most = field, gain
        if best != NO_UNIT:
            economies.propose_move(g, rules, best, plans)


@compiled
def value(g: Any, rules: Any) -> float:
    """Returns what the workers collect until the end of the episode."""
    base = economies.look(g, rules)
    return economies.INCOME * base.num_workers * (rules.episode_loops - g.game_loop)


PROBLEM = Problem(
    name='collect_minerals_and_gas',
    policy=Policy('build_order', decide),
    propose=propose,
    value=value,
    functions=(
        'no_op',
        'select_point',
        'select_idle_worker',
        'Harvest_Gather_screen',
        'Train_SCV_quick',
        'Build_SupplyDepot_screen',
        'Build_Refinery_screen',
        'Build_CommandCenter_screen',
    ),
    select_point_act=economies.ALL,
    horizon=6720,
    margin=4.0,
)
