"""Mining of 12 workers, and times to construct buildings."""

from typing import Sequence

import numpy as np

from benchmarks.checks.facts.data import Rules, make
from sc2impala import sim
from sc2impala.sim import functions, kernels, unit_types
from sc2impala.sim.units import NO_UNIT

MINING_START, MINING_END = 320, 1280


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
    check = kernels.build_economy().check_site
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


def mined_between(count: int, rules: Rules = None) -> np.ndarray:
    """Returns the minerals of 12 workers from loop MINING_START to loop MINING_END: [K]."""
    start, end = mined(count, (MINING_START, MINING_END), rules).T
    return (end - start).astype(float)


def mined_at_end(count: int, rules: Rules = None) -> np.ndarray:
    """Returns the minerals of 12 workers at loop MINING_END: [K]."""
    return mined(count, (MINING_END,), rules)[:, 0].astype(float)
