"""What DefeatRoaches and DefeatZerglingsAndBanelings have in common. [S] MAP

A line of marines faces a wave of zerg. When the last zerg of a wave is dead, all who are left are
lined up again, with more marines, before a new wave. The episode is over when no marine is left.
"""

from typing import Sequence, Tuple, Union

import numpy as np

from sc2impala.sim import geometry, placement, unit_types
from sc2impala.sim.combat import Combat
from sc2impala.sim.geometry import Rectangle
from sc2impala.sim.mechanic import Mechanic
from sc2impala.sim.world import World

MAX_MARINES = 60
"""Slots for marines; a wave brings no more than there is room for. [U]"""
NUM_MARINES = 9  # Of the first wave. [S] MAP


class Waves:
    """The rules of one of the two maps; see `games` for what they consist of.

    Attributes:
      boxes: two Rectangles; one point of each is drawn, for marines and zerg by the toss of a coin.
      zerg: UnitTypes of a wave, one for each of them. reward: points for each dead zerg.
      new_marines: marines that a new wave brings.
    """

    episode_loops = 120 * unit_types.LOOPS_PER_SECOND  # [S] MAP
    arena = geometry.SINGLE_SCREEN

    def __init__(
        self,
        name: str,
        boxes: Tuple[Rectangle, Rectangle],
        zerg: Sequence[unit_types.UnitType],
        zerg_offsets: Sequence[float],
        reward: int,
        new_marines: int,
    ):
        """See the attributes; zerg_offsets is how far above their point the zerg are put."""
        self.name = name
        self.boxes = boxes
        self.zerg = tuple(zerg)
        self._zerg_radii = np.array([unit_type.radius for unit_type in zerg])
        column = _column(zerg_offsets)[:, None]
        # Those that are put into each other are spread. [A]
        self._zerg_pattern = placement.nearest_free(column, self._zerg_radii, _ANYWHERE)[:, 0]
        self.reward = reward
        self.new_marines = new_marines
        self.unit_types = (unit_types.MARINE,) + tuple(dict.fromkeys(zerg))
        self.num_units = self.num_mobile = MAX_MARINES + len(self.zerg)

    def mechanics(self, num_games: int) -> Tuple[Mechanic, ...]:
        """They fight."""
        return (Combat(num_games, self.num_mobile),)

    def start(self, world: World, games: np.ndarray) -> None:
        """Lines up the first wave in the games int [n]."""
        self._begin_wave(world, games, NUM_MARINES)

    def step(self, world: World, running: np.ndarray) -> None:
        """Counts the dead, begins new waves, ends lost games, and selects the marines at first."""
        units = world.units
        first = running & (world.game_loop == 1) & ~units.selected.any(1)
        if first.any():
            # The map selects them once the game runs: the first observation shows none. [S] #302
            # What the player has selected by then stays: rules that select a single marine in the
            # first step would never score as they do. [A]
            units.selected[first, :MAX_MARINES] = units.alive[first, :MAX_MARINES]
        games = np.flatnonzero(running & world.died.any(1))
        if not games.size:
            return
        died = world.died[games]
        world.score[games] += self.reward * died[:, MAX_MARINES:].sum(1)
        world.score[games] -= died[:, :MAX_MARINES].sum(1)
        # Who loses the last marine with the last zerg has lost. [U]
        lost = ~units.alive[games, :MAX_MARINES].any(1)
        world.ended[games[lost]] = True
        cleared = games[~lost & ~units.alive[games, MAX_MARINES:].any(1)]
        if cleared.size:
            self._begin_wave(world, cleared, self.new_marines)

    def _begin_wave(self, world: World, games: np.ndarray, num_new: int) -> None:
        """Adds marines, lines everyone up anew, and selects the marines."""
        units = world.units
        before = units.alive[games, :MAX_MARINES]
        # New ones take the first free slots.
        after = before | ((~before).cumsum(1) <= num_new)
        marines_at, zerg_at = self._draw_points(world, games)
        line = self._spread(marines_at, _LINE[:, : after.sum(1).max(initial=0)], _LINE_RADII)
        rows, slots = np.nonzero(after)
        points = line[:, rows, after.cumsum(1)[rows, slots] - 1]
        old = before[rows, slots]
        world.relocate(games[rows[old]], slots[old], points[:, old])
        world.put(
            games[rows[~old]], slots[~old], unit_types.MARINE, unit_types.SELF, points[:, ~old]
        )
        units.selected[games, :MAX_MARINES] = after & (world.game_loop[games] > 0)[:, None]

        zerg = self._spread(zerg_at, self._zerg_pattern, self._zerg_radii)
        for unit_type in self.unit_types[1:]:
            first, count = self.zerg.index(unit_type), self.zerg.count(unit_type)
            wave = slice(MAX_MARINES + first, MAX_MARINES + first + count)
            world.place(games, wave, unit_type, unit_types.ENEMY, zerg[:, :, first : first + count])

    def _draw_points(self, world: World, games: np.ndarray) -> np.ndarray:
        """Where marines and zerg are put, float64 [2, n] each: one in each box."""
        coin, *fractions = world.random.uniform(games, 5).T
        points = []
        for box, x, y in zip(self.boxes, fractions[::2], fractions[1::2]):
            width, height = box.right - box.left, box.top - box.bottom
            points.append(np.stack([box.left + width * x, box.bottom + height * y]))
        swapped = coin < 0.5
        return np.where(swapped, points, points[::-1])

    def _spread(self, middle: np.ndarray, pattern: np.ndarray, radii: np.ndarray) -> np.ndarray:
        """Places s units around points float64 [2, n]: float64 [2, n, s].

        The pattern float64 [2, s] holds where it leads nobody out of the playable region.
        """
        points = middle[:, :, None] + pattern[:, None]
        crosses = (geometry.clamp(points, self.arena.playable) != points).any((0, 2))
        if crosses.any():
            radii = radii[: pattern.shape[1]]
            points[:, crosses] = placement.nearest_free(
                points[:, crosses], radii, self.arena.playable
            )
        return points


def _column(offsets: Union[Sequence[float], np.ndarray]) -> np.ndarray:
    """Points above and below the origin: float64 [2, s]."""
    return np.stack([np.zeros([len(offsets)]), np.array(offsets, float)])


_INDEX = np.arange(MAX_MARINES)
_LINE = _column((_INDEX + 1) // 2 * np.where(_INDEX % 2 == 1, 1, -1))  # 0, 1, -1, 2, ... [S] MAP
_LINE_RADII = np.full([MAX_MARINES], unit_types.MARINE.radius)
_ANYWHERE = Rectangle(left=-np.inf, right=np.inf, bottom=-np.inf, top=np.inf)
