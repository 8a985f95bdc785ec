"""CollectMineralsAndGas: a base with mineral fields and geysers; the score is what is collected."""

from typing import Any

from sc2impala.sim import movement, unit_types
from sc2impala.sim.compiler import compiled
from sc2impala.sim.economy import lifecycle, navigation
from sc2impala.sim.games import bases
from sc2impala.sim.games.game import Game

FIELDS = bases.LEFT_FIELDS + bases.RIGHT_FIELDS
_NUM_RESOURCES = len(FIELDS) + len(bases.GEYSERS)


@compiled
def start(g: Any, rules: Any) -> None:
    """Places resources and base; the workers are idle."""
    slot = bases.NUM_MOBILE
    for x, y in FIELDS:
        lifecycle.create(g, rules, slot, rules.mineral_field, unit_types.NEUTRAL, x, y)
        slot += 1
    for x, y in bases.GEYSERS:
        lifecycle.create(g, rules, slot, rules.geyser, unit_types.NEUTRAL, x, y)
        slot += 1
    bases.start(g, rules)


@compiled
def play_frame(g: Any, rules: Any) -> None:
    """Simulates a frame and sets the score to the collected resources.

    Attack orders only move units. [A]
    """
    bases.play_economy(g, rules)
    navigation.step(g, rules)
    movement.walk(g, rules)
    movement.push_apart(g, rules)
    bases.tidy(g, rules)
    g.score = g.collected_minerals + g.collected_vespene


GAME = Game(
    name='CollectMineralsAndGas',
    episode_loops=420 * unit_types.LOOPS_PER_SECOND,  # [S] MAP
    arena=bases.ARENA,
    unit_types=(
        unit_types.SCV,
        unit_types.MARINE,
        unit_types.COMMAND_CENTER,
        unit_types.SUPPLY_DEPOT,
        unit_types.REFINERY,
        unit_types.BARRACKS,
        unit_types.MINERAL_FIELD,
        unit_types.VESPENE_GEYSER,
    ),
    family=bases.ECONOMY,
    start=start,
    play_frame=play_frame,
    num_units=bases.NUM_MOBILE + _NUM_RESOURCES + bases.NUM_BUILDINGS,
    num_resources=_NUM_RESOURCES,
    has_targets=True,
)
