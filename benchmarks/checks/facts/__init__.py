"""Facts of the real game, measured in replays, and the same measurements of the simulator.

Every function of MEASURES runs the simulator and returns samples, whose mean is compared with the
fact. ROWS are the lines of the table of `validate_simulator`.
"""

import functools
from typing import Callable, Dict, Optional, Tuple

import numpy as np

from benchmarks.checks.facts import economy, fights, shards
from benchmarks.checks.facts.data import FACTS


def build_time_of(building: str, count: int) -> np.ndarray:
    """Returns `build_time`, which needs one game."""
    return economy.build_time(building)


def _interval_row(parity: int) -> Tuple[str, Tuple[float, float]]:
    """Returns the measured loops per attack as text, and a band of two standard errors."""
    real = fights.real_attack_intervals(parity)
    error = real.std() / len(real) ** 0.5
    band = round(float(real.mean() - 2 * error), 2), round(float(real.mean() + 2 * error), 2)
    return f'{real.mean():.2f} +- {error:.2f}', band


_LATE = sum(FACTS['loops_in_reach'][str(loops)] for loops in range(7, 11)) / FACTS['shards']
_MINERALS = {int(loop): amount for loop, amount in FACTS['minerals_of_12_workers'].items()}
_MINED = _MINERALS[economy.MINING_END] - _MINERALS[economy.MINING_START]
_HALVES = ('odd', 1), ('even', 0)
_NAMES_OF_BUILDINGS = {
    'SUPPLY_DEPOT': 'supply depot',
    'REFINERY': 'refinery',
    'BARRACKS': 'barracks',
    'COMMAND_CENTER': 'command center',
}

MEASURES: Dict[str, Callable[[int], np.ndarray]] = {
    'TStarBot2 reaches the limit': fights.tstarbot_survival,
    'PySC2 reaches the limit': fights.pysc2_survival,
    'mean loops in reach of a shard': shards.mean_shard_loops,
    'shards after 7 to 10 loops': shards.late_shards,
    '12 workers, loops 320 to 1280': economy.mined_between,
    '12 workers, loop 1280': economy.mined_at_end,
}
"""By name: functions of the number of games that return samples."""

for _name, _parity in _HALVES:
    MEASURES[f'first death, {_name} episodes'] = functools.partial(fights.first_deaths, _parity)
    MEASURES[f'first death inside, {_name} episodes'] = functools.partial(
        fights.first_deaths_inside, _parity
    )
    MEASURES[f'marines dead, {_name} episodes'] = functools.partial(fights.marines_dead, _parity)
    MEASURES[f'roaches dead, {_name} episodes'] = functools.partial(fights.roaches_dead, _parity)
    MEASURES[f'loops per attack, {_name} episodes'] = functools.partial(
        fights.attack_intervals, _parity
    )
for _number in range(len(FACTS['observed_episodes'])):
    MEASURES[f'marines alive, observed {_number + 1}'] = functools.partial(
        fights.observed_marines, _number
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
        f'{_MINERALS[economy.MINING_END]}',
        (round(0.95 * _MINERALS[economy.MINING_END]), round(1.05 * _MINERALS[economy.MINING_END])),
    ),
)
"""Map, fact, measurement of the game and band; `validate_simulator` gives them their halves.

Bands: two standard errors of the measurement where these are known, two standard deviations of a
single game for the observed episodes, two standard errors of 16 episodes for the recorded ones, 5%
for the minerals, which are from other maps, and one loop for buildings.
"""
