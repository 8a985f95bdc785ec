"""BuildMarines: a base with few building types; the score is the number of trained marines."""

from typing import Any

from sc2impala.sim import combat, functions, movement, orders, unit_types
from sc2impala.sim.compiler import compiled
from sc2impala.sim.economy import lifecycle, navigation, queues
from sc2impala.sim.games import bases
from sc2impala.sim.games.game import Game

FIRST_FIELD = (23.0, 26.5)  # Harvested by all initial workers; rally point of new ones. [S] MAP

FIELD_CONTENTS = 1500  # Of every mineral field. [S] OBS

# Command cards are reduced. [S] MAP; the functions that the interface lists for them [A]
SCV = unit_types.SCV._replace(
    functions=(
        functions.BUILD_BARRACKS_SCREEN,
        functions.BUILD_SUPPLY_DEPOT_SCREEN,
        functions.HALT_QUICK,
        functions.HARVEST_GATHER_SCREEN,
        functions.HARVEST_RETURN_QUICK,
    )
)
COMMAND_CENTER = unit_types.COMMAND_CENTER._replace(
    functions=(
        functions.RALLY_WORKERS_SCREEN,
        functions.RALLY_WORKERS_MINIMAP,
        functions.TRAIN_SCV_QUICK,
    )
)
BARRACKS = unit_types.BARRACKS._replace(functions=(functions.TRAIN_MARINE_QUICK,))
MARINE = unit_types.MARINE._replace(
    functions=tuple(
        function
        for function in functions.MARINE_CARD
        if function not in (functions.SMART_SCREEN, functions.SMART_MINIMAP)
    )
)

_TYPES = (
    SCV,
    MARINE,
    COMMAND_CENTER,
    unit_types.SUPPLY_DEPOT,
    BARRACKS,
    unit_types.MINERAL_FIELD._replace(contents=FIELD_CONTENTS),
)
_MARINE = _TYPES.index(MARINE)
_NUM_RESOURCES = len(bases.LEFT_FIELDS)
_FIRST_FIELD_SLOT = bases.NUM_MOBILE + bases.LEFT_FIELDS.index(FIRST_FIELD)
_COMMAND_CENTER_SLOT = bases.NUM_MOBILE + _NUM_RESOURCES


@compiled
def start(g: Any, rules: Any) -> None:
    """Places resources and base; all workers, new ones too, harvest."""
    slot = bases.NUM_MOBILE
    for x, y in bases.LEFT_FIELDS:
        lifecycle.create(g, rules, slot, rules.mineral_field, unit_types.NEUTRAL, x, y)
        slot += 1
    bases.start(g, rules)
    x, y = FIRST_FIELD
    for worker in range(bases.NUM_WORKERS):
        orders.give(g, worker, orders.GATHER, x, y, False, _FIRST_FIELD_SLOT, 0)
    queues.set_rally(g, _COMMAND_CENTER_SLOT, x, y, _FIRST_FIELD_SLOT)


@compiled
def play_frame(g: Any, rules: Any) -> None:
    """Simulates a frame and sets the score to the number of trained marines.

    Marines can kill each other. [S] #129
    """
    bases.play_economy(g, rules)
    combat.fight(g, rules)
    lifecycle.bury(g)
    combat.respond(g, rules)
    navigation.step(g, rules)
    movement.walk(g, rules)
    movement.push_apart(g, rules)
    bases.tidy(g, rules)
    g.score = g.trained[_MARINE]


GAME = Game(
    name='BuildMarines',
    episode_loops=900 * unit_types.LOOPS_PER_SECOND,  # [S] MAP
    arena=bases.ARENA,
    unit_types=_TYPES,
    family=bases.ECONOMY,
    start=start,
    play_frame=play_frame,
    num_units=bases.NUM_MOBILE + _NUM_RESOURCES + bases.NUM_BUILDINGS,
    num_resources=_NUM_RESOURCES,
    has_targets=True,
    has_combat=True,
)
