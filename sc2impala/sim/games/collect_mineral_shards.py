"""CollectMineralShards: two marines collect shards, which appear twenty at a time. [S] MAP

A shard looks for a marine every `shard_period` frames, and each shard has a phase for this. If a
marine is within `shard_reach`, the shard is removed `shard_delay` frames later, wherever the marine
is then, and counts in that frame. [S] replays
"""

from typing import Any

from sc2impala.sim import geometry, movement, unit_types
from sc2impala.sim.combat import NEVER
from sc2impala.sim.compiler import compiled
from sc2impala.sim.counter_random import skip, uniform_at
from sc2impala.sim.games.game import SMALL, Game
from sc2impala.sim.geometry import Rectangle, length
from sc2impala.sim.random_points import CANDIDATES, candidate
from sc2impala.sim.units import put

NUM_MARINES = 2
NUM_SHARDS = 20
SHARD_REGION = Rectangle(left=23.0, right=43.0, bottom=21.0, top=35.0)  # [S] MAP
MIN_SPAWN_DISTANCE = 2.0  # From the nearest marine. [S] MAP
MINERALS_PER_SHARD = 100  # [S] GD

FIRST_SHARD = SMALL.num_mobile
"""Slot of the first shard."""

_TYPES = (unit_types.MARINE, unit_types.MINERAL_SHARD)
_PLAYABLE = geometry.SINGLE_SCREEN.playable
_END = FIRST_SHARD + NUM_SHARDS


@compiled
def start(g: Any, rules: Any) -> None:
    """Places marines and shards."""
    for marine in range(NUM_MARINES):
        x, y = candidate(g, _PLAYABLE, marine, NUM_MARINES)
        put(g, rules, marine, 0, unit_types.SELF, x, y)
    skip(g, 2 * NUM_MARINES)
    _place_shards(g, rules)


@compiled
def play_frame(g: Any, rules: Any) -> None:
    """Moves the marines and removes shards that they take; after the last, creates new ones."""
    movement.walk(g, rules)
    movement.push_apart(g, rules)
    collected = 0
    left = False
    for shard in range(FIRST_SHARD, _END):
        if g.alive[shard]:
            _look_for_marine(g, rules, shard)
            if g.taken_at[shard - FIRST_SHARD] <= g.game_loop:
                g.alive[shard] = False
                collected += 1
            else:
                left = True
    g.score += collected
    g.minerals += MINERALS_PER_SHARD * collected
    if collected and not left:
        _place_shards(g, rules)


@compiled
def _look_for_marine(g: Any, rules: Any, shard: int) -> None:
    """Sets when a shard is removed, if it is its turn to look and a marine is near."""
    index = shard - FIRST_SHARD
    if g.taken_at[index] == NEVER and g.try_at[index] <= g.game_loop:
        g.try_at[index] = g.game_loop + rules.shard_period
        if _is_reached(g, rules, shard):
            g.taken_at[index] = g.game_loop + rules.shard_delay


@compiled
def _is_reached(g: Any, rules: Any, shard: int) -> bool:
    for marine in range(NUM_MARINES):
        x = g.x[marine] - g.x[shard]
        y = g.y[marine] - g.y[shard]
        if x * x + y * y <= rules.shard_reach * rules.shard_reach:
            return True
    return False


@compiled
def _place_shards(g: Any, rules: Any) -> None:
    """Creates all shards at random points away from the marines."""
    for shard in range(FIRST_SHARD, _END):
        g.alive[shard] = False
    missing = NUM_SHARDS
    while missing:
        for shard in range(NUM_SHARDS):
            if not g.alive[FIRST_SHARD + shard] and _place_shard(g, rules, shard):
                missing -= 1
        skip(g, 2 * CANDIDATES * NUM_SHARDS)
    for index in range(NUM_SHARDS):
        phase = int(rules.shard_period * uniform_at(g, index))
        g.try_at[index] = g.game_loop + 1 + phase
        g.taken_at[index] = NEVER
    skip(g, NUM_SHARDS)


@compiled
def _place_shard(g: Any, rules: Any, shard: int) -> bool:
    """Creates a shard at the first of its candidates that is acceptable; returns whether one is."""
    for index in range(CANDIDATES):
        x, y = candidate(g, SHARD_REGION, shard * CANDIDATES + index, CANDIDATES * NUM_SHARDS)
        near = False
        for marine in range(NUM_MARINES):
            if length(x - g.x[marine], y - g.y[marine]) < MIN_SPAWN_DISTANCE:
                near = True
        if not near:
            put(g, rules, FIRST_SHARD + shard, 1, unit_types.NEUTRAL, x, y)
            return True
    return False


GAME = Game(
    name='CollectMineralShards',
    episode_loops=120 * unit_types.LOOPS_PER_SECOND,  # [S] MAP
    arena=geometry.SINGLE_SCREEN,
    unit_types=_TYPES,
    family=SMALL,
    start=start,
    play_frame=play_frame,
    value_per_episode=NUM_MARINES * unit_types.MARINE.minerals,
)
