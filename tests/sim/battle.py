"""Games for combat tests, with units at given positions."""

import numpy as np

from sc2impala.sim import (
    combat,
    counter_random,
    fallen,
    geometry,
    movement,
    orders,
    rules,
    unit_types,
)
from sc2impala.sim.compiler import compiled
from sc2impala.sim.games.game import BATTLE
from sc2impala.sim.units import NO_UNIT

MARINE, ZERGLING = unit_types.MARINE, unit_types.ZERGLING
BANELING, ROACH = unit_types.BANELING, unit_types.ROACH
DUMMY = unit_types.MARINE._replace(unit_type=1, damage=0, speed=0.0, health=1000, is_army=False)
"""A unit that only stands and is hit."""

SELF, ENEMY, NEUTRAL = unit_types.SELF, unit_types.ENEMY, unit_types.NEUTRAL
SIZE = (64, 64)


class Battle:
    """One game of units given as (type, owner, x, y), in the order of their slots.

    games: its record, in an array. g: the same as a record, whose fields can be read and written.
    rules: the constants of the map, likewise.
    """

    def __init__(self, *given, **options):
        """options: seed, arena; others are constants of the rules."""
        self.types = tuple(dict.fromkeys(unit_type for unit_type, _, _, _ in given))
        seed = options.pop('seed', 0)
        arena = options.pop('arena', geometry.SINGLE_SCREEN)
        self.all_rules = rules.make(self.types, arena, SIZE, SIZE, **options)
        self.rules = self.all_rules[0]
        self.games = BATTLE.blank()
        self.g = self.games[0]
        self.g.seed, self.g.episode = seed, 0
        _start(self.games)
        for slot, unit in enumerate(given):
            self.create(slot, *unit)
        self.slots = slice(0, len(given))

    def create(self, slot, unit_type, owner, x, y):
        """Creates a unit."""
        index = self.types.index(unit_type)
        _create(self.games, self.all_rules, slot, index, owner, float(x), float(y))

    def kill(self, *slots):
        """Removes units."""
        self.g.health[list(slots)] = 0
        _bury(self.games)

    def explode(self, *slots):
        """Lets units explode at once."""
        self.g._explodes[list(slots)] = True
        _explode(self.games, self.all_rules)

    def run(self, loops=1):
        """Advances the game as the maps do."""
        _run(self.games, self.all_rules, loops)

    def run_until(self, happened, limit=300):
        """Runs until happened() is true, after at least one frame; returns the number of frames."""
        for loop in range(1, limit + 1):
            self.run()
            if happened():
                return loop
        raise AssertionError(f'Nothing happened in {limit} loops.')

    def hits(self, loops, slot):
        """Runs, and returns the frames (counted from now) in which a unit lost health."""
        found = []
        for loop in range(1, loops + 1):
            before = self.health(slot)
            self.run()
            if self.health(slot) < before:
                found.append(loop)
        return found

    def order(self, order_kind, slots, point=(0.0, 0.0), target=NO_UNIT, queued=False):
        """Gives an order to units; a target unit sets the target point."""
        x, y = point if target == NO_UNIT else self.where(target)
        for slot in slots:
            _give(self.games, slot, order_kind, float(x), float(y), queued, int(target))

    def put_at(self, slot, x, y):
        """Moves a unit directly; a standing unit stays at the new point."""
        g = self.g
        if (g.goal_x[slot], g.goal_y[slot]) == self.where(slot):
            g.goal_x[slot], g.goal_y[slot] = x, y
        g.x[slot], g.y[slot] = x, y

    def where(self, slot):
        return float(self.g.x[slot]), float(self.g.y[slot])

    def health(self, slot):
        return float(self.g.health[slot])

    def alive(self, slot):
        return bool(self.g.alive[slot])

    def died(self):
        """Units that died in the last frame: bool, by slot."""
        return self.g._died[self.slots] != 0

    def target(self, slot):
        return int(self.g.target[slot])

    def gap(self, one, other):
        """Distance between the edges of two units."""
        radius = self.rules.radius[self.g.type]
        offset = np.subtract(self.where(one), self.where(other))
        return np.hypot(*offset) - radius[one] - radius[other]


# Arrays of one record are passed to compiled functions, because records are passed slowly.


def a_marine_and(gap, unit_type=DUMMY, owner=ENEMY, **options):
    """A battle of a marine and a unit to its right, with `gap` cells between their borders."""
    reach = MARINE.radius + unit_type.radius
    return Battle((MARINE, SELF, 30, 28), (unit_type, owner, 30 + reach + gap, 28), **options)


@compiled
def _start(games):
    counter_random.start_stream(games[0])


@compiled
def _create(games, rules, slot, index, owner, x, y):
    combat.create(games[0], rules[0], slot, index, owner, x, y)


@compiled
def _bury(games):
    games[0]._is_hurt = True
    fallen.bury(games[0])


@compiled
def _explode(games, rules):
    combat.attacks.explode(games[0], rules[0])


@compiled
def _give(games, slot, order_kind, x, y, queued, target):
    orders.give(games[0], slot, order_kind, x, y, queued, target, 0)


@compiled
def _run(games, rules, loops):
    g = games[0]
    for _ in range(loops):
        g.game_loop += 1
        for i in range(g.unit_end):
            g._died[i] = False
        combat.fight(g, rules[0])
        fallen.bury(g)
        combat.respond(g, rules[0])
        movement.walk(g, rules[0])
        movement.push_apart(g, rules[0])
