"""Common rules of DefeatRoaches and DefeatZerglingsAndBanelings. [S] MAP

A line of marines faces a wave of zerg. When the last zerg of a wave is dead, the surviving and some
new marines are lined up in front of a new wave. The episode ends when no marine is left.
"""

from typing import Sequence, Tuple, Union

import numpy as np

from sc2impala.sim import geometry, placement, unit_types
from sc2impala.sim.combat import Combat
from sc2impala.sim.geometry import Rectangle
from sc2impala.sim.mechanic import Mechanic
from sc2impala.sim.world import World

MAX_MARINES = 60
"""Slots for marines; a new wave adds no more marines than there are free slots. [U]"""
NUM_MARINES = 9  # Of the first wave. [S] MAP


class Waves:
    """The rules of one of the two maps; see `games` for their other attributes.

    Attributes:
      boxes: two Rectangles; marines are placed at a random point of one, zerg of the other.
      zerg: UnitTypes of the units of a wave. reward: points per dead zerg.
      new_marines: marines that are added with a new wave.
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
        """See the attributes; zerg_offsets: vertical offsets of the zerg from their point."""
        self.name = name
        self.boxes = boxes
        self.zerg = tuple(zerg)
        self._zerg_radii = np.array([unit_type.radius for unit_type in zerg])
        column = _column(zerg_offsets)[:, None]
        # Units at the same point are spread. [A]
        self._zerg_pattern = placement.nearest_free(column, self._zerg_radii, _ANYWHERE)[:, 0]
        self.reward = reward
        self.new_marines = new_marines
        self.unit_types = (unit_types.MARINE,) + tuple(dict.fromkeys(zerg))
        self.num_units = self.num_mobile = MAX_MARINES + len(self.zerg)

    def mechanics(self, num_games: int) -> Tuple[Mechanic, ...]:
        """Returns combat."""
        return (Combat(num_games, self.num_mobile),)

    def start(self, world: World, games: np.ndarray) -> None:
        """Lines up the first wave in the games int [n]."""
        self._begin_wave(world, games, NUM_MARINES)

    def step(self, world: World, running: np.ndarray) -> None:
        """Scores deaths, starts waves, ends lost episodes and initially selects the marines."""
        units = world.units
        first = running & (world.game_loop == 1) & ~units.selected.any(1)
        if first.any():
            # The map selects them in the first frame: the first observation has no selection. [S]
            # #302. An earlier selection of the player is kept: with the map's selection, rule
            # agents that select a single marine would not reach their published scores. [A]
            units.selected[first, :MAX_MARINES] = units.alive[first, :MAX_MARINES]
        games = np.flatnonzero(running & world.died.any(1))
        if not games.size:
            return
        died = world.died[games]
        world.score[games] += self.reward * died[:, MAX_MARINES:].sum(1)
        world.score[games] -= died[:, :MAX_MARINES].sum(1)
        # The episode is lost if the last marine dies together with the last zerg. [U]
        lost = ~units.alive[games, :MAX_MARINES].any(1)
        world.ended[games[lost]] = True
        cleared = games[~lost & ~units.alive[games, MAX_MARINES:].any(1)]
        if cleared.size:
            self._begin_wave(world, cleared, self.new_marines)

    def _begin_wave(self, world: World, games: np.ndarray, num_new: int) -> None:
        """Adds marines, lines up all marines and zerg, and selects the marines."""
        units = world.units
        before = units.alive[games, :MAX_MARINES]
        # New marines use the first free slots.
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
        """Draws the points of marines and zerg, one in each box: float64 [2, n] each."""
        coin, *fractions = world.random.uniform(games, 5).T
        points = []
        for box, x, y in zip(self.boxes, fractions[::2], fractions[1::2]):
            width, height = box.right - box.left, box.top - box.bottom
            points.append(np.stack([box.left + width * x, box.bottom + height * y]))
        swapped = coin < 0.5
        return np.where(swapped, points, points[::-1])

    def _spread(self, middle: np.ndarray, pattern: np.ndarray, radii: np.ndarray) -> np.ndarray:
        """Places s units around points float64 [2, n]: float64 [2, n, s].

        The offsets `pattern`, float64 [2, s], are kept unless a unit would leave the playable
        region.
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
    """Returns points at vertical offsets from the origin: float64 [2, s]."""
    return np.stack([np.zeros([len(offsets)]), np.array(offsets, float)])


_INDEX = np.arange(MAX_MARINES)
_LINE = _column((_INDEX + 1) // 2 * np.where(_INDEX % 2 == 1, 1, -1))  # 0, 1, -1, 2, ... [S] MAP
_LINE_RADII = np.full([MAX_MARINES], unit_types.MARINE.radius)
_ANYWHERE = Rectangle(left=-np.inf, right=np.inf, bottom=-np.inf, top=np.inf)
