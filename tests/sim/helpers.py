"""One game with marines only, at given positions, without rules of a map."""

import numpy as np

from sc2impala.sim import geometry, movement, orders, rules, unit_types, units
from sc2impala.sim.compiler import compiled
from sc2impala.sim.games.game import BATTLE
from sc2impala.sim.units import NO_UNIT


class Marines:
    """Marines of player 1 in the slots 0, 1, ...

    g: the record of the game, whose fields can be read and written.
    """

    def __init__(self, *points):
        """points: (x, y) of the marines."""
        self._rules = rules.make([unit_types.MARINE], geometry.SINGLE_SCREEN, (84, 84), (64, 64))
        self.games = BATTLE.blank()
        self.g = self.games[0]
        self.num_units = len(points)
        _put(self.games, self._rules, np.array(points, float).reshape(-1, 2))

    def run(self, loops):
        """Moves the units for a number of frames."""
        _run(self.games, self._rules, loops)

    def push_apart(self):
        """Resolves overlaps once."""
        _push_apart(self.games, self._rules)

    def give(self, order_kind, x=0, y=0, queued=False, units=(0,), target=NO_UNIT):
        """Gives an order to units; returns whether the queue of one of them was full."""
        full = [
            _give(self.games, slot, order_kind, float(x), float(y), queued, target)
            for slot in units
        ]
        return any(full)

    def remove(self, *slots):
        """Removes units, and the orders that aim at them."""
        for slot in slots:
            _remove(self.games, slot)

    def where(self, slot=0):
        return float(self.g.x[slot]), float(self.g.y[slot])

    def positions(self):
        """Positions of all marines: [n, 2]."""
        return np.stack([self.g.x, self.g.y], axis=1)[: self.num_units]

    def gaps(self):
        """Distances between the marines, one for each pair."""
        x, y = self.positions().T
        distances = np.hypot(x[:, None] - x, y[:, None] - y)
        return distances[np.triu_indices(len(x), 1)]

    def copy(self):
        """A game with the same state, and blank derived fields."""
        other = Marines()
        other.num_units = self.num_units
        for name in self.games.dtype.names:
            if not name.startswith('_'):
                other.games[name] = self.games[name]
        return other


# Arrays of one record are passed to compiled functions, because records are passed slowly.


@compiled
def _put(games, rules, points):
    for slot in range(len(points)):
        x, y = points[slot, 0], points[slot, 1]
        units.put(games[0], rules[0], slot, 0, unit_types.SELF, x, y)


@compiled
def _run(games, rules, loops):
    for _ in range(loops):
        movement.walk(games[0], rules[0])
        movement.push_apart(games[0], rules[0])


@compiled
def _push_apart(games, rules):
    movement.push_apart(games[0], rules[0])


@compiled
def _give(games, slot, order_kind, x, y, queued, target):
    return orders.give(games[0], slot, order_kind, x, y, queued, target, 0)


@compiled
def _remove(games, slot):
    units.remove(games[0], slot)
    orders.drop_target(games[0], slot)
