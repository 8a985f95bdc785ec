"""Worlds for combat tests, with units at given positions."""

import numpy as np

from sc2impala.sim import combat, geometry, movement, orders, unit_types
from sc2impala.sim.units import NO_UNIT, Units
from sc2impala.sim.world import World

MARINE, ZERGLING = unit_types.MARINE, unit_types.ZERGLING
BANELING, ROACH = unit_types.BANELING, unit_types.ROACH
DUMMY = unit_types.MARINE._replace(unit_type=1, damage=0, speed=0.0, health=1000, is_army=False)
"""A unit that only stands and is hit."""

SELF, ENEMY = unit_types.SELF, unit_types.ENEMY


class Battle:
    """One game of units given as (type, owner, x, y), in the order of their slots."""

    def __init__(self, *given, **options):
        """options: seed, arena."""
        types = tuple(dict.fromkeys(unit_type for unit_type, _, _, _ in given))
        units = Units(1, len(given), len(given), types)
        self.fight = combat.Combat(1, len(given))
        self.world = World(
            [options.get('seed', 0)],
            options.get('arena', geometry.SINGLE_SCREEN),
            units,
            geometry.View((84, 84), geometry.CAMERA_EXTENT),
            geometry.View((64, 64), geometry.MAP_EXTENT),
            [self.fight],
        )
        self.world.restart(np.array([0]))
        for slot, (unit_type, owner, x, y) in enumerate(given):
            point = np.array([[x], [y]], float)
            self.world.put(np.array([0]), np.array([slot]), unit_type, owner, point)
        self.units = units

    def run(self, loops=1):
        """Advances the game as GameBatch does."""
        running = np.array([True])
        for _ in range(loops):
            self.world.game_loop += 1
            self.world.died[:] = False
            self.fight.step(self.world, running)
            movement.walk(self.units, running)
            movement.push_apart(self.units, running, self.world.arena.playable)

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
        if target != NO_UNIT:
            point = self.where(target)
        point = np.zeros([2, 1, self.units.num_mobile]) + np.reshape(point, [2, 1, 1])
        orders.give(
            self.units,
            np.array([0]),
            chosen=np.isin(np.arange(self.units.num_mobile), slots)[None],
            order_kind=np.array([[order_kind]]),
            point=point,
            queued=np.array([queued]),
            target=np.array([[target]]),
        )

    def put_at(self, slot, x, y):
        """Moves a unit directly; a standing unit stays at the new point."""
        if (self.units.goal[:, 0, slot] == self.units.position[:, 0, slot]).all():
            self.units.goal[:, 0, slot] = x, y
        self.units.position[:, 0, slot] = x, y

    def where(self, slot):
        return tuple(self.units.position[:, 0, slot])

    def health(self, slot):
        return self.units.health[0, slot]

    def alive(self, slot):
        return bool(self.units.alive[0, slot])

    def target(self, slot):
        return self.fight.target[0, slot]

    def gap(self, one, other):
        """Distance between the edges of two units."""
        radius = self.units.stats.radius[self.units.type[0]]
        offset = np.subtract(self.where(one), self.where(other))
        return np.hypot(*offset) - radius[one] - radius[other]
