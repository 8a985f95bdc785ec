"""Common parts of the two maps with an economy: the record of a game, the base, and a frame."""

from typing import Any

from sc2impala.sim import counter_random, geometry, unit_types
from sc2impala.sim.compiler import compiled
from sc2impala.sim.economy import (
    construction,
    eviction,
    ground,
    harvesters,
    harvesting,
    ledger,
    lifecycle,
    navigation,
    production,
    queues,
)
from sc2impala.sim.games.game import FIELDS, Family

NUM_MOBILE = 200  # As many as the supply limit allows.
NUM_BUILDINGS = 100
"""More than fit on the map, unless all of them are depots."""

NUM_WORKERS = 12  # [S] MAP
MINERALS = 50  # At the beginning. [S] MAP
COMMAND_CENTER_X, COMMAND_CENTER_Y = 30.5, 27.5  # [S] OBS
# Reference point of the initial worker positions. [S] MAP
WORKER_X, WORKER_Y = 29.825, 28.008
WORKER_ROWS = (2.5, 1.5, 0.5, -0.5, -1.5, -2.5)  # [S] MAP
WORKER_COLUMNS = (3.5, 4.5)  # [S] MAP

LEFT_FIELDS = (
    (25.0, 22.5),
    (24.0, 23.5),
    (24.0, 25.5),
    (23.0, 26.5),
    (23.0, 28.5),
    (24.0, 29.5),
    (24.0, 31.5),
    (25.0, 32.5),
)  # [S] MAP
RIGHT_FIELDS = (
    (41.0, 22.5),
    (42.0, 23.5),
    (42.0, 25.5),
    (43.0, 26.5),
    (43.0, 28.5),
    (42.0, 29.5),
    (42.0, 31.5),
    (41.0, 32.5),
)  # [S] MAP
GEYSERS = ((26.5, 20.5), (26.5, 34.5), (39.5, 20.5), (39.5, 34.5))  # [S] MAP

MAX_RESOURCES = len(LEFT_FIELDS) + len(RIGHT_FIELDS) + len(GEYSERS)

ARENA = geometry.SINGLE_SCREEN_WITH_BASE

ECONOMY = Family(
    'economy',
    num_mobile=NUM_MOBILE,
    num_units=NUM_MOBILE + MAX_RESOURCES + NUM_BUILDINGS,
    fields=FIELDS
    + ledger.FIELDS
    + ledger.IDLE_FIELDS
    + ground.FIELDS
    + eviction.FIELDS
    + navigation.FIELDS
    + harvesters.FIELDS
    + construction.FIELDS
    + queues.FIELDS,
    has_economy=True,
)
"""A base, its resources and its workers."""


@compiled
def start(g: Any, rules: Any) -> None:
    """Places command center and workers of a game that has its resources."""
    x = COMMAND_CENTER_X
    y = COMMAND_CENTER_Y
    building = NUM_MOBILE + rules.num_resources
    lifecycle.create(g, rules, building, rules.town_hall, unit_types.SELF, x, y)
    _place_workers(g, rules)
    g.minerals = MINERALS
    ground.survey(g, rules)
    harvesters.fill(g, rules)


@compiled
def play_economy(g: Any, rules: Any) -> None:
    """Simulates the part of a frame before units fight and walk."""
    ledger.decay(g)
    ground.survey(g, rules)
    construction.step(g, rules)
    production.step(g, rules)
    harvesting.step(g, rules)
    ledger.add(g, rules)


@compiled
def tidy(g: Any, rules: Any) -> None:
    """Moves units out of buildings that they were pushed into, at the end of a frame."""
    eviction.evict(g, rules)
    navigation.note_pushed(g, rules)


@compiled
def _place_workers(g: Any, rules: Any) -> None:
    """Places two columns of workers on a random side of the command center. [S] MAP"""
    side = -1.0 if counter_random.uniform(g) < 0.5 else 1.0
    worker = 0
    for row in WORKER_ROWS:
        for column in WORKER_COLUMNS:
            x = WORKER_X + side * column
            y = WORKER_Y + row
            lifecycle.create(g, rules, worker, rules.worker, unit_types.SELF, x, y)
            worker += 1
