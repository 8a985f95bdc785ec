"""Runs PySC2's unmodified agents in PySC2's own loop, on the stand-in or on StarCraft II.

    python -m benchmarks.checks.pysc2_agents --episodes 20

By default the stand-in is installed in a temporary folder; with --sc2path=DIR the game installed
there is used. Prints mean and standard deviation of the scores of every agent. The last line of the
output is JSON.
"""

import argparse
import importlib
import json
import os
import random
import tempfile
from typing import Any, Dict, List, Optional, Sequence, Tuple

import numpy as np

from sc2impala.envs import pysc2_api
from sc2impala.sim.api import install

SCRIPTED = {
    'MoveToBeacon': ('MoveToBeacon', 'MoveToBeacon'),
    'CollectMineralShards': ('CollectMineralShards', 'CollectMineralShards'),
    'CollectMineralShardsFeatureUnits': (
        'CollectMineralShards',
        'CollectMineralShardsFeatureUnits',
    ),
    'CollectMineralShardsRaw': ('CollectMineralShards', 'CollectMineralShardsRaw'),
    'DefeatRoaches': ('DefeatRoaches', 'DefeatRoaches'),
    'DefeatRoachesRaw': ('DefeatRoaches', 'DefeatRoachesRaw'),
}
"""{name: (map, class)} of PySC2's scripted agents."""

TIMEOUT_SECONDS = 120

RANDOM_MAPS = (
    'MoveToBeacon',
    'CollectMineralShards',
    'FindAndDefeatZerglings',
    'DefeatRoaches',
    'DefeatZerglingsAndBanelings',
    'CollectMineralsAndGas',
    'BuildMarines',
)


def main(argv: Optional[Sequence[str]] = None) -> None:
    """Runs the agents; prints a line for each and the JSON.

    Args:
      argv: command-line arguments; None for those of the process.
    """
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--episodes', type=int, default=10, help='of each agent')
    parser.add_argument(
        '--sc2path',
        type=os.path.expanduser,
        default='',
        help='folder of the game; the stand-in if empty',
    )
    parser.add_argument(
        '--agents', nargs='*', default=None, help='names of the agents to run; all by default'
    )
    arguments = parser.parse_args(argv)
    pysc2_api.load_client(TIMEOUT_SECONDS)
    players: Dict[str, Tuple[str, Optional[str]]] = dict(SCRIPTED)
    players.update((f'Random/{name}', (name, None)) for name in RANDOM_MAPS)
    chosen = arguments.agents or list(players)
    unknown = sorted(set(chosen) - set(players))
    if unknown:
        parser.error(f'--agents has {unknown}, expected some of {sorted(players)}.')
    scores = {}
    with tempfile.TemporaryDirectory() as folder:
        os.environ['SC2PATH'] = arguments.sc2path or install.install(folder)
        for name in chosen:
            scores[name] = _play(*players[name], episodes=arguments.episodes)
            print(
                f'{name:34}{np.mean(scores[name]):10.2f}  sd {np.std(scores[name]):8.2f}',
                flush=True,
            )
    result = {name: float(np.mean(values)) for name, values in scores.items()}
    print(json.dumps({'client': pysc2_api.find_client_package(), 'mean_score': result}))


def _load(name: str) -> Any:
    """Imports a module of the installed PySC2."""
    return importlib.import_module(f'{pysc2_api.find_client_package()}.{name}')


def _play(map_name: str, agent_class: Optional[str], episodes: int) -> List[float]:
    """Returns the scores of the episodes of an agent; without a class it is the random agent."""
    sc2_env, features = _load('env.sc2_env'), _load('lib.features')
    if agent_class is None:
        agent = _load('agents.random_agent').RandomAgent()
    else:
        agent = getattr(_load('agents.scripted_agent'), agent_class)()
    random.seed(0)
    np.random.seed(0)
    raw = agent_class is not None and agent_class.endswith('Raw')
    interface = sc2_env.AgentInterfaceFormat(
        feature_dimensions=None if raw else features.Dimensions(screen=84, minimap=64),
        action_space=_load('lib.actions').ActionSpace.RAW if raw else None,
        use_raw_units=raw,
        use_feature_units=not raw,
        raw_resolution=64 if raw else None,
    )
    scores = []
    with sc2_env.SC2Env(
        map_name=map_name,
        players=[sc2_env.Agent(sc2_env.Race.terran)],
        agent_interface_format=interface,
        step_mul=8,
        game_steps_per_episode=0,
        random_seed=0,
    ) as env:
        for _ in range(episodes):
            before = agent.reward
            _load('env.run_loop').run_loop([agent], env, max_episodes=1)
            scores.append(float(agent.reward - before))
    return scores


if __name__ == '__main__':
    main()
