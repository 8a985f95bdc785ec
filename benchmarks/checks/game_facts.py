"""Facts of the real game, measured in replays, and the same measurements of the simulator.

`game_facts.json` holds numbers that were derived from public replays and observations; its entry
`sources` names them. Every function of MEASURES plays the simulator and returns samples; their mean
is compared with the fact.

A recorded episode is an object:

    marines, roaches: the cells of the units at the start, one [x, y] per unit.
    loops: its length; it ends where the first wave ends.
    orders: [loop, kind, queued, numbers of the ordered marines, x, y, target], without point or
      target where there is none; a target below 100 is a marine, 100 + i is roach i.
    marine_deaths: [loop, marine]. roach_deaths: loops. kills: [loop, roach] of killed marines.

The fractions of the start positions are not known: every game draws them.
"""

import functools
import json
import os
from typing import Any, Callable, Dict, List, Mapping, NamedTuple, Optional, Sequence, Tuple

import numpy as np

from sc2impala import envs, sim
from sc2impala.envs import players
from sc2impala.sim import functions, kernels, unit_types
from sc2impala.sim.games import waves
from sc2impala.sim.units import NO_UNIT

Rules = Optional[Mapping[str, Any]]
"""Constants of the simulator that differ from its own, see `sim.make`; or None."""

SIZE = (84, 84)
ROACH_PERIOD = 32.5
"""Loops between two attacks of a roach, with its mean random delay."""
KILL_WINDOW = 4
"""Loops by which an interval between two kills may differ from a multiple of ROACH_PERIOD."""
MAX_ATTACKS = 3
REACH = 1.875
"""Cells between the centres of a marine and a shard within which loops are counted."""
MINING_START, MINING_END = 320, 1280

with open(os.path.join(os.path.dirname(__file__), 'game_facts.json')) as _file:
    FACTS: Dict[str, Any] = json.load(_file)
"""The content of `game_facts.json`."""

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


def make(map_name: str, seeds: Sequence[int], rules: Rules = None) -> sim.GameBatch:
    """Creates games of a map, and starts their first episodes."""
    options: Dict[str, Any] = {} if rules is None else {'rules': rules}
    games = sim.make(map_name, seeds, SIZE, SIZE, **options)
    games.reset()
    return games


class Skirmish:
    """Games of DefeatRoaches that are played with orders to single units, in world coordinates."""

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
    """Plays the orders of a recorded episode in `count` games with drawn start positions."""
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


def shard_loops(count: int, rules: Rules = None) -> List[np.ndarray]:
    """Returns, by game, the loops that a marine has been within reach of each shard at its removal.

    Each of the two marines walks to the nearest shard that is not the target of the other one.
    """
    games = make('CollectMineralShards', range(count), rules)
    g = games.games
    shards = slice(2, 22)
    inside = np.zeros([count, 20], np.int64)
    found: List[List[int]] = [[] for _ in range(count)]
    targets = np.full([count, 2], NO_UNIT)
    every = np.arange(count)
    zeros = np.zeros([count], np.int64)
    before = g.alive[:, shards] != 0
    places = g.x[:, shards].copy(), g.y[:, shards].copy()
    while not games.ended.all():
        for marine in range(2):
            x, y = g.x[:, shards] - g.x[:, [marine]], g.y[:, shards] - g.y[:, [marine]]
            distance = np.where(g.alive[:, shards] != 0, np.hypot(x, y), np.inf)
            other = targets[:, 1 - marine]
            taken = (other != NO_UNIT) & ((g.alive[:, shards] != 0).sum(axis=1) > 1)
            distance[every[taken], other[taken]] = np.inf
            walks = g.order_kind[:, marine, 0] != 0
            new = np.where(walks, targets[:, marine], distance.argmin(axis=1))
            targets[:, marine] = new
            chosen = np.zeros(g.alive.shape, bool)
            chosen[:, marine] = ~walks
            games.select(chosen)
            point = np.stack([g.x[every, 2 + new], g.y[every, 2 + new]])
            games.act(
                np.full([count], functions.MOVE_SCREEN),
                {'queued': zeros},
                (point, np.full([count], NO_UNIT)),
            )
        games.advance(np.ones([count], np.int64))
        alive = g.alive[:, shards] != 0
        removed = before & (~alive | (g.x[:, shards] != places[0]))
        # The loop of the removal counts.
        x = g.x[:, :2, np.newaxis] - places[0][:, np.newaxis]
        y = g.y[:, :2, np.newaxis] - places[1][:, np.newaxis]
        within = (np.hypot(x, y) <= REACH).any(axis=1)
        for k, shard in np.argwhere(removed):
            found[k].append(inside[k, shard] + within[k, shard])
        inside = np.where(within & ~removed, inside + 1, 0)
        before, places = alive.copy(), (g.x[:, shards].copy(), g.y[:, shards].copy())
    return [np.array(loops) for loops in found]


def mined(count: int, loops: Sequence[int], rules: Rules = None) -> np.ndarray:
    """Returns the minerals that 12 workers have collected after some loops: [K, loops]."""
    games = make('BuildMarines', range(count), rules)
    start = games.games.minerals.copy()
    found = []
    for loop in loops:
        games.advance(loop - games.game_loop)
        found.append(games.games.minerals - start)
    return np.stack(found, axis=1)


def build_time(building: str, rules: Rules = None) -> np.ndarray:
    """Returns the loops from the start to the end of the construction of a building: [1]."""
    games = make('CollectMineralsAndGas', [0], rules)
    g = games.games
    g.minerals[:] = 5000
    names = {unit_type.unit_type: index for index, unit_type in enumerate(games.unit_types)}
    wanted = names[getattr(unit_types, building).unit_type]
    if building == 'BARRACKS':
        _build(games, names[unit_types.SUPPLY_DEPOT.unit_type], 'SUPPLY_DEPOT')
    return np.array([_build(games, wanted, building)], np.float64)


def _build(games: sim.GameBatch, wanted: int, building: str) -> int:
    """Builds a building at the first possible site; returns the loops of its construction."""
    g = games.games
    before = set(np.flatnonzero((g.alive[0] != 0) & (g.type[0] == wanted)))
    codes = np.zeros([1], np.int64)
    check = kernels.of_economy().check_site
    for x, y in ((x, y) for y in np.arange(20, 37, 0.5) for x in np.arange(21, 45, 0.5)):
        games.run(check, wanted, float(x), float(y), codes)
        if codes[0] == 0:
            break
    chosen = np.zeros(g.alive.shape, bool)
    chosen[0, np.flatnonzero(g.alive[0] & (g.owner[0] == unit_types.SELF))[0]] = True
    games.select(chosen)
    function = getattr(functions, f'BUILD_{building}_SCREEN')
    target = NO_UNIT
    if building == 'REFINERY':
        geysers = np.flatnonzero(g.type[0] == games.rules.geyser)
        target = geysers[np.hypot(g.x[0, geysers] - x, g.y[0, geysers] - y).argmin()]
        x, y = g.x[0, target], g.y[0, target]
    place = (np.array([[x], [y]], np.float64), np.array([target], np.int64))
    games.act(np.array([function]), {'queued': np.zeros([1], np.int64)}, place)
    begun = 0
    for _ in range(4000):
        games.advance(np.ones([1], np.int64))
        new = set(np.flatnonzero((g.alive[0] != 0) & (g.type[0] == wanted))) - before
        if new and not begun:
            begun = int(games.game_loop[0])
        if new and g.unfinished[0, new.pop()] == 0:
            return int(games.game_loop[0]) - begun
    raise RuntimeError(f'The {building} was not finished in 4000 loops.')


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


def mean_shard_loops(count: int, rules: Rules = None) -> np.ndarray:
    """Returns the means of `shard_loops`: [K]."""
    return np.array([loops.mean() for loops in shard_loops(count, rules)])


def late_shards(count: int, rules: Rules = None) -> np.ndarray:
    """Returns the parts of the shards that are removed after 7 to 10 loops in reach: [K]."""
    return np.array([((loops >= 7) & (loops <= 10)).mean() for loops in shard_loops(count, rules)])


def mined_between(count: int, rules: Rules = None) -> np.ndarray:
    """Returns the minerals of 12 workers from loop MINING_START to loop MINING_END: [K]."""
    start, end = mined(count, (MINING_START, MINING_END), rules).T
    return (end - start).astype(float)


def mined_at_end(count: int, rules: Rules = None) -> np.ndarray:
    """Returns the minerals of 12 workers at loop MINING_END: [K]."""
    return mined(count, (MINING_END,), rules)[:, 0].astype(float)


def build_time_of(building: str, count: int) -> np.ndarray:
    """Returns `build_time`, which needs one game."""
    return build_time(building)


def _interval_row(parity: int) -> Tuple[str, Tuple[float, float]]:
    """Returns the measured loops per attack as text, and a band of two standard errors."""
    real = real_attack_intervals(parity)
    error = real.std() / len(real) ** 0.5
    band = round(float(real.mean() - 2 * error), 2), round(float(real.mean() + 2 * error), 2)
    return f'{real.mean():.2f} +- {error:.2f}', band


_LATE = sum(FACTS['loops_in_reach'][str(loops)] for loops in range(7, 11)) / FACTS['shards']
_MINERALS = {int(loop): amount for loop, amount in FACTS['minerals_of_12_workers'].items()}
_MINED = _MINERALS[MINING_END] - _MINERALS[MINING_START]
_HALVES = ('odd', 1), ('even', 0)
_NAMES_OF_BUILDINGS = {
    'SUPPLY_DEPOT': 'supply depot',
    'REFINERY': 'refinery',
    'BARRACKS': 'barracks',
    'COMMAND_CENTER': 'command center',
}

MEASURES: Dict[str, Callable[[int], np.ndarray]] = {
    'TStarBot2 reaches the limit': tstarbot_survival,
    'PySC2 reaches the limit': pysc2_survival,
    'mean loops in reach of a shard': mean_shard_loops,
    'shards after 7 to 10 loops': late_shards,
    '12 workers, loops 320 to 1280': mined_between,
    '12 workers, loop 1280': mined_at_end,
}
"""By name: functions of the number of games that return samples."""

for _name, _parity in _HALVES:
    MEASURES[f'first death, {_name} episodes'] = functools.partial(first_deaths, _parity)
    MEASURES[f'first death inside, {_name} episodes'] = functools.partial(
        first_deaths_inside, _parity
    )
    MEASURES[f'marines dead, {_name} episodes'] = functools.partial(marines_dead, _parity)
    MEASURES[f'roaches dead, {_name} episodes'] = functools.partial(roaches_dead, _parity)
    MEASURES[f'loops per attack, {_name} episodes'] = functools.partial(attack_intervals, _parity)
for _number in range(len(FACTS['observed_episodes'])):
    MEASURES[f'marines alive, observed {_number + 1}'] = functools.partial(
        observed_marines, _number
    )
for _building, _text in _NAMES_OF_BUILDINGS.items():
    MEASURES[f'loops to build a {_text}'] = functools.partial(build_time_of, _building)

_ROACHES, _SHARDS = 'DefeatRoaches', 'CollectMineralShards'
ROWS: Tuple[Tuple[str, str, str, Optional[Tuple[float, float]]], ...] = (
    (_SHARDS, 'mean loops in reach of a shard', '6.6', (6.1, 7.1)),
    (_SHARDS, 'shards after 7 to 10 loops', f'{_LATE:.2f}', (0.36, 0.56)),
    (_ROACHES, 'first death, odd episodes', 'error in loops', None),
    (_ROACHES, 'first death, even episodes', 'error in loops', None),
    (_ROACHES, 'first death inside, odd episodes', 'central 80%', (0.6, 1)),
    (_ROACHES, 'first death inside, even episodes', 'central 80%', (0.6, 1)),
    (_ROACHES, 'marines dead, odd episodes', 'difference', (-0.35, 0.35)),
    (_ROACHES, 'marines dead, even episodes', 'difference', (-0.35, 0.35)),
    (_ROACHES, 'roaches dead, odd episodes', 'difference', (-0.15, 0.15)),
    (_ROACHES, 'roaches dead, even episodes', 'difference', (-0.15, 0.15)),
    (_ROACHES, 'loops per attack, odd episodes', *_interval_row(1)),
    (_ROACHES, 'loops per attack, even episodes', *_interval_row(0)),
    (_ROACHES, 'marines alive, observed 1', 'difference', (-0.7, 0.7)),
    (_ROACHES, 'marines alive, observed 2', 'difference', (-0.7, 0.7)),
    (_ROACHES, 'marines alive, observed 3', 'difference', (-0.7, 0.7)),
    (_ROACHES, 'TStarBot2 reaches the limit', 'almost always (15 episodes)', (0.85, 1)),
    (_ROACHES, 'PySC2 reaches the limit', 'rarely (15 episodes)', (0, 0.2)),
    ('CollectMineralsAndGas', 'loops to build a supply depot', '480', (479, 481)),
    ('CollectMineralsAndGas', 'loops to build a refinery', '480', (479, 481)),
    ('CollectMineralsAndGas', 'loops to build a barracks', '1040', (1039, 1041)),
    ('CollectMineralsAndGas', 'loops to build a command center', '1600', (1599, 1601)),
    (
        'BuildMarines',
        '12 workers, loops 320 to 1280',
        f'{_MINED}',
        (round(0.95 * _MINED), round(1.05 * _MINED)),
    ),
    (
        'BuildMarines',
        '12 workers, loop 1280',
        f'{_MINERALS[MINING_END]}',
        (round(0.95 * _MINERALS[MINING_END]), round(1.05 * _MINERALS[MINING_END])),
    ),
)
"""Map, fact, measurement of the game and band; `validate_simulator` gives them their halves.

Bands: two standard errors of the measurement where these are known, two standard deviations of a
single game for the observed episodes, two standard errors of 16 episodes for the recorded ones, 5%
for the minerals, which are from other maps, and one loop for buildings.
"""
