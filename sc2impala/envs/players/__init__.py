"""Players that do not learn: a random one, and one or several scripted ones for each map.

    player = players.SCRIPTED_PLAYERS['DefeatRoaches'](observation_spec, action_spec)
    action = player.act(env_output.observation, env_output.done)

A player has a method `act(observation, done)`, which maps a batch of K observations to a dict of
int32 [K] with an action for each; `done` marks the games in which a new episode has started. The
step multiplier is chosen by the caller.
"""

from typing import Dict, Type

from sc2impala.envs.players import (
    build_marines,
    collect_mineral_shards,
    collect_minerals_and_gas,
    defeat_roaches,
    defeat_zerglings_and_banelings,
    find_and_defeat_zerglings,
    kite,
    move_to_beacon,
    pull_back,
    stutter_step,
)
from sc2impala.envs.players.calls import Calls
from sc2impala.envs.players.random_player import RandomPlayer
from sc2impala.envs.players.scripted_player import ScriptedPlayer

RULES: Dict[str, Dict[str, Type[ScriptedPlayer]]] = {
    'MoveToBeacon': {'PySC2': move_to_beacon.MoveToBeaconPlayer},
    'CollectMineralShards': {
        'PySC2': collect_mineral_shards.OneByOnePlayer,
        'PySC2 group': collect_mineral_shards.GroupPlayer,
    },
    'FindAndDefeatZerglings': {
        'stutter_step': stutter_step.StutterStepPlayer,
        'circle': find_and_defeat_zerglings.CirclePlayer,
        'explorer': find_and_defeat_zerglings.ExplorerPlayer,
        'LH': find_and_defeat_zerglings.PatrolPlayer,
    },
    'DefeatRoaches': {
        'pull_back': pull_back.PullBackPlayer,
        'LH': defeat_roaches.WeakestPlayer,
        'LZ': defeat_roaches.AdvancePlayer,
        'PySC2': defeat_roaches.LowestPlayer,
    },
    'DefeatZerglingsAndBanelings': {
        'kite': kite.KitePlayer,
        'LH': defeat_zerglings_and_banelings.OneByOnePlayer,
        'LZ': defeat_zerglings_and_banelings.PioneersPlayer,
        'advance': defeat_zerglings_and_banelings.AdvancePlayer,
    },
    'CollectMineralsAndGas': {
        'build_order': collect_minerals_and_gas.TwoBasesPlayer,
        'LH': collect_minerals_and_gas.FirstWorkerPlayer,
        'LZ': collect_minerals_and_gas.IdleWorkerPlayer,
    },
    'BuildMarines': {
        'build_order': build_marines.SixBarracksPlayer,
        'LH': build_marines.FirstWorkerPlayer,
        'LZ': build_marines.IdleWorkerPlayer,
    },
}
"""Classes of ScriptedPlayer by map and by name, the best one of a map first.

PySC2, LH and LZ implement the rules of published agents with known scores: rules that are part of
PySC2, and rules of the repositories Light-of-Hers/rl-midterm and lzhbrian/pysc2-minigame-ai.
"""

SCRIPTED_PLAYERS = {map_name: next(iter(rules.values())) for map_name, rules in RULES.items()}
"""The best scripted player of each map."""

__all__ = ['RULES', 'SCRIPTED_PLAYERS', 'Calls', 'RandomPlayer', 'ScriptedPlayer']
