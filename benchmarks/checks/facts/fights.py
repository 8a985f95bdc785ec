"""Recorded and observed episodes of DefeatRoaches, replayed in the simulator."""

import functools
from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Tuple

import numpy as np

from benchmarks.checks.facts.data import FACTS, SIZE, Rules, make
from sc2impala import envs
from sc2impala.envs import players
from sc2impala.sim import functions, unit_types
from sc2impala.sim.games import waves
from sc2impala.sim.units import NO_UNIT

ROACH_PERIOD = 32.5
"""Loops between two attacks of a roach, with its mean random delay."""
KILL_WINDOW = 4
"""Loops by which an interval between two kills may differ from a multiple of ROACH_PERIOD."""
MAX_ATTACKS = 3
_FUNCTIONS = {
    'stop': functions.STOP_QUICK,
    'hold': functions.HOLD_POSITION_QUICK,
    'move': functions.MOVE_SCREEN,
    'attack': functions.ATTACK_SCREEN,
    'patrol': functions.PATROL_SCREEN,
    'smart': functions.SMART_SCREEN,
}
_NUM_MARINES, _NUM_ROACHES = 9, 4
_OBSERVED_STEP = 32
_OBSERVED_PIXEL = 24 / 32  # Cells per pixel of the observed episodes.
_CAMERA_LEFT, _CAMERA_TOP = 21.0, 37.0
_MARINE_OFFSETS = (0, 1, -1, 2, -2, 3, -3, 4, -4)
_ROACH_OFFSETS = (0.5, 1.5, -0.5, -1.5)


class Replayed(NamedTuple):
    """K games with the orders of an episode of the real game.

    marine_deaths: int [K, 9], loops of the deaths of the first wave's marines; FAR if it lives.
    roach_deaths: likewise, int [K, 4].
    kills: by game and roach, loops of the marines that it killed.
    """

    marine_deaths: np.ndarray
    roach_deaths: np.ndarray
    kills: Dict[Tuple[int, int], List[int]]


FAR = 10**6
"""A loop that is never reached."""


class Skirmish:
    """Games of DefeatRoaches that receive orders to single units, in world coordinates."""

    def __init__(self, seeds: Sequence[int], rules: Rules = None):
        self.games = make('DefeatRoaches', seeds, rules)
        owner = self.games.games.owner[0] * (self.games.games.alive[0] != 0)
        self.marines = np.flatnonzero(owner == unit_types.SELF)
        self.roaches = np.flatnonzero(owner == unit_types.ENEMY)
        self.loop = 0
        count = len(seeds)
        self._marine_deaths = np.full([count, _NUM_MARINES], FAR)
        self._roach_deaths = np.full([count, _NUM_ROACHES], FAR)
        self._kills: Dict[Tuple[int, int], List[int]] = {}
        self._next_wave = np.zeros([count], bool)

    @property
    def replayed(self) -> Replayed:
        """The deaths so far."""
        return Replayed(self._marine_deaths, self._roach_deaths, self._kills)

    def put(self, slots: np.ndarray, x: np.ndarray, y: np.ndarray) -> None:
        """Moves standing units to points, float [K, n]."""
        g = self.games.games
        for name, values in (('x', x), ('goal_x', x), ('y', y), ('goal_y', y)):
            g[name][:, slots] = values

    def order(
        self,
        chosen: np.ndarray,
        kind: str,
        point: Any = (0.0, 0.0),
        target: Any = NO_UNIT,
        queued: bool = False,
    ) -> None:
        """Gives an order.

        Args:
          chosen: slots of units, or bool [K, U].
          kind: a key of _FUNCTIONS.
          point: (x, y), one for all games or one per game, float [2, K].
          target: slot of the target, one for all games or int [K].
          queued: whether the order is appended.
        """
        games = self.games
        count = games.num_games
        if not (isinstance(chosen, np.ndarray) and chosen.dtype == bool):
            slots, chosen = chosen, np.zeros(games.games.alive.shape, bool)
            chosen[:, slots] = True
        games.select(chosen)
        points = np.array(np.broadcast_to(np.reshape(point, [2, -1]), [2, count]), np.float64)
        targets = np.array(np.broadcast_to(target, [count]), np.int64)
        arguments = {'queued': np.full([count], int(queued))}
        games.act(np.full([count], _FUNCTIONS[kind]), arguments, (points, targets))

    def run(self, loops: int) -> None:
        """Advances all games, and records the deaths of their first waves."""
        g = self.games.games
        for _ in range(loops):
            marines, roaches = g.alive[:, self.marines] != 0, g.alive[:, self.roaches] != 0
            self.games.advance(np.ones([self.games.num_games], np.int64))
            self.loop += 1
            died = marines & (g.alive[:, self.marines] == 0)
            fell = roaches & (g.alive[:, self.roaches] == 0)
            # The last roach of a wave is replaced in the frame of its death.
            begins = (g.game_loop == self.loop) & (roaches.sum(1) < _NUM_ROACHES)
            begins &= (g.alive[:, self.roaches] != 0).sum(1) == _NUM_ROACHES
            fell |= begins[:, np.newaxis] & roaches
            now = ~self._next_wave[:, np.newaxis]
            self._marine_deaths[died & now] = self.loop
            self._roach_deaths[fell & now] = self.loop
            for k, marine in np.argwhere(died & now):
                killers = np.flatnonzero((g._hit[k] == self.marines[marine]).any(axis=0))
                for killer in np.intersect1d(killers, self.roaches):
                    roach = int(killer - self.roaches[0])
                    self._kills.setdefault((int(k), roach), []).append(self.loop)
            self._next_wave |= begins


def _draw_starts(
    cells: Sequence[Sequence[int]], random: np.random.RandomState, count: int
) -> Tuple[np.ndarray, np.ndarray]:
    """Draws points in the cells of a line of units, with equal fractions: x and y, float [K, n]."""
    corner = np.array(cells, np.float64)
    box = waves.LEFT if corner[0, 0] < 32 else waves.RIGHT
    low = np.clip(corner[:, 0], box.left, box.right).max()
    high = np.clip(corner[:, 0] + 1, box.left, box.right).min()
    if high <= low:  # Units that were moved: the line would leave the region.
        low, high = corner[:, 0].min(), corner[:, 0].min() + 1
        x = corner[:, 0] - low + random.uniform(low, high, (count, 1))
    else:
        x = np.repeat(random.uniform(low, high, (count, 1)), len(corner), axis=1)
    return x, corner[:, 1] + random.uniform(0, 1, (count, 1))


@functools.lru_cache(maxsize=None)
def _replay_cached(number: int, count: int, rules: Optional[Tuple[Tuple[str, Any], ...]]) -> Any:
    episode = FACTS['recorded_episodes'][number]
    seeds = range(1000 * number, 1000 * number + count)
    skirmish = Skirmish(seeds, None if rules is None else dict(rules))
    random = np.random.RandomState(number)
    for slots, cells in (
        (skirmish.marines, episode['marines']),
        (skirmish.roaches, episode['roaches']),
    ):
        skirmish.put(slots, *_draw_starts(cells, random, count))
    for loop, kind, queued, marines, *rest in episode['orders']:
        skirmish.run(loop - skirmish.loop)
        target = NO_UNIT
        if len(rest) > 2:
            aim = rest[2]
            target = skirmish.roaches[aim - 100] if aim >= 100 else skirmish.marines[aim]
        # Targets that are dead are replaced by their point.
        alive = skirmish.games.games.alive[:, target] != 0
        targets = np.where(alive, target, NO_UNIT) if target != NO_UNIT else NO_UNIT
        skirmish.order(skirmish.marines[marines], kind, rest[:2] or (0, 0), targets, bool(queued))
    skirmish.run(episode['loops'] - skirmish.loop)
    return skirmish.replayed


def replay(number: int, count: int, rules: Rules = None) -> Replayed:
    """Repeats the orders of a recorded episode in `count` games with random start positions."""
    return _replay_cached(number, count, None if rules is None else tuple(sorted(rules.items())))


def _numbers(parity: int) -> Sequence[int]:
    """Returns the numbers of every second recorded episode: the first one is odd."""
    return range(1 - parity, len(FACTS['recorded_episodes']), 2)


def first_deaths(parity: int, count: int, rules: Rules = None) -> np.ndarray:
    """Returns the errors of the first marine's death in loops, absolute values: [episodes]."""
    errors: List[float] = []
    for number in _numbers(parity):
        deaths = replay(number, count, rules).marine_deaths.min(axis=1)
        episode = FACTS['recorded_episodes'][number]
        real = min(loop for loop, _ in episode['marine_deaths'])
        errors.append(abs(np.minimum(deaths, episode['loops']).mean() - real))
    return np.array(errors)


def first_deaths_inside(parity: int, count: int, rules: Rules = None) -> np.ndarray:
    """Returns whether the game's first death is among the central 80% of the simulator's.

    The mean of a perfect simulator is 0.8: [episodes].
    """
    inside = []
    for number in _numbers(parity):
        deaths = replay(number, count, rules).marine_deaths.min(axis=1)
        real = min(loop for loop, _ in FACTS['recorded_episodes'][number]['marine_deaths'])
        low, high = np.percentile(deaths, (10, 90))
        inside.append(low <= real <= high)
    return np.array(inside, np.float64)


def _dead(deaths: np.ndarray, loops: int) -> np.ndarray:
    """Returns the mean number of dead units over the loops of an episode: deaths [..., n]."""
    return np.clip(loops - deaths, 0, None).sum(axis=-1) / loops


def marines_dead(parity: int, count: int, rules: Rules = None) -> np.ndarray:
    """Returns dead marines, mean over time, simulator minus game: [episodes]."""
    differences = []
    for number in _numbers(parity):
        episode = FACTS['recorded_episodes'][number]
        real = _dead(np.array([loop for loop, _ in episode['marine_deaths']]), episode['loops'])
        here = _dead(replay(number, count, rules).marine_deaths, episode['loops'])
        differences.append(here.mean() - real)
    return np.array(differences)


def roaches_dead(parity: int, count: int, rules: Rules = None) -> np.ndarray:
    """Returns dead roaches, mean over time, simulator minus game: [episodes]."""
    differences = []
    for number in _numbers(parity):
        episode = FACTS['recorded_episodes'][number]
        real = _dead(np.array(episode['roach_deaths'] + [FAR]), episode['loops'])
        here = _dead(replay(number, count, rules).roach_deaths, episode['loops'])
        differences.append(here.mean() - real)
    return np.array(differences)


def _per_attack(kills: Sequence[int]) -> List[float]:
    """Returns loops per attack for the kills of a roach that are whole numbers of attacks apart."""
    found: List[float] = []
    for interval in np.diff(kills):
        attacks = round(interval / ROACH_PERIOD)
        if 1 <= attacks <= MAX_ATTACKS and abs(interval - attacks * ROACH_PERIOD) <= KILL_WINDOW:
            found.append(float(interval) / attacks)
    return found


def real_attack_intervals(parity: int) -> np.ndarray:
    """Returns the loops per attack between the kills of a roach in the recorded episodes."""
    found: List[float] = []
    for number in _numbers(parity):
        kills: Dict[int, List[int]] = {}
        for loop, roach in FACTS['recorded_episodes'][number]['kills']:
            kills.setdefault(roach, []).append(loop)
        for loops in kills.values():
            found += _per_attack(loops)
    return np.array(found)


def attack_intervals(parity: int, count: int, rules: Rules = None) -> np.ndarray:
    """Returns the same of the simulator: means over the games of an episode [episodes]."""
    found = []
    for number in _numbers(parity):
        of_episode: List[float] = []
        for loops in replay(number, count, rules).kills.values():
            of_episode += _per_attack(loops)
        if of_episode:
            found.append(float(np.mean(of_episode)))
    return np.array(found)


def observed_marines(number: int, count: int, rules: Rules = None) -> np.ndarray:
    """Returns the marines alive in an observed episode, mean over its steps, simulator minus game.

    Args:
      number: of the episode.
      count: number of games.
      rules: of the simulator.

    Returns:
      One difference per game, [K].
    """
    episode = FACTS['observed_episodes'][number]
    skirmish = Skirmish(range(500 + 1000 * number, 500 + 1000 * number + count), rules)
    random = np.random.RandomState(number)
    for slots, offsets, box in (
        (skirmish.marines, _MARINE_OFFSETS, FACTS['observed_start']['marines']),
        (skirmish.roaches, _ROACH_OFFSETS, FACTS['observed_start']['roaches']),
    ):
        (left, right), (low, high) = box
        x = np.repeat(random.uniform(left, right, (count, 1)), len(offsets), axis=1)
        skirmish.put(slots, x, random.uniform(low, high, (count, 1)) + np.array(offsets))
    g = skirmish.games.games
    for step in episode['steps']:
        if step and step[0] == 'attack':
            x = _CAMERA_LEFT + (step[1] + 0.5) * _OBSERVED_PIXEL
            y = _CAMERA_TOP - (step[2] + 0.5) * _OBSERVED_PIXEL
            target: Any = NO_UNIT
            if step[3]:  # On a roach: the nearest one.
                roaches = skirmish.roaches
                distance = np.hypot(g.x[:, roaches] - x, g.y[:, roaches] - y)
                distance[g.alive[:, roaches] == 0] = np.inf
                target = roaches[distance.argmin(axis=1)]
            skirmish.order(skirmish.marines, 'attack', (x, y), target)
        elif step:
            skirmish.order(skirmish.marines, step[0])
        skirmish.run(_OBSERVED_STEP)
    loops = _OBSERVED_STEP * np.arange(len(episode['alive']))
    deaths = skirmish.replayed.marine_deaths
    alive = (deaths[:, np.newaxis] > loops[:, np.newaxis]).sum(axis=2)
    return (alive - np.array(episode['alive'])).mean(axis=1)


def tstarbot_survival(count: int, rules: Rules = None) -> np.ndarray:
    """Returns whether the rules of TStarBot2 reach the end of the episode, one step per 8 loops.

    Every marine attacks the roach with the least health. A marine with less than 0.3 of its health
    and a roach within 5 cells steps back, if another marine has more than 0.9.
    """
    skirmish = Skirmish(range(count), rules)
    games, g = skirmish.games, skirmish.games.games
    health = games.rules.health
    while not games.ended.all():
        used = slice(0, int(g.unit_end.max()))
        owner, x, y, alive = g.owner[:, used], g.x[:, used], g.y[:, used], g.alive[:, used] != 0
        alive &= ~games.ended[:, np.newaxis]
        own, foreign = alive & (owner == unit_types.SELF), alive & (owner == unit_types.ENEMY)
        part = g.health[:, used] / health[g.type[:, used]]
        weakest = np.where(foreign, g.health[:, used], np.inf).argmin(axis=1)
        distance = np.hypot(x[:, :, None] - x[:, None], y[:, :, None] - y[:, None])
        distance = np.where(foreign[:, np.newaxis], distance, np.inf)
        nearest = distance.argmin(axis=2)
        strong = np.where(own, part, 0).max(axis=1) > 0.9
        retreats = own & (distance.min(axis=2) < 5.0) & (part < 0.3) & strong[:, np.newaxis]
        every = np.arange(len(own))
        chosen = np.zeros(g.alive.shape, bool)
        chosen[:, used] = own & ~retreats
        skirmish.order(chosen, 'attack', (x[every, weakest], y[every, weakest]), weakest)
        for slot in np.flatnonzero(retreats.any(axis=0)):
            roach = nearest[:, slot]
            to_x = x[:, slot] + 0.4 * (x[:, slot] - x[every, roach])
            to_y = y[:, slot] + 0.4 * (y[:, slot] - y[every, roach])
            chosen[:] = False
            chosen[:, slot] = retreats[:, slot]
            skirmish.order(chosen, 'smart', (to_x, to_y))
        games.advance(np.full([games.num_games], 8))
    return (games.game_loop == games.episode_loops) * 1.0


def pysc2_survival(count: int) -> np.ndarray:
    """Returns whether PySC2's agent reaches the end of the episode, one step per 8 loops: [K]."""
    script = players.RULES['DefeatRoaches']['PySC2']
    specs = envs.make_specs(
        'DefeatRoaches',
        screen_size=SIZE,
        minimap_size=(64, 64),
        fixed_arguments={},
        functions=script.functions,
        screen_layers=script.screen_layers,
        minimap_layers=script.minimap_layers,
        vectors=script.vectors,
    )
    player: Any = script(*specs)
    frames = np.zeros([count])
    with envs.SimulatedEnvironment('DefeatRoaches', range(count), *specs, max_step_mul=8) as env:
        observation, done = env.reset(), np.ones([count], bool)
        while not frames.all():
            output = env.step(player.act(observation, done), np.full([count], 8, np.int32))
            observation, done = output.observation, output.done
            frames = np.where(done & (frames == 0), output.info.episode_frames, frames)
    return (frames == waves.EPISODE_LOOPS) * 1.0
